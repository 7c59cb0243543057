/**
 * Facts about the program, and its updates: looking for a new version when somebody asks for it, installing it, and
 * going back to the one before.
 */

import { busyButton } from '../act.js';
import { confirm } from '../dialog.js';
import { h, icon, patch } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {Api.Settings} values
 * @returns {App.Child}
 */
export function aboutProgram(ctx, values) {
  const { t } = ctx;
  const fact = (/** @type {string} */ label, /** @type {string} */ value) =>
    h('div', { class: 'setting' }, h('div', { class: 'text' }, h('span', { class: 'label' }, label)),
      h('div', { class: 'readonly' }, value));
  const folder = h('div', { class: 'readonly mono-path' });
  const find = async () => {
    const { report } = /** @type {{report: string}} */ (await ctx.client.get('/api/diagnostic'));
    folder.textContent = String(/** @type {{data_dir?: string}} */ (JSON.parse(report)).data_dir ?? '');
  };
  find().catch((error) => ctx.fail(error));
  return [
    fact(t('about.version'), String(values['version'] ?? '')),
    fact(t('about.games'), ctx.format.number(ctx.catalog.total)),
    fact(t('about.safeMode'), t(values['safe_mode'] ? 'option.on' : 'option.off')),
    h('div', { class: 'setting' },
      h('div', { class: 'text' }, h('span', { class: 'label' }, t('about.folder')),
        h('p', null, t('about.folder.hint'))), folder),
    h('p', { class: 'hints' }, t('about.local')),
    updates(ctx),
  ];
}

/** @param {App.Context} ctx */
function updates(ctx) {
  const { t, client, toasts } = ctx;
  const place = h('div', { class: 'updates' });
  /** @type {Reply.UpdateStatus | null} */
  let status = null;
  let target = 'bundle';
  const check = async () => {
    status = await client.get('/api/update');
    draw();
    ctx.announce(verdict(ctx, status).text);
  };
  const install = async () => {
    const { installed } = await client.post('/api/update/install', { target });
    toasts.show({ kind: 'good', text: t('updates.installed', { path: installed }) });
  };
  const goBack = async () => {
    const isSure = await confirm(ctx, { title: t('updates.back.title'), text: t('updates.back.text'),
      action: t('updates.back') });
    if (!isSure) return;
    await client.post('/api/v2/update/rollback', { target });
    toasts.show({ kind: 'good', text: t('updates.returned') });
  };
  const draw = () => {
    const choice = h('select', { class: 'input', id: 'update-target', 'data-focus': 'update-target',
      on: { change: (event) => {
        target = /** @type {HTMLSelectElement} */ (event.currentTarget).value;
      } } },
      ['bundle', 'executable'].map((key) =>
        h('option', { value: key, selected: key === target }, t(`updates.target.${key}`))
      ));
    patch(place,
      h('div', { class: 'section-head' }, h('h2', null, t('updates.title')),
        h('div', { class: 'acts' },
          busyButton(ctx, { label: t('updates.check'), symbol: 'refresh', focus: 'update-check', run: check }))),
      told(ctx, status),
      h('div', { class: 'setting' },
        h('div', { class: 'text' }, h('label', { for: choice.id }, t('updates.target')),
          h('p', null, t('updates.target.hint'))), h('div', { class: 'control' }, choice)),
      h('div', { class: 'acts' }, status?.available
        ? busyButton(ctx, { label: t('updates.install', { version: status.latest }), symbol: 'download',
          focus: 'update-install', style: 'primary', run: install })
        : null, busyButton(ctx, { label: t('updates.back'), symbol: 'history', focus: 'update-back', run: goBack })));
  };
  draw();
  return place;
}

/**
 * @param {App.Context} ctx
 * @param {Reply.UpdateStatus} status
 */
function verdict({ t }, status) {
  if (!status.configured) return { tone: '', symbol: 'plug', text: t('updates.noAddress') };
  if (status.available)
    return { tone: 'good', symbol: 'download', text: t('updates.newer', { version: status.latest }) };
  return { tone: 'good', symbol: 'check', text: t('updates.newest', { version: status.current }) };
}

/**
 * What the last look found; its room is kept before.
 *
 * @param {App.Context} ctx
 * @param {Reply.UpdateStatus | null} status
 */
function told(ctx, status) {
  const { t, format } = ctx;
  if (!status)
    return h('p', { class: 'outcome-line', 'data-key': 'told' }, icon('clock', 'icon-s'), t('updates.notYet'));
  const { tone, symbol, text } = verdict(ctx, status);
  return [
    h('p', { class: `outcome-line ${tone}`, 'data-key': 'told' }, icon(symbol, 'icon-s'), text,
      status.last_checked ? h('small', null, format.ago(status.last_checked, new Date())) : null),
    status.available && status.notes
      ? h('details', { class: 'fold', 'data-key': 'notes' },
        h('summary', null, icon('down', 'icon-s'), t('updates.notes')), h('p', { class: 'notes-text' }, status.notes))
      : null,
  ];
}
