/**
 * A party: how many play, whose turn it is, and why games fit or do not. Rules without a page.
 */

/** How many may play. */
export const PLAYERS = Object.freeze([2, 3, 4, 5, 6, 7, 8]);

/** How long there is, in minutes; 0 for any time. */
export const MINUTES = Object.freeze([0, 15, 30, 60, 120]);

/** Why games are left out, as the server counts it. */
export const EXCLUSIONS = Object.freeze(
  /** @type {const} */ (['too_few_players', 'no_controller_or_platform', 'unusable_path', 'over_budget', 'hidden']),
);

/** Games that the wheel shows at once. */
const SEGMENTS = 12;

/**
 * Who begins the round of a game; players take turns.
 *
 * @param {number} index place of the game in the queue
 * @param {number} players
 * @returns {number} from 1
 */
export function turnOf(index, players) {
  return (index % Math.max(1, players)) + 1;
}

/**
 * The queue without games that are not in the library any more. Where the game that is played is one of them, the next
 * one takes its place.
 *
 * @param {readonly string[]} queue
 * @param {number} index
 * @param {(id: string) => boolean} isKnown
 * @returns {{queue: string[], index: number}}
 */
export function withoutGone(queue, index, isKnown) {
  const kept = queue.filter(isKnown);
  const before = queue.slice(0, index).filter(isKnown).length;
  return { queue: kept, index: Math.max(0, Math.min(before, kept.length - 1)) };
}

/**
 * Why games were left out, the most frequent reason first.
 *
 * @param {Reply.PartyExcluded} excluded
 * @returns {{key: typeof EXCLUSIONS[number], count: number}[]}
 */
export function leftOut(excluded) {
  return EXCLUSIONS.map((key) => ({ key, count: excluded[key] })).filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}

/**
 * The part of the queue that the wheel shows, and how far it is turned.
 *
 * @param {readonly string[]} queue
 * @param {number} index
 * @returns {{ids: readonly string[], at: number, turn: number}} `turn` in degrees
 */
export function wheelOf(queue, index) {
  const from = Math.floor(index / SEGMENTS) * SEGMENTS;
  const ids = queue.slice(from, from + SEGMENTS);
  const at = index - from;
  return { ids, at, turn: ids.length > 0 ? (-360 / ids.length) * at : 0 };
}

/**
 * Whether a name that is written from the edge of the wheel towards its middle would stand on its head there.
 *
 * @param {number} angle of its place, in degrees from the top and clockwise
 */
export function isOnHead(angle) {
  const around = ((angle % 360) + 360) % 360;
  return around > 0 && around < 180;
}

/**
 * Why a game fits a party.
 *
 * @param {Api.Game | undefined} game
 * @returns {{players: number, minutes: number, rating: number}} 0 where nothing is known
 */
export function fitsBecause(game) {
  const number = (/** @type {unknown} */ value) => Number(value) || 0;
  const plays = number(game?.['play_count']);
  const players = String(game?.['max_players'] ?? '').match(/\d+/g) ?? [];
  return { players: Math.max(0, ...players.map(Number)), rating: number(game?.['rating']),
    minutes: plays > 0 ? Math.round(number(game?.['playtime_seconds']) / plays / 60) : 0 };
}
