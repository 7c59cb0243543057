/**
 * Going on from where a game was left: the buttons beside Play, and what is said about the kept state.
 */

import { busyButton } from '../act.js';
import { h, icon } from '../../core/dom.js';

/**
 * The buttons in the place of Play; `null` when there is nothing to go on from, or the game runs.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {string} [size]
 * @returns {HTMLElement[] | null}
 */
export function resumeButtons(ctx, row, size = 'large') {
  const { t, actions, resumes, sessions } = ctx;
  if (sessions.of(row.id) || resumes.of(row.id).state !== 'ready') return null;
  return [
    h('button', { class: `button primary ${size} play`, type: 'button', 'data-focus': 'play',
      on: { click: () => void actions.resume(row.id) } }, icon('play'), t('resume.continue')),
    h('button', { class: `button ${size}`, type: 'button', 'data-focus': 'anew',
      on: { click: () => void actions.launch(row.id) } }, icon('refresh', 'icon-s'), t('resume.anew')),
  ];
}

/**
 * When the game was left, or why going on may not work; `null` without a kept state.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {HTMLElement | null}
 */
export function resumeNotice(ctx, row) {
  const { t, actions, resumes, sessions } = ctx;
  const { state } = resumes.of(row.id);
  if (state === 'none' || sessions.of(row.id)) return null;
  return h('div', { class: `callout ${state === 'stale' ? '' : 'calm'}`, role: 'note', 'data-key': 'resume' },
    icon('save'), h('span', null, leftText(ctx, row)), state === 'stale'
    ? h('button', { class: 'button', type: 'button', 'data-focus': 'resume-stale',
      on: { click: () => void actions.resume(row.id, true) } }, t('resume.anyway'))
    : null, discardButton(ctx, row, 'quiet'));
}

/**
 * When the game was left, or why going on may not work.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {string}
 */
export function leftText({ t, format, resumes }, row) {
  const { state, at } = resumes.of(row.id);
  const since = at ? format.ago(at, new Date()) : '';
  return t(state === 'stale' ? 'resume.stale' : 'resume.left', { since });
}

/**
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @param {string} style
 */
export function discardButton(ctx, row, style) {
  return busyButton(ctx, { label: ctx.t('resume.discard'), symbol: 'trash', focus: 'resume-discard', style,
    run: () => ctx.actions.discardState(row.id) });
}
