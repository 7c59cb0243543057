/**
 * What an emulator needs besides itself: BIOS and system files, where they belong, and whether they are there.
 */

import { busyButton } from './act.js';
import { h, icon } from '../core/dom.js';

/**
 * Shows a folder in the file manager of the desktop.
 *
 * @param {App.Context} ctx
 * @param {string} path
 */
export async function revealPlace(ctx, path) {
  const { folder } = await ctx.client.post('/api/v2/launch/reveal', { path });
  ctx.announce(ctx.t('reveal.told', { folder }));
}

/**
 * One line for each thing; what is there in one of its places is there.
 *
 * @param {App.Context} ctx
 * @param {readonly Api.Dependency[]} places
 * @param {boolean} [isExpected] whether the file is the expected one, where its checksum is known
 * @returns {HTMLElement | null}
 */
export function needLines(ctx, places, isExpected) {
  const { t } = ctx;
  const names = [...new Set(places.map((place) => place.name))];
  if (names.length === 0) return null;
  return h('ul', { class: 'needs' }, names.map((name) => {
    const all = places.filter((place) => place.name === name);
    const there = all.find((place) => place.found);
    const [first] = all;
    const path = (there ?? first)?.path ?? '';
    const isGood = there !== undefined && isExpected !== false;
    const words = !there
      ? 'needs.missing'
      : isExpected === undefined
      ? 'needs.there'
      : isExpected
      ? 'needs.hash.good'
      : 'needs.hash';
    return h('li', { class: isGood ? 'good' : 'warn' }, icon(isGood ? 'check' : 'missing', 'icon-s'),
      h('div', { class: 'grow' }, h('span', null, t(words, { name })),
        h('small', { class: 'mono-path', title: path }, path)),
      busyButton(ctx, { label: t('reveal.action'), symbol: 'folder', style: 'quiet', focus: `reveal:${path}`,
        about: name, run: () => revealPlace(ctx, path) }));
  }));
}
