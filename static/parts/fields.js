/**
 * Labelled form fields with a place for the message of the server. They read and write plain values.
 */

import { h, setAttribute } from '../core/dom.js';
import { pastedPath } from '../data/pasted-path.js';

let count = 0;

/**
 * @param {App.FieldSpec} spec
 * @returns {App.Field}
 */
export function makeField(spec) {
  count += 1;
  const id = `f${count}-${spec.key}`;
  const control = makeControl(spec, id);
  const error = h('span', { class: 'error', id: `${id}-error`, role: 'alert' });
  const hint = spec.hint ? h('span', { class: 'hint', id: `${id}-hint` }, spec.hint) : null;
  setAttribute(control, 'aria-describedby', [hint?.id, error.id].filter(Boolean).join(' '));
  const element = spec.kind === 'bool'
    ? h('label', { class: 'check' }, control, spec.label)
    : h('div', { class: `field ${spec.wide ? 'full' : ''}` },
      h('label', { class: 'label', for: id }, spec.label, spec.required ? ' *' : ''), control, hint, error);
  return {
    spec,
    element,
    control,
    read: () => readControl(spec, control),
    write: (value) => writeControl(control, value),
    fail: (message) => {
      error.textContent = message;
      setAttribute(control, 'aria-invalid', message ? 'true' : null);
    },
  };
}

/**
 * @param {App.FieldSpec} spec
 * @param {string} id
 * @returns {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement}
 */
function makeControl(spec, id) {
  const value = spec.value;
  const text = Array.isArray(value) ? value.join('\n') : String(value ?? '');
  switch (spec.kind) {
    case 'bool':
      return h('input', { id, type: 'checkbox', checked: Boolean(value) });
    case 'area':
    case 'lines': {
      const area = h('textarea', { id, class: spec.mono ? 'input mono' : 'input', rows: spec.rows ?? 3,
        spellcheck: spec.mono ? 'false' : 'true' });
      area.value = text;
      return area;
    }
    case 'select': {
      const options = spec.options ?? [];
      // A stored value outside the list stays choosable, so that saving does not lose it.
      const all = options.some((option) => option.value === text)
        ? options
        : [...options, { value: text, label: text }];
      const select = h('select', { id, class: 'input' },
        all.map((option) => h('option', { value: option.value }, option.label)));
      select.value = text;
      return select;
    }
    default:
      return h('input', {
        id,
        class: spec.mono ? 'input mono' : 'input',
        type: spec.kind === 'number' ? 'number' : 'text',
        value: text,
        min: spec.min,
        max: spec.max,
        step: spec.step,
        list: spec.list,
        autocomplete: 'off',
        spellcheck: 'false',
        required: Boolean(spec.required),
      });
  }
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @param {App.FieldValue} value
 */
function writeControl(control, value) {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') {
    control.checked = Boolean(value);
    return;
  }
  const text = Array.isArray(value) ? value.join('\n') : String(value);
  if (control instanceof HTMLSelectElement && ![...control.options].some((option) => option.value === text))
    control.append(h('option', { value: text }, text));
  control.value = text;
}

/**
 * @param {App.FieldSpec} spec
 * @param {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} control
 * @returns {App.FieldValue}
 */
function readControl(spec, control) {
  if (control instanceof HTMLInputElement && control.type === 'checkbox') return control.checked;
  if (spec.kind === 'lines') return control.value.split('\n').map((line) => line.trim()).filter(Boolean);
  if (spec.kind === 'number') return control.value === '' ? '' : Number(control.value);
  if (spec.isPath) return pastedPath(control.value);
  return spec.kind === 'area' ? control.value : control.value.trim();
}
