/**
 * Titles that still are the names of files: what they become is shown, changed when agreed to, and taken back by an
 * undo.
 */

import { h } from '../../core/dom.js';
import { confirm } from '../dialog.js';

const TITLES = '/api/v2/library/titles';

/** Titles that are shown for a look, and the most of one request. */
const SHOWN = 200;
const MOST = 100_000;

/**
 * @param {App.Context} ctx
 * @returns {Promise<number>} how many titles can be cleaned
 */
export async function countTitles(ctx) {
  const { count } = await ctx.client.get(TITLES, { limit: '0' });
  return count;
}

/**
 * @param {App.Context} ctx
 * @param {() => void} onChange is called after every change
 */
export async function cleanTitles(ctx, onChange) {
  const { t, tn, client, toasts } = ctx;
  const change = async (/** @type {readonly Reply.TitleChange[]} */ titles) => {
    const { updated } = await client.post(TITLES, { titles });
    await ctx.catalog.load();
    onChange();
    return updated;
  };
  const undo = async (/** @type {readonly Reply.TitleChange[]} */ titles) => {
    try {
      const back = titles.map(({ game_id, expected, name }) => ({ game_id, expected: name, name: expected }));
      toasts.show({ kind: 'good', text: tn('titles.undone', await change(back)) });
    } catch (failure) {
      ctx.fail(failure);
    }
  };
  try {
    /** @type {{titles: Reply.TitleChange[]}} */
    const { titles } = await client.get(TITLES, { limit: String(MOST) });
    const rows = titles.slice(0, SHOWN).map(({ expected, name }) =>
      h('li', { class: 'extra' }, h('div', { class: 'grow' }, h('b', null, name), h('small', null, expected)))
    );
    const extra = h('ul', { class: 'rows scroll short', tabindex: 0, 'aria-label': t('titles.list') }, rows);
    const isSure = await confirm(ctx, { title: tn('titles.sure', titles.length), text: t('titles.about'),
      action: t('titles.clean'), extra });
    if (!isSure) return;
    const updated = await change(titles);
    toasts.show({ kind: 'good', text: tn('titles.done', updated), actions: [{ label: t('action.undo'), run: () =>
      void undo(titles) }] });
  } catch (failure) {
    ctx.fail(failure);
  }
}
