/**
 * The trash: removed games that can come back, each for a limited time; back to the library, gone for good, or
 * everything at once.
 */

import { art } from '../art.js';
import { confirm } from '../dialog.js';
import { emptyBox, showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { parseTime } from '../../core/format.js';
import { NO_ROW } from '../../data/game.js';

/** Days the server keeps an entry. */
const KEPT_DAYS = 30;

const DAY = 86_400_000;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function trashPanel(ctx, signal) {
  const root = h('div', null, h('div', { class: 'wait' }));
  let hasContent = false;
  const load = coalesce(async () => {
    try {
      const { items } = await ctx.client.get('/api/v2/library/trash');
      if (signal.aborted) return;
      hasContent = true;
      draw(ctx, root, items, () => void load());
    } catch (failure) {
      if (!signal.aborted) showFailure(ctx, root, failure, () => void load(), hasContent);
    }
  });
  const follow = () => {
    if (root.isConnected) void load();
  };
  ctx.bus.on('removed', follow, signal);
  ctx.bus.on('game', follow, signal);
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {readonly Api.TrashEntry[]} items
 * @param {() => void} reload
 */
function draw(ctx, root, items, reload) {
  const { t, tn } = ctx;
  patch(root, items.length === 0
    ? emptyBox(ctx, 'trash', 'trash.none', h('a', { class: 'button primary', href: '#/' }, t('game.gone.action')))
    : [
      h('div', { class: 'panel-head' }, h('p', { class: 'about' }, tn('trash.about', items.length)),
        h('button', { class: 'button', type: 'button', 'data-focus': 'trash-empty',
          on: { click: () => void purge(ctx, null, items.length, reload) } }, icon('trash', 'icon-s'),
          t('trash.empty'))),
      h('ul', { class: 'entries' }, items.map((entry) => h('li', null, trashRow(ctx, entry, reload)))),
    ]);
}

/**
 * @param {App.Context} ctx
 * @param {Api.TrashEntry} entry
 * @param {() => void} reload
 */
function trashRow(ctx, entry, reload) {
  const { t, tn, format } = ctx;
  const now = new Date();
  const trashed = parseTime(entry.trashed_at)?.getTime() ?? now.getTime();
  const left = Math.max(0, Math.ceil((trashed + KEPT_DAYS * DAY - now.getTime()) / DAY));
  const facts = [entry.platform, t('trash.when', { ago: format.ago(entry.trashed_at, now) }),
    ...(entry.playlists ?? []).map((name) => t('trash.playlist', { name }))];
  return h('div', { class: 'entry' }, art(ctx, { ...NO_ROW, name: entry.name, platform: entry.platform }),
    h('div', { class: 'who' }, h('b', null, entry.name), h('small', null, facts.filter(Boolean).join(' · '))),
    h('div', { class: 'acts' }, h('small', { class: left <= 3 ? 'soon' : '' }, tn('trash.left', left)),
      h('button', { class: 'button', type: 'button', 'data-focus': `restore:${entry.trash_id}`,
        'aria-label': t('trash.restore.of', { name: entry.name }), on: { click: async () => {
          await ctx.actions.restore(entry.trash_id);
          reload();
        } } }, icon('refresh', 'icon-s'), t('trash.restore')),
      h('button', { class: 'icon-button', type: 'button', 'data-focus': `purge:${entry.trash_id}`,
        'aria-label': t('trash.purge.of', { name: entry.name }), title: t('trash.purge'),
        on: { click: () => void purge(ctx, entry, 1, reload) } }, icon('trash'))));
}

/**
 * @param {App.Context} ctx
 * @param {Api.TrashEntry | null} entry `null` for everything
 * @param {number} count
 * @param {() => void} reload
 */
async function purge(ctx, entry, count, reload) {
  const { t, tn, client, announce } = ctx;
  const isSure = await confirm(ctx, {
    title: entry ? t('trash.sure.title', { name: entry.name }) : tn('trash.sureAll', count),
    text: t('trash.sure.text'),
    action: t('trash.purge'),
    danger: true,
  });
  if (!isSure) return;
  try {
    const { purged } = await client.post('/api/v2/library/trash/purge', entry ? { ids: [entry.trash_id] } : {});
    announce(tn('trash.purged', purged));
  } catch (failure) {
    ctx.fail(failure);
  }
  reload();
}
