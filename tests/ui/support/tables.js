/**
 * Tables of rows and indexes of searches for unit tests.
 */

import { makeRow } from '../../../static/data/game.js';
import { NameOrder } from '../../../static/data/name-order.js';
import { RowTable } from '../../../static/data/row-table.js';
import { makeDoc } from '../../../static/data/search.js';
import { SearchIndex } from '../../../static/data/search-index.js';

/**
 * @param {readonly (App.Row | null)[]} rows by slot, `null` for a game that went
 * @returns {RowTable}
 */
export function tableOf(rows) {
  const table = new RowTable();
  rows.forEach((row, slot) => {
    table.set(slot, row ?? makeRow({ id: 0, game_id: `gone-${slot}`, name: 'Gone' }));
    if (!row) table.remove(`gone-${slot}`);
  });
  return table;
}

/**
 * @param {readonly Api.Game[]} games by slot
 * @returns {{table: RowTable, index: SearchIndex}}
 */
export function indexOf(games) {
  const table = tableOf(games.map(makeRow));
  const index = new SearchIndex(table);
  games.forEach((game, slot) => index.set(slot, makeDoc(game)));
  return { table, index };
}

/**
 * @param {RowTable} table
 * @param {string} [locale]
 * @returns {NameOrder}
 */
export function namesOf(table, locale) {
  const names = new NameOrder();
  for (const slot of table.slots()) names.note(slot);
  names.update(table, locale);
  return names;
}
