/**
 * The keyboard sheet, made from the live map.
 */

import { openDialog } from '../dialog.js';
import { h } from '../../core/dom.js';
import { buttonFor } from '../../core/pad-map.js';
import { buttonName, glyph, glyphKind } from '../controller/glyph.js';

/** @param {App.Context} ctx */
export function openSheet(ctx) {
  const { t } = ctx;
  const groups = [...ctx.keys.groups()].reverse();
  openDialog(ctx, {
    title: t('keys.title'),
    width: 760,
    content: h('div', { class: 'sheet' },
      groups.map(([group, shortcuts]) =>
        h('section', null, h('h3', null, t(`keys.group.${group}`)),
          h('ul', null, [...byLabel(shortcuts)].map(([label, keys]) => line(ctx, shortcuts, label, keys))))
      )),
  });
}

/**
 * What can be pressed for an action; nothing where only a controller could and none is there.
 *
 * @param {App.Context} ctx
 * @param {readonly App.Shortcut[]} shortcuts
 * @param {string} label
 * @param {readonly string[]} keys
 */
function line(ctx, shortcuts, label, keys) {
  const button = buttonOf(ctx, shortcuts, label);
  return keys.length === 0 && !button
    ? null
    : h('li', null, h('span', null, ctx.t(label)),
      h('span', { class: 'combos' }, keys.map((key) => h('kbd', { class: 'kbd' }, keyName(ctx, key))), button));
}

/**
 * Keys that do the same stand in one line.
 *
 * @param {readonly App.Shortcut[]} shortcuts
 */
function byLabel(shortcuts) {
  /** @type {Map<string, string[]>} */
  const lines = new Map();
  for (const { label, key } of shortcuts) lines.set(label, [...(lines.get(label) ?? []), ...(key ? [key] : [])]);
  return lines;
}

/**
 * The button of a controller that does the same, where a controller is there.
 *
 * @param {App.Context} ctx
 * @param {readonly App.Shortcut[]} shortcuts
 * @param {string} label
 */
function buttonOf(ctx, shortcuts, label) {
  const action = shortcuts.find((shortcut) => shortcut.label === label && shortcut.action)?.action;
  const button = action && ctx.pads.isConnected ? buttonFor(action, ctx.pads.buttons) : -1;
  return button < 0
    ? null
    : h('span', { class: 'pad-button' }, glyph(glyphKind(ctx), button),
      h('span', { class: 'sr-only' }, buttonName(ctx, glyphKind(ctx), button)));
}

/**
 * A key as it stands on the keyboard, in the language of the page.
 *
 * @param {App.Context} ctx
 * @param {string} key
 */
export function keyName(ctx, key) {
  return key.split('+').map((part) => (ctx.i18n.has(`key.${part}`) ? ctx.t(`key.${part}`) : part)).join(' + ');
}
