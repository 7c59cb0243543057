/**
 * Tags as a row of chips with a field for one more: Enter or a comma adds, Backspace in the empty field takes the last
 * one off, the tags of the library are suggested.
 */

import { fill, h, icon } from '../core/dom.js';
import { fold } from '../data/search.js';

/**
 * @param {App.Context} ctx
 * @param {{key: string, label: string, hint: string, value: readonly string[], known: readonly string[]}} spec
 * @returns {App.Field}
 */
export function makeTagField(ctx, { key, label, hint, value, known }) {
  const { t } = ctx;
  const id = `tags-${Math.random().toString(36).slice(2)}`;
  const tags = [...value];
  const chips = h('ul', { class: 'tags' });
  const suggestions = h('datalist', { id: `${id}-known` });
  const error = h('span', { class: 'error', id: `${id}-error`, role: 'alert' });
  const input = h('input', {
    class: 'input',
    type: 'text',
    id,
    list: suggestions.id,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 64,
    placeholder: t('tags.placeholder'),
    'aria-describedby': `${id}-hint ${error.id}`,
  });
  const draw = () => {
    fill(chips,
      tags.map((tag) =>
        h('li', null, tag, h('button', { type: 'button', 'aria-label': t('tags.remove', { tag }), on: { click: () => {
          drop(tag);
          input.focus();
        } } }, icon('close', 'icon-s')))
      ));
    const taken = new Set(tags.map(fold));
    fill(suggestions, known.filter((tag) => !taken.has(fold(tag))).map((tag) => h('option', { value: tag })));
  };
  const drop = (/** @type {string} */ tag) => {
    tags.splice(tags.indexOf(tag), 1);
    ctx.announce(t('tags.removed', { tag }));
    draw();
  };
  const add = () => {
    for (const part of input.value.split(',')) {
      const tag = part.trim().replace(/\s+/g, ' ');
      if (tag && !tags.some((other) => fold(other) === fold(tag))) {
        tags.push(tag);
        ctx.announce(t('tags.added', { tag }));
      }
    }
    input.value = '';
    draw();
  };
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && input.value.trim()) {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && input.value === '' && tags.length > 0) {
      event.preventDefault();
      drop(tags.at(-1) ?? '');
    }
  });
  input.addEventListener('input', () => {
    if (input.value.includes(',')) add();
  });
  input.addEventListener('change', add);
  draw();
  const element = h('div', { class: 'field full' }, h('label', { class: 'label', for: id }, label),
    h('div', { class: 'tag-box' }, chips, input), suggestions, h('span', { class: 'hint', id: `${id}-hint` }, hint),
    error);
  return {
    spec: { key, kind: 'tags', value: [...value], label },
    element,
    control: input,
    read: () => {
      const left = input.value.trim().replace(/\s+/g, ' ');
      return left && !tags.some((tag) => fold(tag) === fold(left)) ? [...tags, left] : [...tags];
    },
    write: (next) => {
      tags.splice(0, tags.length, ...(Array.isArray(next) ? next : []));
      input.value = '';
      draw();
    },
    fail: (message) => {
      error.textContent = message;
      if (message) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    },
  };
}
