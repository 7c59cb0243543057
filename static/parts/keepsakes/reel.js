/**
 * Making a reel: a preview that plays what the film will show, the choice of a year, and the job that makes it.
 */

import { setBusy } from '../act.js';
import { openDialog, prepareDialog } from '../dialog.js';
import { h, icon, patch, setAttribute, valueOf } from '../../core/dom.js';

/** Longest time a picture of the preview stands, in seconds. */
const LONGEST = 3;

/**
 * One still of the preview.
 *
 * @typedef {{source: string, label: string, seconds: number, year: string, kind: string}} Still
 */

/**
 * @param {App.Context} ctx
 * @param {string} id
 */
export async function openReel(ctx, id) {
  const { t, client } = ctx;
  const read = await prepareDialog(ctx, `reel ${id}`, async () => {
    const [manifest, { items = [] }] = await Promise.all([client.get('/api/v2/reels', { game_id: id }),
      client.get('/api/v2/moments', { game_id: id, limit: 500 })]);
    return { manifest, items };
  }).catch(ctx.fail);
  if (!read) return;
  const stills = read.manifest.inputs.map((input) => still(ctx, id, input, read.items));
  const years = [...new Set(stills.map(({ year }) => year).filter(Boolean))].sort().reverse();
  const screen = h('div', { class: 'reel-screen' });
  const place = h('p', { class: 'reel-place', 'aria-live': 'polite' });
  const bar = h('ol', { class: 'reel-bar', 'aria-hidden': 'true' });
  let shown = stills;
  let at = 0;
  let plays = !matchMedia('(prefers-reduced-motion: reduce)').matches && stills.length > 1;
  /** @type {App.Timer} */
  let timer;
  const turn = h('button', { class: 'icon-button', type: 'button' });
  const draw = () => {
    clearTimeout(timer);
    const now = shown[at];
    patch(screen, !now
      ? h('div', { class: 'empty small', 'data-key': 'none' }, h('p', null, t('reel.nothing')))
      : now.source
      ? [
        h('img', { 'class': 'behind', 'data-key': `behind ${at}`, 'src': now.source, 'alt': '', 'decoding': 'async' }),
        h('img', { 'data-key': `${at} ${now.source}`, 'src': now.source, 'alt': now.label, 'decoding': 'async' }),
      ]
      : h('div', { class: 'reel-clip', 'data-key': `clip ${at}` }, icon('film'), h('span', null, now.label)));
    place.textContent = now
      ? t('picture.place', { label: now.label, number: at + 1, total: shown.length })
      : '';
    patch(bar, shown.map((_, index) => h('li', { class: index === at ? 'now' : '' })));
    patch(turn, icon(plays ? 'pause' : 'play'));
    setAttribute(turn, 'aria-label', t(plays ? 'reel.stop' : 'reel.play'));
    if (plays && shown.length > 1)
      timer = setTimeout(() => step(1), Math.min(LONGEST, now?.seconds ?? LONGEST) * 1000);
  };
  const step = (/** @type {number} */ by) => {
    if (shown.length === 0) return;
    at = (at + by + shown.length) % shown.length;
    draw();
  };
  turn.addEventListener('click', () => {
    plays = !plays;
    draw();
  });
  const go = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {number} */ by) =>
    h('button', { class: 'icon-button', type: 'button', 'aria-label': label, on: { click: () => {
      plays = false;
      step(by);
    } } }, icon(symbol));
  const year = h('select', { class: 'input', id: 'reel-year', on: { change: (event) => {
    const value = valueOf(event);
    shown = stills.filter((each) => !value || each.kind === 'cover' || each.year === value);
    at = 0;
    setAttribute(make, 'disabled', shown.length === 0);
    draw();
  } } }, h('option', { value: '' }, t('reel.all')), years.map((each) => h('option', { value: each }, each)));
  const make = h('button', { class: 'button primary', type: 'submit', disabled: stills.length === 0 },
    icon('film', 'icon-s'), t('reel.make'));
  const send = async () => {
    setBusy(make, true);
    try {
      await client.post('/api/v2/reels/create', { game_id: id, ...(year.value ? { year: Number(year.value) } : {}) });
      dialog.close('made');
      ctx.toasts.show({ kind: 'good', text: t('reel.queued'), actions: [{ label: t('action.show'), run: () =>
        ctx.router.go('/jobs') }] });
    } catch (error) {
      ctx.fail(error);
    } finally {
      setBusy(make, false);
    }
  };
  const dialog = openDialog(ctx, {
    title: t('reel.title', { name: read.manifest.title }),
    width: 720,
    className: 'reel',
    content: [screen, bar,
      h('div', { class: 'reel-row' }, go('before', t('picture.before'), -1), turn, go('after', t('picture.after'), 1),
        place), h('div', { class: 'field' }, h('label', { class: 'label', for: 'reel-year' }, t('reel.year')), year),
      h('p', { class: 'hint' }, t('reel.hint'))],
    footer: [
      h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } }, t('action.cancel')),
      make,
    ],
    onSubmit: () => void send(),
  });
  dialog.element.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    plays = false;
    step(by);
  });
  dialog.signal.addEventListener('abort', () => clearTimeout(timer));
  draw();
  turn.focus();
}

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @param {Reply.ReelInput} input
 * @param {readonly Reply.MomentItem[]} moments
 * @returns {Still}
 */
function still(ctx, id, input, moments) {
  const { t, client, catalog } = ctx;
  const moment = moments.find(({ screenshot }) => screenshot === input.path);
  const index = moment?.screenshot_index ?? null;
  const source = input.kind === 'cover'
    ? client.media(id, 'cover', catalog.epoch)
    : index === null
    ? ''
    : client.media(id, 'screenshot', catalog.epoch, { index });
  return { source, seconds: input.duration ?? LONGEST, year: (input.created_at ?? '').slice(0, 4), kind: input.kind,
    label: input.title || (input.kind === 'cover' ? t('choice.cover') : t('reel.clip')) };
}

/**
 * Opens a finished reel with the program of the desktop for it.
 *
 * @param {App.Context} ctx
 * @param {string} path
 */
export async function watchReel({ client, fail, toasts, t }, path) {
  try {
    const { ok, error } = await client.post('/api/native/open-external', { path });
    if (!ok) toasts.show({ kind: 'error', text: t('reel.lies', { path }), facts: error ?? '' });
  } catch (failure) {
    fail(failure);
  }
}
