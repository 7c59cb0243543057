/**
 * What the games of each platform have of covers, backgrounds and facts, as bars; platforms with the most games without
 * a cover come first.
 */

import { smallEmptyBox } from '../state-box.js';
import { h } from '../../core/dom.js';
import { formatHash } from '../../core/router.js';
import { hueSymbol } from '../platform-symbol.js';

/** What is counted: key of the count and of its name. */
const KINDS = Object.freeze(
  /** @type {const} */ ([['covers', 'fill.covers'], ['backgrounds', 'fill.backgrounds'], ['facts', 'fill.facts']]),
);

/**
 * @param {App.Context} ctx
 * @param {(platform: string) => App.Child} [act] what can be done about a platform
 * @returns {App.Child}
 */
export function gapList(ctx, act = () => null) {
  const { t, tn, catalog } = ctx;
  const counts = [...catalog.tally()].sort(([a, one], [b, other]) =>
    (other.games - other.covers) - (one.games - one.covers) || (a < b ? -1 : 1)
  );
  if (counts.length === 0)
    return catalog.isReady
      ? smallEmptyBox(ctx, 'picture', 'fill.empty', h('a', { class: 'button', href: '#/setup' }, t('place.setup')))
      : null;
  return [h('h2', { id: 'gaps-title' }, t('fill.gaps')),
    h('ul', { class: 'gaps-list', 'aria-labelledby': 'gaps-title' }, counts.map(([platform, count]) => {
      const name = platform || t('platform.none');
      return h('li', { 'data-platform': platform },
        h('a', { class: 'who', href: formatHash('/', { platform: platform || '-' }), 'data-focus': `gap:${platform}` },
          hueSymbol(platform), h('b', null, name), h('small', null, tn('library.count', count.games))),
        KINDS.map(([key, label]) => bar(ctx, t(label), name, count[key], count.games)), act(platform));
    }))];
}

/**
 * @param {App.Context} ctx
 * @param {string} label
 * @param {string} about
 * @param {number} done
 * @param {number} all
 */
function bar({ t, format }, label, about, done, all) {
  const words = t('job.count', { done: format.number(done), total: format.number(all) });
  return h('div', { class: `part ${done === all ? 'full' : ''}` }, h('span', null, label),
    h('span', { class: 'number' }, words),
    h('div', { class: 'meter', role: 'meter', 'aria-label': `${about}: ${label}`, 'aria-valuemin': 0,
      'aria-valuemax': all, 'aria-valuenow': done, 'aria-valuetext': words },
      h('i', { style: { '--part': `${Math.floor((100 * done) / all)}%` } })));
}
