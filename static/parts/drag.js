/**
 * Games that are dragged from the library to a playlist, or to another place in it. What is dragged travels over the
 * bus, because thousands of ids would be too much for the clipboard of the drag; the drag itself only says that it
 * carries games.
 */

import { h } from '../core/dom.js';

/** What a drag of games carries. */
const GAMES_TYPE = 'application/x-service-games';

/**
 * @param {App.Context} ctx
 * @param {DragEvent} event
 * @param {readonly string[]} ids
 * @param {string} name of the game, when it is one
 */
export function startDrag(ctx, event, ids, name) {
  if (!event.dataTransfer) return;
  event.dataTransfer.effectAllowed = 'copyMove';
  event.dataTransfer.setData(GAMES_TYPE, String(ids.length));
  const badge = h('div', { class: 'drag-badge' }, ids.length > 1 ? ctx.tn('library.count', ids.length) : name);
  document.body.append(badge);
  event.dataTransfer.setDragImage(badge, -12, -12);
  setTimeout(() => badge.remove());
  ctx.bus.emit('drag', { ids });
}

/**
 * Whether a drag over an element carries games.
 *
 * @param {DragEvent} event
 * @returns {boolean}
 */
export function carriesGames(event) {
  return event.dataTransfer?.types.includes(GAMES_TYPE) ?? false;
}
