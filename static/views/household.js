/**
 * The household screen: members and leaderboard, challenges, and what other libraries changed. The address names the
 * tab (`#/household/challenges`).
 */

import { boardPanel } from '../parts/household/board.js';
import { challengesPanel } from '../parts/household/challenges.js';
import { reviewPanel } from '../parts/household/review.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  board: { label: 'household.tab.board', make: boardPanel },
  challenges: { label: 'household.tab.challenges', make: challengesPanel },
  library: { label: 'household.tab.library', make: reviewPanel },
});

/** @implements {App.View} */
export class HouseholdView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    super(ctx, root, route, { name: 'household', tabs: TABS, about: ctx.t('household.about'), className: 'work' });
  }
}
