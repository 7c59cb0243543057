/**
 * A moment as a frame: its picture, its title and note, when it was, and what can be done with it.
 */

import { confirm, openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { openPictures } from '../picture.js';
import { runBusy, setBusy } from '../act.js';
import { ApiError } from '../../core/client.js';
import { h, icon } from '../../core/dom.js';

/** How wide a frame is, in CSS pixels. */
const WIDTH = 300;

/** What kept a moment, where nobody gave it a title; the server names it in English. */
const TITLES = Object.freeze(/** @type {Record<string, string>} */ ({
  Moment: 'moment.title.moment',
  Paused: 'moment.title.paused',
  'Session recap': 'moment.title.recap',
  'End of a session': 'moment.title.end',
  'First start': 'moment.title.first',
  'Achievement unlocked': 'moment.title.achievement',
  Progress: 'moment.title.progress',
  Milestone: 'moment.title.milestone',
}));

/**
 * @param {App.Context} ctx
 * @param {Reply.MomentItem} moment
 * @returns {string}
 */
export function momentTitle({ t }, { title }) {
  return Object.hasOwn(TITLES, title) ? t(TITLES[title] ?? '') : title;
}

/**
 * The frames of moments in their order. Pictures leaf through all of them.
 *
 * @param {App.Context} ctx
 * @param {readonly Reply.MomentItem[]} moments
 * @param {{onChange: () => void, named?: boolean}} options `named` says the game of each; `onChange` is called when one
 *   was edited, deleted or came back
 * @returns {HTMLElement[]}
 */
export function momentFrames(ctx, moments, { onChange, named = false }) {
  const { t, client, catalog } = ctx;
  const source = (/** @type {Reply.MomentItem} */ { game_id: id, screenshot_index: index }, width = 0) =>
    client.media(id, 'screenshot', catalog.epoch, { index: index ?? 0, ...(width > 0 ? { width } : {}) });
  const shown = moments.filter(({ screenshot_index: index }) => index !== null);
  const pictures = shown.map((moment) => ({ source: source(moment), label: momentTitle(ctx, moment) }));
  return moments.map((moment) => {
    const title = momentTitle(ctx, moment);
    const at = shown.indexOf(moment);
    const key = moment.moment_id;
    const row = catalog.find(moment.game_id);
    const act = (/** @type {string} */ name, /** @type {string} */ symbol, /** @type {string} */ label,
      /** @type {(button: EventTarget | null) => void} */ run) =>
      h('button', { class: 'icon-button', type: 'button', 'data-focus': `${name}-${key}`,
        'aria-label': `${label}: ${title}`, title: label, on: { click: ({ currentTarget }) => run(currentTarget) } },
        icon(symbol));
    return h('li', { class: 'frame', 'data-key': key, 'data-moment': key }, at < 0
      ? h('div', { class: 'still none' }, icon('bookmark'))
      : h('button', { class: 'still', type: 'button', 'data-focus': `see-${key}`,
        'aria-label': t('moment.see', { title }), on: { click: () => openPictures(ctx, pictures, at) } },
        h('img', { src: source(moment, WIDTH), alt: '', loading: 'lazy', decoding: 'async' })),
      h('div', { class: 'words' }, h('b', null, title),
        named && row ? h('a', { href: `#/game/${encodeURIComponent(row.id)}?tab=moments` }, row.name) : null,
        h('time', { datetime: moment.created_at }, ctx.format.date(moment.created_at)),
        moment.note ? h('p', null, moment.note) : null), h('div', { class: 'frame-acts' }, moment.resume_state
        ? h('button', { class: 'button', type: 'button', 'data-focus': `go-${key}`,
          'aria-label': `${t('moment.resume')}: ${title}`,
          on: { click: ({ currentTarget }) => void resume(ctx, moment, currentTarget) } }, icon('play', 'icon-s'),
          t('moment.resume'))
        : h('span', { class: 'grow' }),
        act('edit', 'edit', t('moment.edit'), () => void editMoment(ctx, moment).then((done) => done && onChange())),
        act('delete', 'trash', t('moment.delete'), (button) => void remove(ctx, moment, button, onChange))));
  });
}

/**
 * Starts the game from a moment. What was kept since is in the way of nothing: it stays in the archive.
 *
 * @param {App.Context} ctx
 * @param {Reply.MomentItem} moment
 * @param {EventTarget | null} button
 */
async function resume(ctx, moment, button) {
  const { t, client, sessions } = ctx;
  const isSure = await confirm(ctx, { title: t('moment.resume.title', { title: momentTitle(ctx, moment) }),
    text: t('moment.resume.text'), action: t('moment.resume') });
  if (!isSure) return;
  await runBusy(ctx, button, async () => {
    await client.post('/api/v2/moments/resume', { moment_id: moment.moment_id, game_id: moment.game_id });
    await sessions.refresh();
  });
}

/**
 * Deletes a moment at once; the message brings it back.
 *
 * @param {App.Context} ctx
 * @param {Reply.MomentItem} moment
 * @param {EventTarget | null} button
 * @param {() => void} onChange
 */
async function remove(ctx, moment, button, onChange) {
  const { t, client, toasts } = ctx;
  const { moment_id, game_id } = moment;
  const back = async () => {
    try {
      await client.post('/api/v2/moments/restore', { moment_id });
      onChange();
      ctx.announce(t('moment.restored'));
    } catch (error) {
      ctx.fail(error);
    }
  };
  await runBusy(ctx, button, async () => {
    await client.post('/api/v2/moments/delete', { moment_id, game_id });
    onChange();
    toasts.show({ kind: 'good', text: t('moment.deleted', { title: momentTitle(ctx, moment) }),
      actions: [{ label: t('action.undo'), run: () => void back() }] });
  });
}

/**
 * Lets the user give a moment a title and a note.
 *
 * @param {App.Context} ctx
 * @param {Reply.MomentItem} moment
 * @returns {Promise<boolean>} whether it was saved
 */
export async function editMoment(ctx, moment) {
  const { t, client } = ctx;
  const title = makeField({ key: 'title', kind: 'text', value: momentTitle(ctx, moment), label: t('moment.field.title'),
    wide: true });
  const note = makeField({ key: 'note', kind: 'area', value: moment.note, label: t('moment.field.note'), rows: 5,
    wide: true });
  title.control.setAttribute('maxlength', '120');
  note.control.setAttribute('maxlength', '2000');
  const cancel = h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } },
    t('action.cancel'));
  const save = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const send = async () => {
    setBusy(save, true);
    showFormFailure(ctx, dialog.form, null);
    try {
      await client.post('/api/v2/moments/update', { moment_id: moment.moment_id, game_id: moment.game_id,
        title: title.read(), note: note.read() });
      dialog.close('saved');
    } catch (error) {
      if (error instanceof ApiError) showFormFailure(ctx, dialog.form, error);
      else ctx.fail(error);
    } finally {
      setBusy(save, false);
    }
  };
  const dialog = openDialog(ctx, { title: t('moment.edit'), width: 480,
    content: h('div', { class: 'form' }, title.element, note.element), footer: [cancel, save],
    onSubmit: () => void send() });
  title.control.focus();
  return (await dialog.closed) === 'saved';
}
