/**
 * The screens behind "More" at the foot of the sidebar: everything that is not needed every day, with what waits there.
 */

import { openMenu } from '../menu.js';
import { openSheet } from './sheet.js';
import { h, icon, setAttribute } from '../../core/dom.js';

/**
 * The screens in groups: the first part of the address, the symbol.
 *
 * @type {readonly (readonly (readonly [string, string])[])[]}
 */
const GROUPS = Object.freeze([
  [['history', 'history'], ['moments', 'camera'], ['big', 'screen']],
  [['health', 'health'], ['jobs', 'work'], ['saves', 'save'], ['backups', 'archive']],
  [['plugins', 'puzzle'], ['webhooks', 'plug']],
]);

/** Every screen behind "More": the first part of the address, the symbol. */
export const MORE = Object.freeze(GROUPS.flat());

/**
 * What waits on a screen: jobs that are not done, games whose files are missing. Blank when nothing does.
 *
 * @param {App.Context} ctx
 * @param {string} name
 */
function countOf({ jobs, catalog, format }, name) {
  const count = name === 'jobs' ? jobs.active.length : name === 'health' ? catalog.facets.views['missing'] ?? 0 : 0;
  return count > 0 ? format.number(count) : '';
}

/**
 * The button that opens the menu. It is marked as the current place while one of its screens is shown, and counts the
 * jobs that are not done: missing games have a view of their own in the sidebar.
 *
 * @param {App.Context} ctx
 * @param {AbortSignal} signal ends following jobs and the address
 * @returns {HTMLElement}
 */
export function moreButton(ctx, signal) {
  const { t } = ctx;
  const count = h('span', { class: 'count' });
  const button = h('button', { class: 'place', type: 'button', 'data-focus': 'more', 'aria-haspopup': 'menu',
    on: { click: () => open(ctx, button) } }, icon('more'), h('span', { class: 'name' }, t('place.more')), count);
  const follow = () => {
    count.textContent = countOf(ctx, 'jobs');
    const isHere = MORE.some(([name]) => name === ctx.router.current.name);
    setAttribute(button, 'aria-current', isHere ? 'page' : null);
  };
  for (const name of /** @type {const} */ (['jobs', 'route'])) ctx.bus.on(name, follow, signal);
  follow();
  return button;
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} button
 */
function open(ctx, button) {
  const { t } = ctx;
  const { left, top } = button.getBoundingClientRect();
  const groups = GROUPS.map((screens) =>
    screens.map(([name, symbol]) => ({ icon: symbol, label: t(`place.${name}`), note: countOf(ctx, name), run: () => {
      location.hash = `#/${name}`;
    } }))
  );
  openMenu(ctx, [...groups.flatMap((items) => [...items, null]), { icon: 'keyboard', label: t('place.keyboard'),
    note: '?', run: () => openSheet(ctx) }], { x: left, y: top }, t('place.more'));
}
