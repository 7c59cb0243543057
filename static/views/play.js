/**
 * What to play next: the play queue. Entries are moved by dragging, by buttons or by the arrow keys, and started from
 * here.
 */

import { art } from '../parts/art.js';
import { confirm } from '../parts/dialog.js';
import { emptyBox, pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { h, icon, patch } from '../core/dom.js';
import { isMissing } from '../data/game.js';

/** @implements {App.View} */
export class PlayView {
  #ctx;
  #life = new AbortController();
  #root;
  #next;
  #clear;
  /** Has no box of its own: it would count as moved when the list takes the place of the wait. */
  #body = h('div', { class: 'bare' });
  /** Place of the entry that is being dragged, or -1. */
  #dragged = -1;
  /**
   * Whether the list changed while an entry was dragged; it is drawn when the entry is let go, because an entry that is
   * drawn anew falls out of the hand.
   */
  #isOwed = false;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus, keys, queue } = ctx;
    const { signal } = this.#life;
    this.#clear = h('button', { class: 'button', type: 'button', on: { click: () => void this.#empty() } },
      icon('trash', 'icon-s'), t('queue.clear'));
    this.#next = h('button', { class: 'button primary', type: 'button', on: { click: () => void this.#playNext() } },
      icon('play', 'icon-s'), t('queue.playNext'));
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' },
        pageHead(ctx, t('queue.title'),
          h('a', { class: 'button', href: '#/party' }, icon('players', 'icon-s'), t('place.party')), this.#clear,
          this.#next), this.#body));
    root.append(this.#root);
    bus.on('queue', () => this.#draw(), signal);
    bus.on('sessions', () => this.#draw(), signal);
    bus.on('catalog:rows', () => this.#draw(), signal);
    bus.on('catalog:ready', () => this.#draw(), signal);
    const onEntry = (/** @type {(at: number) => void} */ act) => () => {
      const at = this.#place();
      if (at < 0) return false;
      act(at);
      return true;
    };
    keys.add([
      { key: 'Alt+ArrowUp', group: 'queue', label: 'keys.queueUp', run: onEntry((at) => void this.#move(at, at - 1)) },
      { key: 'Alt+ArrowDown', group: 'queue', label: 'keys.queueDown',
        run: onEntry((at) => void this.#move(at, at + 1)) },
      { key: 'Delete', group: 'queue', label: 'keys.queueRemove', run: onEntry((at) => void this.#remove(at)) },
      { key: 'N', group: 'queue', label: 'keys.queueNext', run: () => {
        void this.#playNext();
        return true;
      } },
    ], signal);
    this.#draw();
    void queue.refresh();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  #draw() {
    const { queue, catalog, t } = this.#ctx;
    const { list } = queue;
    this.#isOwed = this.#dragged >= 0;
    if (this.#isOwed) return;
    this.#clear.hidden = list.length === 0;
    this.#next.hidden = list.length === 0;
    // An entry whose game is not known yet would change its size when it is.
    const isKnown = catalog.complete || list.every((entry) => entry.missing || catalog.find(entry.game_id));
    if (!queue.isLoaded && queue.error) showFailure(this.#ctx, this.#body, queue.error, () => void queue.refresh());
    else if (!queue.isLoaded || !isKnown) patch(this.#body, waitBox(this.#ctx));
    else if (list.length === 0)
      patch(this.#body,
        emptyBox(this.#ctx, 'queue', 'queue.none',
          h('a', { class: 'button primary', href: '#/' }, t('history.none.action'))));
    else
      patch(this.#body, list.length > 1 ? h('p', { class: 'about key-hint' }, t('queue.hint')) : null,
        h('ol', { class: 'queue', 'aria-label': t('queue.title') },
          list.map((entry, index) => this.#entry(entry, index))));
  }

  /**
   * @param {Api.QueueEntry} entry
   * @param {number} index
   */
  #entry(entry, index) {
    const { t, catalog, format, queue } = this.#ctx;
    const row = catalog.find(entry.game_id);
    const mark = this.#mark(entry, row);
    const button = (/** @type {string} */ name, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {boolean} */ isOff, /** @type {() => void} */ run) =>
      h('button', {
        class: 'icon-button',
        type: 'button',
        'data-focus': `${name}:${entry.game_id}`,
        disabled: isOff,
        'aria-label': `${label}: ${entry.name}`,
        title: label,
        on: { click: run },
      }, icon(symbol));
    return h('li', {
      class: `queued ${mark.tone}`,
      draggable: 'true',
      dataset: { place: index, key: entry.game_id },
      'aria-current': queue.current === entry.game_id ? 'true' : null,
      on: {
        dragstart: (event) => this.#drag(/** @type {DragEvent} */ (event), index),
        dragover: (event) => this.#over(/** @type {DragEvent} */ (event), index),
        dragend: () => this.#stopDrag(),
        drop: (event) => this.#drop(event, index),
      },
    }, h('span', { class: 'place-number', 'aria-hidden': 'true' }, format.number(index + 1)),
      row ? art(this.#ctx, row) : h('div', { class: 'art' }), h('div', { class: 'who', 'data-key': 'who' }, row
        ? h('a', { href: `#/game/${encodeURIComponent(entry.game_id)}`, 'data-focus': `page:${entry.game_id}`,
          draggable: 'false' }, entry.name)
        : h('b', null, entry.name), h('small', null, [entry.platform, entry.note].filter(Boolean).join(' · '))),
      mark.text ? h('span', { class: 'mark-text' }, mark.text) : null,
      h('div', { class: 'acts', 'data-key': 'acts' },
        button('play', 'play', t('action.play'), !row || isMissing(row), () => void this.#play(entry.game_id)),
        button('up', 'up', t('queue.up'), index === 0, () => void this.#move(index, index - 1)),
        button('down', 'down', t('queue.down'), index === queue.list.length - 1,
          () => void this.#move(index, index + 1)),
        button('remove', 'close', t('queue.remove'), false, () => void this.#remove(index))));
  }

  /**
   * What is worth saying about an entry.
   *
   * @param {Api.QueueEntry} entry
   * @param {App.Row | undefined} row
   */
  #mark(entry, row) {
    const { t, sessions, queue } = this.#ctx;
    if (entry.missing) return { text: t('queue.gone'), tone: 'bad' };
    if (sessions.of(entry.game_id)) return { text: t('running.playing'), tone: 'good' };
    if (row && isMissing(row)) return { text: t('queue.noFile'), tone: 'bad' };
    return queue.current === entry.game_id ? { text: t('queue.played'), tone: '' } : { text: '', tone: '' };
  }

  /** Place of the entry the focus is in, or -1. */
  #place() {
    const entry = document.activeElement?.closest('.queued');
    return entry instanceof HTMLElement && this.#body.contains(entry) ? Number(entry.dataset['place']) : -1;
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  async #move(from, to) {
    const { queue } = this.#ctx;
    const entry = queue.list[from];
    if (!entry || to < 0 || to >= queue.list.length) return;
    if (await this.#try(() => queue.move(from, to)))
      this.#ctx.announce(this.#ctx.t('queue.moved', { name: entry.name, place: to + 1 }));
  }

  /** @param {number} at */
  async #remove(at) {
    const { queue, t } = this.#ctx;
    const entry = queue.list[at];
    if (!entry) return;
    if (await this.#try(() => queue.remove(entry.game_id)))
      this.#ctx.announce(t('queue.removed', { name: entry.name }));
  }

  async #empty() {
    const { t, queue } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('queue.clear.title'), text: t('queue.clear.text'),
      action: t('queue.clear'), danger: true });
    if (isSure) await this.#try(() => queue.clear());
  }

  async #playNext() {
    const { queue, toasts, t } = this.#ctx;
    await this.#try(async () => {
      const next = await queue.advance();
      if (next) await this.#play(next.game_id);
      else toasts.show({ text: t('queue.over') });
    });
  }

  /** @param {string} id */
  async #play(id) {
    await this.#ctx.actions.launch(id);
  }

  /**
   * @param {() => Promise<unknown>} work
   * @returns {Promise<boolean>} whether it was done
   */
  async #try(work) {
    try {
      await work();
      return true;
    } catch (error) {
      this.#ctx.fail(error);
      return false;
    }
  }

  /**
   * @param {DragEvent} event
   * @param {number} index
   */
  #drag(event, index) {
    this.#dragged = index;
    event.dataTransfer?.setData('text/plain', String(index));
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
  }

  /**
   * @param {DragEvent} event
   * @param {number} index
   */
  #over(event, index) {
    if (this.#dragged < 0) return;
    event.preventDefault();
    for (const entry of this.#body.querySelectorAll('.over')) entry.classList.remove('over', 'after');
    const target = /** @type {HTMLElement} */ (event.currentTarget);
    if (index !== this.#dragged) target.classList.add('over');
    target.classList.toggle('after', index > this.#dragged);
  }

  #stopDrag() {
    this.#dragged = -1;
    for (const entry of this.#body.querySelectorAll('.over')) entry.classList.remove('over', 'after');
    if (this.#isOwed) this.#draw();
  }

  /**
   * @param {Event} event
   * @param {number} index
   */
  #drop(event, index) {
    event.preventDefault();
    const from = this.#dragged;
    this.#stopDrag();
    if (from >= 0 && from !== index) void this.#move(from, index);
  }
}
