/**
 * The bar of actions on the chosen games, below the library; and the dialogs for tags and fields behind its buttons.
 */

import { openDialog } from '../dialog.js';
import { makeField } from '../fields.js';
import { openMenu } from '../menu.js';
import { choosePlaylist } from './playlists.js';
import { readAgain, setPlatform } from './read-again.js';
import { h, icon, patch } from '../../core/dom.js';
import { roveFocus } from '../../core/focus.js';
import { FLAG, PROGRESS } from '../../data/game.js';

/** Rating classes the server offers. */
const RATING_CLASSES = Object.freeze(['', 'E', 'E10+', 'T', 'M', 'AO', 'RP', 'EC', 'K-A', 'Unrated']);

/** Actions that have a button in a narrow library too, by their symbols; the others are behind "More" there. */
const FIRST = Object.freeze(['heart', 'check', 'star', 'tag', 'trash']);

/** Actions that still say what they do in words where there is no room for all words. */
const SPOKEN = Object.freeze(['heart', 'check', 'tag', 'playlist', 'trash']);

/** The bar. */
export class BulkBar {
  #ctx;
  #ids;
  #bar = h('div', { class: 'bulk-bar', role: 'toolbar', hidden: true });
  #acts = h('span', { class: 'bulk-acts', 'data-key': 'acts' });
  #count = h('b', { role: 'status', 'data-key': 'count' });
  /** Name of the button that began the work, which has the focus again when the work is over. */
  #begun = '';
  #playlist = '';
  #events;
  element = this.#bar;

  /**
   * @param {App.Context} ctx
   * @param {{ids: () => string[], onAll: () => void, onNone: () => void}} events `ids` gives the chosen games
   * @param {AbortSignal} signal
   */
  constructor(ctx, events, signal) {
    this.#ctx = ctx;
    this.#ids = events.ids;
    this.#events = events;
    this.#bar.setAttribute('aria-label', ctx.t('bulk.label'));
    roveFocus(this.#bar, 'button', signal, 'horizontal');
    ctx.bus.on('bulk', () => this.#draw(), signal);
    const observer = new ResizeObserver(() => this.#fit());
    observer.observe(this.#bar);
    signal.addEventListener('abort', () => observer.disconnect());
    this.#draw();
  }

  /** @param {string} playlist the playlist that is shown, or the empty string */
  set playlist(playlist) {
    this.#playlist = playlist;
  }

  /** Shows how many games are chosen, or nothing. */
  follow() {
    const size = this.#ids().length;
    const wasHidden = this.#bar.hidden;
    const hadFocus = this.#bar.contains(document.activeElement);
    this.#bar.hidden = size === 0 && this.#ctx.bulk.part === null;
    if (hadFocus && this.#bar.hidden) this.#ctx.bus.emit('focus-library', {});
    this.#count.textContent = this.#ctx.tn('bulk.chosen', size);
    if (wasHidden !== this.#bar.hidden) this.#draw();
    else this.#fit();
  }

  /** Shows as many words as fit into one line, whatever the language and the font. */
  #fit() {
    for (const words of ['all', 'some', 'none']) {
      this.#bar.dataset['words'] = words;
      if (this.#acts.scrollWidth <= this.#acts.clientWidth) return;
    }
  }

  /** The keyboard goes to the first action. */
  focus() {
    /** @type {HTMLElement | null} */ (this.#bar.querySelector('button'))?.focus();
  }

  /**
   * The same actions as a menu, for the right button on a chosen game.
   *
   * @param {{x: number, y: number}} at
   */
  menu(at) {
    const { t, tn } = this.#ctx;
    openMenu(this.#ctx,
      this.#actions().map(([symbol, label, run, danger]) => ({ icon: symbol, label: t(label), danger: danger ?? false,
        run: () => run(at) })
      ), at, tn('bulk.chosen', this.#ids().length));
  }

  #draw() {
    const { t, bulk, format } = this.#ctx;
    const { part } = bulk;
    const hadFocus = this.#bar.contains(document.activeElement);
    if (part !== null) {
      if (hadFocus) this.#begun = document.activeElement?.getAttribute('data-focus') ?? this.#begun;
      patch(this.#bar,
        h('span', { class: 'bulk-progress', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100,
          'aria-valuenow': Math.round(part * 100), 'aria-label': t('bulk.busy') },
          h('i', { style: { 'inline-size': `${part * 100}%` } })),
        h('span', { class: 'tabular' }, `${format.number(Math.round(part * 100))} %`),
        h('button', { class: 'button', type: 'button', on: { click: () => bulk.stop() } }, t('action.stop')));
      this.#bar.hidden = false;
      return;
    }
    patch(this.#acts, this.#buttons());
    patch(this.#bar, this.#count,
      h('button', { class: 'button quiet', type: 'button', on: { click: this.#events.onAll } }, t('bulk.all')),
      this.#acts,
      h('button', { class: 'icon-button', type: 'button', 'aria-label': t('bulk.none'), title: t('bulk.none'),
        on: { click: this.#events.onNone } }, icon('close')));
    this.#bar.hidden = this.#ids().length === 0;
    this.#fit();
    if (!hadFocus) return;
    if (this.#bar.hidden) this.#ctx.bus.emit('focus-library', {});
    else if (this.#begun)
      /** @type {HTMLElement | null} */ (this.#bar.querySelector(`[data-focus="${CSS.escape(this.#begun)}"]`))?.focus();
    else this.focus();
  }

  #buttons() {
    const { t, tn } = this.#ctx;
    const actions = this.#actions();
    const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {string} */ style,
      /** @type {(at: {x: number, y: number}) => void} */ run) =>
      h('button', {
        class: `button quiet ${style}`,
        type: 'button',
        'data-focus': `bulk-${symbol}`,
        'aria-haspopup': symbol === 'more' ? 'menu' : null,
        title: t(label),
        'aria-label': t(label),
        on: { click: (event) => {
          const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
          run({ x: box.left, y: box.top - 8 });
        } },
      }, icon(symbol, 'icon-s'), h('span', { class: SPOKEN.includes(symbol) ? 'word' : 'word rare' }, t(label)));
    const others = actions.filter(([symbol]) => !FIRST.includes(symbol));
    const more = button('more', 'action.more', 'few',
      (at) =>
        openMenu(this.#ctx, others.map(([symbol, label, run]) => ({ icon: symbol, label: t(label), run: () =>
          run(at) })
        ), at, tn('bulk.chosen', this.#ids().length)));
    return actions.flatMap(([symbol, label, run, isDanger]) => {
      const own = button(symbol, label, isDanger ? 'risky' : FIRST.includes(symbol) ? '' : 'roomy', run);
      return isDanger ? [more, own] : [own];
    });
  }

  /**
   * @returns {[string, string, (at: {x: number, y: number}) => void, boolean?][]} symbol, label, action, whether it
   * takes games away
   */
  #actions() {
    /** @type {[string, string, (at: {x: number, y: number}) => void, boolean?][]} */
    const actions = [
      ['heart', 'bulk.favorite', () => this.#toggle('favorite', FLAG.favorite)],
      ['check', 'field.progress', (at) => this.#progressMenu(at)],
      ['star', 'bulk.stars', (at) => this.#starsMenu(at)],
      ['tag', 'field.tags', () => void this.#tags()],
      ['playlist', 'bulk.playlist', (at) => choosePlaylist(this.#ctx, this.#ids(), at, this.#playlist)],
      ['platform', 'bulk.platform', () => void setPlatform(this.#ctx, this.#ids()).catch(this.#ctx.fail)],
      ['edit', 'bulk.edit', () => void this.#fields()],
      ['refresh', 'bulk.readAgain', () => void readAgain(this.#ctx, this.#ids()).catch(this.#ctx.fail)],
      ['hidden', 'bulk.hide', () => this.#toggle('hidden', FLAG.hidden)],
      ['trash', 'bulk.trash', () => void this.#ctx.bulk.trash(this.#ids()), true],
    ];
    return actions.filter(([symbol]) => symbol !== 'playlist' || this.#ctx.preferences.offersPlaylists);
  }

  #rows() {
    return this.#ids().flatMap((id) => this.#ctx.catalog.find(id) ?? []);
  }

  /**
   * Sets a flag on all chosen games; when all have it, takes it away.
   *
   * @param {'favorite' | 'hidden'} field
   * @param {number} bit
   */
  #toggle(field, bit) {
    const isSet = this.#rows().every((row) => row.flags & bit);
    void this.#ctx.bulk.change(this.#ids(), { [field]: !isSet });
  }

  /** @param {{x: number, y: number}} at */
  #progressMenu(at) {
    const { t } = this.#ctx;
    openMenu(this.#ctx, PROGRESS.map((progress) => ({
      icon: progress === '' ? 'never' : 'check',
      label: t(progress ? `progress.${progress}` : 'progress.none'),
      run: () => void this.#ctx.bulk.change(this.#ids(), { progress }),
    })), at, t('field.progress'));
  }

  /** @param {{x: number, y: number}} at */
  #starsMenu(at) {
    const { t } = this.#ctx;
    openMenu(this.#ctx, [5, 4, 3, 2, 1, 0].map((stars) => ({
      icon: 'star',
      label: stars > 0 ? '★'.repeat(stars) : t('bulk.noStars'),
      run: () => void this.#ctx.bulk.change(this.#ids(), { user_rating: stars }),
    })), at, t('bulk.stars'));
  }

  async #tags() {
    const { t, tn, catalog } = this.#ctx;
    const counts = new Map();
    for (const row of this.#rows()) for (const tag of row.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const add = makeField({ key: 'tags', kind: 'text', value: '', label: t('bulk.tags.add'), hint: t('bulk.tags.hint'),
      wide: true, list: 'bulk-tags' });
    const boxes = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 60).map(([tag, count]) => ({ tag,
      box: h('input', { type: 'checkbox' }), count })
    );
    const dialog = openDialog(this.#ctx, {
      title: tn('bulk.tags.title', this.#ids().length),
      width: 520,
      content: [add.element,
        h('datalist', { id: 'bulk-tags' }, catalog.facets.tags.map((tag) => h('option', { value: tag }))),
        boxes.length > 0
          ? h('fieldset', { class: 'tag-boxes' }, h('legend', null, t('bulk.tags.remove')),
            boxes.map(({ tag, box, count }) =>
              h('label', { class: 'check' }, box, tag, h('small', null, this.#ctx.format.number(count)))
            ))
          : null],
      footer: footer(t, () => dialog.close(''), t('action.apply')),
      onSubmit: () => dialog.close('yes'),
    });
    add.control.focus();
    if ((await dialog.closed) !== 'yes') return;
    const removed = boxes.filter(({ box }) => box.checked).map(({ tag }) => tag);
    const added = String(add.read()).split(',').map((tag) => tag.trim()).filter((tag) => tag && !removed.includes(tag));
    if (added.length + removed.length === 0) return;
    await this.#ctx.bulk.change(this.#ids(), { ...(added.length > 0 ? { tags_add: added } : {}),
      ...(removed.length > 0 ? { tags_remove: removed } : {}) });
  }

  /** Fields of the wizard: only those whose box is ticked are changed, also to nothing. */
  async #fields() {
    const { t, tn, catalog } = this.#ctx;
    const platforms = catalog.facets.platforms.map(([name]) => name).filter(Boolean);
    const specs = /** @type {App.FieldSpec[]} */ ([
      { key: 'platform', kind: 'text', value: '', label: t('field.platform'), list: 'bulk-platforms' },
      { key: 'genre', kind: 'text', value: '', label: t('field.genre'), list: 'bulk-genres' },
      { key: 'esrb', kind: 'select', value: '', label: t('field.esrb'),
        options: RATING_CLASSES.map((value) => ({ value, label: value || t('filter.without') })) },
      { key: 'rating', kind: 'number', value: '', label: t('field.rating'), min: 0, max: 5, step: 0.1 },
    ]);
    const fields = specs.map((spec) => {
      const field = makeField(spec);
      const box = h('input', { type: 'checkbox', 'aria-label': t('bulk.edit.change', { field: spec.label }) });
      field.control.addEventListener('input', () => {
        box.checked = true;
      });
      return { field, box };
    });
    const dialog = openDialog(this.#ctx, {
      title: tn('bulk.edit.title', this.#ids().length),
      width: 520,
      content: [h('p', null, t('bulk.edit.about')),
        h('div', { class: 'bulk-fields' }, fields.map(({ field, box }) => h('div', null, box, field.element))),
        h('datalist', { id: 'bulk-platforms' }, platforms.map((value) => h('option', { value }))),
        h('datalist', { id: 'bulk-genres' }, catalog.facets.genres.map((value) => h('option', { value })))],
      footer: footer(t, () => dialog.close(''), t('action.apply')),
      onSubmit: () => {
        const rating = fields.find(({ field }) => field.spec.key === 'rating');
        const isBad = rating?.box.checked && !rating.field.control.checkValidity();
        rating?.field.fail(isBad ? t('bulk.edit.rating') : '');
        if (isBad) rating?.field.control.focus();
        else dialog.close('yes');
      },
    });
    fields[0]?.field.control.focus();
    if ((await dialog.closed) !== 'yes') return;
    const change = Object.fromEntries(
      fields.filter(({ box }) => box.checked).map(({ field }) => [field.spec.key, field.read()]),
    );
    if (Object.keys(change).length > 0) await this.#ctx.bulk.change(this.#ids(), change);
  }
}

/**
 * @param {App.Context['t']} t
 * @param {() => void} onCancel
 * @param {string} action
 */
function footer(t, onCancel, action) {
  return [h('button', { class: 'button', type: 'button', on: { click: onCancel } }, t('action.cancel')),
    h('button', { class: 'button primary', type: 'submit' }, action)];
}
