/**
 * Short notices in the corner: at most three at a time, the others wait. They stand in the top layer, stay while the
 * pointer or the focus is on them, and are spoken through the live regions of the shell.
 */

import { ApiError } from '../../core/client.js';
import { byId, h, icon } from '../../core/dom.js';
import { activeTile, rememberFocus } from '../../core/focus.js';

const LIMIT = 3;
const SHORT = 6000;
const LONG = 16_000;

/** Between the notices and the buttons of a dialog, in pixels. */
const GAP = 8;

const SILENT = 'NO_ANSWER';

/** The queue of notices. */
export class Toasts {
  #t;
  #root = byId('toasts');
  /** @type {App.Notice[]} */
  #waiting = [];
  /**
   * What is shown and is told only once at a time, by its key.
   *
   * @type {Map<string, {renew: () => void, end: () => void}>}
   */
  #shown = new Map();
  /** Gives the keyboard back to where it was before it came to the notices. */
  #giveBack = rememberFocus(activeTile, null);

  /**
   * @param {(key: string, values?: Record<string, string | number>) => string} t
   * @param {import('../../core/bus.js').Bus} bus
   */
  constructor(t, bus) {
    this.#t = t;
    this.#root.setAttribute('popover', 'manual');
    this.#root.addEventListener('focusin', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.#root.contains(relatedTarget)))
        this.#giveBack = rememberFocus(activeTile, relatedTarget);
    });
    this.#root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.#giveBack();
    });
    bus.on('dialog', () => this.#raise());
    addEventListener('resize', () => this.#raise());
    bus.on('answered', () => this.#drop(SILENT));
  }

  /**
   * Gives the keyboard to the newest notice. It goes back to where it was when the notice closes, or with Escape.
   *
   * @returns {boolean} whether there is one
   */
  focus() {
    const button = this.#root.lastElementChild?.querySelector('button');
    button?.focus();
    return button !== null && button !== undefined;
  }

  /**
   * Takes back what the newest notice tells of that can be taken back.
   *
   * @returns {boolean} whether there is one
   */
  undo() {
    const button = /** @type {HTMLElement | undefined} */ ([...this.#root.querySelectorAll('[data-undo]')].at(-1));
    button?.click();
    return button !== undefined;
  }

  /** @param {App.Notice} notice one whose key is shown keeps that one, one whose key waits is left out */
  show(notice) {
    const { key = '' } = notice;
    if (this.#shown.has(key)) {
      this.#shown.get(key)?.renew();
      return;
    }
    if (key && this.#waiting.some((other) => other.key === key)) return;
    if (this.#root.children.length >= LIMIT) {
      this.#waiting.push(notice);
      return;
    }
    const life = new AbortController();
    const element = this.#build(notice, () => life.abort());
    life.signal.addEventListener('abort', () => {
      this.#shown.delete(key);
      const hadFocus = element.contains(document.activeElement);
      element.remove();
      if (hadFocus) this.#giveBack();
      const next = this.#waiting.shift();
      if (next) this.show(next);
      else if (this.#root.children.length === 0 && this.#root.matches(':popover-open')) this.#root.hidePopover();
    });
    this.#root.setAttribute('aria-label', this.#t('toast.region'));
    this.#root.append(element);
    this.#raise();
    const renew = keepWhileUsed(element, notice.kind === 'error' || notice.actions?.length ? LONG : SHORT, life);
    if (key) this.#shown.set(key, { renew, end: () => life.abort() });
    byId(notice.kind === 'error' ? 'alert' : 'status').textContent = notice.text;
  }

  /**
   * Shows an error with its code, its request id and a button that copies them. The same error is shown once at a time,
   * however often it comes: an interruption fails everything that is asked for.
   *
   * @param {unknown} error
   * @param {App.NoticeAction[]} [actions]
   */
  fail(error, actions = []) {
    const known = error instanceof ApiError
      ? error
      : new ApiError(error instanceof Error ? error.message : String(error));
    const copy = { label: this.#t('error.copy'), run: () => void this.copy(known), keep: true };
    // What was to be changed has failed for good; what was read is read again when the server answers.
    const endsByItself = known.code === SILENT && !known.isChange;
    this.show({ kind: 'error', text: known.message, facts: factsOf(known), actions: [...actions, copy],
      key: endsByItself ? SILENT : `${known.code} ${known.message} ${actions.map(({ label }) => label)}` });
  }

  /**
   * Puts a report of an error on the clipboard.
   *
   * @param {ApiError} error
   */
  async copy(error) {
    const report = [error.message, `code: ${error.code}`, `request: ${error.requestId}`,
      `path: ${error.path.replace(/\?.*$/, '')}`, `status: ${error.status}`];
    await navigator.clipboard.writeText(report.join('\n'));
    byId('status').textContent = this.#t('error.copied');
  }

  /**
   * Takes away what is not true any more.
   *
   * @param {string} key
   */
  #drop(key) {
    this.#waiting = this.#waiting.filter((notice) => notice.key !== key);
    this.#shown.get(key)?.end();
  }

  /** Brings the notices above a dialog that opened, and inside it, because the rest of the page is inert then. */
  #raise() {
    const host = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
    if (this.#root.parentElement !== host) host.append(this.#root);
    if (this.#root.matches(':popover-open')) this.#root.hidePopover();
    if (this.#root.children.length > 0) this.#root.showPopover();
    this.#keepOff(host.querySelector(':scope > form > footer'));
  }

  /**
   * Keeps the notices above the buttons of a dialog that leaves them no room at its side.
   *
   * @param {Element | null} footer
   */
  #keepOff(footer) {
    this.#root.style.insetBlockEnd = '';
    if (!footer || this.#root.children.length === 0) return;
    const [own, other] = [this.#root.getBoundingClientRect(), footer.getBoundingClientRect()];
    if (own.right <= other.left || own.left >= other.right || own.bottom <= other.top || own.top >= other.bottom)
      return;
    this.#root.style.insetBlockEnd = `${innerHeight - other.top + GAP}px`;
  }

  /**
   * @param {App.Notice} notice
   * @param {() => void} close
   */
  #build(notice, close) {
    const symbol = notice.kind === 'error' ? 'missing' : notice.kind === 'good' ? 'check' : 'playing';
    const buttons = (notice.actions ?? []).map(({ label, run, keep }) => {
      const isUndo = label === this.#t('action.undo');
      // Closed first, so that what the action opens finds the focus where it belongs.
      const press = () => {
        if (!keep) close();
        run();
      };
      return h('button', {
        class: 'button',
        type: 'button',
        'data-undo': isUndo,
        'aria-keyshortcuts': isUndo ? 'Control+Z' : null,
        title: isUndo ? this.#t('toast.undoKey') : null,
        on: { click: press },
      }, label);
    });
    return h('div', { class: `toast ${notice.kind ?? 'plain'} ${notice.card ? 'with-card' : ''}` }, icon(symbol),
      h('div', { class: 'body' }, notice.text, notice.card ?? null,
        notice.facts ? h('small', { class: 'facts' }, notice.facts) : null,
        buttons.length > 0 ? h('div', { class: 'acts' }, buttons) : null),
      h('button', { class: 'icon-button', type: 'button', 'aria-label': this.#t('action.dismiss'),
        on: { click: close } }, icon('close', 'icon-s')));
  }
}

/**
 * @param {ApiError} error
 * @returns {string}
 */
function factsOf(error) {
  return [error.code, error.requestId].filter(Boolean).join(' · ');
}

/**
 * Ends the life of a notice after a time in which nobody pointed at it.
 *
 * @param {HTMLElement} element
 * @param {number} time
 * @param {AbortController} life
 * @returns {() => void} begins the time anew
 */
function keepWhileUsed(element, time, life) {
  /** @type {App.Timer} */
  let timer;
  const start = () => {
    clearTimeout(timer);
    if (element.matches(':hover, :focus-within')) return;
    timer = setTimeout(() => life.abort(), time);
  };
  const stop = () => clearTimeout(timer);
  for (const type of ['pointerenter', 'focusin']) element.addEventListener(type, stop);
  for (const type of ['pointerleave', 'focusout']) element.addEventListener(type, start);
  life.signal.addEventListener('abort', stop);
  start();
  return start;
}
