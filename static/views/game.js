/**
 * The page of one game: hero with artwork and play button, description, pictures, sessions, facts and files.
 */

import { art } from '../parts/art.js';
import { favoriteButton, gameFacts, missingNotice, moreButton, playButton, playStats, progressPicker, tagList, tint } from '../parts/details.js';
import { openPicture } from '../parts/picture.js';
import { fill, h, icon } from '../core/dom.js';
import { keepFocus } from '../core/focus.js';
import { FLAG, isMissing } from '../core/game.js';

/** Sessions shown before the link to the history. */
const SESSIONS = 8;

/** @implements {App.View} */
export class GameView {
  #ctx;
  #id;
  #life = new AbortController();
  #root = h('article', { class: 'game-page scroll', tabindex: -1 });
  /** @type {Api.Game | null} */
  #record = null;
  /** @type {Api.HistoryRow[]} */
  #sessions = [];

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#id = route.arg;
    root.append(this.#root);
    const { bus, keys, actions } = ctx;
    const { signal } = this.#life;
    bus.on('game', ({ ids }) => { if (ids.includes(this.#id)) void this.#load(); }, signal);
    bus.on('removed', ({ id }) => { if (id === this.#id) this.#back(); }, signal);
    bus.on('sessions', () => this.#drawActions(), signal);
    bus.on('session:event', ({ kind }) => { if (kind === 'stopped') void this.#load(); }, signal);
    keys.add([
      { key: 'P', group: 'game', label: 'keys.launch', run: () => { void actions.launch(this.#id); return true; } },
      { key: 'F', group: 'game', label: 'keys.favorite', run: () => { void actions.toggleFavorite(this.#id); return true; } },
      { key: 'F3', group: 'game', label: 'keys.edit', run: () => { void actions.edit(this.#id); return true; } },
      { key: 'Delete', group: 'game', label: 'keys.remove', run: () => { void actions.remove(this.#id); return true; } },
      { key: 'Escape', group: 'view', label: 'keys.back', run: () => { this.#back(); return true; } },
    ], signal);
    if (ctx.catalog.find(this.#id)) this.#draw();
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #load() {
    const { catalog, client } = this.#ctx;
    try {
      const [[record], history] = await Promise.all([
        catalog.refresh([this.#id]),
        /** @type {Promise<Api.History>} */ (client.get('/api/history', { limit: 500 })),
      ]);
      if (this.#life.signal.aborted) return;
      if (!record) {
        this.#drawGone();
        return;
      }
      this.#record = record;
      this.#sessions = history.history.filter((row) => (row.game_id ? row.game_id === this.#id : row.game === record.name));
      this.#draw();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  #draw() {
    const row = this.#ctx.catalog.find(this.#id);
    if (!row) {
      if (this.#record) this.#drawSoon();
      return;
    }
    const scroll = this.#root.scrollTop;
    document.title = `${row.name} – Service Launcher`;
    keepFocus(this.#root, () => fill(this.#root, this.#hero(row), this.#columns(row)));
    this.#root.scrollTop = scroll;
    if (document.activeElement === document.body) /** @type {HTMLElement | null} */ (this.#root.querySelector('.play'))?.focus({ preventScroll: true });
  }

  /** The record is here before its row: the worker answers in a moment. */
  #drawSoon() {
    this.#ctx.bus.on('catalog:rows', ({ ids }) => { if (ids.includes(this.#id) && this.#root.childElementCount === 0) this.#draw(); }, this.#life.signal);
  }

  /** @param {App.Row} row */
  #hero(row) {
    const { t, catalog, client } = this.#ctx;
    const backdrop = row.flags & FLAG.background ? h('img', { class: 'backdrop', alt: '', on: { load: () => backdrop?.classList.add('shown') } }) : null;
    if (backdrop) backdrop.src = client.media(row.id, 'background', catalog.epoch);
    return h('header', { class: 'hero' }, backdrop,
      h('div', { class: 'bar' },
        h('button', { class: 'button quiet', type: 'button', 'data-focus': 'back', on: { click: () => this.#back() } }, icon('back', 'icon-s'), t('action.back'))),
      h('div', { class: 'lead' },
        art(this.#ctx, row, { follows: true, onHue: (hue) => tint(this.#root, hue) }),
        h('div', null,
          h('h1', null, row.name),
          h('p', { class: 'line' }, [row.platform || t('platform.none'), row.year, row.genre].filter(Boolean).join(' · ')),
          h('div', { class: 'acts' }, playButton(this.#ctx, row), favoriteButton(this.#ctx, row),
            h('button', { class: 'icon-button filled', type: 'button', 'data-focus': 'edit', 'aria-label': t('action.edit'), title: t('action.edit'), style: { 'inline-size': '46px', 'block-size': '46px' }, on: { click: () => void this.#ctx.actions.edit(row.id) } }, icon('edit')),
            moreButton(this.#ctx, row)),
          playStats(this.#ctx, row))));
  }

  /** @param {App.Row} row */
  #columns(row) {
    const record = this.#record;
    if (!record) return h('div', { class: 'columns' }, h('div', { class: 'wait' }));
    const { t } = this.#ctx;
    const section = (/** @type {string} */ key, /** @type {App.Child} */ content) => h('section', null, h('h2', null, t(key)), content);
    return h('div', { class: 'columns' },
      h('div', null,
        isMissing(row) ? missingNotice(this.#ctx) : null,
        section('game.about', record.description ? h('p', { class: 'prose' }, record.description) : h('p', { class: 'none' }, t('game.noDescription'))),
        this.#gallery(record),
        section('game.sessions', this.#sessionRows()),
        this.#notes(record)),
      h('div', null,
        progressPicker(this.#ctx, row),
        section('game.facts', [gameFacts(this.#ctx, record), tagList(this.#ctx, record)]),
        section('game.files', this.#files(record))));
  }

  /** @param {Api.Game} record */
  #gallery(record) {
    const shots = Array.isArray(record.available_screenshots) ? record.available_screenshots : [];
    if (shots.length === 0) return null;
    const { t, tn, client, catalog } = this.#ctx;
    return h('section', null, h('h2', null, t('game.gallery')), h('div', { class: 'shots', 'aria-label': tn('game.pictures', shots.length), role: 'group' }, shots.map((index, at) => {
      const source = client.media(record.game_id, 'screenshot', catalog.epoch, index);
      const label = t('game.picture', { number: at + 1 });
      return h('button', { type: 'button', 'aria-label': label, on: { click: () => openPicture(this.#ctx, source, label) } }, h('img', { src: source, alt: '', loading: 'lazy' }));
    })));
  }

  #sessionRows() {
    const { t, format } = this.#ctx;
    if (this.#sessions.length === 0) return h('p', { class: 'none' }, t('game.noSessions'));
    const now = new Date();
    return h('ul', { class: 'rows' }, this.#sessions.slice(0, SESSIONS).map((row) => h('li', null,
      h('span', { class: 'grow' }, `${format.day(row.started.slice(0, 10), now)}, ${format.time(row.started)}`),
      (row.exit_code ?? 0) > 0 ? h('span', { class: 'end' }, t('history.exit', { code: row.exit_code ?? 0 })) : null,
      h('span', { class: 'end' }, format.span(row.seconds)))));
  }

  /** @param {Api.Game} record */
  #notes(record) {
    const notes = Array.isArray(record.notes) ? record.notes : [];
    if (notes.length === 0) return null;
    return h('section', null, h('h2', null, this.#ctx.t('game.notes')), h('ul', { class: 'rows' }, notes.map((note) => h('li', null,
      h('span', { class: 'grow', style: { 'white-space': 'pre-line' } }, typeof note === 'string' ? note : note.text),
      h('span', { class: 'end' }, typeof note === 'string' ? '' : this.#ctx.format.date(note.ts))))));
  }

  /** @param {Api.Game} record */
  #files(record) {
    const { t } = this.#ctx;
    const fact = (/** @type {string} */ label, /** @type {string} */ value) => (value ? [h('dt', null, label), h('dd', { class: 'path' }, value)] : null);
    const discs = Array.isArray(record['discs']) ? record['discs'].length : 0;
    return [
      h('dl', { class: 'facts', style: { 'grid-template-columns': 'minmax(0, 1fr)', gap: '3px' } },
        fact(t('field.path'), record.path ?? ''), fact(t('field.launch'), String(record['launch'] ?? '')), fact(t('game.discs'), discs > 1 ? String(discs) : ''),
        fact(t('field.save_paths'), (record.save_paths ?? []).join('\n'))),
      h('button', { class: 'button', type: 'button', on: { click: () => void this.#copyPath(record.path ?? '') } }, icon('copy', 'icon-s'), t('action.copyPath')),
    ];
  }

  /** @param {string} path */
  async #copyPath(path) {
    await navigator.clipboard.writeText(path);
    this.#ctx.toasts.show({ kind: 'good', text: this.#ctx.t('notice.copied') });
  }

  #drawActions() {
    const row = this.#ctx.catalog.find(this.#id);
    const old = this.#root.querySelector('.play');
    if (!row || !old) return;
    const fresh = playButton(this.#ctx, row);
    if (fresh.textContent === old.textContent) return;
    const hadFocus = old === document.activeElement;
    old.replaceWith(fresh);
    if (hadFocus) fresh.focus();
  }

  #drawGone() {
    const { t } = this.#ctx;
    fill(this.#root, h('div', { class: 'empty', style: { 'min-block-size': '100%' } }, h('div', { class: 'glyph' }, icon('missing')), h('h1', null, t('game.gone.title')), h('p', null, t('game.gone.text')),
      h('div', { class: 'acts' }, h('a', { class: 'button primary', href: '#/' }, t('game.gone.action')))));
  }

  #back() {
    if (this.#ctx.hasHistory()) history.back();
    else this.#ctx.router.go('/');
  }
}
