/**
 * Symbols of controller buttons, drawn for the kind of controller in use. A symbol is decoration: the words beside it
 * say what the button does.
 */

import { draw } from '../../core/dom.js';

/**
 * What stands on the buttons of each kind; a name that begins with a dot is a shape. Buttons that are missing show
 * their number.
 */
const FACES = Object.freeze(/** @type {Record<App.PadKind, Record<number, string>>} */ ({
  xbox: { 0: 'A', 1: 'B', 2: 'X', 3: 'Y', 4: 'LB', 5: 'RB', 6: 'LT', 7: 'RT', 8: '.view', 9: '.menu', 10: '.stick L',
    11: '.stick R', 16: '.guide' },
  playstation: { 0: '.cross', 1: '.circle', 2: '.square', 3: '.triangle', 4: 'L1', 5: 'R1', 6: 'L2', 7: 'R2',
    8: '.share', 9: '.menu', 10: '.stick L', 11: '.stick R', 16: '.guide' },
  nintendo: { 0: 'B', 1: 'A', 2: 'Y', 3: 'X', 4: 'L', 5: 'R', 6: 'ZL', 7: 'ZR', 8: '.minus', 9: '.plus', 10: '.stick L',
    11: '.stick R', 16: '.guide' },
  generic: { 4: 'L1', 5: 'R1', 6: 'L2', 7: 'R2', 10: '.stick L', 11: '.stick R' },
}));

/** The d-pad, which looks the same everywhere, and the arm that is pressed. */
const ARMS = Object.freeze(
  /** @type {Record<number, string>} */ ({ 12: 'M10 9V5.500h4V9l-2 2z', 13: 'M10 15v3.500h4V15l-2-2z',
    14: 'M9 10H5.500v4H9l2-2z', 15: 'M15 10h3.500v4H15l-2-2z' }),
);
const CROSS = 'M9.500 4.500h5v5h5v5h-5v5h-5v-5h-5v-5h5z';

/** Lines of the shapes. */
const SHAPES = Object.freeze(/** @type {Record<string, string>} */ ({
  cross: 'm8.500 8.500 7 7M15.500 8.500l-7 7',
  circle: 'M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0z',
  square: 'M8.300 8.300h7.400v7.400H8.300z',
  triangle: 'm12 7.500 4.500 7.700h-9z',
  view: 'M8.500 8.500h4.500v4.500H8.500zM11 15.500h4.500V11',
  menu: 'M8.500 9h7M8.500 12h7M8.500 15h7',
  share: 'M12 15.500v-7M9.300 11 12 8.300l2.700 2.700',
  minus: 'M8 12h8',
  plus: 'M8 12h8M12 8v8',
  guide: 'M8 12.500 12 8.500l4 4M9.500 11.500v4h5v-4',
}));

/**
 * @param {App.PadKind} kind
 * @param {number} button
 * @returns {SVGElement}
 */
export function glyph(kind, button) {
  const arm = ARMS[button];
  const face = FACES[kind][button] ?? String(button + 1);
  const isShape = face.startsWith('.');
  const isWide = !isShape && !arm && face.length > 1 && /^\D/.test(face);
  const root = draw('svg', { class: `pad-glyph ${isWide ? 'wide' : ''}`, viewBox: isWide ? '0 0 32 24' : '0 0 24 24',
    'aria-hidden': 'true' });
  if (arm) root.append(draw('path', { class: 'line', d: CROSS }), draw('path', { class: 'full', d: arm }));
  else if (isWide)
    root.append(draw('rect', { class: 'line', x: 2, y: 4.5, width: 28, height: 15, rx: 5 }), letters(face, 16));
  else if (face.startsWith('.stick'))
    root.append(draw('circle', { class: 'line', cx: 12, cy: 12, r: 9.5 }), letters(`${face.slice(-1)}3`, 12));
  else root.append(draw('circle', { class: `line face-${kind}-${button}`, cx: 12, cy: 12, r: 9.5 }),
      isShape ? draw('path', { class: 'line', d: SHAPES[face.slice(1)] ?? '' }) : letters(face, 12));
  return root;
}

/**
 * @param {string} text
 * @param {number} x
 */
function letters(text, x) {
  return draw('text', { class: text.length > 1 ? 'letter small' : 'letter', x, y: 12, 'text-anchor': 'middle',
    'dominant-baseline': 'central' }, text);
}

/**
 * The name of a button in words, for people who do not see its symbol.
 *
 * @param {App.Context} ctx
 * @param {App.PadKind} kind
 * @param {number} button
 * @returns {string}
 */
export function buttonName({ t, i18n }, kind, button) {
  const face = FACES[kind][button] ?? '';
  const key = `pad.${ARMS[button] ? `arm${button}` : face.replace(/^\./, '').replace(' ', '')}`;
  if (i18n.has(key)) return t(key);
  return face || t('pad.number', { number: button + 1 });
}

/**
 * The kind of symbols to show: that of the pack somebody turned on, else that of the controller.
 *
 * @param {App.Context} ctx
 * @returns {App.PadKind}
 */
export function glyphKind({ preferences, pads }) {
  const pack = preferences.promptPack;
  if (/-p$/.test(pack) && pack.startsWith('controller-')) return 'playstation';
  if (/-x$/.test(pack) && pack.startsWith('controller-')) return 'xbox';
  return pads.kind;
}
