/**
 * Links to files of the service. Their address has no token; a press asks for a ticket and follows the address with it.
 */

import { h } from '../core/dom.js';

/**
 * Follows the links below an element that have `data-file`.
 *
 * @param {App.Context} ctx
 * @param {Element} root
 */
export function followFileLinks(ctx, root) {
  root.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-file]') : null;
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    void openFile(ctx, link.getAttribute('href') ?? '', link.target === '_blank' ? null : link.download);
  });
}

/**
 * Saves a file, or shows it in a tab of its own.
 *
 * @param {App.Context} ctx
 * @param {string} path with its query
 * @param {string | null} name what it is saved as; `null` to show it
 */
export async function openFile(ctx, path, name) {
  // A browser opens a tab only during the press itself.
  const tab = name === null ? window.open('', '_blank') : null;
  if (tab) tab.opener = null;
  try {
    const address = await ctx.client.ticket(path);
    if (tab) tab.location.replace(address);
    else h('a', { href: address, ...(name === null ? { target: '_blank', rel: 'noopener' } : { download: name }) })
        .click();
  } catch (failure) {
    tab?.close();
    ctx.fail(failure);
  }
}
