/**
 * What other libraries changed: games that would come, change or go, and conflicts side by side. Nothing is taken over
 * before it was reviewed; a game whose conflicts are not all decided stays as it is.
 */

import { busyButton } from '../act.js';
import { showFailure, smallEmptyBox, waitBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/** A conflict of a whole game: changed here, removed there. */
const WHOLE = '__record__';

/** Changes that are listed at once. */
const SHOWN = 50;

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function reviewPanel(ctx, signal) {
  const { t, tn, client, toasts } = ctx;
  const root = h('div', { class: 'household' }, waitBox(ctx));
  /**
   * What was chosen, by game and field: the ids of conflicts are others once a change of here became an event.
   *
   * @type {Map<string, Record<string, string>>}
   */
  const chosen = new Map();
  /** @type {Reply.SyncPlan | null} */
  let plan = null;
  const load = coalesce(async () => {
    if (!ctx.preferences.syncsLibrary) {
      patch(root,
        smallEmptyBox(ctx, 'server', 'household.syncOff',
          h('a', { class: 'button primary', href: '#/settings/sharing' }, t('household.settings'))));
      return;
    }
    try {
      plan = await client.post('/api/v2/library/sync/preview', {});
      if (!signal.aborted) draw();
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.figures') !== null);
    }
  });
  const apply = async () => {
    // The tokens name what was reviewed; the whole plan of many games is larger than a request may be.
    const reviewed = { source_token: plan?.source_token, events_token: plan?.events_token };
    const { applied, conflicts } = await client.post('/api/v2/library/sync/apply', { plan: reviewed,
      conflicts: Object.fromEntries(chosen) });
    toasts.show({ kind: 'good',
      text: [tn('household.applied', applied), conflicts.length > 0 ? tn('household.undecided', conflicts.length) : '']
        .filter(Boolean).join(' ') });
    chosen.clear();
    ctx.catalog.extend();
    await load();
  };
  const publish = async () => {
    const { published } = await client.post('/api/v2/library/sync/publish', { protocol: 'v3' });
    toasts.show({ kind: 'good', text: tn('household.published', published) });
    await load();
  };
  const choose = (/** @type {Reply.SyncConflict} */ { sync_key: key, field }, /** @type {string} */ choice) => {
    chosen.set(key, { ...chosen.get(key), [field]: choice });
    draw();
  };
  const draw = () => {
    if (!plan) return;
    const { counts, changes, conflicts } = plan;
    const isEmpty = changes.length === 0 && conflicts.length === 0;
    const left = conflicts.filter(({ sync_key: key, field }) => !chosen.get(key)?.[field]).length;
    patch(root,
      h('div', { class: 'panel-head', 'data-key': 'head' }, h('p', { class: 'about' }, t('household.review.about')),
        h('div', { class: 'acts' },
          busyButton(ctx, { label: t('household.look'), symbol: 'refresh', focus: 'look', run: load }),
          busyButton(ctx, { label: t('household.publish'), symbol: 'up', focus: 'publish', run: publish }))), isEmpty
      ? smallEmptyBox(ctx, 'check', 'household.same')
      : [
        h('dl', { class: 'figures', 'data-key': 'figures' },
          [['additions', counts.additions], ['updates', counts.updates], ['deletions', counts.deletions], ['conflicts',
            counts.conflicts]].map(([key, count]) =>
              h('div', null, h('dt', null, t(`household.count.${key}`)),
                h('dd', null, ctx.format.number(Number(count))))
            )),
        conflicts.length > 0
          ? h('section', { 'data-key': 'conflicts' }, h('h2', null, t('household.conflicts')),
            h('p', { class: 'about' }, t('household.conflicts.about')),
            h('ul', { class: 'clashes', 'aria-label': t('household.conflicts') },
              conflicts.map((conflict) =>
                conflictCard(ctx, conflict, nameOf(changes, conflict.sync_key),
                  chosen.get(conflict.sync_key)?.[conflict.field] ?? '', choose)
              )))
          : null,
        changes.length > 0
          ? h('section', { 'data-key': 'changes' }, h('h2', null, t('household.changes')),
            h('ul', { class: 'rows', 'aria-label': t('household.changes') },
              changes.slice(0, SHOWN).map((change) =>
                h('li', { 'data-key': change.sync_key },
                  h('span', { class: 'grow' }, h('b', null, nameOf([change], change.sync_key)),
                    h('small', null, differences(ctx, change))),
                  h('span', { class: 'mark-text' }, actionName(ctx, change.action)))
              )))
          : null,
        h('div', { class: 'apply-line', 'data-key': 'apply' },
          h('p', { class: 'outcome-line' }, icon(left > 0 ? 'clock' : 'check', 'icon-s'),
            left > 0 ? tn('household.undecided', left) : t('household.allDecided')),
          busyButton(ctx, { label: t('household.apply'), symbol: 'tick', focus: 'apply', style: 'primary',
            run: apply })),
      ]);
  };
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {string} action
 */
function actionName({ t, i18n }, action) {
  return i18n.has(`household.action.${action}`) ? t(`household.action.${action}`) : action;
}

/**
 * The name of the game of a key, as any side has it.
 *
 * @param {readonly Reply.SyncChange[]} changes
 * @param {string} key
 */
function nameOf(changes, key) {
  const change = changes.find(({ sync_key: other }) => other === key);
  return String(change?.local?.['name'] ?? change?.merged?.['name'] ?? change?.remote?.['name'] ?? key);
}

/**
 * The fields that a change would change.
 *
 * @param {App.Context} ctx
 * @param {Reply.SyncChange} change
 */
function differences(ctx, { local, merged }) {
  if (!local || !merged) return '';
  const keys = [...new Set([...Object.keys(local), ...Object.keys(merged)])];
  return keys.filter((key) => JSON.stringify(local[key] ?? '') !== JSON.stringify(merged[key] ?? ''))
    .map((key) => fieldName(ctx, key)).join(', ');
}

/**
 * @param {App.Context} ctx
 * @param {string} key
 */
function fieldName({ t, i18n }, key) {
  return i18n.has(`field.${key}`) ? t(`field.${key}`) : key.replaceAll('_', ' ');
}

/**
 * @param {App.Context} ctx
 * @param {Reply.SyncConflict} conflict
 * @param {string} game
 * @param {string} chosen
 * @param {(conflict: Reply.SyncConflict, choice: string) => void} choose
 */
function conflictCard(ctx, conflict, game, chosen, choose) {
  const { t, format } = ctx;
  const isWhole = conflict.field === WHOLE;
  const title = isWhole ? t('household.wholeGame') : fieldName(ctx, conflict.field);
  return h('li', { class: chosen ? 'clash decided' : 'clash', 'data-conflict': conflict.conflict_id,
    'data-key': conflict.conflict_id }, h('h3', null, game, h('small', null, title)),
    h('div', { class: 'sides', role: 'group', 'aria-label': `${game}: ${title}` },
      conflict.alternatives.map(({ choice, present, value }, at) => {
        const who = choice === 'local'
          ? t('household.side.here')
          : at === 1
          ? t('household.side.there')
          : t('household.side.another', { number: format.number(at) });
        const shown = !present
          ? h('i', null, t(isWhole ? 'household.removed' : 'household.empty'))
          : isWhole
          ? t('household.changed')
          : text(value);
        return h('button', { class: 'side', type: 'button', 'aria-pressed': String(choice === chosen),
          'data-focus': `${conflict.conflict_id}-${choice}`, on: { click: () => choose(conflict, choice) } },
          h('small', null, who), h('span', { class: 'value' }, shown),
          choice === chosen ? icon('tick', 'icon-s') : null);
      })));
}

/**
 * A value as words.
 *
 * @param {unknown} value
 * @returns {string}
 */
function text(value) {
  if (Array.isArray(value)) return value.map(text).join(', ');
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
}
