/**
 * The constellation as a map to fly through: games as stars, what they have in common as lines. It is moved and zoomed
 * with the pointer, keys and a controller; a list beside it says the same.
 */

import { art } from '../art.js';
import { showFailure, smallEmptyBox, waitBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch, setAttribute, valueOf } from '../../core/dom.js';
import { NO_ROW, platformHue } from '../../data/game.js';
import { namedStars, placeStars, starBeside } from '../../data/star-map.js';

/** Stars that are asked for, and those that the list shows. */
const STARS = 300;
const LISTED = 60;

/** Bounds of the zoom, and how much a press and a turn of the wheel change it. */
const ZOOM = Object.freeze({ least: 0.6, most: 12, step: 1.4, wheel: 1.0015 });

/** Letters of the shortest name that the map shows: a single sign beside a star looks like a speck. */
const SHORTEST = 3;

/** How much of the map the drawing leaves free at its edges. */
const MARGIN = 0.08;

/** Kinds of lines as the server names them. */
const KINDS = Object.freeze(/** @type {Record<string, string>} */ ({
  series: 'stars.series',
  developer: 'stars.developer',
  publisher: 'stars.publisher',
  genre: 'stars.genre',
  platform_family: 'stars.platform',
  co_played: 'stars.played',
}));

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function starPanel(ctx, signal) {
  const root = h('div', { class: 'insights' }, waitBox(ctx));
  /** @type {StarMap | null} */
  let map = null;
  let kinds = '';
  const load = coalesce(async () => {
    try {
      const found = await ctx.client.get('/api/v2/library/constellation', { limit: STARS,
        ...(kinds ? { kinds } : {}) });
      if (signal.aborted) return;
      if (found.nodes.length === 0) {
        map = null;
        patch(root, smallEmptyBox(ctx, 'spark', 'stars.none'));
        return;
      }
      map ??= new StarMap(ctx, signal, (kind) => {
        kinds = kind;
        void load();
      });
      map.take(found, kinds);
      if (!root.contains(map.element)) root.replaceChildren(map.element);
      map.resize();
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), map !== null);
    }
  });
  return { element: root, show: () => void load() };
}

/** The map with its list. */
class StarMap {
  #ctx;
  #canvas = h('canvas', { tabindex: 0, role: 'application' });
  #card = h('div', { class: 'star-card', 'aria-live': 'polite' });
  #zoomButtons = h('div', { class: 'star-zoom' });
  #list = h('ol', { class: 'star-list scroll' });
  #kinds = h('select', { class: 'input', id: 'star-kinds' });
  element;
  /** @type {Reply.Star[]} */
  #stars = [];
  /** @type {Reply.Line[]} */
  #lines = [];
  /** @type {import('../../data/star-map.js').Place[]} */
  #places = [];
  #at = 0;
  /** The middle of what is seen, and how near it is. */
  #view = { x: 0, y: 0, zoom: 1 };
  #frame = 0;

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   * @param {(kinds: string) => void} onKinds
   */
  constructor(ctx, signal, onKinds) {
    this.#ctx = ctx;
    const { t } = ctx;
    this.#canvas.setAttribute('aria-label', t('stars.map'));
    this.#canvas.setAttribute('aria-describedby', 'star-keys');
    this.#list.setAttribute('aria-label', t('stars.list'));
    const zoom = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {number} */ by) =>
      h('button', { class: 'icon-button filled', type: 'button', 'aria-label': label, title: label, on: { click: () =>
        this.#zoom(by) } }, icon(symbol));
    this.#zoomButtons.append(zoom('plus', t('stars.nearer'), ZOOM.step),
      zoom('minus', t('stars.farther'), 1 / ZOOM.step),
      h('button', { class: 'icon-button filled', type: 'button', 'aria-label': t('stars.whole'),
        title: t('stars.whole'), on: { click: () => this.#whole() } }, icon('all')));
    this.element = h('div', { class: 'constellation' },
      h('div', { class: 'star-head' }, h('label', { class: 'label', for: 'star-kinds' }, t('stars.kinds')), this.#kinds,
        h('p', { class: 'about key-hint', id: 'star-keys' }, t('stars.keys'))),
      h('div', { class: 'star-map' }, this.#canvas, this.#zoomButtons), this.#card, this.#list);
    this.#kinds.addEventListener('change', (event) => onKinds(valueOf(event)));
    this.#follow(signal);
    new ResizeObserver(() => this.resize()).observe(this.#canvas);
    ctx.bus.on('settings', () => this.#draw(), signal);
  }

  /**
   * @param {Reply.Constellation} found
   * @param {string} kind the only kind of line that is shown
   */
  take(found, kind) {
    const { t } = this.#ctx;
    const before = this.#stars[this.#at]?.game_id;
    this.#stars = found.nodes;
    this.#lines = found.edges;
    this.#places = placeStars(found.nodes.length, found.edges);
    const most = found.nodes.reduce((best, star, at) => (star.degree > (found.nodes[best]?.degree ?? 0) ? at : best),
      0);
    const kept = found.nodes.findIndex(({ game_id: id }) => id === before);
    this.#at = kept >= 0 ? kept : most;
    if (this.#kinds.childElementCount === 0)
      patch(this.#kinds, h('option', { value: '' }, t('stars.all')),
        found.kinds.map((name) => h('option', { value: name, selected: name === kind }, this.#kind(name))));
    patch(this.#list,
      [...found.nodes].sort((a, b) => b.degree - a.degree).slice(0, LISTED).map((star) =>
        h('li', { 'data-key': star.game_id }, h('button', { type: 'button', 'data-focus': `star-${star.game_id}`, on: {
          click: () => this.#choose(this.#stars.indexOf(star), true),
          focus: () => this.#choose(this.#stars.indexOf(star), true),
        } }, h('b', null, star.name), h('small', null, this.#ctx.tn('stars.lines', star.degree))))
      ));
    this.#choose(this.#at, false);
  }

  /** Fits the drawing to its place. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = devicePixelRatio || 1;
    const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (wide === 0 || tall === 0) return;
    if (this.#canvas.width !== wide) this.#canvas.width = wide;
    if (this.#canvas.height !== tall) this.#canvas.height = tall;
    this.#draw();
  }

  /** @param {string} kind */
  #kind(kind) {
    const key = KINDS[kind];
    return key ? this.#ctx.t(key) : kind;
  }

  /** @param {AbortSignal} signal */
  #follow(signal) {
    const canvas = this.#canvas;
    const isHere = () => document.activeElement === canvas;
    const move = (/** @type {'left' | 'right' | 'up' | 'down'} */ direction) => () => {
      if (!isHere()) return false;
      const next = starBeside(this.#places, this.#at, direction);
      // At the edge the arrow leaves the map.
      if (next === this.#at) return false;
      this.#choose(next, true);
      return true;
    };
    const when = (/** @type {() => void} */ run) => () => {
      if (!isHere()) return false;
      run();
      return true;
    };
    this.#ctx.keys.add([
      { key: 'ArrowLeft', group: 'view', label: 'keys.arrows', action: 'left', run: move('left') },
      { key: 'ArrowRight', group: 'view', label: 'keys.arrows', action: 'right', run: move('right') },
      { key: 'ArrowUp', group: 'view', label: 'keys.arrows', action: 'up', run: move('up') },
      { key: 'ArrowDown', group: 'view', label: 'keys.arrows', action: 'down', run: move('down') },
      { key: '+', group: 'view', label: 'stars.nearer', action: 'page_right', run: when(() => this.#zoom(ZOOM.step)) },
      { key: '-', group: 'view', label: 'stars.farther', action: 'page_left',
        run: when(() => this.#zoom(1 / ZOOM.step)) },
      { key: '0', group: 'view', label: 'stars.whole', run: when(() => this.#whole()) },
      { key: 'Enter', group: 'view', label: 'keys.page', action: 'play', run: when(() => this.#open()) },
    ], signal);
    /** @type {{x: number, y: number, moved: number} | null} */
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      held = { x: event.clientX, y: event.clientY, moved: 0 };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      held = { x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
      const scale = this.#scale();
      this.#view.x -= dx / scale;
      this.#view.y -= dy / scale;
      this.#draw();
    });
    canvas.addEventListener('pointerup', (event) => {
      const wasPress = held !== null && held.moved < 6;
      held = null;
      if (!wasPress) return;
      const found = this.#starAt(event.offsetX, event.offsetY);
      if (found < 0) return;
      if (found === this.#at && event.detail > 1) this.#open();
      else this.#choose(found, false);
    });
    canvas.addEventListener('dblclick', () => this.#open());
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.#zoom(ZOOM.wheel ** -event.deltaY);
    }, { passive: false });
    canvas.addEventListener('focus', () => this.#draw());
    canvas.addEventListener('blur', () => this.#draw());
  }

  /** @param {number} by */
  #zoom(by) {
    const star = this.#places[this.#at];
    this.#view.zoom = Math.max(ZOOM.least, Math.min(ZOOM.most, this.#view.zoom * by));
    if (star && by > 1) this.#view = { ...this.#view, x: (this.#view.x + star.x) / 2, y: (this.#view.y + star.y) / 2 };
    this.#draw();
  }

  #whole() {
    this.#view = { x: 0, y: 0, zoom: 1 };
    this.#draw();
  }

  #open() {
    const star = this.#stars[this.#at];
    if (star) this.#ctx.router.go(`/game/${encodeURIComponent(star.game_id)}`);
  }

  /**
   * @param {number} at
   * @param {boolean} follows whether the map moves to the star
   */
  #choose(at, follows) {
    const [star, place] = [this.#stars[at], this.#places[at]];
    if (!star || !place) return;
    const { t, tn } = this.#ctx;
    this.#at = at;
    const row = this.#ctx.catalog.find(star.game_id) ??
      { ...NO_ROW, id: star.game_id, name: star.name, platform: star.platform };
    /** @type {Map<string, string[]>} */
    const beside = new Map();
    for (const { s, t: to, kind } of this.#lines) {
      if (s !== at && to !== at) continue;
      const name = this.#stars[s === at ? to : s]?.name ?? '';
      beside.set(kind, [...(beside.get(kind) ?? []), name]);
    }
    patch(this.#card, art(this.#ctx, row, { width: 120 }),
      h('div', { class: 'grow' },
        h('b', null, h('a', { href: `#/game/${encodeURIComponent(star.game_id)}` }, star.name)),
        h('small', null, [star.platform, star.year, tn('stars.lines', star.degree)].filter(Boolean).join(' · ')),
        h('ul', null,
          [...beside].slice(0, 4).map(([kind, names]) =>
            h('li', null, t('stars.with', { kind: this.#kind(kind), names: names.slice(0, 3).join(', ') }))
          ))));
    for (const button of this.#list.querySelectorAll('button'))
      setAttribute(button, 'aria-current', button.dataset['focus'] === `star-${star.game_id}` ? 'true' : null);
    if (follows) this.#view = { ...this.#view, x: place.x, y: place.y };
    this.#draw();
  }

  #scale() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    return (Math.min(width, height) / 2) * (1 - MARGIN) * this.#view.zoom;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #starAt(x, y) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const scale = this.#scale();
    let best = -1;
    let least = 22 * 22;
    this.#places.forEach((place, at) => {
      const [dx, dy] = [(place.x - this.#view.x) * scale + width / 2 - x,
        (place.y - this.#view.y) * scale + height / 2 - y];
      if (dx * dx + dy * dy < least) [best, least] = [at, dx * dx + dy * dy];
    });
    return best;
  }

  /** Draws with the next frame; nothing is drawn while nothing changes. */
  #draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    const pen = this.#canvas.getContext('2d');
    if (!pen) return;
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const style = getComputedStyle(this.#canvas);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const ratio = this.#canvas.width / Math.max(1, width);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const scale = this.#scale();
    const spots = this.#places.map(({ x, y }) => ({ x: (x - this.#view.x) * scale + width / 2,
      y: (y - this.#view.y) * scale + height / 2 })
    );
    const [line, accent, text] = [colour('--line'), colour('--accent'), colour('--text')];
    for (const isOwn of [false, true]) {
      pen.strokeStyle = isOwn ? accent : line;
      pen.lineWidth = isOwn ? 1.6 : 1;
      pen.beginPath();
      for (const { s, t } of this.#lines) {
        if ((s === this.#at || t === this.#at) !== isOwn) continue;
        const [from, to] = [spots[s], spots[t]];
        if (!from || !to) continue;
        pen.moveTo(from.x, from.y);
        pen.lineTo(to.x, to.y);
      }
      pen.stroke();
    }
    const isLight = document.documentElement.dataset['scheme'] === 'light';
    const most = Math.max(1, ...this.#stars.map(({ degree }) => degree));
    this.#stars.forEach((star, at) => {
      const spot = spots[at];
      if (!spot || spot.x < -40 || spot.y < -40 || spot.x > width + 40 || spot.y > height + 40) return;
      pen.fillStyle = `oklch(${isLight ? '52%' : '76%'} 0.13 ${platformHue(star.platform)})`;
      pen.beginPath();
      pen.arc(spot.x, spot.y,
        (3 + 6 * Math.sqrt(star.degree / most)) * Math.min(2, Math.max(0.8, this.#view.zoom ** 0.4)), 0, 2 * Math.PI);
      pen.fill();
    });
    const chosen = spots[this.#at];
    if (chosen) {
      pen.strokeStyle = accent;
      pen.lineWidth = document.activeElement === this.#canvas ? 4 : 2;
      pen.beginPath();
      pen.arc(chosen.x, chosen.y, 15, 0, 2 * Math.PI);
      pen.stroke();
    }
    this.#name(pen, spots, { text, back: colour('--bg'), font: style.fontFamily });
  }

  /** Where the buttons cover the map. */
  #zoomBox() {
    const [map, buttons] = [this.#canvas, this.#zoomButtons].map((element) => element.getBoundingClientRect());
    const [x, y] = [map?.left ?? 0, map?.top ?? 0];
    return { left: (buttons?.left ?? 0) - x, right: (buttons?.right ?? 0) - x, top: (buttons?.top ?? 0) - y,
      bottom: (buttons?.bottom ?? 0) - y };
  }

  /**
   * Writes names where there is room for them, the best connected first.
   *
   * @param {CanvasRenderingContext2D} pen
   * @param {readonly {x: number, y: number}[]} spots
   * @param {{text: string, back: string, font: string}} look
   */
  #name(pen, spots, { text, back, font }) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const order = this.#stars.map((_, at) => at).sort((a, b) =>
      Number(b === this.#at) - Number(a === this.#at) || (this.#stars[b]?.degree ?? 0) - (this.#stars[a]?.degree ?? 0)
    );
    pen.font = `500 12px ${font}`;
    pen.textAlign = 'center';
    pen.lineJoin = 'round';
    const zoom = this.#zoomBox();
    const boxes = order.flatMap((at) => {
      const [star, spot] = [this.#stars[at], spots[at]];
      if (!star || !spot || spot.x < 0 || spot.y < 0 || spot.x > width || spot.y > height) return [];
      if (star.name.length < SHORTEST && at !== this.#at) return [];
      const half = pen.measureText(star.name).width / 2 + 4;
      const isUnder = spot.x + half > zoom.left && spot.x - half < zoom.right && spot.y + 32 > zoom.top &&
        spot.y + 14 < zoom.bottom;
      if (isUnder && at !== this.#at) return [];
      return [{ at, left: spot.x - half, right: spot.x + half, top: spot.y + 14, bottom: spot.y + 32 }];
    });
    for (const at of namedStars(boxes, spots, width, height)) {
      const [star, spot] = [this.#stars[at], spots[at]];
      if (!star || !spot) continue;
      // The chosen one is named wherever it is.
      const half = pen.measureText(star.name).width / 2 + 4;
      const x = Math.max(half, Math.min(width - half, spot.x));
      pen.strokeStyle = back;
      pen.lineWidth = 4;
      pen.strokeText(star.name, x, spot.y + 27);
      pen.fillStyle = text;
      pen.fillText(star.name, x, spot.y + 27);
    }
    pen.textAlign = 'start';
  }
}
