/**
 * What is kept of all games: the gallery of moments by month, and the inbox of found pictures. The address names the
 * tab (`#/moments/inbox`).
 */

import { galleryPanel } from '../parts/keepsakes/gallery.js';
import { Inbox } from '../parts/keepsakes/inbox.js';
import { TabbedPage } from '../parts/tabbed-page.js';

/** @type {App.TabList} */
const TABS = Object.freeze({
  gallery: { label: 'moment.tab.gallery', make: galleryPanel },
  inbox: { label: 'moment.tab.inbox', make: (ctx, signal) => new Inbox(ctx, signal) },
});

/** @implements {App.View} */
export class MomentsView extends TabbedPage {
  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    super(ctx, root, route, { name: 'moments', tabs: TABS, className: 'moments-page' });
  }
}
