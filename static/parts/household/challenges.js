/**
 * Challenges of the household as cards: how far everybody is, who won, adding one and a result.
 */

import { setBusy } from '../act.js';
import { openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { avatar } from './exchange.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { hueOf, membersOf, METRICS } from '../../data/household.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function challengesPanel(ctx, signal) {
  const root = h('div', { class: 'household' }, waitBox(ctx));
  const { t } = ctx;
  const load = coalesce(async () => {
    try {
      const { challenges, records } = await ctx.client.get('/api/v2/household');
      if (signal.aborted) return;
      const members = membersOf(/** @type {Api.HouseholdRecord[]} */ (/** @type {unknown} */ (records)));
      const add = h('button', { class: 'button primary', type: 'button', 'data-focus': 'add', on: { click: () =>
        void newChallenge(ctx).then((done) => (done ? load() : undefined)) } }, icon('plus', 'icon-s'),
        t('household.challenge.add'));
      patch(root, challenges.length === 0
        ? emptyBox(ctx, 'star', 'household.noChallenges', add)
        : [
          h('div', { class: 'panel-head', 'data-key': 'head' },
            h('p', { class: 'about' }, ctx.tn('household.challenges', challenges.length)), add),
          h('ul', { class: 'challenges', 'aria-label': t('household.tab.challenges') }, challenges.map((challenge) =>
            card(ctx, challenge, members, load)
          )),
        ]);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.challenges') !== null);
    }
  });
  ctx.bus.on('sections', ({ names }) => {
    if (names.includes('household')) void load();
  }, signal);
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {string} metric
 * @param {number} value
 */
function amount({ format }, metric, value) {
  return metric === 'playtime_seconds' ? format.span(value) : format.number(value);
}

/**
 * @param {App.Context} ctx
 * @param {Reply.HouseholdChallenge} challenge
 * @param {readonly Api.HouseholdMember[]} members
 * @param {() => Promise<void>} load
 */
function card(ctx, challenge, members, load) {
  const { t } = ctx;
  const { challenge_id: id, metric, target } = challenge;
  const who = new Map(members.map((member) => [member.member_id, member]));
  const nameOf = (/** @type {string} */ member) => who.get(member)?.display_name ?? member;
  const state = challenge.winner
    ? t('household.won', { name: nameOf(challenge.winner.member_id) })
    : t(challenge.expired ? 'household.over' : 'household.running');
  return h('li', { class: challenge.winner ? 'challenge won' : 'challenge', 'data-challenge': id, 'data-key': id },
    h('div', { class: 'top' }, h('span', { class: 'glyph' }, icon(challenge.winner ? 'star' : 'clock')),
      h('div', { class: 'who' }, h('h2', null, challenge.title),
        h('p', { class: 'state' }, [t(`household.metric.${metric}`), state].join(' · ')))),
    challenge.members.length === 0
      ? h('p', { class: 'none' }, t('household.noResults'))
      : h('ol', { class: 'standings' }, [...challenge.members].sort((a, b) => b.current - a.current).map((row) => {
        const name = nameOf(row.member_id);
        return h('li', { 'data-key': row.member_id },
          avatar(name, hueOf(who.get(row.member_id)?.avatar_color ?? 'blue')),
          h('span', { class: 'who' }, h('b', null, name),
            h('span', { class: 'bar', 'aria-hidden': 'true',
              style: { '--part': `${Math.min(100, (100 * row.current) / Math.max(1, target))}%` } }, h('i', null))),
          h('span', { class: 'score' },
            t('household.of', { part: amount(ctx, metric, row.current), all: amount(ctx, metric, target) })),
          row.completed ? icon('tick', 'icon-s') : null);
      })), h('div', { class: 'acts' }, members.length > 0 && !challenge.winner
      ? h('button', { class: 'button', type: 'button', 'data-focus': `result:${id}`,
        'aria-label': `${t('household.result.add')}: ${challenge.title}`,
        on: { click: () => void newResult(ctx, challenge, members).then((done) => (done ? load() : undefined)) } },
        icon('plus', 'icon-s'), t('household.result.add'))
      : null));
}

/**
 * A dialog with fields that are sent together.
 *
 * @param {App.Context} ctx
 * @param {string} title
 * @param {readonly App.Field[]} fields
 * @param {() => Promise<unknown>} send
 * @returns {Promise<boolean>} whether it was accepted
 */
async function askFields(ctx, title, fields, send) {
  const { t } = ctx;
  const yes = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const no = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, { title, width: 460, footer: [no, yes],
    content: h('div', { class: 'stack' }, fields.map(({ element }) => element)), onSubmit: () => void save() });
  const save = async () => {
    setBusy(yes, true);
    try {
      await send();
      dialog.close('done');
    } catch (error) {
      showFormFailure(ctx, dialog.form, error);
    } finally {
      setBusy(yes, false);
    }
  };
  no.addEventListener('click', () => dialog.close(''));
  fields[0]?.control.focus();
  return (await dialog.closed) === 'done';
}

/** @param {App.Context} ctx */
function newChallenge(ctx) {
  const { t, client } = ctx;
  const title = makeField({ key: 'title', kind: 'text', value: '', label: t('household.challenge.title'),
    required: true });
  const metric = makeField({ key: 'metric', kind: 'select', value: 'completions',
    label: t('household.challenge.metric'),
    options: METRICS.map((value) => ({ value, label: t(`household.metric.${value}`) })) });
  const target = makeField({ key: 'target', kind: 'number', value: 3, min: 1, max: 1_000_000,
    label: t('household.challenge.target'), hint: t('household.challenge.target.hint') });
  return askFields(ctx, t('household.challenge.add'), [title, metric, target],
    () =>
      client.post('/api/v2/household/challenge', { title: title.read(), metric: metric.read(),
        target: stored(String(metric.read()), Number(target.read())) }));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.HouseholdChallenge} challenge
 * @param {readonly Api.HouseholdMember[]} members
 */
function newResult(ctx, { challenge_id: id, metric, title }, members) {
  const { t, client } = ctx;
  const member = makeField({ key: 'member', kind: 'select', value: members[0]?.member_id ?? '',
    label: t('household.result.member'),
    options: members.map(({ member_id: value, display_name: label }) => ({ value, label })) });
  const value = makeField({ key: 'value', kind: 'number', value: 1, min: 0, max: 1_000_000,
    label: t('household.result.value'), hint: t(`household.metric.${metric}`) });
  return askFields(ctx, title, [member, value],
    () =>
      client.post('/api/v2/household/challenge/result', { challenge_id: id, member_id: member.read(),
        value: stored(metric, Number(value.read())) }));
}

/**
 * What is stored of a number that the user wrote: time is written in hours.
 *
 * @param {string} metric
 * @param {number} value
 */
function stored(metric, value) {
  return metric === 'playtime_seconds' ? Math.round(value * 3600) : value;
}
