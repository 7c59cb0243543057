/**
 * Games like a game, each with the reasons why.
 */

import { art } from '../art.js';
import { showFailure, smallEmptyBox } from '../state-box.js';
import { h, icon, patch } from '../../core/dom.js';
import { makeRow } from '../../data/game.js';

/** The reasons of the server and their words. */
const REASONS = Object.freeze(/** @type {Record<string, string>} */ ({
  'shared genre': 'related.genre',
  'same series': 'related.series',
  'same collection': 'related.collection',
  'same developer': 'related.developer',
  'same platform': 'related.platform',
  'same publisher': 'related.publisher',
}));

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function relatedPanel(ctx, id) {
  const root = h('div', null, h('div', { class: 'wait' }));
  let asked = '';
  return {
    element: root,
    update: (record) => {
      const facts = JSON.stringify([record.genre, record.series, record['collection'], record.developer,
        record.platform, record.publisher]);
      if (facts === asked) return;
      asked = facts;
      void load(ctx, id, root);
    },
  };
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {HTMLElement} root
 */
async function load(ctx, id, root) {
  const { t, client } = ctx;
  try {
    const { items } = await client.get('/api/related/rich', { game_id: id });
    /** @type {{games: Api.Game[]}} */
    const { games } = items.length > 0
      ? await client.get('/api/library/delta', { ids: items.map((item) => item.id).join(',') })
      : { games: [] };
    const byPosition = new Map(games.map((game) => [game.id, game]));
    const found = items.flatMap((item) => {
      const game = byPosition.get(item.id);
      return game ? [{ item, game }] : [];
    });
    if (found.length === 0) {
      patch(root,
        smallEmptyBox(ctx, 'all', 'related.none',
          h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'related-edit', on: { click: () =>
            void ctx.actions.edit(id) } }, icon('edit', 'icon-s'), t('action.edit'))));
      return;
    }
    patch(root, h('ul', { class: 'cards', 'aria-label': t('game.tab.related') }, found.map(({ item, game }) =>
      card(ctx, item, game)
    )));
  } catch (failure) {
    showFailure(ctx, root, failure, () => void load(ctx, id, root), root.querySelector('.cards') !== null);
  }
}

/**
 * @param {App.Context} ctx
 * @param {Api.RelatedGame} item
 * @param {Api.Game} game
 */
function card(ctx, item, game) {
  const row = ctx.catalog.find(game.game_id) ?? makeRow(game);
  return h('li', null,
    h('a', { class: 'card', 'data-focus': `related-${row.id}`, href: `#/game/${encodeURIComponent(row.id)}` },
      art(ctx, row, { width: 160 }), h('b', null, row.name),
      h('small', null, [row.platform, row.year].filter(Boolean).join(' · ')),
      h('span', { class: 'reasons' },
        item.reasons.map((reason) => h('span', null, REASONS[reason] ? ctx.t(REASONS[reason] ?? '') : reason)))));
}
