/**
 * The card of the home screen for the game that was left last: its picture, what it is, when that was, and the
 * ways to go on.
 */

import { art } from '../art.js';
import { discardButton, leftText, resumeButtons, resumeNotice } from './resume.js';
import { playButton, stopButton } from '../library/details.js';
import { h } from '../../core/dom.js';
import { FLAG } from '../../data/game.js';

/**
 * What stands in the card.
 *
 * @param {App.Context} ctx
 * @param {App.Row} row
 * @returns {App.Child[]}
 */
export function resumeCard(ctx, row) {
  const { t, client, catalog, resumes, sessions } = ctx;
  const kind = row.flags & FLAG.background ? 'background' : row.flags & FLAG.fanart ? 'fanart' : '';
  const isReady = resumes.of(row.id).state === 'ready' && !sessions.of(row.id);
  const facts = [row.platform || t('platform.none'), row.year, isReady ? leftText(ctx, row) : ''].filter(Boolean);
  return [
    kind
      ? h('img', { class: 'backdrop', alt: '', 'data-key': 'backdrop', src: client.media(row.id, kind, catalog.epoch) })
      : null,
    art(ctx, row, { width: 132, follows: true }),
    h('div', { class: 'words' }, h('p', { class: 'over' }, t('resume.title')),
      h('h2', null, h('a', { href: `#/game/${encodeURIComponent(row.id)}` }, row.name)),
      h('p', { class: 'line' }, facts.join(' · ')),
      h('div', { class: 'acts' }, resumeButtons(ctx, row) ?? [playButton(ctx, row), stopButton(ctx, row)],
        isReady ? discardButton(ctx, row, 'quiet large') : null), isReady ? null : resumeNotice(ctx, row)),
  ];
}
