/**
 * Moments that keep themselves: the first start of a game, an achievement, progress, and hours of play. The tab that
 * reads the live stream keeps them, so that several tabs keep one.
 */

/** How far each progress is; a game is finished from 1. */
const SCORES = Object.freeze(
  /** @type {Record<string, number>} */ ({ Playing: 0.1, Beaten: 1, Completed: 2, Mastered: 3 }),
);

/** Hours of play that are kept as a moment. */
const HOURS = Object.freeze([1, 5, 10, 25, 50, 100]);

/** How long a game that starts for the first time runs before its picture is taken, in milliseconds. */
const FIRST_LOOK = 20_000;

/** Moments of a game that are looked through for an equal one; as many as a game can have. */
const MOST = 500;

/** @param {App.Row} row */
const scoreOf = (row) => SCORES[row.progress] ?? 0;

/** @param {App.Row} row */
const hoursOf = (row) => HOURS.filter((hours) => row.seconds >= hours * 3600).length;

/**
 * What is worth keeping about a change of a game; the first that fits.
 *
 * @param {App.RowChange} change
 * @returns {'first_boot' | 'progress' | 'milestone' | null}
 */
export function automaticTrigger({ before, after }) {
  if (before.plays === 0 && after.plays >= 1) return 'first_boot';
  if (scoreOf(before) < 1 && scoreOf(after) >= 1) return 'progress';
  return hoursOf(after) > hoursOf(before) ? 'milestone' : null;
}

/**
 * Listens for the life of the page.
 *
 * @param {App.Context} ctx
 */
export function mountAutomaticMoments(ctx) {
  const { bus, client, kiosk, live, sessions, t, tn } = ctx;
  /** Games that ran while this page was open. */
  /** @type {Set<string>} */
  const played = new Set();
  /** Games that run for the first time, with the timer of their picture. */
  /** @type {Map<string, App.Timer>} */
  const starting = new Map();
  let isOn = true;

  /**
   * @param {string} id
   * @param {string} trigger
   * @param {string} title nothing for the one of the server
   */
  const keep = async (id, trigger, title = '') => {
    const session = sessions.of(id);
    try {
      const { items = [] } = await client.get('/api/v2/moments', { game_id: id, limit: MOST });
      const isKept = items.some((item) => item.trigger === trigger && (!title || item.title === title));
      if (isKept) return;
      await client.post('/api/v2/moments', { game_id: id, trigger, capture: session !== undefined,
        ...(title && { title }), ...(session && { launch_id: session.launchId }) });
      bus.emit('moment', { gameId: id });
    } catch {
      // Nobody asked for this moment, so nobody is told that it could not be kept.
    }
  };

  const isMine = () => isOn && live.leads && !kiosk.isLocked;

  /** @param {string} id */
  const keepStart = (id) => {
    const timer = starting.get(id);
    if (timer === undefined) return;
    clearTimeout(timer);
    starting.delete(id);
    void keep(id, 'first_boot');
  };

  bus.on('settings', (settings) => {
    isOn = settings['moments_autocapture'] !== false;
  });
  bus.on('sessions', (list) => {
    for (const { gameId } of list) played.add(gameId);
  });
  bus.on('session:event', ({ kind, stable_game_id: id }) => {
    if (kind === 'stopped' && id) keepStart(id);
  });
  bus.on('catalog:changes', ({ changes }) => {
    // An import or a change of many games is nothing that happened in a game.
    const own = changes.filter(({ after }) => changes.length === 1 || played.has(after.id));
    for (const change of isMine() ? own : []) {
      const { id, progress } = change.after;
      const trigger = automaticTrigger(change);
      if (trigger === 'first_boot') {
        // Before that the screen shows this page, or a game that loads.
        starting.set(id, setTimeout(() => keepStart(id), FIRST_LOOK));
      } else if (trigger === 'progress') {
        void keep(id, trigger, t(`progress.${progress}`));
      } else if (trigger === 'milestone') {
        void keep(id, trigger, tn('moment.hours', HOURS[hoursOf(change.after) - 1] ?? 0));
      }
    }
  });
  bus.on('job:ended', ({ type, result }) => {
    const unlocked = type === 'achievements.session' ? result?.['unlocked'] : null;
    if (!isMine() || !Array.isArray(unlocked)) return;
    const [first] = unlocked;
    if (first) void keep(String(result?.['game_id'] ?? ''), 'ach_unlock', String(first.title ?? ''));
  });
}
