/**
 * Sound of the big screen: the music of the library, softer while something else is heard, and the film shown on
 * entering. Silent while the page is hidden or a game runs.
 */

import { h } from '../../core/dom.js';

/** Loudness of the music: alone, mixed under a film, and nearly gone under one. */
const VOLUME = Object.freeze({ alone: 0.6, mixed: 0.35, under: 0.1 });

/** Whether the film was shown since the page was opened. */
let wasShown = false;

/**
 * @param {App.Context} ctx
 * @param {string} kind `startup_video` or `library_music`
 */
function address({ client }, kind) {
  return `/api/bigscreen/media?${new URLSearchParams({ kind, token: client.token })}`;
}

/**
 * Plays the music for as long as the signal lasts.
 *
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {{duck: (isHeard: boolean) => void}} `duck` makes room for a film
 */
export function bigMusic(ctx, signal) {
  const audio = new Audio();
  audio.loop = true;
  let source = '';
  let isUnder = false;
  const follow = () => {
    const { music, mixes } = ctx.preferences.big;
    audio.volume = isUnder ? (mixes ? VOLUME.mixed : VOLUME.under) : VOLUME.alone;
    if (music !== source) {
      source = music;
      if (music) audio.src = address(ctx, 'library_music');
      else audio.removeAttribute('src');
    }
    const isWanted = source !== '' && !document.hidden && ctx.sessions.list.length === 0 && !signal.aborted;
    // A browser waits for the first key or click before it lets anything be heard.
    if (isWanted && audio.paused)
      audio.play().catch(() => addEventListener('pointerdown', follow, { once: true, signal }));
    else if (!isWanted) audio.pause();
  };
  ctx.bus.on('settings', follow, signal);
  ctx.bus.on('sessions', follow, signal);
  document.addEventListener('visibilitychange', follow, { signal });
  addEventListener('keydown', follow, { once: true, signal });
  signal.addEventListener('abort', () => {
    audio.pause();
    audio.removeAttribute('src');
  });
  follow();
  return { duck: (isHeard) => {
    isUnder = isHeard;
    follow();
  } };
}

/**
 * Shows the film of the settings once; any input ends it. A film that is missing or cannot be played ends at once.
 *
 * @param {App.Context} ctx
 * @param {(isHeard: boolean) => void} duck
 * @returns {Promise<void>}
 */
export async function showStartupVideo(ctx, duck) {
  if (wasShown || !ctx.preferences.big.video || ctx.sessions.list.length > 0) return;
  wasShown = true;
  const life = new AbortController();
  const video = h('video', { playsinline: true, tabindex: -1 });
  const layer = h('dialog', { class: 'big-film', 'aria-label': ctx.t('setting.bigscreen_startup_video') }, video);
  const ended = new Promise((resolve) => life.signal.addEventListener('abort', resolve));
  const end = () => life.abort();
  for (const name of ['ended', 'error']) video.addEventListener(name, end);
  for (const name of ['keydown', 'pointerdown', 'cancel'])
    layer.addEventListener(name, (event) => {
      event.preventDefault();
      event.stopPropagation();
      end();
    });
  ctx.bus.on('steer', end, life.signal);
  ctx.keys.add(
    ['play', 'back', 'menu', 'up', 'down', 'left', 'right'].map((action) => ({ key: '', group: 'big',
      label: 'keys.back', action, layer, run: () => {
        end();
        return true;
      } })
    ),
    life.signal,
  );
  document.addEventListener('visibilitychange', end, { signal: life.signal });
  document.body.append(layer);
  layer.showModal();
  duck(true);
  video.src = address(ctx, 'startup_video');
  video.play().catch(() => {
    video.muted = true;
    video.play().catch(end);
  });
  await ended;
  video.pause();
  video.removeAttribute('src');
  layer.close();
  layer.remove();
  duck(false);
}
