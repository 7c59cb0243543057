/**
 * Exchanging the records of a household with the other devices: what waits here, bringing in and publishing.
 */

import { busyButton } from '../act.js';
import { h, icon } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {Reply.HouseholdView} household
 * @param {() => Promise<void>} load
 */
export function exchangeLine(ctx, { household_sync: sync, outbox_count: waiting }, load) {
  const { t, tn, client, toasts } = ctx;
  if (!sync.configured)
    return h('div', { class: 'callout plain-note', 'data-key': 'exchange' }, icon('folder'),
      h('p', null, t('household.noFolder')),
      h('a', { class: 'button', href: '#/settings/sharing' }, t('household.settings')));
  const pull = async () => {
    const { sync: done } = await client.post('/api/v2/household/sync/pull', {});
    toasts.show({ kind: 'good', text: tn('household.pulled', done?.applied ?? 0) });
    await load();
  };
  const publish = async () => {
    const { sync: done } = await client.post('/api/v2/household/sync/publish', {});
    toasts.show({ kind: 'good', text: tn('household.published', done?.published ?? 0) });
    await load();
  };
  return h('div', { class: 'exchange', 'data-key': 'exchange' },
    h('p', { class: 'outcome-line' }, icon(waiting > 0 ? 'up' : 'check', 'icon-s'),
      waiting > 0 ? tn('household.waiting', waiting) : t('household.allSent')),
    busyButton(ctx, { label: t('household.pull'), symbol: 'down', focus: 'pull', run: pull }),
    busyButton(ctx, { label: t('household.publish'), symbol: 'up', focus: 'publish', run: publish,
      style: waiting > 0 ? 'primary' : '' }));
}

/**
 * The round picture of a member: initials on a colour.
 *
 * @param {string} name
 * @param {number} hue
 */
export function avatar(name, hue) {
  const initials = name.split(/\s+/).map((word) => [...word][0] ?? '').join('').slice(0, 2).toUpperCase();
  return h('span', { class: 'avatar', 'aria-hidden': 'true', style: { '--hue': hue } }, initials);
}
