/**
 * The history screen: the timeline of sessions, the trash, the journal of the library, and what the program
 * changed by itself. The address names the tab (`#/history/trash`).
 */

import { journalPanel } from '../parts/history/journal.js';
import { passesPanel } from '../parts/history/passes.js';
import { timelinePanel } from '../parts/history/timeline.js';
import { trashPanel } from '../parts/history/trash.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  timeline: { label: 'history.tab.timeline', make: timelinePanel },
  trash: { label: 'history.tab.trash', make: trashPanel },
  journal: { label: 'history.tab.journal', make: journalPanel },
  passes: { label: 'history.tab.passes', make: passesPanel },
});

/** @implements {App.View} */
export class HistoryView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    super(ctx, root, route, { name: 'history', tabs: TABS, isFollowing: true });
  }
}
