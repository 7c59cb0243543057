/**
 * The home screen: rows of games worth a look, as `GET /api/discovery` chooses them. The arrow keys move inside a row
 * and between rows.
 */

import { openPick } from '../parts/insights/pick.js';
import { showArt } from '../parts/art.js';
import { menuPoint } from '../parts/menu.js';
import { labelTile, makeTile } from '../parts/tile.js';
import { emptyLibrary } from '../parts/first-steps.js';
import { resumeCard } from '../parts/game/resume-card.js';
import { pageHead, showFailure } from '../parts/state-box.js';
import { coalesce } from '../core/coalesce.js';
import { fill, h, icon, patch, setAttribute } from '../core/dom.js';
import { isFocusFree } from '../core/focus.js';

/** Rows in order, and where "show all" leads. */
const ROWS = Object.freeze(/** @type {const} */ ([
  ['continue_playing', '#/?view=recent&sort=last_played'],
  ['recently_added', '#/?sort=added_at'],
  ['highly_rated', '#/?rating=4&sort=rating'],
  ['short_sessions', '#/?view=recent&sort=playtime_seconds&dir=reversed'],
  ['never_played', '#/?view=never'],
  ['random_picks', ''],
]));

/** Games played last that are asked whether they can go on from where they were left. */
const ASKED = 3;

/** @implements {App.View} */
export class HomeView {
  #ctx;
  #life = new AbortController();
  #body = h('div', { class: 'home-rows' });
  #root;
  /** @type {App.Tile[]} */
  #tiles = [];
  /** The game that can go on from where it was left. */
  /** @type {App.Row | null} */
  #left = null;
  #load = coalesce(() => this.#read());
  /** Ends what the rows on screen listen for; each drawing has its own. */
  #drawn = new AbortController();

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus, kiosk } = ctx;
    const pick = h('button', { class: 'button', type: 'button', 'data-focus': 'pick',
      on: { click: () => openPick(ctx) } }, icon('dice', 'icon-s'), t('pick.title'));
    this.#root = h('div', { class: 'page scroll home',
      on: { keydown: (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)) } },
      pageHead(ctx, t('place.home'), kiosk.isFamily ? null : pick), this.#body);
    root.append(this.#root);
    // The tiles handle these keys themselves.
    ctx.keys.add([
      { key: 'Arrows', group: 'home', label: 'keys.arrows' },
      { key: 'Enter', group: 'home', label: 'keys.launch' },
      { key: 'O', group: 'home', label: 'keys.page' },
      { key: 'Space', group: 'home', label: 'keys.page' },
      { key: 'F', group: 'home', label: 'keys.favorite' },
      { key: 'ContextMenu', group: 'home', label: 'keys.gameMenu' },
    ], this.#life.signal);
    bus.on('catalog:rows', () => this.#relabel(), this.#life.signal);
    bus.on('resume', ({ id }) => {
      if (id === this.#left?.id) this.#drawLeft();
    }, this.#life.signal);
    bus.on('sessions', () => this.#drawLeft(), this.#life.signal);
    bus.on('focus-library', () => this.#first()?.focus(), this.#life.signal);
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#drawn.abort();
    this.#root.remove();
  }

  async #read() {
    const { client, catalog, resumes } = this.#ctx;
    try {
      const found = await client.get('/api/discovery');
      const positions = [...new Set(ROWS.flatMap(([name]) => found[name]))];
      const games = await catalog.rowsAt(positions);
      // The card and the rows come together, so that it moves none of them.
      const last = found.continue_playing.slice(0, ASKED).flatMap((position) => games.get(position) ?? []);
      await Promise.all(last.map((row) => resumes.read(row.id)));
      if (this.#life.signal.aborted) return;
      this.#left = last.find((row) => resumes.of(row.id).state === 'ready') ??
        last.find((row) => resumes.of(row.id).state === 'stale') ?? null;
      const rows = ROWS.map(([name, all]) => ({ name, all, games: found[name].flatMap((position) =>
        games.get(position) ?? []
      ) })).filter((row) => row.games.length > 0);
      this.#draw(rows);
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(),
          this.#body.querySelector('.home-row') !== null);
    }
  }

  /** The card follows what is known of its game; one without anything to go on from leaves. */
  #drawLeft() {
    const card = this.#body.querySelector('.resume-card');
    if (card && this.#left) patch(card, resumeCard(this.#ctx, this.#left));
  }

  /** @param {{name: string, all: string, games: App.Row[]}[]} rows */
  #draw(rows) {
    this.#drawn.abort();
    this.#drawn = new AbortController();
    this.#tiles = [];
    if (rows.length === 0) {
      fill(this.#body, emptyLibrary(this.#ctx));
      return;
    }
    fill(this.#body, this.#left ? h('section', { class: 'resume-card' }, resumeCard(this.#ctx, this.#left)) : null,
      rows.map(({ name, all, games }) =>
        h('section', { class: 'home-row', 'aria-labelledby': `home-${name}` }, ...this.#row(name, all, games))
      ));
    if (isFocusFree()) (this.#cardButton() ?? this.#first())?.focus({ preventScroll: true });
  }

  /**
   * The heading of a row and its games.
   *
   * @param {string} name
   * @param {string} all
   * @param {App.Row[]} games
   */
  #row(name, all, games) {
    const { t } = this.#ctx;
    const strip = h('div', { class: 'home-strip scroll', role: 'listbox', 'aria-orientation': 'horizontal',
      'aria-labelledby': `home-${name}` }, games.map((row, at) => this.#tile(row, at, games.length)));
    return [
      h('div', { class: 'home-head' }, h('h2', { id: `home-${name}` }, t(`home.${name}`)),
        h('p', null, t(`home.${name}.text`)), this.#steps(strip), all ? h('a', { href: all }, t('home.all')) : null),
      strip,
    ];
  }

  /**
   * Steps for a mouse whose wheel does not turn sideways; keys and controllers move from tile to tile instead. Not
   * there where the whole row is on screen.
   *
   * @param {HTMLElement} strip
   */
  #steps(strip) {
    const side = () => (getComputedStyle(strip).direction === 'rtl' ? -1 : 1);
    const step = (/** @type {string} */ symbol, /** @type {number} */ way) =>
      h('span', { class: 'icon-button', 'data-step': symbol, on: { click: () =>
        strip.scrollBy({ left: way * side() * strip.clientWidth * 0.8,
          behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth' }) } }, icon(symbol));
    const [before, after] = [step('before', -1), step('after', 1)];
    const steps = h('div', { class: 'home-steps', 'aria-hidden': 'true' }, before, after);
    const show = () => {
      const [at, end] = [Math.abs(strip.scrollLeft), strip.scrollWidth - strip.clientWidth];
      steps.hidden = end < 2;
      before.classList.toggle('spent', at < 2);
      after.classList.toggle('spent', at > end - 2);
    };
    const observer = new ResizeObserver(show);
    observer.observe(strip);
    this.#drawn.signal.addEventListener('abort', () => observer.disconnect());
    strip.addEventListener('scroll', show, { passive: true });
    return steps;
  }

  /**
   * @param {App.Row} row
   * @param {number} at
   * @param {number} count
   */
  #tile(row, at, count) {
    const { actions, router } = this.#ctx;
    const tile = makeTile([]);
    const { element } = tile;
    tile.id = row.id;
    showArt(this.#ctx, tile.art, row, { width: 160 });
    setAttribute(element, 'aria-posinset', at + 1);
    setAttribute(element, 'aria-setsize', count);
    setAttribute(element, 'aria-selected', 'false');
    setAttribute(element, 'draggable', null);
    element.tabIndex = at === 0 ? 0 : -1;
    element.dataset['id'] = row.id;
    element.querySelector('.choose')?.remove();
    labelTile(this.#ctx, tile, row, this.#ctx.sessions.of(row.id) !== undefined);
    element.addEventListener('click', (event) => {
      if (event.target instanceof Element && event.target.closest('.go')) void actions.launch(row.id);
      else router.go(`/game/${encodeURIComponent(row.id)}`);
    });
    element.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      actions.menu(row.id, menuPoint(event));
    });
    this.#tiles.push(tile);
    return element;
  }

  /** Games that changed, as after a favourite, say so. */
  #relabel() {
    for (const tile of this.#tiles) {
      const row = this.#ctx.catalog.find(tile.id);
      if (row) labelTile(this.#ctx, tile, row, this.#ctx.sessions.of(row.id) !== undefined);
    }
  }

  #cardButton() {
    return /** @type {HTMLElement | null} */ (this.#body.querySelector('.resume-card .button'));
  }

  #first() {
    return /** @type {HTMLElement | null} */ (this.#body.querySelector('.tile[tabindex="0"]'));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === 'ArrowDown' && event.target instanceof HTMLElement && event.target.closest('.resume-card')) {
      this.#first()?.focus();
      event.preventDefault();
      return;
    }
    const tile = event.target instanceof HTMLElement ? event.target.closest('.tile') : null;
    if (!(tile instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { actions, router } = this.#ctx;
    const id = tile.dataset['id'] ?? '';
    const strips = [...this.#body.querySelectorAll('.home-strip')];
    const row = strips.indexOf(/** @type {Element} */ (tile.parentElement));
    const tiles = [...(tile.parentElement?.children ?? [])];
    const at = tiles.indexOf(tile);
    const side = getComputedStyle(this.#root).direction === 'rtl' ? -1 : 1;
    const beside = (/** @type {number} */ strip) =>
      strips[strip]?.children[Math.min(at, (strips[strip]?.children.length ?? 1) - 1)];
    const above = row === 0 ? this.#cardButton() : null;
    if (event.key === 'ArrowUp' && above) {
      above.focus();
      event.preventDefault();
      return;
    }
    const target =
      { ArrowRight: tiles[at + side], ArrowLeft: tiles[at - side], ArrowDown: beside(row + 1), ArrowUp: beside(row - 1),
        Home: tiles[0], End: tiles.at(-1) }[event.key];
    if (target instanceof HTMLElement) this.#move(target);
    else if (event.key === 'Enter') void actions.launch(id);
    else if (event.key === 'o' || event.key === ' ') router.go(`/game/${encodeURIComponent(id)}`);
    else if (event.key === 'f') void actions.toggleFavorite(id);
    else if (!/^(?:Arrow|Home|End)/.test(event.key)) return;
    event.preventDefault();
  }

  /** @param {HTMLElement} tile */
  #move(tile) {
    for (const other of tile.parentElement?.children ?? [])
      /** @type {HTMLElement} */ (other).tabIndex = other === tile
        ? 0
        : -1;
    tile.focus();
    tile.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
