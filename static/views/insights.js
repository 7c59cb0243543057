/**
 * The statistics screen: what the history and the library say, the recap of a year, what to play next, the
 * constellation, and the trophies. The address names the tab (`#/insights/next`).
 */

import { nextPanel } from '../parts/insights/next.js';
import { overviewPanel } from '../parts/insights/overview.js';
import { starPanel } from '../parts/insights/star-map.js';
import { trophyPanel } from '../parts/insights/trophies.js';
import { openPick } from '../parts/insights/pick.js';
import { yearPanel } from '../parts/insights/year.js';
import { h, icon } from '../core/dom.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  overview: { label: 'insights.tab.overview', make: overviewPanel },
  year: { label: 'insights.tab.year', make: yearPanel },
  next: { label: 'insights.tab.next', make: nextPanel },
  stars: { label: 'insights.tab.stars', make: starPanel },
  trophies: { label: 'insights.tab.trophies', make: trophyPanel },
});

/** @implements {App.View} */
export class InsightsView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    const action = h('button', { class: 'button', type: 'button', on: { click: () => openPick(ctx) } },
      icon('dice', 'icon-s'), ctx.t('pick.title'));
    super(ctx, root, route, { name: 'insights', tabs: TABS, action });
  }
}
