/**
 * What the buttons of a controller do: the actions people can put on a button (setting `controller_map`), those that
 * stay where they are, and what kind of controller it is. Button numbers are those of the W3C standard gamepad. Pure.
 */

/** Actions of the setting, in the order they are shown. */
export const ACTIONS = Object.freeze(
  /** @type {const} */ (['play', 'back', 'favorite', 'random', 'page_left', 'page_right', 'pause', 'menu']),
);

/** Buttons of the setting that nobody changed. */
const FIRST = Object.freeze(
  /** @type {Record<string, number>} */ ({ play: 0, back: 1, favorite: 2, random: 3, page_left: 4, page_right: 5,
    pause: 8, menu: 9 }),
);

/**
 * Buttons with a fixed meaning, unless somebody puts an action of the setting on them: triggers, stick clicks, the
 * d-pad.
 */
const FIXED = Object.freeze(
  /** @type {Record<number, string>} */ ({ 6: 'first', 7: 'last', 10: 'random', 11: 'details', 12: 'up', 13: 'down',
    14: 'left', 15: 'right' }),
);

/** Actions that go on while their button is held. */
export const REPEATING = Object.freeze(['up', 'down', 'left', 'right', 'page_left', 'page_right', 'first', 'last']);

/** Highest button number the setting takes. */
export const LAST_BUTTON = 31;

/** Makers by USB vendor id and by words that browsers put into the id of a controller. */
const MAKERS = Object.freeze(/** @type {[App.PadKind, RegExp][]} */ ([
  ['nintendo', /057e|nintendo|joy-?con|switch|pro controller/i],
  ['playstation', /054c|playstation|dualshock|dualsense|ps[345] |sony/i],
  ['xbox', /045e|28de|xbox|x-box|xinput|steam/i],
]));

/**
 * @param {string} id as the browser gives it
 * @returns {App.PadKind}
 */
export function padKind(id) {
  return MAKERS.find(([, sign]) => sign.test(id))?.[0] ?? 'generic';
}

/**
 * The button of each action. Buttons that were not chosen are the usual ones; where A lies on the right, as Nintendo
 * builds them, A still accepts.
 *
 * @param {unknown} setting `controller_map`
 * @param {App.PadKind} kind
 * @returns {Record<string, number>}
 */
export function buttonsOf(setting, kind) {
  const chosen = chosenButtons(setting);
  const usual = kind === 'nintendo' ? { ...FIRST, play: 1, back: 0 } : FIRST;
  const taken = new Set(Object.values(chosen));
  /** @type {Record<string, number>} */
  const buttons = {};
  // A usual button that somebody gave to another action is not there a second time.
  for (const action of ACTIONS) {
    const button = chosen[action] ?? (taken.has(usual[action] ?? -1) ? -1 : (usual[action] ?? -1));
    if (button >= 0) buttons[action] = button;
  }
  return buttons;
}

/**
 * The valid part of the setting.
 *
 * @param {unknown} setting
 * @returns {Record<string, number>}
 */
export function chosenButtons(setting) {
  const stored = /** @type {Record<string, unknown>} */ (setting && typeof setting === 'object' ? setting : {});
  /** @type {Record<string, number>} */
  const chosen = {};
  for (const action of ACTIONS) {
    const button = stored[action];
    if (typeof button === 'number' && Number.isInteger(button) && button >= 0 && button <= LAST_BUTTON)
      chosen[action] = button;
  }
  return chosen;
}

/**
 * What a button does, or the empty string.
 *
 * @param {number} button
 * @param {Record<string, number>} buttons as `buttonsOf` gives them
 * @returns {string}
 */
export function actionOf(button, buttons) {
  return ACTIONS.find((action) => buttons[action] === button) ?? FIXED[button] ?? '';
}

/**
 * The button to show for an action, or -1.
 *
 * @param {string} action
 * @param {Record<string, number>} buttons
 * @returns {number}
 */
export function buttonFor(action, buttons) {
  const own = buttons[action];
  if (own !== undefined) return own;
  const fixed = Number(Object.entries(FIXED).find(([, name]) => name === action)?.[0] ?? -1);
  return actionOf(fixed, buttons) === action ? fixed : -1;
}

/**
 * The setting with an action on another button. The action that had the button gets the one that becomes free, so that
 * none is lost.
 *
 * @param {Record<string, number>} buttons all of them, as `buttonsOf` gives them
 * @param {string} action
 * @param {number} button
 * @returns {{buttons: Record<string, number>, swapped: string}} `swapped` is the other action, or empty
 */
export function bindButton(buttons, action, button) {
  const swapped = ACTIONS.find((other) => other !== action && buttons[other] === button) ?? '';
  const before = buttons[action];
  const bound = { ...buttons, [action]: button };
  if (swapped) {
    if (before === undefined) delete bound[swapped];
    else bound[swapped] = before;
  }
  return { buttons: bound, swapped };
}
