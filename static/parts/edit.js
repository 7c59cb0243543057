/**
 * The edit dialog: every field the server lets people write, in three tabs; a refused field shows the server's sentence beside it.
 */

import { ApiError } from '../core/client.js';
import { h } from '../core/dom.js';
import { PROGRESS } from '../core/game.js';
import { confirm, openDialog, showFormFailure } from './dialog.js';
import { makeField } from './fields.js';

/** Rating classes the server offers; any other text is kept too. */
const RATING_CLASSES = Object.freeze(['', 'E', 'E10+', 'T', 'M', 'AO', 'RP', 'EC', 'K-A', 'Unrated']);

const TRACKING = Object.freeze(['', 'default', 'process', 'original_process', 'folder', 'process_name']);

/** Fields by tab: key, kind, layout. */
const TABS = Object.freeze(/** @type {const} */ ({
  general: [
    ['name', 'text', 'wide required'], ['sort_title', 'text', ''], ['platform', 'text', 'platforms'], ['genre', 'text', ''], ['year', 'text', ''], ['developer', 'text', ''],
    ['publisher', 'text', ''], ['series', 'text', ''], ['region', 'text', ''], ['progress', 'select', ''], ['esrb', 'select', ''], ['rating', 'number', ''],
    ['max_players', 'text', ''], ['play_mode', 'text', ''], ['controller_support', 'text', ''], ['description', 'area', 'wide tall'], ['alternate_names', 'lines', 'wide'],
    ['wikipedia_url', 'text', 'wide'], ['hidden', 'bool', ''], ['broken', 'bool', ''], ['portable', 'bool', ''], ['hide_in_bigscreen', 'bool', ''],
  ],
  launch: [
    ['path', 'text', 'wide required mono'], ['launch', 'text', 'wide mono'], ['launch_profile', 'text', ''], ['compositor_preset', 'text', ''], ['tracking_mode', 'select', ''],
    ['tracking_process_name', 'text', ''], ['tracking_delay', 'text', ''], ['tracking_frequency', 'text', ''], ['launch_env', 'area', 'wide mono'], ['install_dir', 'text', 'wide mono'],
    ['archive_member', 'text', ''], ['disc_count', 'number', ''], ['save_paths', 'lines', 'wide mono'], ['launch_confirm', 'bool', ''], ['extract_archive', 'bool', ''],
  ],
  media: [
    ['cover', 'text', 'wide mono'], ['background', 'text', 'wide mono'], ['clear_logo', 'text', 'wide mono'], ['icon', 'text', 'wide mono'], ['banner', 'text', 'wide mono'],
    ['fanart', 'text', 'wide mono'], ['box_back', 'text', 'wide mono'], ['title_screen', 'text', 'wide mono'], ['screenshots', 'lines', 'wide mono'], ['manual', 'text', 'wide mono'],
    ['video', 'text', 'wide mono'], ['music', 'text', 'wide mono'],
  ],
}));

/** Fields whose absence the server reads as "empty", so every save carries them. */
const ALWAYS_SENT = Object.freeze(['name', 'path', 'hidden', 'broken', 'portable', 'hide_in_bigscreen', 'extract_archive', 'save_paths', 'screenshots']);

/** Fields that may carry an explanation of what they expect. */
const HINTS = Object.freeze(['path', 'launch', 'launch_env', 'launch_profile', 'save_paths', 'alternate_names', 'cover', 'sort_title']);

/** Beginnings of the server's sentences, and the field they are about. */
const MESSAGES = Object.freeze(/** @type {const} */ ([
  [/^Name is/, 'name'], [/^(?:Path|Game path)/, 'path'], [/progress/i, 'progress'], [/^Rating/, 'rating'], [/^Disc count/, 'disc_count'], [/^Save paths/, 'save_paths'],
  [/^Screenshot/, 'screenshots'], [/^Alternate names/i, 'alternate_names'], [/environment|launch_env/i, 'launch_env'], [/cover/i, 'cover'], [/background/i, 'background'], [/tracking mode/i, 'tracking_mode'],
]));

/**
 * The body of a save: what changed, and what must always be there.
 *
 * @param {Api.Game} record as the server sent it
 * @param {Record<string, App.FieldValue>} changes
 * @returns {Record<string, unknown>}
 */
export function saveBody(record, changes) {
  /** @type {Record<string, unknown>} */
  const game = {};
  for (const key of ALWAYS_SENT) game[key] = record[key];
  return { game_id: record.game_id, game: { ...game, ...changes } };
}

/**
 * The field a refusal is about.
 *
 * @param {string} message
 * @returns {string}
 */
export function fieldOfMessage(message) {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? '';
}

/**
 * Opens the dialog for a fresh record. Resolves to whether it was saved.
 *
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @returns {Promise<boolean>}
 */
export async function openEditor(ctx, record) {
  const { t } = ctx;
  const platforms = h('datalist', { id: 'known-platforms' }, ctx.catalog.facets.platforms.map(([name]) => h('option', { value: name })));
  const tabs = Object.entries(TABS).map(([name, specs]) => makeTab(ctx, name, specs, record));
  const fields = tabs.flatMap((tab) => tab.fields);
  const initial = new Map(fields.map((field) => [field.spec.key, JSON.stringify(field.read())]));
  const changes = () => Object.fromEntries(fields.filter((field) => JSON.stringify(field.read()) !== initial.get(field.spec.key)).map((field) => [field.spec.key, field.read()]));
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const guard = () => Object.keys(changes()).length === 0
    || confirm(ctx, { title: t('edit.discard.title'), text: t('edit.discard.text'), action: t('edit.discard.action'), danger: true });

  const submit = async () => {
    showFormFailure(ctx, dialog.form, null);
    for (const field of fields) field.fail('');
    for (const tab of tabs) tab.button.classList.remove('bad');
    save.disabled = true;
    try {
      await ctx.client.post('/api/game', saveBody(record, changes()));
      dialog.close('saved');
    } catch (error) {
      refuse(ctx, dialog.form, tabs, error);
    } finally {
      save.disabled = false;
    }
  };
  const dialog = openDialog(ctx, {
    title: t('edit.title'), width: 720, className: 'editor', content: tabs.map((tab) => tab.panel), footer: [platforms, cancel, save], onSubmit: () => void submit(), guard,
  });
  dialog.form.querySelector('header')?.after(h('div', { class: 'tabs', role: 'tablist', 'aria-label': t('edit.title') }, tabs.map((tab) => tab.button)));
  wireTabs(tabs);
  cancel.addEventListener('click', async () => { if (await guard()) dialog.close(''); });
  tabs[0]?.fields[0]?.control.focus();
  return (await dialog.closed) === 'saved';
}

/**
 * @param {App.Context} ctx
 * @param {string} name
 * @param {readonly (readonly [string, string, string])[]} specs
 * @param {Api.Game} record
 * @returns {App.EditTab}
 */
function makeTab(ctx, name, specs, record) {
  const fields = specs.map(([key, kind, layout]) => makeField(fieldSpec(ctx, record, key, kind, layout)));
  const flags = fields.filter((field) => field.spec.kind === 'bool');
  const others = fields.filter((field) => field.spec.kind !== 'bool');
  const panel = h('div', { class: 'form-grid', role: 'tabpanel', id: `edit-${name}`, 'aria-labelledby': `edit-${name}-tab`, hidden: name !== 'general' },
    others.map((field) => field.element), flags.length > 0 ? h('fieldset', { class: 'full' }, flags.map((field) => field.element)) : null);
  const button = h('button', {
    type: 'button', role: 'tab', id: `edit-${name}-tab`, 'aria-controls': `edit-${name}`, 'aria-selected': String(name === 'general'), tabindex: name === 'general' ? 0 : -1,
  }, ctx.t(`edit.tab.${name}`));
  return { name, fields, panel, button };
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @param {string} key
 * @param {string} kind
 * @param {string} layout
 * @returns {App.FieldSpec}
 */
function fieldSpec(ctx, record, key, kind, layout) {
  const value = key === 'launch_env' ? envLines(record.launch_env) : /** @type {App.FieldValue} */ (record[key] ?? '');
  /** @type {App.FieldSpec} */
  const spec = {
    key, kind: /** @type {App.FieldSpec['kind']} */ (kind), value, label: ctx.t(`field.${key}`), wide: layout.includes('wide'), mono: layout.includes('mono'),
    required: layout.includes('required'), rows: layout.includes('tall') ? 5 : 3,
  };
  if (HINTS.includes(key)) spec.hint = ctx.t(`hint.${key}`);
  if (layout.includes('platforms')) spec.list = 'known-platforms';
  if (key === 'progress') spec.options = PROGRESS.map((item) => ({ value: item, label: ctx.t(item ? `progress.${item}` : 'progress.none') }));
  if (key === 'esrb') spec.options = RATING_CLASSES.map((item) => ({ value: item, label: item || ctx.t('option.none') }));
  if (key === 'tracking_mode') spec.options = TRACKING.map((item) => ({ value: item, label: ctx.t(item ? `tracking.${item}` : 'option.inherit') }));
  if (key === 'rating') Object.assign(spec, { min: 0, max: 5, step: 0.1 });
  if (key === 'disc_count') Object.assign(spec, { min: 0, step: 1 });
  return spec;
}

/**
 * @param {Record<string, string> | string | undefined} env
 * @returns {string}
 */
function envLines(env) {
  if (!env || typeof env === 'string') return env ?? '';
  return Object.entries(env).map(([key, value]) => `${key}=${value}`).join('\n');
}

/** @param {readonly App.EditTab[]} tabs */
function wireTabs(tabs) {
  tabs.forEach((tab, index) => {
    tab.button.addEventListener('click', () => showTab(tabs, tab));
    tab.button.addEventListener('keydown', (event) => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (step === 0 || !next) return;
      event.preventDefault();
      showTab(tabs, next);
      next.button.focus();
    });
  });
}

/**
 * @param {readonly App.EditTab[]} tabs
 * @param {App.EditTab} shown
 */
function showTab(tabs, shown) {
  for (const tab of tabs) {
    tab.panel.hidden = tab !== shown;
    tab.button.setAttribute('aria-selected', String(tab === shown));
    tab.button.tabIndex = tab === shown ? 0 : -1;
  }
}

/**
 * Shows a refusal beside its field, or above the buttons when it is about no single field.
 *
 * @param {App.Context} ctx
 * @param {HTMLFormElement} form
 * @param {readonly App.EditTab[]} tabs
 * @param {unknown} error
 */
function refuse(ctx, form, tabs, error) {
  const known = error instanceof ApiError ? error : new ApiError(String(error));
  const key = known.status === 400 ? fieldOfMessage(known.message) : '';
  const tab = tabs.find((candidate) => candidate.fields.some((field) => field.spec.key === key));
  const field = tab?.fields.find((candidate) => candidate.spec.key === key);
  if (!tab || !field) {
    showFormFailure(ctx, form, known);
    return;
  }
  showTab(tabs, tab);
  tab.button.classList.add('bad');
  field.fail(known.message);
  field.control.focus();
}
