/**
 * The inbox of memories: pictures that were found and fit several games. One stands large; a name is typed, Enter gives
 * the picture to the game, and the next one follows. The address of nothing changes meanwhile.
 */

import { art } from '../art.js';
import { busyButton } from '../act.js';
import { emptyBox, showFailure } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { fill, h, icon, patch, setAttribute } from '../../core/dom.js';
import { isFocusFree } from '../../core/focus.js';
import { isTouched } from '../../core/phone.js';

/** Games that are offered for a picture. */
const OFFERED = 6;

/** The inbox, for as long as its screen is there. */
export class Inbox {
  #ctx;
  #signal;
  #image = h('img', { class: 'inbox-picture', alt: '' });
  #line = h('p', { class: 'inbox-line', 'aria-live': 'polite' });
  #input;
  #list = h('ul', { class: 'inbox-games', role: 'listbox', id: 'inbox-games' });
  #strip = h('ul', { class: 'inbox-strip scroll' });
  #desk;
  #body = h('div', null, h('div', { class: 'wait' }));
  /** @type {Reply.Memory[]} */
  #memories = [];
  /** @type {Reply.MemoriesStatus | null} */
  #status = null;
  /** The digest of the picture that stands large. */
  #shown = '';
  /** @type {App.Row[]} */
  #games = [];
  #at = 0;
  #turn = 0;
  #isBusy = false;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    const { t } = ctx;
    this.#list.setAttribute('aria-label', t('memory.games'));
    this.#input = h('input', { class: 'input', type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: 'false',
      'aria-label': t('memory.which'), placeholder: t('memory.which'), 'aria-controls': 'inbox-games',
      'aria-expanded': 'true', 'aria-autocomplete': 'list', on: {
        input: () => void this.#find(),
        keydown: (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)),
      } });
    this.#desk = h('div', { class: 'inbox', 'data-key': 'desk' },
      h('figure', null, this.#image, h('figcaption', null, this.#line)),
      h('div', { class: 'inbox-side' }, this.#input, this.#list, h('p', { class: 'hint' }, t('memory.keys'))),
      this.#strip);
    ctx.bus.on('job:ended', ({ type }) => {
      if (type === 'media.memories_import') void this.#load();
    }, signal);
  }

  get element() {
    return this.#body;
  }

  show() {
    void this.#load();
  }

  async #read() {
    const { client } = this.#ctx;
    try {
      const [{ memories }, status] = await Promise.all([client.get('/api/v2/memories', { unassigned: 1 }),
        client.get('/api/v2/memories/status')]);
      if (this.#signal.aborted) return;
      this.#memories = memories;
      this.#status = status;
      this.#draw();
    } catch (error) {
      if (!this.#signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#body.contains(this.#desk));
    }
  }

  #draw() {
    const { t, tn } = this.#ctx;
    const head = h('div', { class: 'panel-head', 'data-key': 'head' },
      h('p', null, tn('memory.waiting', this.#memories.length)), this.#importButton());
    if (this.#memories.length === 0) {
      const isOff = this.#status?.enabled === false;
      patch(this.#body, emptyBox(this.#ctx, 'picture', isOff ? 'memory.off' : 'memory.none', isOff
        ? h('a', { class: 'button', href: '#/settings/media' }, t('history.off.action'))
        : this.#importButton()));
      this.#shown = '';
      return;
    }
    if (!this.#body.contains(this.#desk)) fill(this.#body, head, this.#desk);
    else this.#body.querySelector('.panel-head')?.replaceWith(head);
    this.#drawStrip();
    const index = Math.max(0, this.#memories.findIndex(({ sha256 }) => sha256 === this.#shown));
    this.#go(index);
    // On a screen that is touched the field would bring up its keyboard, which covers the games.
    if (isFocusFree() && !isTouched()) {
      this.#input.focus();
      this.#input.select();
    }
  }

  #importButton() {
    const { t, client } = this.#ctx;
    return busyButton(this.#ctx, { label: t('memory.import'), symbol: 'refresh', focus: 'memory-import',
      run: () => client.post('/api/v2/memories/import') });
  }

  /** Draws the small pictures; which of them stands large is marked by `#go`. */
  #drawStrip() {
    const { t, client, format } = this.#ctx;
    patch(this.#strip,
      this.#memories.map((each, at) =>
        h('li', { 'data-key': each.sha256 },
          h('button', { type: 'button', 'data-focus': `pick-${each.sha256}`,
            'aria-label': t('memory.label', { date: format.date(each.taken_at) }), on: { click: () => {
              this.#go(at);
              if (!isTouched()) this.#input.focus();
            } } }, h('img', { src: client.memory('', at, each), alt: '', loading: 'lazy', decoding: 'async' })))
      ));
  }

  /**
   * Shows a picture large; what its name says is looked for.
   *
   * @param {number} index
   */
  #go(index) {
    const { t, client, format } = this.#ctx;
    const memory = this.#memories[index];
    if (!memory) return;
    const isOther = memory.sha256 !== this.#shown;
    this.#shown = memory.sha256;
    this.#image.src = client.memory('', index, memory);
    this.#image.alt = t('memory.label', { date: format.date(memory.taken_at) });
    this.#line.textContent = [t('memory.place', { number: index + 1, total: this.#memories.length }),
      format.date(memory.taken_at), memory.hint].filter(Boolean).join(' · ');
    this.#strip.querySelector('[aria-current]')?.removeAttribute('aria-current');
    this.#strip.children[index]?.querySelector('button')?.setAttribute('aria-current', 'true');
    if (!isOther) return;
    this.#strip.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.#input.value = guess(memory.hint);
    // Selecting takes the focus, so it is left to whoever is in the field.
    if (document.activeElement === this.#input) this.#input.select();
    void this.#find();
  }

  async #find() {
    this.#turn += 1;
    const turn = this.#turn;
    const games = await this.#ctx.catalog.search(this.#input.value.trim(), OFFERED);
    if (turn !== this.#turn || this.#signal.aborted) return;
    this.#games = games;
    this.#at = 0;
    this.#drawGames();
  }

  #drawGames() {
    const { t } = this.#ctx;
    patch(this.#list, this.#games.length === 0
      ? h('li', { class: 'nothing', role: 'presentation' }, t('palette.nothing'))
      : this.#games.map((row, at) =>
        h('li', { role: 'option', id: `inbox-${at}`, 'data-key': row.id, 'aria-selected': String(at === this.#at),
          on: { click: () => void this.#assign(row), pointermove: () => this.#choose(at) } },
          art(this.#ctx, row, { width: 40 }),
          h('span', { class: 'grow' }, h('b', null, row.name),
            h('small', null, [row.platform, row.year].filter(Boolean).join(' · '))), icon('after', 'icon-s'))
      ));
    setAttribute(this.#input, 'aria-activedescendant', this.#games.length > 0 ? `inbox-${this.#at}` : null);
  }

  /** @param {number} at */
  #choose(at) {
    if (at === this.#at) return;
    this.#at = at;
    [...this.#list.children].forEach((option, index) => setAttribute(option, 'aria-selected', String(index === at)));
    setAttribute(this.#input, 'aria-activedescendant', `inbox-${at}`);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const count = this.#games.length;
    const index = this.#memories.findIndex(({ sha256 }) => sha256 === this.#shown);
    if (event.key === 'ArrowDown' && count > 0) this.#choose((this.#at + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) this.#choose((this.#at + count - 1) % count);
    else if (event.key === 'PageDown') this.#go(Math.min(this.#memories.length - 1, index + 1));
    else if (event.key === 'PageUp') this.#go(Math.max(0, index - 1));
    else if (event.key === 'Enter') {
      const row = this.#games[this.#at];
      if (row) void this.#assign(row);
    } else return;
    event.preventDefault();
  }

  /**
   * Gives the picture to a game and goes on to the next one.
   *
   * @param {App.Row} row
   */
  async #assign(row) {
    const { t, client, toasts } = this.#ctx;
    const index = this.#memories.findIndex(({ sha256 }) => sha256 === this.#shown);
    const memory = this.#memories[index];
    if (!memory || this.#isBusy) return;
    this.#isBusy = true;
    const back = async () => {
      await client.post('/api/v2/memories/assign', { sha256: memory.sha256 });
      this.#shown = memory.sha256;
      await this.#load();
    };
    try {
      await client.post('/api/v2/memories/assign', { sha256: memory.sha256, game_id: row.id });
      this.#shown = this.#memories[index + 1]?.sha256 ?? this.#memories[index - 1]?.sha256 ?? '';
      const next = this.#shown;
      this.#shown = '';
      await this.#load();
      const at = this.#memories.findIndex(({ sha256 }) => sha256 === next);
      if (at > 0) this.#go(at);
      toasts.show({ kind: 'good', text: t('memory.given', { name: row.name }),
        actions: [{ label: t('action.undo'), run: () => void back().catch(this.#ctx.fail) }] });
    } catch (error) {
      this.#ctx.fail(error);
    } finally {
      this.#isBusy = false;
    }
  }
}

/**
 * What to look for first: the name of a file without its numbers and signs.
 *
 * @param {string} hint
 * @returns {string}
 */
export function guess(hint) {
  return hint.replace(/[_.]+/g, ' ').replace(/[-\s]*\d[\d\s:-]*$/, '').trim();
}
