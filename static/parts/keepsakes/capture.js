/**
 * Keeping a moment of a running game: by a key, a button of a controller, the bar of running games or the overlay of
 * the big screen.
 */

import { editMoment } from './moment-card.js';

/** Games of which a moment is being kept right now; a second press means the same one. */
/** @type {Set<string>} */
const running = new Set();

/**
 * Keeps a moment of a running game and offers to write a note.
 *
 * @param {App.Context} ctx
 * @param {App.Session} session
 * @param {'pause' | 'hotkey'} trigger
 */
export async function keepMoment(ctx, session, trigger) {
  const { t, client, toasts, router, bus } = ctx;
  const { gameId, launchId } = session;
  if (running.has(launchId)) return;
  running.add(launchId);
  try {
    const { item } = await client.post('/api/v2/moments', { game_id: gameId, launch_id: launchId, trigger });
    bus.emit('moment', { gameId });
    const text = item.capture_error ? t('moment.keptBlind', { name: session.name }) : t('moment.kept', {
      name: session.name,
    });
    const isBig = router.current.name === 'big';
    toasts.show({ kind: 'good', text, actions: [
      { label: t('moment.write'), run: () => void editMoment(ctx, item).then(() => bus.emit('moment', { gameId })) },
      ...(isBig
        ? []
        : [{ label: t('action.show'), run: () =>
          router.go(`/game/${encodeURIComponent(gameId)}`, { tab: 'moments' }) }]),
    ] });
  } catch (error) {
    ctx.fail(error);
  } finally {
    running.delete(launchId);
  }
}

/**
 * Keeps a moment of the game that was started last.
 *
 * @param {App.Context} ctx
 * @returns {boolean} whether a game runs
 */
export function keepNewest(ctx) {
  const session = ctx.sessions.list.at(-1);
  if (!session) return false;
  void keepMoment(ctx, session, 'hotkey');
  return true;
}
