/**
 * The plugins screen: what is installed, what it may do and how it is set, and the catalog. The address names the tab
 * (`#/plugins/catalog`).
 */

import { catalogPanel } from '../parts/plugins/catalog.js';
import { installedPanel } from '../parts/plugins/installed.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  installed: { label: 'plugins.tab.installed', make: installedPanel },
  catalog: { label: 'plugins.tab.catalog', make: catalogPanel },
});

/** @implements {App.View} */
export class PluginsView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    super(ctx, root, route, { name: 'plugins', tabs: TABS, about: ctx.t('plugins.about'), className: 'work' });
  }
}
