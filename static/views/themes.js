/**
 * The themes screen: every theme as a small picture of the page, trying one on, themes of platforms, and what a theme
 * can set. The address names the tab (`#/themes/tokens`).
 */

import { themesPanel } from '../parts/themes/choose.js';
import { tokensPanel } from '../parts/themes/tokens.js';
import { platformThemesPanel } from '../parts/themes/platforms.js';
import { tryTheme } from '../core/theme.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  all: { label: 'place.themes', make: themesPanel },
  platforms: { label: 'sidebar.platforms', make: platformThemesPanel },
  tokens: { label: 'themes.tab.tokens', make: tokensPanel },
});

/** @implements {App.View} */
export class ThemesView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    super(ctx, root, route, { name: 'themes', tabs: TABS, about: ctx.t('themes.about'), className: 'work' });
  }

  /**
   * A theme that is only tried on goes with the screen.
   *
   * @override
   */
  unmount() {
    void tryTheme(null);
    super.unmount();
  }
}
