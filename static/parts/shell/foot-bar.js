/**
 * The bar at the foot of a phone: the places that people go to most, the search, and the button of the menu, which is
 * the sidebar of larger windows.
 */

import { openPalette } from './palette.js';
import { h, icon, patch } from '../../core/dom.js';

/** Places: the screen, its symbol, its name, its address. */
const PLACES = Object.freeze(
  /** @type {const} */ ([['home', 'home', 'place.home', '#/home'], ['library', 'all', 'palette.games', '#/'], ['play',
    'queue', 'place.play', '#/play']]),
);

/**
 * Keeps the bar up to date for as long as the page lives.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {{isOpen: () => boolean, toggle: (isOpen: boolean) => void}} menu
 */
export function mountFootBar(ctx, root, menu) {
  const draw = () => {
    const { t, kiosk, router } = ctx;
    const here = router.current.name;
    const shown = (/** @type {string} */ name) => kiosk.shows(name);
    const entry = (/** @type {string} */ symbol,
      /** @type {string} */ label) => [icon(symbol), h('span', { class: 'name' }, t(label))];
    const [home, games, queue] = PLACES.map(([name, symbol, label, href]) =>
      shown(name)
        ? h('a', { class: 'foot-place', href, 'data-focus': `foot-${name}`,
          'aria-current': name === here ? 'page' : name === 'library' && here === 'game' ? 'true' : null,
          on: { click: () => menu.toggle(false) } }, entry(symbol, label))
        : null
    );
    root.setAttribute('aria-label', t('palette.title'));
    patch(root, home, games,
      h('button', { class: 'foot-place', type: 'button', 'data-focus': 'foot-search', 'aria-haspopup': 'dialog',
        on: { click: () => {
          menu.toggle(false);
          void openPalette(ctx);
        } } }, entry('search', 'big.search')), queue,
      h('button', { class: 'foot-place', type: 'button', 'data-focus': 'foot-menu', 'aria-controls': 'sidebar',
        'aria-expanded': String(menu.isOpen()), on: { click: () => menu.toggle(!menu.isOpen()) } },
        entry('menu', 'big.menu')));
  };
  for (const name of /** @type {const} */ (['route', 'locale', 'kiosk', 'menu'])) ctx.bus.on(name, draw);
}
