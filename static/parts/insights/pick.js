/**
 * "What shall I play?": how much time there is and what it should feel like, as two sliders, and a wheel that decides
 * among the games that fit. The same on the desktop and on the big screen.
 */

import { art } from '../art.js';
import { openBigDialog } from '../big/dialog.js';
import { setBusy } from '../act.js';
import { openDialog } from '../dialog.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch, setAttribute } from '../../core/dom.js';
import { NO_ROW } from '../../data/game.js';

/** The stops of the sliders: minutes, where 0 is any, and moods as the server names them. */
const MINUTES = Object.freeze([0, 15, 30, 45, 60, 90, 120, 180]);
export const MOODS = Object.freeze(/** @type {const} */ (['any', 'chill', 'story', 'retro', 'action', 'party']));
export const FAMILIAR = Object.freeze(/** @type {const} */ (['any', 'new', 'favorite']));

/** Times that each game stands on the wheel, and turns of it before it stops. */
const ROUNDS = 2;
const TURNS = 4;

/** How long the wheel turns, in milliseconds. */
const SPIN = 2600;

/** What was asked for last; lives as long as the page. */
const asked = { minutes: 4, mood: 0, familiarity: 'any' };

/**
 * @param {App.Context} ctx
 * @param {{isBig?: boolean, onPlay?: (id: string) => void}} [options] `onPlay` starts a game; without it the usual way
 */
export function openPick(ctx, { isBig = false, onPlay } = {}) {
  const { t, client, format } = ctx;
  /** @type {readonly Reply.Pick[]} */
  let picks = [];
  let chosen = -1;
  let turned = 0;
  let isTurning = false;
  /** The answer that is on its way. @type {Promise<unknown>} */
  let answered = Promise.resolve();
  const disc = h('div', { class: 'wheel-disc' });
  const cards = h('ul', { class: 'pick-cards' });
  const told = h('p', { class: 'pick-told', role: 'status' });
  const spin = h('button', { class: 'button primary large', type: 'button', 'data-focus': 'spin',
    on: { click: () => void turn() } }, icon('dice', 'icon-s'), t('pick.spin'));
  const slider = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ most,
    /** @type {number} */ value, /** @type {(value: number) => string} */ words,
    /** @type {(value: number) => void} */ onChange) => {
    const output = h('output', null, words(value));
    const input = h('input', { type: 'range', id: `pick-${name}`, min: 0, max: most, step: 1, value,
      'aria-valuetext': words(value), on: {
        input: () => {
          output.textContent = words(Number(input.value));
          setAttribute(input, 'aria-valuetext', words(Number(input.value)));
          onChange(Number(input.value));
          answered = ask();
        },
        // These arrows move the slider; the others leave it.
        keydown: (event) => {
          if (/^Arrow(?:Left|Right)$/.test(/** @type {KeyboardEvent} */ (event).key)) event.stopPropagation();
        },
      } });
    return h('div', { class: 'pick-slider' },
      h('div', { class: 'pick-label' }, h('label', { for: input.id }, label), output), input);
  };
  const minutes = (/** @type {number} */ at) =>
    (MINUTES[at] ?? 0) === 0 ? t('pick.anyTime') : format.span((MINUTES[at] ?? 0) * 60);
  const mood = (/** @type {number} */ at) => t(`pick.mood.${MOODS[at] ?? 'any'}`);
  const familiar = h('div', { class: 'segment', role: 'group', 'aria-label': t('pick.familiar') });
  const drawFamiliar = () =>
    patch(familiar, FAMILIAR.map((value) =>
      h('button', { type: 'button', 'data-focus': `familiar-${value}`,
        'aria-pressed': String(value === asked.familiarity), on: { click: () => {
          asked.familiarity = value;
          drawFamiliar();
          answered = ask();
        } } }, t(`pick.familiar.${value}`))
    ));

  const ask = coalesce(async () => {
    try {
      const answer = await client.post('/api/v2/library/pick', { minutes: MINUTES[asked.minutes] ?? 0,
        mood: MOODS[asked.mood] ?? 'any', familiarity: asked.familiarity });
      if (dialog.signal.aborted) return;
      picks = answer.picks;
      chosen = -1;
      draw();
    } catch (error) {
      if (!dialog.signal.aborted) ctx.fail(error);
    }
  });

  const play = (/** @type {string} */ id) => {
    dialog.close('play');
    if (onPlay) onPlay(id);
    else void ctx.actions.launch(id);
  };
  const draw = () => {
    const slots = Array.from({ length: picks.length * ROUNDS }, (_, at) => picks[at % picks.length]);
    const step = 360 / Math.max(1, slots.length);
    patch(disc, slots.map((pick, at) =>
      pick
        ? h('div', { class: `slot slot-${at % 3}`, 'data-key': `${at}`, style: { '--turn': `${at * step}deg` } },
          art(ctx, rowOf(ctx, pick), { width: 120 }))
        : null
    ));
    patch(cards, picks.map((pick, at) => {
      const row = rowOf(ctx, pick);
      return h('li', { class: at === chosen ? 'won' : '', 'data-key': pick.game_id }, art(ctx, row, { width: 90 }),
        h('div', { class: 'grow' }, h('b', null, pick.name),
          h('small', null, [row.platform, row.year].filter(Boolean).join(' · ')), h('p', null, reason(ctx, pick))),
        h('button', { class: `button ${at === chosen ? 'primary' : ''}`, type: 'button',
          'data-focus': `play-${pick.game_id}`, 'aria-label': `${t('action.play')}: ${pick.name}`,
          on: { click: () => play(pick.game_id) } }, icon('play', 'icon-s'), t('action.play')), isBig
        ? null
        : h('a', { class: 'icon-button', href: `#/game/${encodeURIComponent(pick.game_id)}`,
          'data-focus': `open-${pick.game_id}`, 'aria-label': t('health.open', { name: pick.name }),
          on: { click: () => dialog.close('') } }, icon('open')));
    }));
    spin.hidden = picks.length < 2;
    if (picks.length === 0) told.textContent = t('pick.nothing');
    else if (chosen < 0) told.textContent = '';
  };
  const turn = async () => {
    if (isTurning) return;
    isTurning = true;
    setBusy(spin, true);
    // The wheel turns among the games that were asked for last.
    await answered;
    if (picks.length === 0) {
      isTurning = false;
      setBusy(spin, false);
      return;
    }
    const offered = picks;
    const winner = Math.floor(Math.random() * picks.length);
    const slots = picks.length * ROUNDS;
    const slot = winner + picks.length * Math.floor(Math.random() * ROUNDS);
    const goal = 360 - (slot * 360) / slots;
    turned = Math.ceil(turned / 360) * 360 + TURNS * 360 + goal;
    disc.style.setProperty('--spin', `${turned}deg`);
    const isQuiet = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (!isQuiet) await new Promise((resolve) => setTimeout(resolve, SPIN));
    isTurning = false;
    setBusy(spin, false);
    // Others were asked for meanwhile, and the wheel shows those.
    if (dialog.signal.aborted || picks !== offered) return;
    chosen = winner;
    draw();
    const pick = picks[winner];
    if (!pick) return;
    told.textContent = t('pick.won', { name: pick.name });
    /** @type {HTMLElement | null} */ (cards.querySelector('.won .button'))?.focus();
  };

  const content = h('div', { class: 'pick' },
    h('div', { class: 'pick-ask' },
      slider('minutes', t('pick.minutes'), MINUTES.length - 1, asked.minutes, minutes, (at) => {
        asked.minutes = at;
      }), slider('mood', t('pick.mood'), MOODS.length - 1, asked.mood, mood, (at) => {
        asked.mood = at;
      }), familiar),
    h('div', { class: 'wheel' },
      h('div', { class: 'wheel-frame', 'aria-hidden': 'true' }, disc, h('i', { class: 'wheel-hand' })), spin),
    h('div', { class: 'pick-found' }, told, cards));
  drawFamiliar();
  const dialog = isBig
    ? openBigDialog(ctx, { title: t('pick.title'), className: 'pick-dialog', width: 1180, content,
      first: () => content.querySelector('input') })
    : openDialog(ctx, { title: t('pick.title'), className: 'pick-dialog', width: 940, content });
  content.querySelector('input')?.focus();
  answered = ask();
}

/**
 * @param {App.Context} ctx
 * @param {Reply.Pick} pick
 * @returns {App.Row}
 */
function rowOf(ctx, pick) {
  return ctx.catalog.find(pick.game_id) ?? { ...NO_ROW, id: pick.game_id, name: pick.name };
}

/**
 * Why a game is offered.
 *
 * @param {App.Context} ctx
 * @param {Reply.Pick} pick
 * @returns {string}
 */
function reason({ t, tn, format }, { reason_key: key, reason_params: params }) {
  const number = (/** @type {string} */ name) => Number(params[name] ?? 0);
  switch (key) {
    case 'picker.reason.rated_backlog':
      return t('picker.reason.rated_backlog', { stars: number('stars') });
    case 'picker.reason.never_played':
      return t('picker.reason.never_played');
    case 'picker.reason.favorite':
      return t('picker.reason.favorite');
    case 'picker.reason.long_time':
      return tn('picker.reason.long_time', number('days'));
    case 'picker.reason.mood':
      return t('picker.reason.mood', { mood: t(`pick.mood.${String(params['mood'])}`) });
    case 'picker.reason.fits_session':
      return t('picker.reason.fits_session', { time: format.span(number('minutes') * 60) });
    case 'picker.reason.rated':
      return t('picker.reason.rated', { rating: format.decimal(number('rating'), 1) });
    default:
      return t('picker.reason.fits');
  }
}
