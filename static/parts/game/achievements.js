/**
 * The achievements of one game: how many were earned, their points, a bar, and a wall of badges. They are asked for by
 * a press; until then the record tells how far the game was brought.
 */

import { h, icon, patch } from '../../core/dom.js';
import { runBusy } from '../act.js';

/** Whether there is an account; only a yes is remembered. */
let hasAccount = false;

/**
 * Whether the provider can be asked for the achievements of a user.
 *
 * @param {App.Context} ctx
 */
export async function isConfigured({ client }) {
  hasAccount ||= (await client.get('/api/library', { offset: 0, limit: 1 })).ach_configured;
  return hasAccount;
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function achievementsSection(ctx, id) {
  const { t, client } = ctx;
  const element = h('section', { class: 'achievements', hidden: true });
  /** @type {Reply.GameAchievements | null} */
  let found = null;
  /** @type {Api.Game | null} */
  let record = null;
  const draw = () => {
    if (!record) return;
    element.hidden = false;
    const label = t(found ? 'achievements.again' : 'achievements.look');
    patch(element,
      h('div', { class: 'section-head' }, h('h2', null, t('achievements.title')),
        h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'achievements',
          on: { click: ({ currentTarget }) => void runBusy(ctx, currentTarget, look) } }, icon('star', 'icon-s'),
          label)), figures(ctx, record, found), found ? wall(ctx, found) : null);
  };
  const look = async () => {
    found = await client.post('/api/ach/game', { game_id: id });
    draw();
  };
  return { element, update: (newest) => {
    record = newest;
    if (String(newest['ach_game_id'] ?? '') !== '') draw();
    else isConfigured(ctx).then((isKnown) => {
        if (isKnown) draw();
      }, ctx.fail);
  } };
}

/**
 * The bar and the counts: as the provider said now, else as the record has them.
 *
 * @param {App.Context} ctx
 * @param {Api.Game} record
 * @param {Reply.GameAchievements | null} found
 */
export function figures({ t, format }, record, found) {
  const count = (/** @type {string} */ key) => Number(record[key]) || 0;
  const total = found ? found.total : count('ach_achievements_total');
  if (total === 0) return found ? h('p', { class: 'none', role: 'status' }, t('achievements.none')) : null;
  const earned = found ? found.earned : count('ach_achievements_earned');
  const hardcore = found ? found.earned_hardcore : count('ach_achievements_earned_hardcore');
  const figure = (/** @type {string} */ label, /** @type {string} */ value) =>
    h('div', null, h('dt', null, label), h('dd', null, value));
  const of = (/** @type {number} */ part, /** @type {number} */ all) =>
    t('achievements.of', { part: format.number(part), all: format.number(all) });
  return [
    h('div', { class: 'meter', role: 'meter', 'aria-label': t('achievements.earned'), 'aria-valuemin': 0,
      'aria-valuemax': total, 'aria-valuenow': earned, 'aria-valuetext': of(earned, total) },
      h('i', { style: { '--part': `${(100 * earned) / total}%` } })),
    h('dl', { class: 'figures' }, figure(t('achievements.earned'), of(earned, total)),
      figure(t('achievements.hardcore'), format.number(hardcore)),
      found ? figure(t('achievements.points'), of(found.points_earned, found.points_total)) : null),
  ];
}

/**
 * What an achievement is worth, and whether it was earned.
 *
 * @param {App.Context} ctx
 * @param {Reply.Achievement} achievement
 */
export function worth({ t, tn }, { points, earned, hardcore }) {
  return [tn('achievements.worth', points),
    t(earned ? (hardcore ? 'achievements.hardcore' : 'achievements.earned') : 'achievements.locked')].join(' · ');
}

/**
 * The badges, those that were earned first.
 *
 * @param {App.Context} ctx
 * @param {Reply.GameAchievements} found
 */
function wall(ctx, { achievements }) {
  const { t, client } = ctx;
  const sorted = [...achievements].sort((a, b) => Number(b.earned) - Number(a.earned));
  return [
    h('ul', { class: 'badges' }, sorted.map((achievement) => {
      const { title, description, badge, earned } = achievement;
      return h('li', { class: earned ? 'earned' : 'locked' }, badge
        ? h('img', { alt: '', loading: 'lazy', width: 48, height: 48, src: client.badge(badge, !earned) })
        : icon('star'),
        h('div', null, h('b', null, title), h('p', null, description), h('small', null, worth(ctx, achievement))));
    })),
    h('p', { class: 'none' }, t('achievements.credit')),
  ];
}
