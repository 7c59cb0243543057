/**
 * The wall of trophies: each with what it asks for, how far it is, and when it was awarded.
 */

import { showFailure, waitBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/** Trophies that count seconds. */
const TIMES = Object.freeze(['century_club', 'deep_diver', 'marathon']);

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function trophyPanel(ctx, signal) {
  const root = h('div', { class: 'insights' }, waitBox(ctx));
  const load = coalesce(async () => {
    try {
      // What is reached by now is written down with its time first.
      await ctx.client.post('/api/v2/insights/trophies/evaluate');
      const found = await ctx.client.get('/api/v2/insights/trophies');
      if (!signal.aborted) show(ctx, root, found);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.trophies') !== null);
    }
  });
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {Reply.Trophies} found
 */
function show({ t, format }, root, { trophies, earned, total }) {
  const amount = (/** @type {string} */ id, /** @type {number} */ value) =>
    TIMES.includes(id) ? format.span(value) : format.number(value);
  patch(root,
    h('p', { class: 'about', role: 'status' },
      t('trophies.earned', { earned: format.number(earned), total: format.number(total) })),
    h('ul', { class: 'trophies' },
      trophies.map(({ id, awarded, awarded_at: at, progress: { current, target } }) =>
        h('li', { class: awarded ? 'awarded' : '', 'data-key': id },
          h('div', { class: 'glyph' }, icon(awarded ? 'star' : 'never', 'icon-l')), h('b', null, t(`trophy.${id}`)),
          h('p', null, t(`trophy.${id}.text`)), awarded
          ? h('small', { class: 'when' }, icon('tick', 'icon-s'), at ? format.date(at) : t('trophies.reached'))
          : [
            h('span', { class: 'meter', 'aria-hidden': 'true' },
              h('i', { style: { 'inline-size': `${(100 * current) / Math.max(1, target)}%` } })),
            h('small', null, t('trophies.progress', {
              current: amount(id, current),
              target: amount(id, target),
            })),
          ])
      )));
}
