/**
 * Reading games again: what folder, extension and content of their files say now is shown beside what the library has,
 * taken over when agreed to, and taken back by an undo.
 */

import { h } from '../../core/dom.js';
import { changesByGame, reversed } from '../../data/recognition.js';
import { confirm } from '../dialog.js';
import { BY_ITSELF, pickPlatform } from '../platform-pick.js';

/** Games of one request. */
const PAGE = 1000;

/** Games that are shown; the others change as well. */
const SHOWN = 200;

/** The words of the fields that are read. */
const FIELDS = Object.freeze(
  /** @type {Record<string, string>} */ ({ platform: 'field.platform', name: 'field.name', region: 'field.region' }),
);

/**
 * Asks for a platform and gives it to games.
 *
 * @param {App.Context} ctx
 * @param {readonly string[]} ids
 */
export async function setPlatform(ctx, ids) {
  const platforms = new Set(ids.map((id) => ctx.catalog.find(id)?.platform ?? ''));
  const [only = ''] = platforms;
  const name = await pickPlatform(ctx, { title: ctx.tn('bulk.platform.title', ids.length),
    about: ctx.t('bulk.platform.about'), shown: platforms.size === 1 ? only : '' });
  if (name && name !== BY_ITSELF) await ctx.bulk.change(ids, { platform: name });
}

/**
 * @param {App.Context} ctx
 * @param {readonly string[]} ids
 */
export async function readAgain(ctx, ids) {
  const { t, tn, client, bulk, toasts } = ctx;
  /** @type {Reply.RecognitionChange[]} */
  const changes = [];
  let unreadable = 0;
  const looked = await bulk.work(ids, async (page) => {
    for (let at = 0; at < page.length; at += PAGE) {
      const found = await client.post('/api/v2/library/recognition/preview', { game_ids: page.slice(at, at + PAGE) });
      changes.push(...found.changes);
      unreadable += found.unreadable;
    }
  });
  if (looked.size === 0) return;
  const games = changesByGame(changes);
  const note = unreadable > 0 ? tn('readAgain.unreadable', unreadable) : '';
  if (games.length === 0) {
    toasts.show({ text: [t('readAgain.nothing'), note].filter(Boolean).join(' ') });
    return;
  }
  const boxes = new Map(games.slice(0, SHOWN).map(({ id }) => [id, h('input', { type: 'checkbox', checked: true })]));
  const rows = games.slice(0, SHOWN).map(({ id, changes: own }) =>
    h('li', { 'data-game': id },
      h('label', { class: 'check grow' }, boxes.get(id),
        h('span', { class: 'what' }, h('b', null, ctx.catalog.find(id)?.name ?? id),
          own.map(({ field, expected, value }) =>
            h('small', null, `${t(FIELDS[field] ?? '')}: `,
              h('span', { class: 'was' }, expected || t('readAgain.none')), ' → ', value)
          ))))
  );
  const extra = h('div', { class: 'read-again' },
    h('ul', { class: 'rows scroll', 'aria-label': t('readAgain.list') }, rows),
    games.length > SHOWN ? h('p', { class: 'hints' }, tn('readAgain.more', games.length - SHOWN)) : null,
    note ? h('p', { class: 'hints' }, note) : null);
  const isSure = await confirm(ctx, { title: tn('readAgain.title', games.length), text: t('readAgain.about'),
    action: t('readAgain.apply'), extra, width: 600 });
  if (!isSure) return;
  const wanted = changes.filter(({ game_id: id }) => boxes.get(id)?.checked ?? true);
  if (wanted.length > 0) await take(ctx, wanted, true);
}

/**
 * Sends changes, and offers to take them back.
 *
 * @param {App.Context} ctx
 * @param {readonly Reply.RecognitionChange[]} changes
 * @param {boolean} isFirst whether they can be taken back
 */
async function take(ctx, changes, isFirst) {
  const { t, tn, client, bulk, catalog, bus, toasts } = ctx;
  const done = await bulk.work(changes.map((change) => JSON.stringify(change)),
    (page) => client.post('/api/v2/library/recognition', { changes: page.map((text) => JSON.parse(text)) }));
  if (done.size === 0) return;
  const kept = [...done].map((text) => /** @type {Reply.RecognitionChange} */ (JSON.parse(text)));
  const ids = [...new Set(kept.map((change) => change.game_id))];
  await catalog.refresh(ids).catch(ctx.fail);
  bus.emit('game', { ids });
  toasts.show({ kind: 'good', text: tn(isFirst ? 'readAgain.done' : 'bulk.undone', ids.length),
    ...(isFirst ? { actions: [{ label: t('action.undo'), run: () => void take(ctx, reversed(kept), false) }] } : {}) });
}
