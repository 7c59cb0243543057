/**
 * What is worth knowing about a game beside the list: play button, times, progress, description, facts. Fetches the
 * full record when a game has been looked at for a moment.
 */

import { art } from '../art.js';
import { shotStrip } from '../game/gallery.js';
import { resumeButtons } from '../game/resume.js';
import { h, icon, patch, valueOf } from '../../core/dom.js';
import { FLAG, isMissing, PROGRESS } from '../../data/game.js';
import { wordMarks } from '../../data/marks.js';

/** A pause after which the full record is asked for, so that holding an arrow key asks for nothing. */
const PAUSE = 120;

/** Facts of a record in the order they are shown. */
const FACTS = Object.freeze(['developer', 'publisher', 'year', 'genre', 'series', 'region', 'esrb', 'max_players',
  'play_mode', 'source']);

/** The details of one game at a time. */
export class DetailsPane {
  #ctx;
  #body = h('div', { class: 'scroll' });
  #root;
  #id = '';
  /** @type {App.Timer} */
  #timer;
  /** @type {Api.Game | null} */
  #record = null;
  /** The marks that were chosen when the details were drawn. */
  #marks = '';

  /**
   * @param {App.Context} ctx
   * @param {{onClose: () => void}} events
   * @param {AbortSignal} signal
   */
  constructor(ctx, { onClose }, signal) {
    this.#ctx = ctx;
    this.#root = h('aside', { class: 'details', 'aria-label': ctx.t('details.label') },
      h('div', { class: 'top' },
        h('button', { class: 'icon-button', type: 'button', 'aria-label': ctx.t('details.close'),
          title: ctx.t('details.close'), on: { click: onClose } }, icon('close'))), this.#body);
    ctx.bus.on('game', ({ ids }) => {
      if (ids.includes(this.#id)) this.#load(0);
    }, signal);
    for (const name of /** @type {const} */ (['sessions', 'catalog:expected']))
      ctx.bus.on(name, () => this.#draw(), signal);
    ctx.bus.on('resume', ({ id }) => {
      if (id === this.#id && this.#record) this.#draw();
    }, signal);
    ctx.bus.on('settings', () => {
      if (this.#marks !== markKey(ctx)) this.#draw();
    }, signal);
    signal.addEventListener('abort', () => clearTimeout(this.#timer));
  }

  get element() {
    return this.#root;
  }

  /** @param {string} id a game of the catalog */
  show(id) {
    if (id === this.#id) return;
    this.#id = id;
    this.#record = null;
    this.#body.scrollTop = 0;
    this.#draw();
    this.#load(PAUSE);
  }

  /** Shows no game. */
  clear() {
    clearTimeout(this.#timer);
    this.#id = '';
    this.#record = null;
    this.#root.classList.remove('tinted');
    patch(this.#body);
  }

  /** @param {number} delay */
  #load(delay) {
    clearTimeout(this.#timer);
    const id = this.#id;
    this.#timer = setTimeout(async () => {
      try {
        const [[record]] = await Promise.all([this.#ctx.catalog.refresh([id]), this.#ctx.resumes.read(id)]);
        if (id !== this.#id || !record) return;
        this.#record = record;
        this.#draw();
      } catch (error) {
        if (id === this.#id) this.#ctx.bus.emit('failure', error);
      }
    }, delay);
  }

  #draw() {
    const { t } = this.#ctx;
    const row = this.#ctx.catalog.find(this.#id);
    if (!row) return;
    this.#marks = markKey(this.#ctx);
    patch(this.#body, art(this.#ctx, row, { width: 236, follows: true, onHue: (hue) => tint(this.#root, hue) }),
      gameName('h2', row.name),
      h('p', { class: 'line' }, [row.platform, row.year].filter(Boolean).join(' · ') || t('platform.none')),
      h('div', { class: 'acts', 'data-key': `acts:${this.#ctx.resumes.of(row.id).state}` },
        resumeButtons(this.#ctx, row, '') ?? playButton(this.#ctx, row), favoriteButton(this.#ctx, row),
        moreButton(this.#ctx, row)), isMissing(row) ? missingNotice(this.#ctx) : null, playStats(this.#ctx, row),
      progressPicker(this.#ctx, row),
      this.#record ? this.#recordParts(row, this.#record) : h('div', { class: 'wait late' }));
  }

  /**
   * @param {App.Row} row
   * @param {Api.Game} record
   */
  #recordParts(row, record) {
    return [
      record.description ? h('p', { class: 'prose clamped' }, record.description) : null,
      shotStrip(this.#ctx, row.id, record),
      gameFacts(this.#ctx, record),
      tagList(this.#ctx, record),
      markList(this.#ctx, row),
      h('a', { class: 'button wide', 'data-focus': 'page', href: `#/game/${encodeURIComponent(row.id)}` },
        icon('open', 'icon-s'), this.#ctx.t('action.openPage')),
    ];
  }
}

/**
 * Gives an element the hue of an artwork; a grey one takes the tint away.
 *
 * @param {HTMLElement} element
 * @param {number | null} hue
 */
export function tint(element, hue) {
  element.classList.toggle('tinted', hue !== null);
  if (hue !== null) element.style.setProperty('--h', String(hue));
}

/** Names longer than this are written smaller, and no more than a few lines of them are shown. */
const LONG = 60;

/**
 * The name of a game as a heading.
 *
 * @param {'h1' | 'h2'} level
 * @param {string} name
 * @returns {HTMLElement}
 */
export function gameName(level, name) {
  const isLong = name.length > LONG;
  return h(level, { class: isLong ? 'long-name' : null, title: isLong ? name : null }, name);
}

/**
 * The main button: play, or what the running game can do.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {string} [size]
 * @returns {HTMLButtonElement}
 */
export function playButton(ctx, row, size = 'large') {
  const session = ctx.sessions.of(row.id);
  const [symbol, key] = !session
    ? ['play', 'action.play']
    : session.paused
    ? ['play', 'action.resume']
    : ['pause', 'action.pause'];
  const press = () => {
    if (!session) void ctx.actions.launch(row.id);
    else void ctx.actions.control(session.launchId, session.paused ? 'resume' : 'pause');
  };
  return h('button', { class: `button primary ${size} play`, type: 'button', 'data-focus': 'play',
    disabled: !session && isMissing(row), on: { click: press } }, icon(symbol), ctx.t(key));
}

/**
 * Ends the running game; nothing while it does not run.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {HTMLButtonElement | null}
 */
export function stopButton(ctx, row) {
  const session = ctx.sessions.of(row.id);
  if (!session) return null;
  return h('button', { class: 'button large', type: 'button', 'data-focus': 'stop',
    on: { click: () => void ctx.actions.control(session.launchId, 'stop') } }, icon('stop'), ctx.t('action.stop'));
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 */
export function favoriteButton(ctx, row) {
  const isFavorite = (row.flags & FLAG.favorite) !== 0;
  const label = ctx.t(isFavorite ? 'action.unfavorite' : 'action.favorite');
  return h('button', {
    class: 'icon-button filled tall favorite',
    type: 'button',
    'data-focus': 'favorite',
    'aria-pressed': String(isFavorite),
    'aria-label': ctx.t('action.favorite'),
    title: label,
    on: { click: () => void ctx.actions.toggleFavorite(row.id) },
  }, icon(isFavorite ? 'heart-full' : 'heart'));
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 */
export function moreButton(ctx, row) {
  return h('button', {
    class: 'icon-button filled tall',
    type: 'button',
    'data-focus': 'more',
    'aria-haspopup': 'menu',
    'aria-label': ctx.t('action.more'),
    title: ctx.t('action.more'),
    on: {
      click: (event) => {
        const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
        ctx.actions.menu(row.id, { x: box.right - 200, y: box.bottom + 6 });
      },
    },
  }, icon('more'));
}

/**
 * @param {App.Context} ctx
 * @param {string} [id] the game whose path can be edited from here
 */
export function missingNotice(ctx, id = '') {
  return h('div', { class: 'callout' }, icon('missing'), h('span', null, ctx.t('details.missing')), id
    ? h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'fix',
      on: { click: () => void ctx.actions.edit(id, 'launch') } }, ctx.t('details.editPath'))
    : null);
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {() => void} [onPlaytime] opens what changes the playtime
 */
export function playStats(ctx, row, onPlaytime) {
  const { t, format } = ctx;
  const stat = (/** @type {string} */ label, /** @type {App.Child} */ value) =>
    h('div', null, h('dt', null, label), h('dd', null, value));
  const played = row.seconds > 0 ? format.span(row.seconds) : t('stat.none');
  return h('dl', { class: 'stats' }, stat(t('stat.playtime'), onPlaytime
    ? h('button', { class: 'in-text', type: 'button', 'data-focus': 'playtime',
      'aria-label': t('playtime.change', { time: played }), title: t('playtime.edit'), on: { click: onPlaytime } },
      played, icon('edit', 'icon-s'))
    : played), stat(t('stat.last'), row.last ? format.since(row.last, new Date()) : t('stat.never')),
    stat(t('stat.plays'), format.number(row.plays)));
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 */
export function progressPicker(ctx, row) {
  const chosen = ctx.actions.pending(row.id, 'progress', row.progress);
  const select = h('select', { class: 'input', 'data-focus': 'progress', id: `progress-${row.id}`,
    on: { change: (event) => void ctx.actions.setProgress(row.id, valueOf(event)) } },
    PROGRESS.map((value) =>
      h('option', { value, selected: value === chosen }, ctx.t(value ? `progress.${value}` : 'progress.none'))
    ));
  return h('div', { class: 'field progress-pick' },
    h('label', { class: 'label', for: select.id }, ctx.t('field.progress')), select);
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @returns {HTMLElement | null}
 */
export function gameFacts(ctx, record) {
  const rows = FACTS.filter((key) => record[key]).map((
    key,
  ) => [h('dt', null, ctx.t(`field.${key}`)), h('dd', null, String(record[key]))]);
  if (Number(record.rating) > 0)
    rows.push([h('dt', null, ctx.t('field.rating')),
      h('dd', null, ctx.t('details.rating', { rating: ctx.format.decimal(Number(record.rating), 1) }))]);
  if (record.added_at)
    rows.push([h('dt', null, ctx.t('details.added')), h('dd', null, ctx.format.date(record.added_at))]);
  return rows.length > 0 ? h('dl', { class: 'facts' }, rows) : null;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @returns {HTMLElement | null}
 */
export function tagList(ctx, record) {
  const tags = record.tags ?? [];
  return tags.length > 0
    ? h('ul', { class: 'tags', 'aria-label': ctx.t('field.tags') }, tags.map((tag) => h('li', null, tag)))
    : null;
}

/**
 * What a game has beside what its details say, in words with icons.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {HTMLElement | null}
 */
export function markList(ctx, row) {
  const marks = wordMarks(row, ctx.preferences.marks);
  if (marks.length === 0) return null;
  return h('ul', { class: 'word-marks', 'aria-label': ctx.t('details.marks') },
    marks.map(({ name, symbol, text }) =>
      h('li', null, icon(symbol, 'icon-s'), text ?? ctx.t(`choice.badge_visibility.${name}`))
    ));
}

/** @param {App.Context} ctx */
function markKey({ preferences }) {
  return [...preferences.marks].join();
}
