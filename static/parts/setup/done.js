/**
 * The last step of the setup flow: what came in, whether it would start, what cures what would not, and the first games
 * to play.
 */

import { art } from '../art.js';
import { fixButton } from '../fixes.js';
import { waitBox } from '../state-box.js';
import { causeText, emulatorName } from '../../data/causes.js';
import { fill, h, icon, patch } from '../../core/dom.js';
import { isFocusFree } from '../../core/focus.js';
import { makeRow } from '../../data/game.js';

/** Games that are looked at, and games that are offered to play. */
const LOOKED = 200;
const OFFERED = 6;

/**
 * @param {App.Context} ctx
 * @param {{batch: string, result: Record<string, unknown>, signal: AbortSignal, restart: () => void}} options
 * @returns {HTMLElement}
 */
export function setupDone(ctx, { batch, result, signal, restart }) {
  const { t, tn, client, format } = ctx;
  const number = (/** @type {string} */ key) => Number(result[key] ?? 0);
  const told = (/** @type {string} */ key, /** @type {number} */ count) => (count > 0 ? tn(key, count) : '');
  const check = h('section', { class: 'first-check', 'aria-labelledby': 'first-check-title' },
    h('h2', { id: 'first-check-title' }, t('setup.check')), waitBox(ctx));
  const figure = (/** @type {string} */ key, /** @type {number} */ value, bad = false) =>
    h('div', { class: bad && value > 0 ? 'bad' : '' }, h('dt', null, t(key)), h('dd', null, format.number(value)));

  /** Looks at the games of this batch: the newest stand last in the library. */
  const look = async () => {
    const total = (await client.get('/api/library', { offset: 0, limit: 1 })).total_count ?? 0;
    const page = await client.get('/api/library', { offset: Math.max(0, total - LOOKED), limit: LOOKED });
    const games = page.games.filter((game) => game['import_batch_id'] === batch);
    if (games.length === 0) {
      fill(check);
      return;
    }
    const [{ totals, results }, { definitions }] = await Promise.all([
      /** @type {Promise<{totals: Api.AuditTotals, results: Api.Preflight[]}>} */ (client.post(
        '/api/v2/launch/preflight/batch',
        { items: games.map((game) => ({ game_id: game.game_id })) },
      )),
      client.get('/api/emulators/definitions', { pack: 'all' }),
    ]);
    if (signal.aborted) return;
    const ready = games.filter((_, index) => results[index]?.status !== 'blocked');
    /** @type {Map<string, {check: Api.Check, ids: string[]}>} */
    const causes = new Map();
    for (const [index, verdict] of results.entries()) {
      const blocker = verdict.checks.find((each) => each.severity === 'error');
      if (verdict.status !== 'blocked' || !blocker) continue;
      const key = `${blocker.code} ${
        String(blocker.fix_action?.payload['app_id'] ?? blocker.fix_action?.payload['extension'] ?? '')
      }`;
      const cause = causes.get(key) ?? { check: blocker, ids: [] };
      cause.ids.push(games[index]?.game_id ?? '');
      causes.set(key, cause);
    }
    patch(check, h('h2', { id: 'first-check-title' }, t('setup.check')),
      h('dl', { class: 'figures' }, figure('audit.ready', totals.ready + totals.warning),
        figure('audit.blocked', totals.blocked, true)), causes.size > 0
      ? h('ul', { class: 'causes' }, [...causes.values()].map((cause) => causeRow(cause, definitions)))
      : null, ready.length > 0
      ? [h('h3', { class: 'found' }, t('setup.ready')),
        h('ul', { class: 'rows ready' }, ready.slice(0, OFFERED).map((game) => readyRow(game)))]
      : null);
    // The first game is offered to whoever waits for it, not to who went on meanwhile.
    if (isFocusFree())
      /** @type {HTMLElement | null} */ (check.querySelector('.ready .button'))?.focus({ preventScroll: true });
  };
  const causeRow = (/** @type {{check: Api.Check, ids: string[]}} */ cause,
    /** @type {readonly Api.Definition[]} */ definitions) => {
    const { payload = {} } = cause.check.fix_action ?? {};
    const app = typeof payload['app_id'] === 'string' ? emulatorName(payload['app_id'], definitions) : '';
    const words = causeText(ctx, cause.check,
      app || String(payload['core'] ?? payload['extension'] ?? payload['name'] ?? ''));
    return h('li', { class: 'cause bad' }, h('div', { class: 'symbol' }, icon('missing')),
      h('div', { class: 'what' }, h('h3', null, words),
        h('p', { class: 'line' }, tn('library.count', cause.ids.length))),
      h('div', { class: 'acts' },
        fixButton(ctx, cause.check.fix_action, { definitions, games: async () => cause.ids, done: look,
          focus: `cure:${cause.check.code}`, style: 'primary', about: words })));
  };
  const readyRow = (/** @type {Api.Game} */ game) =>
    h('li', null, h('span', { class: 'thumb' }, art(ctx, makeRow(game))),
      h('a', { class: 'grow', href: `#/game/${encodeURIComponent(game.game_id)}` }, game.name,
        h('small', null, game.platform ?? '')),
      h('button', { class: 'button primary', type: 'button', 'data-focus': `play:${game.game_id}`,
        'aria-label': `${t('action.play')}: ${game.name}`, on: { click: () => void ctx.actions.launch(game.game_id) } },
        icon('play', 'icon-s'), t('action.play')));

  ctx.bus.on('job:ended', ({ type }) => {
    if (type === 'emulator.install') void look().catch(ctx.fail);
  }, signal);
  void look().catch((error) => {
    fill(check);
    ctx.fail(error);
  });
  return h('div', { class: 'setup-done' },
    h('div', { class: 'outcome', role: 'status' }, h('div', { class: 'glyph' }, icon('tick')),
      h('div', null, h('b', null, tn('import.added', number('added'))),
        h('span', null,
          [told('setup.done.merged', number('merged')),
            told('setup.done.skipped', number('skipped') + number('excluded')),
            told('setup.done.failed', number('failed'))].filter(Boolean).join(' · ')))),
    h('div', { class: 'step-acts' },
      h('button', { class: 'button quiet', type: 'button', on: { click: restart } }, t('setup.more')),
      h('a', { class: 'button', href: '#/' }, t('import.show')),
      h('a', { class: 'button', href: '#/fill' }, icon('spark', 'icon-s'), t('fill.offer')),
      h('a', { class: 'button', href: '#/health/launch' }, t('health.tab.launch'))), check);
}
