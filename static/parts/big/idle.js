/**
 * What the big screen does when nobody is there: after a while it shows games one after the other, later it goes dark.
 * One timer for both, which input does not touch: it looks at the time of the last input when it fires. Nothing runs
 * while the page is hidden, a game runs or a dialog is open.
 */

import { art } from '../art.js';
import { idleTimes } from '../../data/big-settings.js';
import { fill, h } from '../../core/dom.js';
import { DIRECTIONS } from '../../core/spatial.js';
import { hintLine } from '../controller/hints.js';

/** How long a game is shown, and how often the clock in the dark moves, in milliseconds. */
const SLIDE = 12_000;
const DRIFT = 30_000;

/** Places of the clock in the dark, in percent of the screen, so that no part of it glows for hours. */
const SPOTS = Object.freeze([[12, 14], [62, 22], [34, 64], [70, 70], [18, 44], [48, 34]]);

/** Watches for the absence of people. */
export class BigIdle {
  #ctx;
  #events;
  #last = performance.now();
  /** @type {App.Timer} */
  #timer;
  /** @type {App.Timer} */
  #slides;
  /** @type {HTMLDialogElement | null} */
  #layer = null;
  #life = new AbortController();
  /** @type {AbortController | null} */
  #layerLife = null;
  #isDark = false;
  /** @type {HTMLElement | null} */
  #hints = null;
  /** Games that were shown, to go back to. */
  /** @type {string[]} */
  #shown = [];
  #at = -1;

  /**
   * @param {App.Context} ctx
   * @param {{pick: () => App.Row | undefined, onPlay: (id: string) => void, onShow: (id: string) => void}} events
   */
  constructor(ctx, events) {
    this.#ctx = ctx;
    this.#events = events;
    const { signal } = this.#life;
    const touch = () => {
      this.#last = performance.now();
    };
    for (const type of /** @type {const} */ (['keydown', 'pointerdown', 'wheel']))
      addEventListener(type, touch, { signal, capture: true, passive: true });
    // A browser also says that the pointer moved when only what lies under it did.
    addEventListener('pointermove', ({ movementX, movementY }) => {
      if (movementX !== 0 || movementY !== 0) touch();
    }, { signal, capture: true, passive: true });
    ctx.bus.on('steer', touch, signal);
    ctx.bus.on('settings', () => this.#arm(), signal);
    let played = false;
    ctx.bus.on('sessions', ({ length }) => {
      // Only a game that begins or ends is somebody's doing; the list itself is told anew for many reasons.
      if (length > 0 || played) touch();
      played = length > 0;
      if (played) this.#end();
      this.#arm();
    }, signal);
    document.addEventListener('visibilitychange', () => {
      touch();
      if (document.hidden) this.#end();
      this.#arm();
    }, { signal });
    this.#arm();
  }

  close() {
    this.#end();
    clearTimeout(this.#timer);
    this.#life.abort();
  }

  get #times() {
    const { attract, saver } = idleTimes(this.#ctx.preferences.big);
    return { attract: attract * 1000, saver: saver * 1000 };
  }

  /** Sets the one timer to the next moment at which something could begin. */
  #arm() {
    clearTimeout(this.#timer);
    if (document.hidden || this.#life.signal.aborted || this.#ctx.sessions.list.length > 0) return;
    const { attract, saver } = this.#times;
    const still = performance.now() - this.#last;
    const next = [this.#layer ? 0 : attract, this.#isDark ? 0 : saver].filter((time) => time > 0).map((
      time,
    ) => (time > still ? time - still : 1000));
    if (next.length > 0) this.#timer = setTimeout(() => this.#look(), Math.min(...next));
  }

  #look() {
    const { attract, saver } = this.#times;
    const still = performance.now() - this.#last;
    // A dialog is somebody's half-done work: it is never covered.
    const isBusy = [...document.querySelectorAll('dialog[open]')].some((dialog) => dialog !== this.#layer);
    if (isBusy) this.#last = performance.now();
    else if (saver > 0 && still >= saver) this.#begin(true);
    else if (attract > 0 && still >= attract && !this.#layer) this.#begin(false);
    this.#arm();
  }

  /** @param {boolean} isDark */
  #begin(isDark) {
    if (isDark && this.#isDark) return;
    this.#end();
    const { t, keys, bus } = this.#ctx;
    const life = new AbortController();
    this.#layerLife = life;
    this.#isDark = isDark;
    const layer = h('dialog', { class: `big-idle ${isDark ? 'dark' : ''}`,
      'aria-label': t(isDark ? 'big.saver' : 'big.attract') });
    this.#layer = layer;
    const { signal } = life;
    const wake = () => this.#wake();
    layer.addEventListener('keydown', (event) => this.#onKey(event), { signal });
    layer.addEventListener('pointerdown', wake, { signal });
    layer.addEventListener('cancel', (event) => {
      event.preventDefault();
      wake();
    }, { signal });
    const wakes = ['back', 'favorite', 'page_left', 'page_right', 'first', 'last', 'pause', 'menu', 'up', 'down'];
    const told = isDark ? [] : [
      { key: 'Enter', group: 'big', label: 'big.start', action: 'play', layer, run: () => this.#play() },
      { key: 'G', group: 'big', label: 'big.attract.show', action: 'random', layer, run: () => this.#goTo() },
      { key: 'G', group: 'big', label: 'big.attract.show', action: 'details', layer, run: () => this.#goTo() },
      { key: 'ArrowLeft', group: 'big', label: 'picture.before', action: 'left', layer, run: () => this.#turn(-1) },
      { key: 'ArrowRight', group: 'big', label: 'picture.after', action: 'right', layer, run: () => this.#turn(1) },
    ];
    keys.add(
      [...wakes, ...(isDark ? ['play', 'random', 'details', ...DIRECTIONS.slice(2)] : [])].map((action) => ({ key: '',
        group: 'big', label: 'keys.back', action, layer, run: () => {
          this.#wake();
          return true;
        } })
      ),
      signal,
    );
    keys.add(told, signal);
    document.body.append(layer);
    layer.showModal();
    bus.emit('dialog', { open: true });
    if (isDark) this.#drift();
    else {
      this.#hints = hintLine(this.#ctx, layer, signal);
      this.#turn(1);
    }
  }

  /** @returns {boolean} */
  #play() {
    const id = this.#shown[this.#at] ?? '';
    this.#wake();
    if (id) this.#events.onPlay(id);
    return true;
  }

  /** @returns {boolean} */
  #goTo() {
    const id = this.#shown[this.#at] ?? '';
    this.#wake();
    if (id) this.#events.onShow(id);
    return true;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const isOwn = !this.#isDark && /^(?:Enter|ArrowLeft|ArrowRight|g|G)$/.test(event.key);
    if (isOwn || /^(?:Shift|Control|Alt|Meta)$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#wake();
  }

  #wake() {
    this.#last = performance.now();
    this.#end();
    this.#arm();
  }

  #end() {
    clearTimeout(this.#slides);
    this.#layerLife?.abort();
    this.#layerLife = null;
    if (!this.#layer) return;
    this.#layer.close();
    this.#layer.remove();
    this.#layer = null;
    this.#isDark = false;
    this.#ctx.bus.emit('dialog', { open: document.querySelector('dialog[open]') !== null });
  }

  /**
   * Shows the next game, or one before.
   *
   * @param {number} step
   * @returns {boolean}
   */
  #turn(step) {
    clearTimeout(this.#slides);
    this.#at = Math.max(0, this.#at + step);
    const known = this.#ctx.catalog.find(this.#shown[this.#at] ?? '');
    const row = known ?? this.#events.pick();
    if (!row) {
      this.#begin(true);
      return true;
    }
    if (!known) this.#shown[this.#at] = row.id;
    const { t } = this.#ctx;
    if (this.#layer) {
      fill(this.#layer, art(this.#ctx, row, { follows: true, width: 800, onHue: (hue) => {
        if (hue !== null) this.#layer?.style.setProperty('--h', String(hue));
      } }),
        h('div', { class: 'words' }, h('p', { class: 'big-line' }, h('span', null, t('big.attract'))),
          h('h2', null, row.name),
          h('p', { class: 'big-line' }, [row.platform, row.year, row.genre].filter(Boolean).map((fact) =>
            h('span', null, fact)
          ))), this.#hints);
    }
    this.#slides = setTimeout(() => this.#turn(1), SLIDE);
    return true;
  }

  /** Moves the clock in the dark to another place. */
  #drift(turn = 0) {
    const [left, top] = SPOTS[turn % SPOTS.length] ?? [10, 10];
    const now = new Intl.DateTimeFormat(this.#ctx.i18n.locale, { hour: 'numeric', minute: '2-digit' }).format(
      new Date(),
    );
    if (this.#layer)
      fill(this.#layer,
        h('time', { class: 'tabular', style: { 'inset-inline-start': `${left}%`, 'inset-block-start': `${top}%` } },
          now));
    this.#slides = setTimeout(() => this.#drift(turn + 1), DRIFT);
  }
}
