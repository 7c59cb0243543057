/**
 * The bell and what it opens: what the program had to say, newest first, until somebody clears it.
 */

import { h, icon, patch } from '../../core/dom.js';
import { openDialog } from '../dialog.js';
import { emptyBox } from '../state-box.js';

/** Icons by how serious a notice is. */
const ICONS = Object.freeze(
  /** @type {Record<string, string>} */ ({ info: 'bell', success: 'check', warning: 'missing', error: 'missing' }),
);

/** Screens that help with a notice of a source. */
const PLACES = Object.freeze(/** @type {Record<string, string>} */ ({ webhook: '/webhooks', backup: '/backups' }));

/**
 * The address of the screen a notice is about, or the empty string.
 *
 * @param {Api.Notice} notice
 * @returns {string}
 */
export function placeOf(notice) {
  return PLACES[notice.source ?? ''] ?? '';
}

/**
 * The bell with the number of notices nobody has read.
 *
 * @param {App.Context} ctx
 * @param {AbortSignal} signal ends it
 * @returns {HTMLButtonElement}
 */
export function bell(ctx, signal) {
  const count = h('span', { class: 'badge', 'aria-hidden': 'true' });
  const button = h('button', { class: 'icon-button bell', type: 'button', 'aria-haspopup': 'dialog',
    on: { click: () => openNotices(ctx) } }, icon('bell'), count);
  const draw = () => {
    const { unread } = ctx.notices;
    const label = unread > 0 ? ctx.tn('notices.unread', unread) : ctx.t('notices.title');
    button.setAttribute('aria-label', label);
    button.title = label;
    count.hidden = unread === 0;
    count.textContent = unread > 99 ? '99+' : ctx.format.number(unread);
  };
  ctx.bus.on('notices', draw, signal);
  draw();
  return button;
}

/** @param {App.Context} ctx */
export function openNotices(ctx) {
  const { t, bus, notices } = ctx;
  const body = h('div', { class: 'notices' });
  const clear = h('button', { class: 'button wide', type: 'button' }, icon('trash', 'icon-s'), t('notices.clear'));
  const dialog = openDialog(ctx, { title: t('notices.title'), className: 'drawer', content: body, footer: clear });
  // What was unread when the list was opened stays marked while it is open.
  const fresh = new Set(notices.list.filter((notice) => !notice.read).map((notice) => notice.id));
  const attempt = (/** @type {Promise<unknown>} */ work) => work.catch((error) => ctx.fail(error));
  const draw = () => {
    for (const notice of notices.list) if (!notice.read) fresh.add(notice.id);
    clear.hidden = notices.list.length === 0;
    patch(body, notices.list.length > 0
      ? h('ul', null, notices.list.map((notice) =>
        row(ctx, notice, fresh.has(notice.id), {
          onDrop: () => void attempt(notices.clear([notice.id])),
          onLeave: () => dialog.close(''),
        })
      ))
      : emptyBox(ctx, 'bell', 'notices.none'));
  };
  clear.addEventListener('click', () => void attempt(notices.clear([])));
  bus.on('notices', draw, dialog.signal);
  draw();
  void attempt(notices.read());
}

/**
 * @param {App.Context} ctx
 * @param {Api.Notice} notice
 * @param {boolean} isFresh
 * @param {{onDrop: () => void, onLeave: () => void}} events
 */
function row(ctx, notice, isFresh, { onDrop, onLeave }) {
  const { t, format } = ctx;
  const place = placeOf(notice);
  return h('li', { class: `notice ${notice.level} ${isFresh ? 'fresh' : ''}` }, icon(ICONS[notice.level] ?? 'bell'),
    h('div', { class: 'body' }, h('b', null, notice.title), notice.body ? h('p', null, notice.body) : null,
      h('small', null, format.ago(notice.created_at, new Date()), place
        ? h('a', { href: `#${place}`, 'data-focus': `show:${notice.id}`, on: { click: onLeave } }, t('action.show'))
        : null)),
    h('button', { class: 'icon-button', type: 'button', 'data-focus': notice.id,
      'aria-label': `${t('action.dismiss')}: ${notice.title}`, title: t('action.dismiss'), on: { click: onDrop } },
      icon('close', 'icon-s')));
}
