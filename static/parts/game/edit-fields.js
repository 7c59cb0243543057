/**
 * The fields of the edit dialog: the tab and the look of each, and which field a message of the server is about. Pure
 * except for the controls it makes.
 */

import { PROGRESS } from '../../data/game.js';
import { MEDIA } from '../../data/media.js';
import { makeField } from '../fields.js';
import { makeTagField } from '../tag-field.js';

/** Rating classes the server offers; any other text is kept too. */
const RATING_CLASSES = Object.freeze(['', 'E', 'E10+', 'T', 'M', 'AO', 'RP', 'EC', 'K-A', 'Unrated']);

const TRACKING = Object.freeze(['', 'default', 'process', 'original_process', 'folder', 'process_name']);

/** The performance overlay of one game; empty follows the settings. */
const OVERLAY = Object.freeze(['', 'on', 'off']);
/** Whether the saves of one game go to other devices; empty follows its platform. */
const SAVE_SYNC = Object.freeze(['', 'on', 'off']);

/** Fields by tab: key, kind, layout. The tab of the media has the fields that the server lists. */
const TABS = Object.freeze(/** @type {const} */ ({
  general: [
    ['name', 'text', 'wide required'],
    ['sort_title', 'text', ''],
    ['platform', 'text', 'list'],
    ['genre', 'text', 'list'],
    ['year', 'text', ''],
    ['developer', 'text', 'list'],
    ['publisher', 'text', 'list'],
    ['series', 'text', ''],
    ['collection', 'text', ''],
    ['progress', 'select', ''],
    ['rating', 'number', ''],
    ['description', 'area', 'wide tall'],
    ['hidden', 'bool', ''],
    ['broken', 'bool', ''],
    ['portable', 'bool', ''],
    ['hide_in_bigscreen', 'bool', ''],
  ],
  details: [
    ['tags', 'tags', 'wide'],
    ['alternate_names', 'lines', 'wide'],
    ['region', 'text', ''],
    ['esrb', 'select', ''],
    ['release_date', 'text', ''],
    ['status', 'text', ''],
    ['max_players', 'text', ''],
    ['play_mode', 'text', ''],
    ['controller_support', 'text', ''],
    ['wikipedia_url', 'text', 'wide'],
    ['video_url', 'text', 'wide'],
  ],
  launch: [
    ['path', 'text', 'wide required mono'],
    ['launch', 'text', 'wide mono'],
    ['launch_profile', 'text', 'list'],
    ['compositor_preset', 'select', ''],
    ['overlay', 'select', ''],
    ['tracking_mode', 'select', ''],
    ['tracking_process_name', 'text', ''],
    ['tracking_delay', 'text', ''],
    ['tracking_frequency', 'text', ''],
    ['launch_env', 'area', 'wide mono'],
    ['install_dir', 'text', 'wide mono'],
    ['archive_member', 'text', ''],
    ['disc_count', 'number', ''],
    ['save_paths', 'lines', 'wide mono'],
    ['save_sync', 'select', ''],
    ['launch_confirm', 'bool', ''],
    ['extract_archive', 'bool', ''],
  ],
  media: [],
  sources: [
    ['source', 'text', ''],
    ['rom_name', 'text', ''],
    ['clone_of', 'text', ''],
    ['set_type', 'text', ''],
    ['store_a_app_id', 'text', ''],
    ['store_b_app_id', 'text', ''],
    ['store_b_source', 'text', ''],
    ['store_c_id', 'text', ''],
    ['libserver_id', 'text', ''],
    ['libserver_provider', 'text', ''],
    ['metadb_id', 'text', ''],
    ['gamedb_id', 'text', ''],
    ['scraper_id', 'text', ''],
    ['ach_game_id', 'text', ''],
    ['ach_hash', 'text', ''],
    ['import_batch_id', 'text', ''],
  ],
}));

/** Fields that may carry an explanation of what they expect. */
const HINTS = Object.freeze(['path', 'launch', 'launch_env', 'launch_profile', 'save_paths', 'alternate_names', 'cover',
  'rating', 'sort_title', 'screenshots', 'tags']);

/** Messages of the server that do not begin with the name of their field. */
const MESSAGES = Object.freeze(/** @type {const} */ ([
  [/^(?:Path (?:is|must)|Game path)/, 'path'],
  [/^Unknown progress/, 'progress'],
  [/launch environment/i, 'launch_env'],
  [/^Paths must be absolute/, 'save_paths'],
]));

/**
 * Fields by tab: key, kind, layout.
 *
 * @returns {Record<string, readonly (readonly [string, string, string])[]>}
 */
export function tabs() {
  const media = [...MEDIA].sort((a, b) => Number(a.list) - Number(b.list));
  return { ...TABS, media: media.map(({ field, list }) => [field, list ? 'lines' : 'text', 'wide mono']) };
}

/** Every field of the dialog. */
export function keys() {
  return Object.values(tabs()).flatMap((fields) => fields.map(([key]) => key));
}

/**
 * The field a refusal is about; empty when it names none.
 *
 * @param {string} message
 * @param {readonly string[]} [changed] what the user changed: a message about media paths is about the only changed
 *   one
 * @returns {string}
 */
export function fieldOfMessage(message, changed = []) {
  const known = MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
  if (known) return known;
  if (/^Media paths/.test(message)) {
    const media = changed.filter((key) => MEDIA.some(({ field }) => field === key));
    return media.length === 1 ? (media[0] ?? '') : '';
  }
  const named = keys().filter((key) => message.startsWith(`${serverLabel(key)} `)).sort((a, b) => b.length - a.length);
  return named[0] ?? '';
}

/**
 * A field as the server calls it: `sort_title` becomes `Sort title`.
 *
 * @param {string} key
 */
function serverLabel(key) {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The value of a field as its control shows it.
 *
 * @param {Api.Game} record
 * @param {string} key
 * @returns {App.FieldValue}
 */
export function shownValue(record, key) {
  if (key === 'launch_env') return envLines(record.launch_env);
  if (key === 'overlay' && record[key] === 'inherit') return '';
  return /** @type {App.FieldValue} */ (record[key] ?? '');
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @param {readonly [string, string, string]} spec
 * @param {App.EditChoices} choices
 * @returns {App.Field}
 */
export function editField(ctx, record, [key, kind, layout], choices) {
  const { t } = ctx;
  const value = shownValue(record, key);
  if (kind === 'tags')
    return makeTagField(ctx, { key, label: t(`field.${key}`), hint: t(`hint.${key}`),
      value: Array.isArray(value) ? value : [], known: choices.tags });
  /** @type {App.FieldSpec} */
  const spec = {
    key,
    kind: /** @type {App.FieldSpec['kind']} */ (kind),
    value,
    label: t(`field.${key}`),
    wide: layout.includes('wide'),
    mono: layout.includes('mono'),
    required: layout.includes('required') && !(key === 'path' && record.manual_entry),
    rows: layout.includes('tall') ? 5 : 3,
  };
  if (HINTS.includes(key)) spec.hint = t(`hint.${key}`);
  if (layout.includes('list')) spec.list = `known-${key}`;
  if (key === 'progress')
    spec.options = PROGRESS.map((item) => ({ value: item, label: t(item ? `progress.${item}` : 'progress.none') }));
  if (key === 'esrb') spec.options = RATING_CLASSES.map((item) => ({ value: item, label: item || t('option.none') }));
  if (key === 'tracking_mode')
    spec.options = TRACKING.map((item) => ({ value: item, label: t(item ? `tracking.${item}` : 'option.inherit') }));
  if (key === 'compositor_preset') spec.options = [{ value: '', label: t('option.inherit') }, ...choices.compositors];
  if (key === 'overlay')
    spec.options = OVERLAY.map((item) => ({ value: item, label: t(`option.${item || 'inherit'}`) }));
  if (key === 'save_sync')
    spec.options = SAVE_SYNC.map((item) => ({ value: item,
      label: t(item ? `option.${item}` : 'saves.devices.inherit') })
    );
  if (key === 'rating') Object.assign(spec, { min: 0, max: 5, step: 0.1 });
  if (key === 'disc_count') Object.assign(spec, { min: 0, step: 1 });
  return makeField(spec);
}

/**
 * A field the user defined in the settings: free text, with its choices as suggestions.
 *
 * @param {Api.Game} record
 * @param {{name: string, options: string[]}} definition
 * @param {number} index
 * @returns {App.Field}
 */
export function customField(record, definition, index) {
  const stored = /** @type {Record<string, unknown>} */ (record['custom_fields'] ?? {});
  return makeField({ key: `custom:${definition.name}`, kind: 'text', value: String(stored[definition.name] ?? ''),
    label: definition.name, list: `known-custom-${index}` });
}

/**
 * @param {Record<string, unknown> | string | undefined} env
 * @returns {string}
 */
function envLines(env) {
  if (!env || typeof env === 'string') return env ?? '';
  return Object.entries(env).map(([key, value]) => `${key}=${value}`).join('\n');
}
