/**
 * What the big screen says about the active game: its picture softly behind everything, its name, what is worth knowing
 * and the buttons. The picture and the description come when a game has been looked at for a moment, so that passing by
 * costs nothing.
 */

import { fill, h, icon, patch } from '../../core/dom.js';
import { FLAG, isMissing, platformHue } from '../../data/game.js';
import { artworkHue } from '../../core/hue.js';
import { blurredCopy } from '../blurred.js';

/** Rests of the shelf after which the picture, the description and the video are asked for, in milliseconds. */
const REST = Object.freeze({ picture: 120, record: 260, video: 600 });

/** The picture behind is this small: blown up it is a soft light, and costs nothing to draw. */
const SOFT = Object.freeze({ width: 96, height: 54, blur: 13, zoom: 1.5 });

/** The active game, behind and beside the shelf. */
export class BigHero {
  #ctx;
  #events;
  #signal;
  /** What lies behind everything. */
  back = h('div', { class: 'big-back', 'aria-hidden': 'true' });
  /** What is said about the game. */
  info = h('section', { class: 'big-info' });
  #head = h('div', { class: 'big-name' });
  #line = h('p', { class: 'big-line' });
  #text = h('p', { class: 'big-text' });
  #acts = h('div', { class: 'big-acts' });
  #id = '';
  /** The drawn name of the active game, where it has one. */
  /** @type {HTMLImageElement | null} */
  #logo = null;
  /** @type {App.Timer[]} */
  #timers = [];

  /**
   * @param {App.Context} ctx
   * @param {{onPlay: (id: string) => void, onAnew: (id: string) => void, onDetails: (id: string) => void, onSession:
   *   () => void, onVideo: (plays: boolean) => void, onHue: (hue: number | null) => void}} events
   * @param {AbortSignal} signal
   */
  constructor(ctx, events, signal) {
    this.#ctx = ctx;
    this.#events = events;
    this.#signal = signal;
    this.info.setAttribute('aria-label', ctx.t('details.label'));
    this.info.append(this.#head, this.#line, this.#text, this.#acts);
    signal.addEventListener('abort', () => this.#rest());
    ctx.bus.on('sessions', () => this.#drawActs(), signal);
    ctx.bus.on('resume', ({ id }) => {
      if (id === this.#id) this.#drawActs();
    }, signal);
    ctx.bus.on('catalog:rows', ({ ids }) => {
      if (ids.includes(this.#id)) this.#drawWords();
    }, signal);
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.stopVideo();
    }, { signal });
    addEventListener('blur', () => this.stopVideo(), { signal });
  }

  /** @param {string} id a game of the catalog, or the empty string for none */
  show(id) {
    if (id === this.#id) return;
    this.#id = id;
    this.#rest();
    this.stopVideo();
    this.#text.textContent = '';
    this.#drawWords();
    if (!id) {
      this.#light(null, null);
      return;
    }
    this.#timers = [
      setTimeout(() => this.#drawBack(), REST.picture),
      setTimeout(() => void this.#readRecord(id), REST.record),
      setTimeout(() => this.#playVideo(), REST.video),
    ];
  }

  /** Ends the video of the game, as when something else is played or looked at. */
  stopVideo() {
    const video = this.back.querySelector('video');
    if (!video) return;
    video.pause();
    video.removeAttribute('src');
    video.remove();
    this.#events.onVideo(false);
  }

  #rest() {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  get #row() {
    return this.#ctx.catalog.find(this.#id);
  }

  #drawWords() {
    const { t } = this.#ctx;
    const row = this.#row;
    this.#drawName(row);
    this.#head.classList.toggle('long', (row?.name.length ?? 0) > 26);
    fill(this.#line, !row ? null : this.#facts(row).map((fact) => h('span', null, fact)),
      row && isMissing(row) ? h('span', { class: 'warn' }, icon('missing', 'icon-s'), t('mark.missing')) : null);
    this.#drawActs();
  }

  /**
   * The name, and the drawn one in its place once it is here; one that is shown already stays.
   *
   * @param {App.Row | undefined} row
   */
  #drawName(row) {
    const { client, catalog } = this.#ctx;
    const source = row && row.flags & FLAG.clear_logo ? client.media(row.id, 'clear_logo', catalog.epoch) : '';
    const before = this.#logo?.getAttribute('src') === source ? this.#logo : null;
    const title = h('h2', { class: before && !before.hidden ? 'sr-only' : '' }, row?.name ?? '');
    this.#logo = before ?? (source ? h('img', { class: 'big-logo', alt: '', src: source, hidden: true }) : null);
    fill(this.#head, title, this.#logo);
    const logo = this.#logo;
    if (!logo || !logo.hidden) return;
    logo.onload = () => {
      logo.hidden = false;
      title.classList.add('sr-only');
    };
    logo.onerror = () => logo.remove();
  }

  /** @param {App.Row} row */
  #facts(row) {
    const { t, format } = this.#ctx;
    return [
      row.platform || t('platform.none'),
      row.year,
      (row.genre.split(',')[0] ?? '').trim(),
      row.progress ? t(`progress.${row.progress}`) : '',
      row.stars > 0 ? '★'.repeat(row.stars) : row.rating > 0 ? `★ ${format.decimal(row.rating, 1)}` : '',
      row.seconds > 0 ? format.span(row.seconds) : '',
    ].filter(Boolean);
  }

  #drawActs() {
    const { t, actions, resumes, sessions } = this.#ctx;
    const row = this.#row;
    const canResume = row && !isMissing(row) && !sessions.of(row.id) && resumes.of(row.id).state === 'ready';
    patch(this.#acts, !row ? null : [
      sessions.of(row.id)
        ? h('button', { class: 'button large primary', type: 'button', 'data-focus': 'big-play',
          on: { click: () => this.#events.onSession() } }, icon('playing', 'icon-s'), t('big.session.open'))
        : h('button', { class: 'button large primary', type: 'button', 'data-focus': 'big-play',
          disabled: isMissing(row), on: { click: () => this.#events.onPlay(row.id) } }, icon('play', 'icon-s'),
          t(canResume ? 'resume.continue' : 'action.play')),
      h('button', { class: 'button large', type: 'button', 'data-focus': 'big-details',
        on: { click: () => this.#events.onDetails(row.id) } }, t('big.details')),
      h('button', {
        class: 'icon-button filled favorite',
        type: 'button',
        'data-focus': 'big-favorite',
        'aria-pressed': String((row.flags & FLAG.favorite) !== 0),
        'aria-label': t('action.favorite'),
        on: { click: () => void actions.toggleFavorite(row.id) },
      }, icon(row.flags & FLAG.favorite ? 'heart-full' : 'heart')),
      // Last, so that nothing moves when it comes.
      canResume
        ? h('button', { class: 'button large', type: 'button', 'data-focus': 'big-anew',
          on: { click: () => this.#events.onAnew(row.id) } }, icon('refresh', 'icon-s'), t('resume.anew'))
        : null,
    ]);
  }

  /** @param {string} id */
  async #readRecord(id) {
    try {
      // Only read: a look at a game is no reason to sort the library again.
      const { games } = await this.#ctx.client.get('/api/library/delta', { ids: id });
      if (id !== this.#id) return;
      this.#text.textContent = games[0]?.description ?? '';
      await this.#ctx.resumes.read(id);
    } catch (error) {
      if (id === this.#id) this.#ctx.bus.emit('failure', error);
    }
  }

  /** The background of the game where there is one, else the light of its cover, else the colour of its platform. */
  #drawBack() {
    const row = this.#row;
    if (!row) return;
    const kind = row.flags & FLAG.background
      ? 'background'
      : row.flags & FLAG.fanart
      ? 'fanart'
      : row.flags & FLAG.cover
      ? 'cover'
      : '';
    if (!kind) {
      this.#light(null, platformHue(row.platform));
      return;
    }
    const image = h('img', { alt: '', decoding: 'async' });
    image.addEventListener('load', () => {
      if (row.id !== this.#id) return;
      this.#light(image, artworkHue(image), kind !== 'cover');
    }, { signal: this.#signal });
    image.addEventListener('error', () => {
      if (row.id === this.#id) this.#light(null, platformHue(row.platform));
    }, { signal: this.#signal });
    image.src = this.#ctx.client.media(row.id, kind, this.#ctx.catalog.epoch,
      kind === 'cover' ? { width: SOFT.width } : {});
  }

  /**
   * Fades another picture in behind everything.
   *
   * @param {HTMLImageElement | null} image
   * @param {number | null} hue
   * @param {boolean} [isWhole] the picture is made to fill a screen
   */
  #light(image, hue, isWhole = false) {
    const layer = h('div', { class: `big-layer ${isWhole ? 'whole' : ''}` },
      image ? (isWhole ? image : blurredCopy(image, SOFT)) : null);
    if (hue !== null) layer.style.setProperty('--h', String(hue));
    layer.classList.toggle('plain', !image);
    const old = [...this.back.querySelectorAll('.big-layer')];
    this.back.append(layer);
    requestAnimationFrame(() => layer.classList.add('shown'));
    for (const each of old.slice(0, -1)) each.remove();
    // The layer below stays until the new one covers it.
    const last = old.at(-1);
    layer.addEventListener('transitionend', () => last?.remove(), { once: true });
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) last?.remove();
    this.#events.onHue(hue);
  }

  /** A short silent film of the game, where it has one and people want things to move. */
  #playVideo() {
    const row = this.#row;
    const isQuiet = matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden || !document.hasFocus() ||
      document.querySelector('dialog[open]') !== null;
    if (!row || (row.flags & FLAG.video) === 0 || isQuiet || this.#ctx.sessions.list.length > 0) return;
    const video = h('video', { loop: true, playsinline: true, tabindex: -1 });
    video.volume = 0.8;
    // An event of a film that was removed must not touch the music or the next film.
    video.addEventListener('playing', () => {
      if (!video.isConnected) return;
      video.classList.add('shown');
      this.#events.onVideo(!video.muted);
    }, { signal: this.#signal });
    const giveUp = () => {
      if (video.isConnected) this.stopVideo();
    };
    video.addEventListener('error', giveUp, { signal: this.#signal });
    video.src = this.#ctx.client.media(row.id, 'video', this.#ctx.catalog.epoch);
    this.back.append(video);
    // Without a click or a key before, a browser only plays films without their sound.
    video.play().catch(() => {
      if (!video.isConnected) return;
      video.muted = true;
      video.play().catch(giveUp);
    });
  }
}
