/**
 * The menu of the big screen: which games are shown, in which order and how, and the ways out.
 */

import { h, icon } from '../../core/dom.js';
import { LAYOUTS } from '../../data/big-settings.js';
import { openBigDialog } from './dialog.js';
import { toggleFullScreen } from '../full-screen.js';
import { confirm } from '../dialog.js';

/** Games that are shown, as the views of the library are called. */
const SHOWN = Object.freeze(['all', 'installed', 'owned', 'favorites', 'playing', 'completed']);

/** Orders, as the library sorts. */
const SORTS = Object.freeze(['name', 'rating', 'last_played', 'recent_activity', 'playtime_seconds', 'random']);

/** Games with and without achievements. */
const ACHIEVEMENTS = Object.freeze(/** @type {const} */ ([['', 'all'], ['yes', 'matched'], ['no', 'unmatched']]));

/**
 * @param {App.Context} ctx
 * @param {{query: () => App.BigQuery, onChoose: (change: Partial<App.BigQuery>) => void, onSearch: () => void,
 *   onParty: () => void, onSystems: () => void, onRandom: () => void, onPick: () => void,
 *   onLeave: (path: string) => void}} events
 */
export function openBigMenu(ctx, events) {
  const { t, preferences } = ctx;
  const now = events.query();
  const then = (/** @type {() => void} */ run) => () => {
    dialog.close('');
    run();
  };
  const choice = (/** @type {string} */ label, /** @type {boolean} */ isOn, /** @type {() => void} */ run) =>
    h('button', { class: 'big-choice', type: 'button', 'aria-pressed': String(isOn), on: { click: then(run) } }, label);
  const group = (/** @type {string} */ label, /** @type {App.Child} */ children) =>
    h('section', { role: 'group', 'aria-label': label }, h('h3', { 'aria-hidden': 'true' }, label),
      h('div', { class: 'big-choices' }, children));
  const act = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ run) =>
    h('button', { class: 'big-act', type: 'button', 'data-act': symbol, on: { click: then(run) } }, icon(symbol),
      label);
  const { quick } = ctx.lists;
  const hasGames = ctx.catalog.facets.total > 0;
  const isPlain = now.platform === null && !now.playlist && !now.preset;
  const dialog = openBigDialog(ctx, {
    title: t('big.menu'),
    className: 'big-menu',
    width: 760,
    content: [
      h('div', { class: 'big-list' }, act('search', t('big.search'), events.onSearch),
        hasGames ? act('dice', t('keys.random'), events.onRandom) : null,
        ctx.kiosk.isFamily || !hasGames ? null : act('spark', t('pick.title'), events.onPick),
        act('open', t(document.fullscreenElement ? 'big.windowed' : 'big.fullScreen'), () => void toggleFullScreen()),
        ctx.catalog.facets.platforms.length > 0 ? act('platform', t('sidebar.platforms'), events.onSystems) : null,
        act('players', t('place.party'), events.onParty),
        act('gear', t('big.settings'), () => events.onLeave('/settings/bigscreen')),
        act('back', t('big.leave'), () => events.onLeave('/')), act('close', t('big.quit'), () => void quit(ctx))),
      group(t('big.show'),
        SHOWN.map((view) =>
          choice(t(`view.${view}`), isPlain && now.view === view, () =>
            events.onChoose({ view, platform: null, playlist: '', preset: '' }))
        )),
      quick.length > 0
        ? group(t('big.presets'),
          quick.map(({ name }) =>
            choice(name, now.preset === name, () =>
              events.onChoose({ view: 'all', platform: null, playlist: '', preset: name }))
          ))
        : null,
      group(t('big.sort'),
        SORTS.map((sort) => choice(t(`sort.${sort}`), now.sort === sort, () => events.onChoose({ sort })))),
      group(t('filter.achievements'),
        ACHIEVEMENTS.map(([value, name]) =>
          choice(t(`big.achievements.${name}`), now.achievements === value, () =>
            events.onChoose({ achievements: value }))
        )),
      group(t('setting.bigscreen_mode'),
        LAYOUTS.map((layout) =>
          choice(t(`choice.bigscreen_mode.${layout}`), preferences.big.layout === layout, () =>
            preferences.set({ bigscreen_mode: layout }))
        )),
    ],
  });
}

/**
 * Ends the program after a question.
 *
 * @param {App.Context} ctx
 */
async function quit(ctx) {
  const { t, client } = ctx;
  const isSure = await confirm(ctx, { title: t('big.quit.title'), text: t('big.quit.text'), action: t('big.quit'),
    danger: true });
  if (!isSure) return;
  try {
    await client.post('/api/shutdown', {});
  } catch (error) {
    ctx.fail(error);
  }
}
