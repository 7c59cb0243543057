/**
 * The achievements of a game on the big screen: how many were earned with their points on a bar, a wall of badges, and
 * beside it what the badge in focus is for.
 */

import { openBigDialog } from './dialog.js';
import { runBusy } from '../act.js';
import { prepareDialog } from '../dialog.js';
import { figures, worth } from '../game/achievements.js';
import { fill, h, icon } from '../../core/dom.js';
import { takeFocus } from '../../core/focus.js';

/** Which badges are on the wall, with what they are called. */
const SHOWN = Object.freeze(
  /** @type {const} */ ([['all', 'achievements.all'], ['earned', 'achievements.earned'], ['locked',
    'achievements.locked']]),
);

/**
 * Asks for the achievements of a game and opens their wall.
 *
 * @param {App.Context} ctx
 * @param {{id: string, record: Api.Game, onFound: (found: Reply.GameAchievements) => void}} options `onFound` is told
 *   what the provider said
 */
export async function openBigAchievements(ctx, { id, record, onFound }) {
  const ask = () => ctx.client.post('/api/ach/game', { game_id: id });
  const begun = await prepareDialog(ctx, `achievements ${id}`, ask);
  if (!begun) return;
  onFound(begun);
  new AchievementWall(ctx, { record, found: begun, ask, onFound }).open();
}

/** One open wall. */
class AchievementWall {
  #ctx;
  #record;
  #ask;
  #onFound;
  #found;
  /** @type {typeof SHOWN[number][0]} */
  #shown = 'all';
  #head = h('div', { class: 'big-ach-head' });
  #choices = h('div', { class: 'big-choices', role: 'group' });
  #list = h('ul', { class: 'big-badges' });
  #now = h('div', { class: 'big-ach-now' });

  /**
   * @param {App.Context} ctx
   * @param {{record: Api.Game, found: Reply.GameAchievements, ask: () => Promise<Reply.GameAchievements>,
   *   onFound: (found: Reply.GameAchievements) => void}} options
   */
  constructor(ctx, { record, found, ask, onFound }) {
    this.#ctx = ctx;
    this.#record = record;
    this.#found = found;
    this.#ask = ask;
    this.#onFound = onFound;
    const { t } = ctx;
    this.#choices.setAttribute('aria-label', t('achievements.title'));
    this.#list.setAttribute('aria-label', t('achievements.list'));
    this.#list.addEventListener('focusin', ({ target }) => this.#look(target));
    this.#list.addEventListener('click', ({ target }) => this.#look(target));
  }

  open() {
    const { t } = this.#ctx;
    const again = h('button', { class: 'button large', type: 'button', 'data-focus': 'again',
      on: { click: ({ currentTarget }) =>
        void runBusy(this.#ctx, currentTarget, async () => {
          this.#found = await this.#ask();
          this.#onFound(this.#found);
          this.#draw();
        }) } }, icon('refresh', 'icon-s'), t('achievements.again'));
    openBigDialog(this.#ctx, {
      title: this.#record.name,
      className: 'big-achievements',
      content: h('div', { class: 'big-ach' },
        h('div', { class: 'big-ach-side' }, this.#head, this.#now,
          h('p', { class: 'credit' }, t('achievements.credit'))),
        h('div', { class: 'big-ach-wall' }, h('div', { class: 'acts' }, this.#choices, again), this.#list)),
    });
    this.#draw();
    takeFocus(this.#list.querySelector('button') ?? again);
  }

  #draw() {
    const { t, format } = this.#ctx;
    const all = this.#found.achievements;
    const isShown = (/** @type {Reply.Achievement} */ { earned }) =>
      this.#shown === 'all' || earned === (this.#shown === 'earned');
    fill(this.#head, figures(this.#ctx, this.#record, this.#found));
    const counts = { all: all.length, earned: all.filter(({ earned }) => earned).length, locked: 0 };
    counts.locked = counts.all - counts.earned;
    const focused = document.activeElement?.getAttribute('data-focus');
    fill(this.#choices,
      SHOWN.map(([key, label]) =>
        h('button', { class: 'big-choice', type: 'button', 'aria-pressed': String(key === this.#shown),
          'data-focus': `shown-${key}`, on: { click: () => {
            this.#shown = key;
            this.#draw();
          } } }, `${t(label)} `, h('span', { class: 'count' }, format.number(counts[key])))
      ));
    // Those that were earned come first, each group in the order of the provider.
    const wanted = all.filter(isShown).sort((a, b) => Number(b.earned) - Number(a.earned));
    fill(this.#list, wanted.length > 0
      ? wanted.map((achievement) => this.#badge(achievement))
      : h('li', { class: 'none' }, t(all.length > 0 ? 'achievements.nothing' : 'achievements.none')));
    this.#show(wanted[0] ?? null);
    const again = focused ? this.#choices.querySelector(`[data-focus="${CSS.escape(focused)}"]`) : null;
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {Reply.Achievement} achievement */
  #badge(achievement) {
    const { earned, hardcore, title, description } = achievement;
    const words = [title, description, worth(this.#ctx, achievement)].filter(Boolean).join('. ');
    const button = h('button', { type: 'button', 'aria-label': words }, this.#picture(achievement),
      earned ? null : h('span', { class: 'sign' }, icon('lock')));
    badges.set(button, achievement);
    return h('li', { class: [earned ? 'earned' : 'locked', hardcore ? 'hardcore' : ''].filter(Boolean).join(' ') },
      button);
  }

  /** @param {Reply.Achievement} achievement */
  #picture({ badge, earned }) {
    const star = h('span', { class: 'blank' }, icon('star'));
    if (!badge) return star;
    const image = h('img', { alt: '', loading: 'lazy', decoding: 'async', src: this.#ctx.client.badge(badge, !earned),
      on: { error: () => image.replaceWith(star) } });
    return image;
  }

  /** @param {EventTarget | null} target */
  #look(target) {
    const button = target instanceof Element ? target.closest('button') : null;
    const achievement = button ? badges.get(button) : undefined;
    if (achievement) this.#show(achievement);
  }

  /** @param {Reply.Achievement | null} achievement */
  #show(achievement) {
    this.#now.className = `big-ach-now ${achievement?.earned ? 'earned' : 'locked'}`;
    fill(this.#now, achievement
      ? [this.#picture(achievement), h('h3', null, achievement.title), h('p', null, achievement.description),
        h('p', { class: 'worth' }, worth(this.#ctx, achievement))]
      : null);
  }
}

/** The achievement of each badge on a wall. @type {WeakMap<Element, Reply.Achievement>} */
const badges = new WeakMap();
