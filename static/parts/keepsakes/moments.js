/**
 * The moments of one game as a film strip, and the pictures that were imported for it.
 */

import { keepMoment } from './capture.js';
import { momentFrames } from './moment-card.js';
import { openReel } from './reel.js';
import { busyButton } from '../act.js';
import { openPictures } from '../picture.js';
import { showFailure, smallEmptyBox } from '../state-box.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/** Moments that are shown, the newest first; as many as a game can have. */
const MOST = 500;

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function momentsPanel(ctx, id) {
  const root = h('div', { class: 'moments' }, h('div', { class: 'wait' }));
  const load = coalesce(async () => {
    try {
      const [{ items = [] }, { memories }] = await Promise.all([
        ctx.client.get('/api/v2/moments', { game_id: id, limit: MOST }),
        ctx.client.get('/api/v2/memories', { game_id: id }),
      ]);
      draw(ctx, root, id, items, memories, () => void load());
    } catch (error) {
      showFailure(ctx, root, error, () => void load(), root.querySelector('.film, .empty:not(.failure)') !== null);
    }
  });
  const life = new AbortController();
  ctx.bus.on('route', ({ name, arg }) => {
    if (name !== 'game' || arg !== id) life.abort();
  }, life.signal);
  ctx.bus.on('moment', ({ gameId }) => {
    if (gameId === id) void load();
  }, life.signal);
  ctx.bus.on('sessions', () => {
    if (root.isConnected) void load();
  }, life.signal);
  return { element: root, update: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {string} id
 * @param {Reply.MomentItem[]} items
 * @param {Reply.Memory[]} memories
 * @param {() => void} reload
 */
function draw(ctx, root, id, items, memories, reload) {
  const { t, tn, sessions } = ctx;
  const session = sessions.of(id);
  const keep = session
    ? busyButton(ctx, { label: t('moment.keep'), symbol: 'camera', focus: 'moment-keep', style: 'primary owner-only',
      run: () => keepMoment(ctx, session, 'pause') })
    : null;
  const all = h('a', { class: 'button owner-only', href: '#/moments', 'data-focus': 'moments-all' },
    icon('picture', 'icon-s'), t('moment.gallery'));
  if (items.length === 0 && memories.length === 0) {
    patch(root, smallEmptyBox(ctx, 'camera', session ? 'moment.noneRunning' : 'moment.none', keep, all));
    return;
  }
  const reel = h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'reel',
    on: { click: () => void openReel(ctx, id) } }, icon('film', 'icon-s'), t('reel.make'));
  patch(root,
    h('div', { class: 'section-head', 'data-key': 'head' }, h('h2', null, tn('moment.count', items.length)),
      h('div', { class: 'acts' }, keep, reel, all)), items.length > 0
    ? h('ul', { class: 'film', 'data-key': 'film', 'aria-label': t('game.tab.moments') },
      momentFrames(ctx, items, { onChange: reload }))
    : null, memories.length > 0 ? memorySection(ctx, id, memories, reload) : null);
}

/**
 * Pictures that other programs took of the game.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Reply.Memory[]} memories
 * @param {() => void} reload
 */
function memorySection(ctx, id, memories, reload) {
  const { t, client, format, toasts } = ctx;
  const pictures = memories.map((memory, index) => ({ source: client.memory(id, index, memory),
    label: t('memory.label', { date: format.date(memory.taken_at) }) })
  );
  const assign = (/** @type {string} */ sha256, /** @type {string} */ to) =>
    client.post('/api/v2/memories/assign', { sha256, ...(to ? { game_id: to } : {}) }).then(reload);
  const drop = async (/** @type {Reply.Memory} */ { sha256 }) => {
    await assign(sha256, '');
    toasts.show({ kind: 'good', text: t('memory.dropped'),
      actions: [{ label: t('action.undo'), run: () => void assign(sha256, id).catch(ctx.fail) }] });
  };
  return h('section', { class: 'memories', 'data-key': 'memories' }, h('h2', null, t('memory.title')),
    h('ul', { class: 'shots' },
      memories.map((memory, at) =>
        h('li', { 'data-key': memory.sha256 },
          h('button', { type: 'button', 'data-focus': `memory-${memory.sha256}`,
            'aria-label': pictures[at]?.label ?? '', on: { click: () => openPictures(ctx, pictures, at) } },
            h('img', { src: pictures[at]?.source ?? '', alt: '', loading: 'lazy', decoding: 'async' })),
          h('span', { class: 'what' }, format.date(memory.taken_at),
            busyButton(ctx, { label: t('memory.notThis'), symbol: 'close', focus: `drop-${memory.sha256}`,
              style: 'quiet small owner-only', about: pictures[at]?.label ?? '', run: () => drop(memory) })))
      )));
}
