/**
 * What the party screen and the party of the big screen have in common: reading the queue with its games, building
 * one, the chips of the players, and why a game fits.
 */

import { h } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';
import { fitsBecause, turnOf, withoutGone } from '../../data/party.js';

/** Players have colours that differ; the first has the accent of the theme. */
const HUES = Object.freeze([265, 25, 150, 85, 330, 200, 55, 300]);

/**
 * The queue with what is known of its games.
 *
 * @param {App.Context} ctx
 * @returns {Promise<App.Party>}
 */
export async function readParty({ client, preferences, catalog }) {
  const stored = await client.get('/api/v2/party/queue');
  const { games } = stored.queue.length > 0
    ? await client.get('/api/library/delta', { ids: stored.queue.join(',') })
    : { games: /** @type {Api.Game[]} */ ([]) };
  const byId = new Map(/** @type {Api.Game[]} */ (games).map((game) => [game.game_id, game]));
  const { queue, index } = withoutGone(stored.queue, stored.index,
    (id) => byId.has(id) || catalog.find(id) !== undefined);
  return { queue, index, players: preferences.partyPlayers, games: new Map(queue.map((id) => {
    const game = byId.get(id);
    return [id, {
      row: catalog.find(id) ??
        { ...NO_ROW, id, name: String(game?.name ?? ''), platform: String(game?.platform ?? '') },
      why: fitsBecause(game),
    }];
  })) };
}

/**
 * Chooses the games of a party anew.
 *
 * @param {App.Context} ctx
 * @param {{players: number, minutes: number}} wanted
 */
export async function buildParty({ client, preferences }, wanted) {
  const built = await client.post('/api/v2/party/queue', wanted);
  preferences.take(await client.get('/api/settings'));
  return built;
}

/**
 * One chip for each player; the one whose turn it is stands out.
 *
 * @param {App.Context} ctx
 * @param {App.Party} party
 * @returns {HTMLElement}
 */
export function playerChips({ t }, { index, players }) {
  const turn = turnOf(index, players);
  return h('ol', { class: 'players', 'aria-label': t('party.players') }, Array.from({ length: players }, (_, at) => {
    const isOn = at + 1 === turn;
    return h('li', { class: isOn ? 'player on' : 'player', style: { '--hue': HUES[at] ?? 0 } },
      t('party.player', { number: at + 1 }), isOn ? h('small', null, t('party.turn')) : null);
  }));
}

/**
 * Why a game fits, as short words.
 *
 * @param {App.Context} ctx
 * @param {App.PartyGame | undefined} game
 */
export function whyItFits({ t, tn, format }, game) {
  const { players = 0, minutes = 0, rating = 0 } = game?.why ?? {};
  return h('span', { class: 'reasons' }, players > 0 ? h('span', null, tn('party.upTo', players)) : null,
    rating > 0 ? h('span', null, t('party.rated', { rating: format.decimal(rating, 1) })) : null,
    minutes > 0 ? h('span', null, t('party.session', { time: format.span(minutes * 60) })) : null);
}
