/**
 * The gallery: the moments of all games, the newest first, month by month.
 */

import { momentFrames } from './moment-card.js';
import { emptyBox, showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, patch } from '../../core/dom.js';

/** Moments that are asked for at a time. */
const PAGE = 60;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function galleryPanel(ctx, signal) {
  const { t, client, format } = ctx;
  const root = h('div', { class: 'gallery' }, h('div', { class: 'wait' }));
  let wanted = PAGE;
  const load = coalesce(async () => {
    try {
      const { items, months, total } = await client.get('/api/v2/moments/gallery', { limit: Math.min(500, wanted) });
      if (signal.aborted) return;
      if (items.length === 0) {
        patch(root,
          emptyBox(ctx, 'camera', 'moment.gallery.none',
            h('a', { class: 'button', href: '#/' }, t('history.none.action'))));
        return;
      }
      let at = 0;
      patch(root, months.map(({ month, count }) => {
        const own = items.slice(at, at + count);
        at += count;
        if (own.length === 0) return null;
        const id = `month-${month || 'none'}`;
        return h('section', { 'data-key': id, 'aria-labelledby': id },
          h('h2', { id }, month ? format.month(month, 'long') : t('moment.noTime'),
            h('span', { class: 'number' }, format.number(count))),
          h('ul', { class: 'frames' }, momentFrames(ctx, own, { named: true, onChange: () => void load() })));
      }), items.length < total && items.length < 500
        ? h('button', { class: 'button', type: 'button', 'data-focus': 'more', on: { click: () => {
          wanted += PAGE;
          void load();
        } } }, t('health.more'))
        : null);
    } catch (error) {
      if (!signal.aborted)
        showFailure(ctx, root, error, () => void load(), root.querySelector('.frames') !== null);
    }
  });
  ctx.bus.on('moment', () => void load(), signal);
  ctx.bus.on('catalog:rows', () => {
    if (root.querySelector('.frames')) void load();
  }, signal);
  return { element: root, show: () => void load() };
}
