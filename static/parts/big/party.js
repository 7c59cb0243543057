/**
 * A party on the big screen: the players, a wheel of the games, and the next one. The wheel turns by one game for each
 * press, within the time that movements take everywhere, and not at all for whoever wants no movement.
 */

import { buildParty, playerChips, readParty, whyItFits } from '../party/party.js';
import { setBusy } from '../act.js';
import { openBigDialog } from './dialog.js';
import { draw as drawShape, h, icon, patch } from '../../core/dom.js';
import { shortName } from '../../data/game.js';
import { isOnHead, PLAYERS, wheelOf } from '../../data/party.js';

/** The wheel is drawn in a square of this size around its middle. */
const RADIUS = 100;

/**
 * @param {App.Context} ctx
 * @param {{onPlay: (id: string) => void}} events
 */
export async function openBigParty(ctx, { onPlay }) {
  const { t, client, fail } = ctx;
  /** @type {App.Party} */
  let party = await readParty(ctx);
  const place = h('div', { class: 'big-party' });
  const load = async () => {
    party = await readParty(ctx);
    if (place.isConnected) draw();
  };
  const press = (/** @type {() => Promise<unknown>} */ work) => (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    if (button.getAttribute('aria-busy') === 'true') return;
    setBusy(button, true);
    work().then(load).catch(fail).finally(() => setBusy(button, false));
  };
  const act = (/** @type {string} */ key, /** @type {string} */ symbol, /** @type {string} */ label,
    /** @type {(event: Event) => void} */ run) =>
    h('button', { class: 'big-act', type: 'button', 'data-focus': `party-${key}`, on: { click: run } }, icon(symbol),
      label);
  const draw = () => {
    const id = party.queue[party.index] ?? '';
    const game = party.games.get(id);
    const acts = h('div', { class: 'big-list', 'data-key': 'acts' }, game
      ? [act('next', 'dice', t('pick.spin'), press(async () => {
        const { name } = await client.post('/api/v2/party/next');
        ctx.announce(t('party.now', { name }));
      })), act('play', 'play', t('action.play'), () => {
        dialog.close('');
        onPlay(id);
      })]
      : null, act('build', 'refresh', t('party.build'), press(async () => {
        const { count } = await buildParty(ctx, { players: ctx.preferences.partyPlayers, minutes: 0 });
        ctx.announce(ctx.tn('party.fits', count));
      })));
    patch(place,
      h('div', { class: 'big-choices', role: 'group', 'aria-label': t('party.players'), 'data-key': 'count' },
        PLAYERS.map((count) =>
          h('button', { class: 'big-choice', type: 'button', 'data-focus': `party-${count}`,
            'aria-pressed': String(count === party.players), on: {
              click: press(() => buildParty(ctx, { players: count, minutes: 0 })),
            } }, ctx.format.number(count))
        )), h('div', { class: 'big-round', 'data-key': 'round' }, wheel(party), h('div', { class: 'what' }, game
          ? [playerChips(ctx, party), h('h3', { 'aria-live': 'polite' }, game.row.name),
            h('p', null, game.row.platform), whyItFits(ctx, game)]
          : [h('h3', null, t('party.none.title')), h('p', null, t('party.none.text'))], acts)));
  };
  const dialog = openBigDialog(ctx, { title: t('place.party'), width: 940, className: 'big-party-dialog',
    content: place });
  draw();
  /** @type {HTMLElement | null} */ (place.querySelector('[data-focus="party-next"], [data-focus="party-build"]'))
    ?.focus();
}

/** @param {App.Party} party */
function wheel({ queue, index, games }) {
  const { ids, at, turn } = wheelOf(queue, index);
  const step = 360 / Math.max(1, ids.length);
  const disc = h('div', { class: 'disc', style: { rotate: `${turn}deg` } });
  const shapes = ids.map((id, place) => {
    const middle = (step * place - 90) * (Math.PI / 180);
    const half = (step / 2) * (Math.PI / 180);
    const point = (/** @type {number} */ angle, /** @type {number} */ radius) =>
      `${(Math.cos(angle) * radius).toFixed(2)} ${(Math.sin(angle) * radius).toFixed(2)}`;
    const path = ids.length === 1
      ? `M0 -${RADIUS}A${RADIUS} ${RADIUS} 0 1 1 0 ${RADIUS}A${RADIUS} ${RADIUS} 0 1 1 0 -${RADIUS}Z`
      : `M0 0L${point(middle - half, RADIUS)}A${RADIUS} ${RADIUS} 0 0 1 ${point(middle + half, RADIUS)}Z`;
    const name = games.get(id)?.row.name ?? '';
    const isFlipped = isOnHead(step * place + turn);
    const part = drawShape('g', { class: place === at ? 'on' : '' }, drawShape('path', { d: path }), drawShape('text', {
      transform: `rotate(${step * place}) translate(0 -${RADIUS - 14}) rotate(${isFlipped ? -90 : 90})`,
      'text-anchor': isFlipped ? 'end' : 'start',
    }, shortName(name, 14)));
    part.style.setProperty('--hue', String((place * 47) % 360));
    return part;
  });
  disc.append(drawShape('svg', { viewBox: `-${RADIUS} -${RADIUS} ${2 * RADIUS} ${2 * RADIUS}` }, ...shapes));
  return h('div', { class: 'wheel', 'aria-hidden': 'true' }, disc, h('i', { class: 'hand' }));
}
