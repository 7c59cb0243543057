/**
 * The live map of actions: what a key or a button of a controller does now. Screens and dialogs register both in one
 * entry; the sheet behind `?` and the hints of the big screen are made from the same list.
 */

/** Keys that act although the focus is in a text field. */
const GLOBAL_IN_FIELDS = /^(?:Ctrl\+|F\d|Escape$)/;

/** Dispatches key events to the newest registration that wants them. */
export class Keys {
  /** @type {App.Shortcut[]} */
  #shortcuts = [];
  #front;

  /**
   * @param {() => Element | null} front the open dialog, which keeps all keys for itself and for what was registered
   * for it
   */
  constructor(front) {
    this.#front = front;
    addEventListener('keydown', (event) => {
      if (!event.defaultPrevented && !event.isComposing) this.#dispatch(event);
    });
  }

  /**
   * Adds shortcuts until the signal aborts. A later registration of the same key comes first.
   *
   * @param {readonly App.Shortcut[]} shortcuts
   * @param {AbortSignal} [signal]
   */
  add(shortcuts, signal) {
    if (signal?.aborted) return;
    this.#shortcuts.unshift(...shortcuts);
    signal?.addEventListener('abort', () => {
      this.#shortcuts = this.#shortcuts.filter((shortcut) => !shortcuts.includes(shortcut));
    }, { once: true });
  }

  /**
   * Does what a button of a controller stands for, as the newest registration that wants it says.
   *
   * @param {string} action
   * @param {Element | null} [front] the dialog or menu that has the page
   * @returns {boolean} whether anybody wanted it
   */
  act(action, front = this.#front()) {
    const event = new KeyboardEvent('keydown');
    return this.#shortcuts.some((shortcut) =>
      shortcut.action === action && (shortcut.layer ?? null) === front && shortcut.run !== undefined &&
      shortcut.run(event) !== false
    );
  }

  /**
   * What buttons of a controller do on the page or in a dialog, by action; the newest registration counts.
   *
   * @param {Element | null} front
   * @returns {Map<string, App.Shortcut>}
   */
  actions(front) {
    /** @type {Map<string, App.Shortcut>} */
    const actions = new Map();
    for (const shortcut of this.#shortcuts)
      if (shortcut.action && (shortcut.layer ?? null) === front && !actions.has(shortcut.action))
        actions.set(shortcut.action, shortcut);
    return actions;
  }

  /**
   * The map as it is now, in groups, for the sheet.
   *
   * @returns {Map<string, App.Shortcut[]>}
   */
  groups() {
    /** @type {Map<string, App.Shortcut[]>} */
    const groups = new Map();
    const seen = new Set();
    for (const shortcut of this.#shortcuts) {
      // A key may mean one thing in the list and another in the sidebar; within a group the newest meaning counts.
      const place = `${shortcut.group} ${shortcut.key || `pad:${shortcut.action}`}`;
      if (seen.has(place)) continue;
      seen.add(place);
      groups.set(shortcut.group, [...(groups.get(shortcut.group) ?? []), shortcut]);
    }
    return groups;
  }

  /** @param {KeyboardEvent} event */
  #dispatch(event) {
    const key = describeKey(event);
    const inField = isTextField(event.target);
    const front = this.#front();
    for (const shortcut of this.#shortcuts) {
      if (shortcut.key !== key || !shortcut.run || (shortcut.layer ?? null) !== front) continue;
      if (inField && !GLOBAL_IN_FIELDS.test(key)) continue;
      if (shortcut.run(event) === false) continue;
      event.preventDefault();
      return;
    }
  }
}

/**
 * `Ctrl+F`, `Ctrl+Shift+B`, `Shift+Delete`, `?`, `ArrowUp`. Shift is left out of keys that print a character.
 *
 * @param {KeyboardEvent} event
 * @returns {string}
 */
export function describeKey(event) {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const printable = event.key.length === 1;
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push('Ctrl');
  if (event.altKey) parts.push('Alt');
  if (event.shiftKey && (!printable || parts.length > 0)) parts.push('Shift');
  return [...parts, key].join('+');
}

/**
 * @param {EventTarget | null} target
 * @returns {boolean}
 */
export function isTextField(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !/^(?:checkbox|radio|range|button|submit)$/.test(target.type);
}

/**
 * Collects typed letters into a prefix to jump to. A pause of a second starts a new one.
 *
 * A first letter that is also a shortcut (F, favourite) is held back for a moment: another letter makes both the
 * beginning of a title; silence, any other key or a press of the pointer makes it the shortcut, so that what is done
 * next finds it done.
 */
export class TypeAhead {
  #jump;
  #end;
  #text = '';
  /** @type {App.Timer} */
  #clear;
  /** @type {App.Timer} */
  #held;
  /** @type {(() => void) | null} */
  #heldAction = null;

  /**
   * @param {{jump: (prefix: string) => void, end: () => void}} events `end` says that the next letter begins a new
   *   prefix
   * @param {AbortSignal} signal
   */
  constructor({ jump, end }, signal) {
    this.#jump = jump;
    this.#end = end;
    addEventListener('keydown', (event) => {
      if (!isTyping(event)) this.#release();
    }, { signal, capture: true });
    addEventListener('pointerdown', () => this.#release(), { signal, capture: true });
    signal.addEventListener('abort', () => {
      clearTimeout(this.#clear);
      clearTimeout(this.#held);
    });
  }

  /** Whether letters are being collected, so that a blank belongs to the title. */
  get isActive() {
    return this.#text !== '';
  }

  /**
   * @param {string} letter one printable character
   * @param {(() => void) | null} shortcut what the letter alone would do
   */
  type(letter, shortcut) {
    clearTimeout(this.#clear);
    clearTimeout(this.#held);
    const isFirst = this.#text === '';
    this.#heldAction = isFirst ? shortcut : null;
    this.#text += letter;
    if (this.#heldAction) this.#held = setTimeout(() => this.#release(), 280);
    else this.#jump(this.#text);
    this.#clear = setTimeout(() => this.#reset(), 1000);
  }

  /** Does what the letter that is held back stands for. */
  #release() {
    const action = this.#heldAction;
    if (!action) return;
    this.#reset();
    action();
  }

  #reset() {
    clearTimeout(this.#clear);
    clearTimeout(this.#held);
    this.#heldAction = null;
    this.#text = '';
    this.#end();
  }
}

/**
 * Whether a key may belong to a name: it prints a character, or changes which one.
 *
 * @param {KeyboardEvent} event
 * @returns {boolean}
 */
function isTyping(event) {
  return /^(?:Shift|AltGraph|CapsLock|Dead)$/.test(event.key) ||
    (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey);
}
