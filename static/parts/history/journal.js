/**
 * The journal of the library: every change with what it was before, the library as it was on a day, and what two days
 * have different. The address names the part (`#/history/journal?show=compare`).
 */

import { changeTable } from '../changes.js';
import { comparison, pastLibrary } from './journal-days.js';
import { openRevert } from './revert.js';
import { emptyBox, showFailure } from '../state-box.js';
import { fill, h, icon, patch, valueOf } from '../../core/dom.js';

/** Parts of the tab and their words. */
const PARTS = Object.freeze(
  /** @type {Record<string, string>} */ ({ changes: 'journal.changes', past: 'journal.past',
    compare: 'journal.compare' }),
);

/** Kinds of changes: words and icon. */
const KINDS = Object.freeze(/** @type {Record<string, {label: string, icon: string}>} */ ({
  add: { label: 'journal.kind.add', icon: 'plus' },
  edit: { label: 'journal.kind.edit', icon: 'edit' },
  delete: { label: 'journal.kind.delete', icon: 'trash' },
  restore: { label: 'journal.kind.restore', icon: 'refresh' },
  revert: { label: 'journal.kind.revert', icon: 'history' },
}));

/** Days to choose from; 0 is all there is. */
const RANGES = Object.freeze([7, 30, 365, 0]);

const PAGE = 50;

/** Most changes of one answer. */
const MOST = 1000;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function journalPanel(ctx, signal) {
  const { t, router } = ctx;
  const head = h('div', { class: 'panel-head' });
  const body = h('div', null);
  const changes = new ChangeList(ctx, signal);
  const makers = { changes: () => changes.element, past: () => pastLibrary(ctx), compare: () => comparison(ctx) };
  let shown = '';
  return {
    element: h('div', null, head, body),
    show: (route) => {
      const part = /** @type {keyof typeof makers} */ (route.query['show'] && route.query['show'] in PARTS
        ? route.query['show']
        : 'changes');
      if (part === 'changes') changes.show(route.query['game'] ?? '');
      if (part === shown) return;
      shown = part;
      patch(head,
        h('div', { class: 'segment', role: 'group', 'aria-label': t('journal.parts') },
          Object.entries(PARTS).map(([key, label]) =>
            h('button', {
              type: 'button',
              'data-focus': `part-${key}`,
              'aria-pressed': String(key === part),
              on: { click: () => router.replace('/history/journal', { show: key === 'changes' ? '' : key }) },
            }, t(label))
          )));
      fill(body, makers[part]());
    },
  };
}

/** The list of changes with its filters. */
class ChangeList {
  #ctx;
  #signal;
  #list = h('div', null, h('div', { class: 'wait' }));
  #filters = h('div', { class: 'panel-head asks' });
  #kind = '';
  #days = 30;
  #game = '';
  #isLoaded = false;
  /** @type {Api.JournalEvent[]} */
  #events = [];
  #asked = 0;
  /** How many changes are shown when there are so many: what was asked for stays while the list is read again. */
  #wanted = PAGE;
  element = h('div', null, this.#filters, this.#list);

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    const reload = () => {
      if (this.element.isConnected) void this.#load();
    };
    ctx.bus.on('game', reload, signal);
    ctx.bus.on('removed', reload, signal);
    // Which games are still there is known when the library is whole.
    ctx.bus.on('catalog:ready', reload, signal);
  }

  /** @param {string} game id of the one game whose changes are shown, or the empty string */
  show(game) {
    if (this.#isLoaded && game === this.#game) return;
    this.#isLoaded = true;
    this.#game = game;
    this.#drawFilters();
    this.#wanted = PAGE;
    void this.#load();
  }

  #drawFilters() {
    const { t, tn, router, catalog } = this.#ctx;
    const select = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ value,
      /** @type {[string, string][]} */ options, /** @type {(value: string) => void} */ choose) => {
      const control = h('select', { class: 'input', id, 'data-focus': id, on: { change: (event) => {
        choose(valueOf(event));
        this.#wanted = PAGE;
        void this.#load(true);
      } } }, options.map(([key, text]) => h('option', { value: key }, text)));
      control.value = value;
      return h('div', { class: 'field' }, h('label', { class: 'label', for: id }, label), control);
    };
    patch(this.#filters,
      select('journal-kind', t('journal.kind'), this.#kind, [['', t('journal.kind.all')],
        ...Object.entries(KINDS).map(([key, { label }]) => /** @type {[string, string]} */ ([key, t(label)]))],
        (kind) => {
          this.#kind = kind;
        }),
      select('journal-days', t('history.range'), String(this.#days),
        RANGES.map((days) => [String(days), days > 0 ? tn('history.days', days) : t('journal.always')]), (days) => {
        this.#days = Number(days);
      }), this.#game
      ? h('button', { class: 'chip', type: 'button',
        'aria-label': t('chip.remove', { label: catalog.find(this.#game)?.name ?? this.#game }),
        on: { click: () => router.replace('/history/journal') } }, catalog.find(this.#game)?.name ?? this.#game,
        icon('close', 'icon-s'))
      : null);
  }

  /** @param {boolean} [isAsked] whether the user waits for it and is told how many there are */
  async #load(isAsked = false) {
    const { client } = this.#ctx;
    this.#asked += 1;
    const own = this.#asked;
    try {
      /** @type {Api.JournalEvent[]} */
      const events = [];
      for (;;) {
        const page = /** @type {Api.JournalEvents} */ (await client.get('/api/v2/library/journal/events', {
          offset: events.length,
          limit: Math.min(MOST, this.#wanted - events.length),
          days: this.#days || undefined,
          kind: this.#kind || undefined,
          game_id: this.#game || undefined,
        }));
        // An answer to an older question is of no use: a filter was changed since.
        if (this.#signal.aborted || own !== this.#asked) return;
        events.push(...page.events);
        if (page.has_more && page.events.length > 0 && events.length < this.#wanted) continue;
        this.#events = events;
        patch(this.#list, this.#content(page));
        if (isAsked) this.#ctx.announce(this.#ctx.tn('journal.count', page.total));
        return;
      }
    } catch (failure) {
      if (this.#signal.aborted || own !== this.#asked) return;
      showFailure(this.#ctx, this.#list, failure, () => void this.#load(), this.#events.length > 0);
    }
  }

  #more() {
    this.#wanted = this.#events.length + PAGE;
    void this.#load(true);
  }

  /** @param {Api.JournalEvents} page */
  #content(page) {
    const { t, tn, format } = this.#ctx;
    const off = page.journal_enabled
      ? null
      : h('div', { class: 'callout' }, icon('hidden'), h('span', null, t('journal.off')),
        h('a', { class: 'button', href: '#/settings/library' }, t('history.off.action')));
    if (this.#events.length === 0) {
      return [off,
        emptyBox(this.#ctx, 'history', 'journal.none',
          page.journal_enabled ? h('a', { class: 'button', href: '#/' }, t('history.none.action')) : null)];
    }
    /** @type {Map<string, Api.JournalEvent[]>} */
    const days = new Map();
    for (const event of this.#events) {
      const day = localDay(event.created_at);
      days.set(day, [...(days.get(day) ?? []), event]);
    }
    const now = new Date();
    // How many the last day has is not known while more follow.
    return [off, page.corrupt.length > 0
      ? h('div', { class: 'callout' }, icon('missing'), h('span', null, tn('journal.corrupt', page.corrupt.length)))
      : null, page.gap && page.horizon
      ? h('p', { class: 'about' }, t('journal.horizon', { day: format.date(page.horizon) }))
      : null,
      [...days].map(([day, events], at) =>
        h('section', { class: 'day', 'data-key': day },
          h('h2', null, format.day(day, now),
            page.has_more && at === days.size - 1 ? null : h('small', null, tn('journal.count', events.length))),
          h('ul', { class: 'changes' }, events.map((event) => this.#event(event))))
      ), page.has_more
      ? h('button', { class: 'button', type: 'button', 'data-focus': 'more', on: { click: () => this.#more() } },
        t('journal.more'))
      : null];
  }

  /** @param {Api.JournalEvent} event */
  #event(event) {
    const { t, tn, format } = this.#ctx;
    const name = event.name || event.game_id;
    const kindName = event.revert ? 'revert' : event.kind;
    const kind = KINDS[kindName] ?? { label: kindName, icon: 'edit' };
    // The id is how the game is found, nothing the user wrote.
    const fields = Object.keys(event.changes).filter((field) => field !== 'game_id');
    const row = this.#ctx.catalog.find(event.game_id);
    const act = (/** @type {string} */ symbol, /** @type {string} */ key, /** @type {boolean} */ undo) =>
      h('button', {
        class: 'button',
        type: 'button',
        'data-focus': `${key}-${event.event_id}`,
        on: { click: () => void openRevert(this.#ctx, event, undo) },
      }, icon(symbol, 'icon-s'), t(key));
    return h('li', null,
      h('details', { 'data-event': event.event_id },
        h('summary', { 'data-focus': `event-${event.event_id}` },
          h('span', { class: 'glyph' }, icon(kind.icon, 'icon-s')),
          h('span', { class: 'who' }, h('b', null, name),
            h('small', null,
              [t(kind.label), event.kind === 'edit' ? tn('journal.fields', fields.length) : ''].filter(Boolean).join(
                ' · ',
              ))), h('time', { datetime: event.created_at }, format.time(event.created_at))),
        h('div', { class: 'more' }, event.diff_base_missing ? h('p', { class: 'none' }, t('journal.noBase')) : null,
          fields.length > 0
            ? changeTable(this.#ctx,
              fields.map((field) => ({ field, from: event.changes[field]?.from, to: event.changes[field]?.to })))
            : null,
          h('div', { class: 'acts' },
            event.diff_base_missing && event.kind !== 'add' ? null : act('history', 'journal.undo', true),
            event.tombstone ? null : act('refresh', 'journal.back', false), row
            ? h('a', { class: 'button', href: `#/game/${encodeURIComponent(row.id)}` }, icon('open', 'icon-s'),
              t('action.openPage'))
            : null))));
  }
}

/**
 * The day of an instant where the user is.
 *
 * @param {string} stamp
 * @returns {string} `YYYY-MM-DD`
 */
function localDay(stamp) {
  const at = new Date(stamp);
  return Number.isNaN(at.getTime())
    ? stamp.slice(0, 10)
    : `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`;
}
