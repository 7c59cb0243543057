/**
 * The control of the presets the user made for the game compositor: one card each, with sizes, scaling and what is
 * handed over besides. What is half filled in waits and is not handed over.
 */

import { fill, h, icon } from '../../core/dom.js';

/** Numbers of a preset with their largest value and their label; the sizes come in pairs, and zero means not given. */
const NUMBERS = Object.freeze(/** @type {[string, number, string][]} */ ([
  ['width', 7680, 'compositor.width'],
  ['height', 4320, 'compositor.height'],
  ['inner_width', 7680, 'compositor.inner_width'],
  ['inner_height', 4320, 'compositor.inner_height'],
  ['refresh', 1000, 'compositor.refresh'],
]));

/** Ways to scale; a preset has at most one, the first that is set counts. */
const SCALINGS = Object.freeze(['integer', 'stretch', 'fsr']);

/** The largest sharpness, and the one that holds where none is given. */
const SHARPNESS = Object.freeze({ max: 5, initial: 2 });

/**
 * @param {App.Context} ctx
 * @param {string} id for the label
 * @param {unknown} value
 * @param {(value: unknown) => void} commit
 * @returns {HTMLElement}
 */
export function compositorPresets(ctx, id, value, commit) {
  const { t } = ctx;
  const current = (Array.isArray(value) ? value : []).map((preset) => ({
    .../** @type {Record<string, unknown>} */ (preset),
  }));
  const root = h('div', { class: 'presets', role: 'group', id, tabindex: -1 });
  const named = () => current.filter((preset) => String(preset['name'] ?? '').trim());
  const isWhole = (/** @type {Record<string, unknown>} */ preset) =>
    Boolean(preset['width']) === Boolean(preset['height']) &&
    Boolean(preset['inner_width']) === Boolean(preset['inner_height']);
  const save = () => {
    if (named().every(isWhole)) commit(named());
  };

  const card = (/** @type {Record<string, unknown>} */ preset, /** @type {number} */ index) => {
    const field = (/** @type {string} */ part, /** @type {string} */ label,
      /** @type {HTMLInputElement | HTMLSelectElement} */ control) => {
      control.id = `${id}-${index}-${part}`;
      return h('div', { class: `field ${part}` }, h('label', { class: 'label', for: control.id }, label), control);
    };
    const text = (/** @type {string} */ part, /** @type {string} */ shown) =>
      h('input', { class: part === 'name' ? 'input' : 'input mono', type: 'text', value: shown,
        maxlength: part === 'name' ? 30 : null, autocomplete: 'off', spellcheck: 'false',
        on: { change: ({ target }) => {
          preset[part] = /** @type {HTMLInputElement} */ (target).value.trim();
          save();
        } } });
    const number = (/** @type {string} */ part, /** @type {number} */ max) =>
      h('input', {
        class: 'input tabular',
        type: 'number',
        min: 0,
        max,
        step: 1,
        value: preset[part] ? String(preset[part]) : '',
        on: { change: ({ target }) => {
          preset[part] = Number(/** @type {HTMLInputElement} */ (target).value);
          save();
        } },
      });
    const sharpness = field('sharpness', t('compositor.sharpness'), h('input', {
      class: 'input tabular',
      type: 'number',
      min: 0,
      max: SHARPNESS.max,
      step: 1,
      value: String(preset['fsr_sharpness'] ?? SHARPNESS.initial),
      on: { change: ({ target }) => {
        preset['fsr_sharpness'] = Number(/** @type {HTMLInputElement} */ (target).value);
        save();
      } },
    }));
    const scaling = h('select', { class: 'input', on: { change: () => {
      for (const way of SCALINGS) preset[way] = scaling.value === way;
      sharpness.hidden = scaling.value !== 'fsr';
      save();
    } } }, h('option', { value: '' }, t('option.none')),
      SCALINGS.map((way) => h('option', { value: way }, t(`choice.compositor_preset.${way}`))));
    scaling.value = SCALINGS.find((way) => preset[way] === true) ?? '';
    sharpness.hidden = scaling.value !== 'fsr';
    const borderless = h('input', { type: 'checkbox', checked: preset['borderless'] === true, on: { change: () => {
      preset['borderless'] = borderless.checked;
      save();
    } } });
    const name = String(preset['name'] ?? '');
    const drop = h('button', { class: 'icon-button', type: 'button',
      'aria-label': t('pair.remove', { name: name || String(index + 1) }), on: { click: () => {
        current.splice(index, 1);
        draw();
        /** @type {HTMLElement | null} */ (root.querySelector('.preset:last-of-type input, .add'))?.focus();
        save();
      } } }, icon('close', 'icon-s'));
    return h('section', { class: 'preset', 'aria-label': name || t('compositor.add') },
      h('div', { class: 'top' }, field('name', t('compositor.name'), text('name', name)), drop),
      NUMBERS.map(([part, max, label]) => field(part, t(label), number(part, max))),
      field('scaling', t('compositor.scaling'), scaling), sharpness,
      h('label', { class: 'check' }, borderless, t('choice.compositor_preset.borderless')),
      field('extra', t('compositor.extra'), text('extra_args', argumentLine(preset['extra_args']))));
  };

  const draw = () =>
    fill(root, current.map(card), h('div', null, h('button', { class: 'button add', type: 'button', on: { click: () => {
      current.push({ name: '' });
      draw();
      [.../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.preset .name input'))].at(-1)?.focus();
    } } }, icon('plus', 'icon-s'), t('compositor.add'))));
  draw();
  return root;
}

/**
 * Arguments as a shell would read them back.
 *
 * @param {unknown} value a list of arguments, or a line of them
 * @returns {string}
 */
export function argumentLine(value) {
  if (!Array.isArray(value)) return typeof value === 'string' ? value : '';
  return value.map((
    item,
  ) => (/^[\w@%+=:,./-]+$/.test(String(item)) ? String(item) : `'${String(item).replaceAll("'", `'\\''`)}'`)).join(' ');
}
