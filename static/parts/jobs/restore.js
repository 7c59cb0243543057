/**
 * The dialog before a restore: what would come back, go and change, shown before anything is written.
 */

import { ApiError } from '../../core/client.js';
import { fill, h, icon } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { openDialog, showFormFailure } from '../dialog.js';

/** The refusal that can be overruled. */
const OLDER = /^This backup is older/;

/**
 * Opens the dialog for an archive. Resolves to whether a restore was started.
 *
 * @param {App.Context} ctx
 * @param {Api.Archive} archive
 * @returns {Promise<boolean>}
 */
export async function openRestore(ctx, archive) {
  const { t, client } = ctx;
  const boxes = archive.items.map((item) => h('input', { type: 'checkbox', value: item, checked: true }));
  const force = h('input', { type: 'checkbox' });
  const anyway = h('label', { class: 'check callout', hidden: true }, force, h('span', null, t('backup.force')));
  const changes = h('div', { class: 'diff' },
    h('div', { class: 'wait', role: 'status', 'aria-label': t('backup.comparing') }));
  const go = h('button', { class: 'button danger', type: 'submit' }, t('backup.restore'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const submit = async () => {
    setBusy(go, true);
    showFormFailure(ctx, dialog.form, null);
    try {
      const items = boxes.filter((box) => box.checked).map((box) => box.value);
      await client.post('/api/backup/restore', { path: archive.path, items, force: force.checked });
      dialog.close('started');
      await ctx.jobs.refresh();
    } catch (error) {
      setBusy(go, false);
      const known = ApiError.from(error);
      if (OLDER.test(known.message)) {
        anyway.hidden = false;
        force.focus();
      } else {
        showFormFailure(ctx, dialog.form, known);
      }
    }
  };
  const dialog = openDialog(ctx, {
    title: t('backup.restore.title'),
    width: 620,
    footer: [cancel, go],
    onSubmit: () => void submit(),
    content: h('div', { class: 'stack' },
      h('p', { class: 'prose' }, t('backup.restore.text', { time: moment(ctx, archive.created) })), changes,
      h('fieldset', { class: 'field' }, h('legend', { class: 'label' }, t('backup.restore.items')),
        h('div', { class: 'checks' },
          boxes.map((box) => h('label', { class: 'check' }, box, itemName(ctx, box.value))))), anyway),
  });
  cancel.addEventListener('click', () => dialog.close(''));
  cancel.focus();
  void compare(ctx, archive, changes, dialog.signal);
  return (await dialog.closed) === 'started';
}

/**
 * Date and time of an archive.
 *
 * @param {App.Context} ctx
 * @param {string} stamp
 * @returns {string}
 */
export function moment({ format }, stamp) {
  return [format.date(stamp), format.time(stamp)].filter(Boolean).join(', ');
}

/**
 * The name of a part of a backup in the language of the page.
 *
 * @param {App.Context} ctx
 * @param {string} item
 * @returns {string}
 */
export function itemName(ctx, item) {
  return ctx.i18n.has(`backup.item.${item}`) ? ctx.t(`backup.item.${item}`) : item;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Archive} archive
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
async function compare(ctx, archive, root, signal) {
  const { t } = ctx;
  try {
    const diff = await ctx.client.get('/api/v2/backup/diff', { archive: archive.name }, signal);
    const { will_add: add, will_remove: remove, will_change: change } = diff.restore;
    const parts = [
      block(ctx, 'backup.diff.add', 'good', add, () => null),
      block(ctx, 'backup.diff.remove', 'bad', remove, () => null),
      block(ctx, 'backup.diff.change', '', change, (row) =>
        h('small', null, (row.fields ?? []).map((field) => fieldChange(ctx, field)).join(' · '))),
    ].filter(Boolean);
    fill(root,
      parts.length > 0 ? parts : h('p', { class: 'outcome-line good' }, icon('check', 'icon-s'), t('backup.diff.same')),
      diff.settings.would_change
        ? h('p', { class: 'outcome-line' }, icon('gear', 'icon-s'),
          ctx.tn('backup.diff.settings', diff.settings.keys_changed.length))
        : null, diff.settings.redacted_secrets
      ? h('p', { class: 'outcome-line' }, icon('check', 'icon-s'), t('backup.diff.secrets'))
      : null);
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof ApiError ? error.message : String(error);
    fill(root,
      h('p', { class: 'outcome-line bad', role: 'alert' }, icon('missing', 'icon-s'),
        t('backup.diff.failed', { reason })));
  }
}

/**
 * Games that a restore does the same to; nothing when there are none.
 *
 * @param {App.Context} ctx
 * @param {string} key
 * @param {string} tone
 * @param {Api.DiffRows} part
 * @param {(row: Api.DiffRows['rows'][number]) => App.Child} more
 */
function block(ctx, key, tone, part, more) {
  if (part.total === 0) return null;
  return h('details', { class: `diff-part ${tone}` },
    h('summary', null, icon('chevron', 'icon-s'), ctx.tn(key, part.total)),
    h('ul', { class: 'rows' }, part.rows.map((row) => h('li', null, h('div', { class: 'grow' }, row.name, more(row))))),
    part.truncated
      ? h('p', { class: 'none' },
        ctx.t('backup.diff.more', { count: ctx.format.number(part.total - part.rows.length) }))
      : null);
}

/**
 * @param {App.Context} ctx
 * @param {{field: string, from: unknown, to: unknown}} change `from` is what the archive holds, `to` what the library
 *   holds now
 */
function fieldChange(ctx, { field, from, to }) {
  const key = `field.${field}`;
  const name = ctx.i18n.has(key) ? ctx.t(key) : field;
  const shown = (
    /** @type {unknown} */ value,
  ) => (value === null || value === undefined || value === '' ? '–' : String(value));
  return `${name}: ${shown(to)} → ${shown(from)}`;
}
