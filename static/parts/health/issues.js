/**
 * The findings of one dimension of the score, a page at a time.
 */

import { showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/** Findings of a page. */
const PAGE = 25;

/** The tab of the editor that helps, by what is wrong. */
const TABS = Object.freeze(/** @type {Record<string, string>} */ ({
  missing_cover: 'media',
  missing_artwork: 'media',
  missing_metadata: 'general',
}));

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @param {(dimension: string) => void} onFix
 */
export function pagedIssues(ctx, signal, onFix) {
  const { t, tn, client, format } = ctx;
  const root = h('section', { class: 'issues', 'data-key': 'issues', 'aria-labelledby': 'issues-title' });
  let dimension = '';
  let offset = 0;
  let shown = '';
  const load = coalesce(async () => {
    const wanted = `${dimension} ${offset}`;
    try {
      const page = await client.get('/api/v2/library/health/issues', { dimension, offset, limit: PAGE });
      if (signal.aborted) return;
      shown = wanted;
      draw(page);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.rows') !== null);
    }
  });
  const turn = (/** @type {number} */ by) => {
    offset = Math.max(0, offset + by);
    void load();
  };
  const draw = (/** @type {Reply.HealthIssues} */ { issues, total }) => {
    const name = t(`score.${dimension}`);
    const step = (/** @type {string} */ focus, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {number} */ by, /** @type {boolean} */ isOver) =>
      h('button', { class: 'icon-button', type: 'button', 'data-focus': focus, 'aria-label': label,
        'aria-disabled': isOver ? 'true' : null, on: { click: () => {
          if (!isOver) turn(by);
        } } }, icon(symbol));
    patch(root,
      h('div', { class: 'section-head', 'data-key': 'head' },
        h('h2', { id: 'issues-title' }, name, h('span', { class: 'number' }, format.number(total))), total === 0
        ? null
        : h('button', { class: 'button', type: 'button', 'data-focus': 'fix-all',
          on: { click: () => onFix(dimension) } }, icon('health', 'icon-s'), t('score.fix'))), total === 0
      ? h('p', { class: 'none' }, t('score.none'))
      : h('ul', { class: 'rows findings' }, issues.map((issue, at) => row(ctx, issue, at, () => void load()))),
      total > PAGE
        ? h('div', { class: 'pager', role: 'group', 'aria-label': name },
          step('page-before', 'before', t('score.before'), -PAGE, offset === 0),
          h('span', { 'aria-live': 'polite' },
            t('score.page', { from: format.number(offset + 1), to: format.number(offset + issues.length),
              total: format.number(total) })),
          step('page-after', 'after', t('score.after'), PAGE, offset + PAGE >= total))
        : null);
    ctx.announce(tn('health.count', total));
  };
  return {
    element: root,
    show: (/** @type {string} */ wanted) => {
      if (wanted !== dimension) offset = 0;
      dimension = wanted;
      if (shown !== `${dimension} ${offset}`) void load();
    },
    forget: () => {
      shown = '';
    },
  };
}

/**
 * @param {App.Context} ctx
 * @param {Reply.HealthIssue} issue
 * @param {number} at
 * @param {() => void} onChange
 */
function row(ctx, { game_id: id, name, code, detail }, at, onChange) {
  const { t } = ctx;
  return h('li', { class: 'extra' },
    h('div', { class: 'grow' }, h('b', null, name),
      h('small', { title: detail }, [t(`score.issue.${code}`), detail].filter(Boolean).join(' · '))),
    h('button', { class: 'button quiet', type: 'button', 'data-focus': `edit-${at}`,
      'aria-label': t('health.edit', { name }),
      on: { click: () => void ctx.actions.edit(id, TABS[code] ?? 'launch').then(onChange) } }, icon('edit', 'icon-s'),
      t('action.edit')),
    h('a', { class: 'icon-button', href: `#/game/${encodeURIComponent(id)}`, 'data-focus': `open-${at}`,
      'aria-label': t('health.open', { name }), title: t('action.openPage') }, icon('open')));
}
