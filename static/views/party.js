/**
 * The party screen: how many play and how long there is, the games that fit with the reasons why, whose turn it is, and
 * the next game.
 */

import { art } from '../parts/art.js';
import { busyButton } from '../parts/act.js';
import { buildParty, playerChips, readParty, whyItFits } from '../parts/party/party.js';
import { emptyBox, pageHead, showFailure, waitBox } from '../parts/state-box.js';
import { coalesce } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';
import { leftOut, MINUTES, PLAYERS } from '../data/party.js';

/** @implements {App.View} */
export class PartyView {
  #ctx;
  #life = new AbortController();
  #root;
  #body = h('div', { class: 'party' });
  #players;
  #minutes = 0;
  /** @type {App.Party | null} */
  #party = null;
  /** What the last choice left out. @type {Reply.PartyExcluded | null} */
  #excluded = null;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { t, bus } = ctx;
    this.#players = ctx.preferences.partyPlayers;
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, pageHead(ctx, t('place.party')), h('p', { class: 'about' }, t('party.about')),
        this.#body));
    root.append(this.#root);
    patch(this.#body, waitBox(ctx));
    const { signal } = this.#life;
    bus.on('catalog:ready', () => void this.#load(), signal);
    bus.on('removed', () => void this.#load(), signal);
    bus.on('sections', ({ names }) => {
      if (names.includes('settings')) void this.#load();
    }, signal);
    bus.on('live:behind', () => void this.#load(), signal);
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    try {
      await this.#ctx.catalog.counted;
      this.#party = await readParty(this.#ctx);
      if (!this.#life.signal.aborted) this.#draw();
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#party !== null);
    }
  }

  #draw() {
    const party = this.#party;
    if (!party) return;
    const { t } = this.#ctx;
    const id = party.queue[party.index] ?? '';
    patch(this.#body, this.#setup(), this.#outcome(party), id
      ? [this.#now(party, id), this.#queue(party)]
      : this.#excluded
      ? null
      : emptyBox(this.#ctx, 'players', 'party.none'));
    if (id) document.title = `${t('place.party')} – Service Launcher`;
  }

  #setup() {
    const { t, format } = this.#ctx;
    const choice = (/** @type {string} */ key, /** @type {string} */ label, /** @type {boolean} */ isOn,
      /** @type {() => void} */ run) =>
      h('button', { type: 'button', 'aria-pressed': String(isOn), 'data-focus': key, on: { click: () => {
        run();
        this.#draw();
      } } }, label);
    return h('div', { class: 'party-setup', 'data-key': 'setup' },
      h('div', { role: 'group', 'aria-label': t('party.players') },
        h('h2', { 'aria-hidden': 'true' }, t('party.players')),
        h('div', { class: 'segment wraps' },
          PLAYERS.map((count) =>
            choice(`players-${count}`, format.number(count), this.#players === count, () => {
              this.#players = count;
            })
          ))),
      h('div', { role: 'group', 'aria-label': t('party.minutes') },
        h('h2', { 'aria-hidden': 'true' }, t('party.minutes')),
        h('div', { class: 'segment wraps' },
          MINUTES.map((count) =>
            choice(`minutes-${count}`, count === 0 ? t('party.anyTime') : format.span(count * 60),
              this.#minutes === count, () => {
              this.#minutes = count;
            })
          ))),
      busyButton(this.#ctx, { label: t('party.build'), symbol: 'dice', focus: 'build', style: 'primary',
        run: async () => {
          const built = await buildParty(this.#ctx, { players: this.#players, minutes: this.#minutes });
          this.#excluded = built.excluded;
          this.#ctx.announce(this.#ctx.tn('party.fits', built.count));
          await this.#load();
        } }));
  }

  /**
   * How many games fit after a choice, and why the others do not.
   *
   * @param {App.Party} party
   */
  #outcome(party) {
    if (!this.#excluded) return null;
    const { t, tn, format } = this.#ctx;
    const reasons = leftOut(this.#excluded);
    return h('div', { class: party.queue.length > 0 ? 'party-outcome' : 'party-outcome none-fits', role: 'status',
      'data-key': 'outcome' }, h('b', null, tn('party.fits', party.queue.length)), reasons.length > 0
      ? h('ul', { class: 'tags', 'aria-label': t('party.leftOut') },
        reasons.map(({ key, count }) => h('li', null, `${t(`party.out.${key}`)} `, h('b', null, format.number(count)))))
      : null);
  }

  /**
   * @param {App.Party} party
   * @param {string} id
   */
  #now(party, id) {
    const { t, client, actions } = this.#ctx;
    const game = party.games.get(id);
    if (!game) return null;
    return h('section', { class: 'party-now', 'data-key': 'now' }, art(this.#ctx, game.row, { width: 320 }),
      h('div', { class: 'what' }, playerChips(this.#ctx, party),
        h('h2', null, h('a', { href: `#/game/${encodeURIComponent(id)}`, 'data-focus': 'game' }, game.row.name)),
        h('p', { class: 'state' },
          [game.row.platform, t('party.place', { at: party.index + 1, of: party.queue.length })]
            .filter(Boolean).join(' · ')), whyItFits(this.#ctx, game),
        h('div', { class: 'acts' },
          h('button', { class: 'button primary large', type: 'button', 'data-focus': 'play',
            on: { click: () => void actions.launch(id) } }, icon('play', 'icon-s'), t('action.play')),
          busyButton(this.#ctx, { label: t('party.next'), symbol: 'after', focus: 'next', style: 'large',
            run: async () => {
              const { name } = await client.post('/api/v2/party/next');
              this.#ctx.announce(t('party.now', { name }));
              await this.#load();
            } }))));
  }

  /** @param {App.Party} party */
  #queue(party) {
    const { t } = this.#ctx;
    return h('section', { 'data-key': 'queue' }, h('h2', null, t('party.queue')),
      h('ol', { class: 'cards', 'aria-label': t('party.queue') }, party.queue.map((id, at) => {
        const game = party.games.get(id);
        return game
          ? h('li', { 'data-key': id },
            h('a', { class: at === party.index ? 'card here' : 'card', href: `#/game/${encodeURIComponent(id)}`,
              'data-focus': `card-${id}`, 'aria-current': at === party.index ? 'true' : null },
              art(this.#ctx, game.row, { width: 160 }), h('b', null, game.row.name),
              h('small', null, game.row.platform), whyItFits(this.#ctx, game)))
          : null;
      })));
  }
}
