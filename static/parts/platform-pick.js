/**
 * Choosing a platform of the table: a search field over the list, in the keyboard of a pad as well.
 */

import { openDialog, prepareDialog } from './dialog.js';
import { makeField } from './fields.js';
import { h, icon, patch } from '../core/dom.js';
import { fold } from '../data/search.js';

/** The answer of the user who wants the program to recognise the platform by itself again. */
export const BY_ITSELF = '-';

/** @type {Promise<readonly Reply.Platform[]> | null} */
let table = null;

/**
 * The platforms the program knows, which stay the same while it runs.
 *
 * @param {App.Context} ctx
 */
async function readTable(ctx) {
  table ??= ctx.client.get('/api/v2/platforms').then(({ platforms }) =>
    [...platforms].sort((a, b) => a.name.localeCompare(b.name))
  );
  try {
    return await table;
  } catch (error) {
    table = null;
    throw error;
  }
}

/**
 * Asks for a platform.
 *
 * @param {App.Context} ctx
 * @param {{title: string, about?: string, shown?: string, byItself?: string}} question `shown` is the platform there is
 *   now; `byItself` are the words of the choice to let the program recognise it, where there is one
 * @returns {Promise<string>} its name, `BY_ITSELF`, or the empty string
 */
export async function pickPlatform(ctx, { title, about = '', shown = '', byItself = '' }) {
  const platforms = await prepareDialog(ctx, `platform ${title}`, () => readTable(ctx));
  if (!platforms) return '';
  const { t, tn } = ctx;
  const names = platforms.map((platform) => ({ name: platform.name, maker: platform.maker,
    starts: [platform.name, ...platform.folders].map(fold),
    words: fold([platform.name, platform.maker, ...platform.folders].join(' ')) })
  );
  const field = makeField({ key: 'platform-search', kind: 'text', value: '', label: t('platforms.search'),
    wide: true });
  const list = h('ul', { class: 'rows scroll platform-list', 'aria-label': t('platforms.list') });
  const state = h('p', { class: 'hints', role: 'status' });
  const row = (/** @type {string} */ value, /** @type {string} */ name, /** @type {string} */ note) =>
    h('li', { 'data-key': `platform-${value}` },
      h('button', { class: 'grow', type: 'button', 'data-focus': `platform-${value}`,
        'aria-pressed': String(value === shown), on: { click: () => dialog.close(value) } }, h('b', null, name),
        h('small', null, note)), value === shown ? icon('tick') : null);
  const draw = () => {
    const wanted = fold(String(field.read())).split(' ').filter(Boolean);
    const phrase = wanted.join(' ');
    // A name or a folder that begins with what was typed comes before those that only hold its words.
    const rank = (/** @type {typeof names[number]} */ { starts }) =>
      Number(!starts.some((start) => start.startsWith(phrase)));
    const found = names.filter(({ words }) => wanted.every((word) => words.includes(word))).sort((a, b) =>
      rank(a) - rank(b)
    );
    patch(list, byItself && wanted.length === 0 ? row(BY_ITSELF, byItself, '') : null,
      found.map(({ name, maker }) => row(name, name, maker)));
    state.textContent = tn('platforms.found', found.length);
  };
  const dialog = openDialog(ctx, {
    title,
    width: 520,
    className: 'platform-pick',
    content: [about ? h('p', null, about) : null, field.element, state, list],
    onSubmit: () => {
      const first = list.querySelector('button');
      if (String(field.read()) && first) first.click();
    },
  });
  field.control.addEventListener('input', draw);
  draw();
  field.control.focus();
  return await dialog.closed;
}
