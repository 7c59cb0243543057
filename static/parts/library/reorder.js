/**
 * The order of a playlist: games that are dragged to another place in it, or moved from their menu.
 */

import { carriesGames } from '../drag.js';
import { FLAG } from '../../data/game.js';

/**
 * The manual playlist that is shown in its own order, first game first.
 *
 * @param {App.Context} ctx
 * @returns {Api.Playlist | undefined}
 */
function shownInOrder({ router, lists, kiosk }) {
  const { name, query } = router.current;
  const playlist = name === 'library' && !kiosk.isLocked ? lists.playlist(query['playlist'] ?? '') : undefined;
  return playlist?.type === 'manual' && (query['sort'] ?? 'playlist') === 'playlist' && query['dir'] !== 'reversed'
    ? playlist
    : undefined;
}

/**
 * Takes games of the shown playlist that are dropped on another one of it: on its first half they go in front of it, on
 * its second half behind it.
 *
 * @param {App.Context} ctx
 * @param {HTMLElement} root holds the tiles
 * @param {(tile: Element) => string} idOf the game of a tile
 * @param {AbortSignal} signal
 */
export function receiveGames(ctx, root, idOf, signal) {
  /** @type {readonly string[]} */
  let dragged = [];
  ctx.bus.on('drag', ({ ids }) => {
    dragged = ids;
    show(null, '');
  }, signal);
  const show = (/** @type {Element | null} */ tile, /** @type {string} */ side) => {
    for (const other of root.querySelectorAll('.drop-before, .drop-after'))
      other.classList.remove('drop-before', 'drop-after');
    tile?.classList.add(`drop-${side}`);
  };
  const find = (/** @type {DragEvent} */ event) => {
    const playlist = shownInOrder(ctx);
    const tile = playlist && carriesGames(event) && event.target instanceof Element
      ? event.target.closest('.tile')
      : null;
    return playlist && tile ? { playlist, tile, side: sideOf(event, tile) } : null;
  };
  root.addEventListener('dragover', (event) => {
    const place = find(event);
    show(place?.tile ?? null, place?.side ?? '');
    if (place) event.preventDefault();
  }, { signal });
  root.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) show(null, '');
  }, { signal });
  root.addEventListener('drop', (event) => {
    const place = find(event);
    show(null, '');
    if (!place) return;
    event.preventDefault();
    const { playlist: { name, members }, tile, side } = place;
    const at = members.indexOf(idOf(tile)) + (side === 'after' ? 1 : 0);
    const moving = new Set(dragged);
    // A place in front of a game that moves itself is the place in front of the next one that stays.
    const before = members.slice(at).find((id) => !moving.has(id)) ?? '';
    void move(ctx, name, members.filter((id) => moving.has(id)), before);
  }, { signal });
}

/**
 * On which side of a tile the pointer is: tiles stand side by side, the rows of a list below each other.
 *
 * @param {DragEvent} event
 * @param {Element} tile
 * @returns {'before' | 'after'}
 */
function sideOf(event, tile) {
  const box = tile.getBoundingClientRect();
  if (box.width > box.height * 2) return event.clientY < box.top + box.height / 2 ? 'before' : 'after';
  const isFirstHalf = event.clientX < box.left + box.width / 2;
  return isFirstHalf === (getComputedStyle(tile).direction === 'ltr') ? 'before' : 'after';
}

/**
 * What the menu of a game offers while the playlist it stands in is shown in its own order.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.MenuItem[]}
 */
export function orderItems(ctx, id) {
  const playlist = shownInOrder(ctx);
  const shown = (playlist?.members ?? []).filter((member) => isShown(ctx, member));
  const at = shown.indexOf(id);
  if (!playlist || at < 0) return [];
  const { t } = ctx;
  const to = (/** @type {string} */ before) => () => void move(ctx, playlist.name, [id], before);
  const [first = '', previous, after] = [shown[0], shown[at - 1], shown[at + 2]];
  return [
    ...(at > 1 ? [{ icon: 'up', label: t('playlist.first'), run: to(first) }] : []),
    ...(previous === undefined ? [] : [{ icon: 'up', label: t('queue.up'), run: to(previous) }]),
    ...(at < shown.length - 1 ? [{ icon: 'down', label: t('queue.down'), run: to(after ?? '') }] : []),
  ];
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 */
function isShown({ catalog }, id) {
  const row = catalog.find(id);
  return row !== undefined && (row.flags & FLAG.hidden) === 0;
}

/**
 * @param {App.Context} ctx
 * @param {string} name
 * @param {readonly string[]} ids
 * @param {string} before id of the game that stays behind them; blank for the end
 */
async function move(ctx, name, ids, before) {
  if (ids.length === 0) return;
  try {
    await ctx.lists.add(name, ids, before);
    const members = (ctx.lists.playlist(name)?.members ?? []).filter((id) => isShown(ctx, id));
    const [id = ''] = ids;
    ctx.announce(ctx.t('queue.moved', { name: ctx.catalog.find(id)?.name ?? '', place: members.indexOf(id) + 1 }));
  } catch (error) {
    ctx.fail(error);
  }
}
