/**
 * What the records of a household say: its members, and what conflicts of library sync are about. Rules without a page.
 */

/** Periods of the leaderboard. */
export const PERIODS = Object.freeze(/** @type {const} */ (['all_time', 'monthly', 'weekly', 'daily']));

/** What a challenge can count. */
export const METRICS = Object.freeze(/** @type {const} */ (['completions', 'playtime_seconds', 'ach_count', 'wins']));

/** Colours of members that can be chosen, with their hues. */
export const COLOURS = Object.freeze(
  /** @type {Record<string, number>} */ ({ blue: 265, teal: 190, green: 150, yellow: 95, orange: 55, red: 25, pink: 350,
    purple: 310 }),
);

/**
 * The hue of a colour; another name than those that can be chosen has one too.
 *
 * @param {string} colour
 * @returns {number}
 */
export function hueOf(colour) {
  return COLOURS[colour] ?? [...colour].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
}

/**
 * The members as their newest records say: records that nobody follows count, the newest of them first.
 *
 * @param {readonly Api.HouseholdRecord[]} records
 * @returns {Api.HouseholdMember[]} by name
 */
export function membersOf(records) {
  const followed = new Set(records.flatMap(({ parents }) => parents));
  /** @type {Map<string, Api.HouseholdRecord>} */
  const newest = new Map();
  for (const record of records) {
    if (record.kind !== 'member' || followed.has(record.event_id)) continue;
    const other = newest.get(record.sync_key);
    if (!other || other.created_at < record.created_at) newest.set(record.sync_key, record);
  }
  return [...newest.values()].map(({ payload }) => payload).filter(({ deleted }) => deleted !== true)
    .sort((a, b) => a.display_name.localeCompare(b.display_name));
}

/**
 * An id for a new member, made of the name; a number behind it where another one has it.
 *
 * @param {string} name
 * @param {readonly Api.HouseholdMember[]} members
 * @returns {string}
 */
export function memberId(name, members) {
  const plain = name.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/\p{M}|^-|-$/gu, '').toLowerCase()
    .slice(0, 40) || 'member';
  const ids = new Set(members.map(({ member_id: id }) => id));
  if (!ids.has(plain)) return plain;
  let number = 2;
  while (ids.has(`${plain}-${number}`)) number += 1;
  return `${plain}-${number}`;
}
