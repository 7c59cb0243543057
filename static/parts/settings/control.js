/**
 * The control that edits one setting, chosen by the row of the settings table. A control hands over a new value when
 * the user is done with it; it neither saves nor judges.
 */

import { readColumns } from '../../data/columns.js';
import { append, fill, h, icon } from '../../core/dom.js';
import { COLUMNS, SORTS } from '../../data/ordering.js';
import { readSections, writeSections } from '../../data/preferences.js';
import { compositorPresets } from './compositor-presets.js';
import { controllerMap } from './controller-map.js';
import { orderList } from './order-list.js';
import { regionList } from './region-list.js';

/** What the sections of the sidebar are called there. */
const SECTIONS = Object.freeze(
  /** @type {Record<string, string>} */ ({ view: 'sidebar.views', platforms: 'sidebar.platforms',
    playlists: 'sidebar.playlists', collections: 'sidebar.collections', filters: 'sidebar.presets' }),
);

/** Settings whose list is an order of preference. */
const ORDERED = Object.freeze(['video_priority']);

/**
 * Symbols of buttons that the page draws: those of the connected controller, and the sets of the media packs, which
 * the server calls by these names.
 */
const PROMPTS = Object.freeze(['console-x', 'controller-console-x', 'controller-console-p']);

/** The setting that orders regions. */
const REGIONS = 'region_priority';

/**
 * The setting that stands for the order of the sidebar and for what is hidden of it; its control hands over both
 * settings.
 */
export const SIDEBAR = 'sidebar_sections';

/** Controls that take the whole width under their label. */
const STACKED = Object.freeze(['texts', 'commands', 'folders', 'choices', 'switches', 'buttons', 'fields', 'categories',
  'presets', 'columns', 'list', 'object']);

/**
 * @param {App.SettingRow} row
 * @returns {boolean}
 */
export function isStacked(row) {
  return STACKED.includes(row.control) || row.key === SIDEBAR;
}

/**
 * Whether a setting is written; else it is chosen.
 *
 * @param {HTMLElement} element with the control
 * @returns {boolean}
 */
export function isTyped(element) {
  return element.querySelector('.regions') === null &&
    element.querySelector('input:not([type="checkbox"]), textarea') !== null;
}

/**
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {unknown} value
 * @param {string} id for the label
 * @param {(value: unknown) => void} commit
 * @returns {HTMLElement}
 */
export function settingControl(ctx, row, value, id, commit) {
  // The server takes any text for these two; these are the orders and the symbols that the page knows.
  if (row.key === 'list_sort')
    return choiceInput(ctx, { ...row, choices: [...SORTS] }, id, String(value || SORTS[0]), commit);
  if (row.key === 'controller_prompt_pack')
    return choiceInput(ctx, { ...row, choices: [...PROMPTS] }, id, String(value || PROMPTS[0]), commit);
  if (row.key === SIDEBAR) {
    const settings = object(value);
    const entries = readSections(settings).map(({ name, isShown }) => ({ key: name, label: ctx.t(SECTIONS[name] ?? ''),
      isOn: isShown })
    );
    return orderList(ctx, id, entries, (now) =>
      commit(writeSections(settings, now.map(({ key, isOn }) => ({ name: key, isShown: isOn })))));
  }
  if (ORDERED.includes(row.key)) {
    const chosen = list(value);
    const entries = [...chosen, ...(row.choices ?? []).filter((choice) => !chosen.includes(choice))].map((choice) => ({
      key: choice,
      label: choiceLabel(ctx, row.key, choice),
      isOn: chosen.includes(choice),
    }));
    return orderList(ctx, id, entries, (now) => commit(now.filter(({ isOn }) => isOn).map(({ key }) => key)));
  }
  if (row.key === REGIONS) return regionList(ctx, id, list(value), commit);
  if (row.control === 'columns' && Array.isArray(value)) {
    const shown = readColumns(value);
    const others = COLUMNS.filter((column) => column !== 'name' && !shown.includes(column));
    const entries = [...shown, ...others].map((column) => ({ key: column, label: choiceLabel(ctx, row.key, column),
      isOn: shown.includes(column) })
    );
    return orderList(ctx, id, entries, (now) =>
      commit(['name', ...now.filter(({ isOn }) => isOn).map(({ key }) => key)]));
  }
  switch (row.control) {
    case 'switch':
      return toggle(id, Boolean(value), commit);
    case 'integer':
    case 'number':
      return numberInput(row, id, value, commit);
    case 'choice':
      return choiceInput(ctx, row, id, String(value ?? ''), commit);
    case 'password':
      return passwordInput(ctx, row, id, Boolean(value), commit);
    case 'texts':
    case 'commands':
    case 'folders':
      return linesInput(ctx, row, id, list(value), commit);
    case 'choices':
      return checkList(ctx, row, id, list(value), commit);
    case 'switches':
      return switchList(ctx, row, id, object(value), commit);
    case 'buttons':
      return controllerMap(ctx, id, value, commit);
    case 'fields':
      return pairList(ctx, row, id, fieldPairs(value), (pairs) =>
        commit(
          pairs.map(([name, options]) => ({ name,
            options: options.split(',').map((item) => item.trim()).filter(Boolean) })
          ),
        ));
    case 'categories':
      return pairList(ctx, row, id, Object.entries(object(value)).map(([key, item]) => [key, String(item)]),
        (pairs) => commit(Object.fromEntries(pairs)));
    case 'presets':
      return compositorPresets(ctx, id, value, commit);
    case 'columns':
    case 'list':
    case 'object':
      return jsonInput(ctx, id, value, commit);
    default:
      return textInput(ctx, row, id, String(value ?? ''), commit);
  }
}

/**
 * A label for a choice of a setting: its own words where there are some, the plain value otherwise.
 *
 * @param {App.Context} ctx
 * @param {string} key
 * @param {string} choice
 */
function choiceLabel(ctx, key, choice) {
  for (const name of [`choice.${key}.${choice}`, `choice.${choice}`, `progress.${choice}`, `sort.${choice}`,
    `column.${choice}`]) if (ctx.i18n.has(name)) return ctx.t(name);
  return choice === '' ? ctx.t('option.none') : choice;
}

/**
 * @param {unknown} value
 * @returns {string[]}
 */
function list(value) {
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? item : JSON.stringify(item))) : [];
}

/**
 * @param {unknown} value
 * @returns {Record<string, unknown>}
 */
function object(value) {
  return value && typeof value === 'object' && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : {};
}

/**
 * @param {string} id
 * @param {boolean} checked
 * @param {(value: boolean) => void} commit
 * @param {string} [label] shown beside the switch
 */
function toggle(id, checked, commit, label) {
  const input = h('input', { id, type: 'checkbox', role: 'switch', checked,
    on: { change: () => commit(input.checked) } });
  return h('label', { class: 'switch' }, input, h('span', { class: 'track' }), label ?? null);
}

/**
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {unknown} value
 * @param {(value: unknown) => void} commit
 */
function numberInput(row, id, value, commit) {
  const input = h('input', {
    id,
    class: 'input tabular',
    type: 'number',
    value: String(value ?? ''),
    min: row.off ?? row.min,
    max: row.max,
    step: row.control === 'number' ? 'any' : 1,
    on: { change: () => commit(input.value === '' ? (row.default ?? 0) : Number(input.value)) },
  });
  return input;
}

/**
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {string} value
 * @param {(value: unknown) => void} commit
 */
function choiceInput(ctx, row, id, value, commit) {
  const choices = row.choices ?? [];
  const all = choices.includes(value) ? choices : [...choices, value];
  const select = h('select', { id, class: 'input', on: { change: () => commit(select.value) } },
    all.map((choice) => h('option', { value: choice }, row.labels?.[choice] ?? choiceLabel(ctx, row.key, choice))));
  select.value = value;
  return select;
}

/**
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {string} value
 * @param {(value: unknown) => void} commit
 */
function textInput(ctx, row, id, value, commit) {
  const isPath = /^(?:folder|path|file|address)$/.test(row.control);
  const input = h('input', {
    id,
    class: isPath ? 'input mono' : 'input',
    type: 'text',
    value,
    maxlength: row.max_length,
    placeholder: ctx.t('settings.unset'),
    autocomplete: 'off',
    spellcheck: 'false',
    on: { change: () => commit(input.value.trim()) },
  });
  return input;
}

/**
 * A password is written, never shown; an empty field keeps the stored one.
 *
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {boolean} isSet
 * @param {(value: unknown) => void} commit
 */
function passwordInput(ctx, row, id, isSet, commit) {
  const input = h('input', {
    id,
    class: 'input',
    type: 'password',
    autocomplete: 'new-password',
    maxlength: row.max_length,
    placeholder: ctx.t(isSet ? 'settings.secretSet' : 'settings.unset'),
    on: { change: () => {
      if (input.value) commit(input.value);
    } },
  });
  return input;
}

/**
 * One entry a line. An empty entry, which some lists know as "anything else", stands as a word.
 *
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {readonly string[]} value
 * @param {(value: unknown) => void} commit
 */
function linesInput(ctx, row, id, value, commit) {
  const other = ctx.t('settings.otherEntry');
  const isMono = row.control !== 'texts';
  const area = h('textarea', {
    id,
    class: isMono ? 'input mono' : 'input',
    rows: Math.max(2, Math.min(8, value.length + 1)),
    spellcheck: 'false',
    placeholder: ctx.t(isMono ? `settings.lines.${row.control}` : 'settings.lines.texts'),
    on: {
      change: () =>
        commit(
          area.value.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => (line === other ? '' : line)),
        ),
    },
  });
  area.value = value.map((line) => (line === '' ? other : line)).join('\n');
  return area;
}

/**
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {readonly string[]} value
 * @param {(value: unknown) => void} commit
 */
function checkList(ctx, row, id, value, commit) {
  let current = [...value];
  const boxes = (row.choices ?? []).map((choice) => {
    const input = h('input', { type: 'checkbox', checked: current.includes(choice), on: { change: () => {
      // What stays keeps its place, because some of these lists are an order of preference.
      current = input.checked ? [...current, choice] : current.filter((item) => item !== choice);
      commit(current);
    } } });
    return h('label', { class: 'check' }, input, choiceLabel(ctx, row.key, choice));
  });
  return h('div', { class: 'checks', role: 'group', id, tabindex: -1 }, boxes);
}

/**
 * @param {App.Context} ctx
 * @param {App.SettingRow} row
 * @param {string} id
 * @param {Record<string, unknown>} value
 * @param {(value: unknown) => void} commit
 */
function switchList(ctx, row, id, value, commit) {
  const current = { ...value };
  return h('div', { class: 'checks', role: 'group', id, tabindex: -1 },
    (row.choices ?? Object.keys(value)).map((name, index) =>
      toggle(`${id}-${index}`, Boolean(current[name]), (checked) => {
        current[name] = checked;
        commit({ ...current });
      }, choiceLabel(ctx, row.key, name))
    ));
}

/**
 * @param {unknown} value
 * @returns {[string, string][]}
 */
function fieldPairs(value) {
  if (!Array.isArray(value)) return [];
  return value.map((item) => {
    const { name, options } = /** @type {{name?: unknown, options?: unknown}} */ (item ?? {});
    return [String(name ?? ''), Array.isArray(options) ? options.join(', ') : String(options ?? '')];
  });
}

/**
 * Rows of two texts that can be added and taken away.
 *
 * @param {App.Context} ctx
 * @param {{key: string}} row
 * @param {string} id
 * @param {[string, string][]} pairs
 * @param {(pairs: [string, string][]) => void} commit
 * @returns {HTMLElement}
 */
export function pairList(ctx, row, id, pairs, commit) {
  const { t } = ctx;
  const [first, second] = [t(`pair.${row.key}.first`), t(`pair.${row.key}.second`)];
  const current = pairs.map((pair) => [...pair]);
  const root = h('div', { class: 'lines', role: 'group', id, tabindex: -1 });
  const save = () =>
    commit(
      /** @type {[string, string][]} */ (current.filter(([key]) => key?.trim()).map((
        [key, item],
      ) => [key?.trim() ?? '', item?.trim() ?? ''])),
    );
  const draw = (/** @type {number} */ focus) => {
    fill(root, current.length === 0
      ? null
      : h('div', { class: 'line heads', 'aria-hidden': 'true' }, h('span', { class: 'short' }, first),
        h('span', null, second)), current.map((pair, index) => {
        const input = (/** @type {0 | 1} */ at, /** @type {string} */ label) => {
          const element = h('input', {
            class: at === 0 ? 'input short' : row.key === 'profiles' ? 'input mono' : 'input',
            type: 'text',
            value: pair[at] ?? '',
            'aria-label': label,
            placeholder: label,
            spellcheck: 'false',
            autocomplete: 'off',
            on: { change: () => {
              pair[at] = element.value;
              save();
            } },
          });
          // On a phone the fields stand below one another, each under its own words.
          return [h('small', { class: 'cell-label', 'aria-hidden': 'true' }, label), element];
        };
        const drop = h('button', { class: 'icon-button', type: 'button',
          'aria-label': t('pair.remove', { name: pair[0] || String(index + 1) }), on: { click: () => {
            current.splice(index, 1);
            draw(-1);
            save();
          } } }, icon('close', 'icon-s'));
        return h('div', { class: 'line' }, input(0, first), input(1, second), drop);
      }));
    append(root, [h('div', null, h('button', { class: 'button', type: 'button', on: { click: () => {
      current.push(['', '']);
      draw(current.length - 1);
    } } }, icon('plus', 'icon-s'), t('pair.add')))]);
    if (focus >= 0)
      /** @type {HTMLElement | null} */ (root.querySelectorAll('.line:not(.heads)')[focus]?.querySelector('input') ??
        null)?.focus();
  };
  draw(-1);
  return root;
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {unknown} value
 * @param {(value: unknown) => void} commit
 */
function jsonInput(ctx, id, value, commit) {
  const text = JSON.stringify(value ?? null, null, 2);
  const area = h('textarea', { id, class: 'input mono', rows: Math.max(2, Math.min(10, text.split('\n').length)),
    spellcheck: 'false' });
  area.value = text;
  area.addEventListener('change', () => {
    try {
      const parsed = /** @type {unknown} */ (JSON.parse(area.value));
      area.setCustomValidity('');
      commit(parsed);
    } catch {
      area.setCustomValidity(ctx.t('settings.badJson'));
      area.reportValidity();
    }
  });
  return area;
}
