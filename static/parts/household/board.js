/**
 * The board of a household: who belongs to it, and the leaderboard of a period from what members share.
 */

import { busyButton, setBusy } from '../act.js';
import { openDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { emptyBox, showFailure, smallEmptyBox, waitBox } from '../state-box.js';
import { avatar, exchangeLine } from './exchange.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { COLOURS, hueOf, memberId, membersOf, PERIODS } from '../../data/household.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function boardPanel(ctx, signal) {
  const root = h('div', { class: 'household' }, waitBox(ctx));
  /** @type {typeof PERIODS[number]} */
  let period = 'all_time';
  const load = coalesce(async () => {
    try {
      const [household, { leaderboard }] = await Promise.all([ctx.client.get('/api/v2/household'),
        ctx.client.get('/api/v2/household/leaderboard', { period })]);
      if (!signal.aborted) draw(household, leaderboard);
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.people') !== null);
    }
  });
  const draw = (/** @type {Reply.HouseholdView} */ household,
    /** @type {Reply.HouseholdLeaderboard} */ leaderboard) => {
    const { t } = ctx;
    const members = membersOf(/** @type {Api.HouseholdRecord[]} */ (/** @type {unknown} */ (household.records)));
    const add = h('button', { class: 'button primary', type: 'button', 'data-focus': 'add',
      on: { click: () => void editMember(ctx, null, members).then((done) => (done ? load() : undefined)) } },
      icon('plus', 'icon-s'), t('household.member.add'));
    if (members.length === 0) {
      patch(root, exchangeLine(ctx, household, load), emptyBox(ctx, 'players', 'household.none', add));
      return;
    }
    patch(root, exchangeLine(ctx, household, load),
      h('section', { 'data-key': 'members' },
        h('div', { class: 'section-head' }, h('h2', null, t('household.members')), h('div', { class: 'acts' }, add)),
        h('ul', { class: 'people', 'aria-label': t('household.members') },
          members.map((member) => person(ctx, member, household.stats_sharing, members, load)))),
      h('section', { 'data-key': 'board' },
        h('div', { class: 'section-head' }, h('h2', null, t('household.leaderboard')),
          h('div', { class: 'segment wraps', role: 'group', 'aria-label': t('household.period') },
            PERIODS.map((name) =>
              h('button', { type: 'button', 'aria-pressed': String(name === period), 'data-focus': `period-${name}`,
                on: { click: () => {
                  period = name;
                  void load();
                } } }, t(`household.period.${name}`))
            ))), leaderboard.entries.length === 0
        ? smallEmptyBox(ctx, 'chart', household.stats_sharing ? 'household.nothingShared' : 'household.sharingOff',
          household.stats_sharing
            ? null
            : h('a', { class: 'button', href: '#/settings/sharing' }, t('household.settings')))
        : ranking(ctx, leaderboard.entries)));
  };
  ctx.bus.on('sections', ({ names }) => {
    if (names.includes('household') || names.includes('settings')) void load();
  }, signal);
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {Api.HouseholdMember} member
 * @param {boolean} mayShare
 * @param {readonly Api.HouseholdMember[]} members
 * @param {() => Promise<void>} load
 */
function person(ctx, member, mayShare, members, load) {
  const { t, client, toasts } = ctx;
  const { member_id: id, display_name: name } = member;
  return h('li', { class: 'person', 'data-member': id, 'data-key': id }, avatar(name, hueOf(member.avatar_color)),
    h('b', null, name),
    h('div', { class: 'acts' },
      h('button', { class: 'icon-button', type: 'button', 'data-focus': `edit:${id}`,
        'aria-label': `${t('action.edit')}: ${name}`, title: t('action.edit'),
        on: { click: () => void editMember(ctx, member, members).then((done) => (done ? load() : undefined)) } },
        icon('edit')), mayShare
      ? busyButton(ctx, { label: t('household.share'), symbol: 'chart', focus: `share:${id}`, about: name,
        run: async () => {
          await client.post('/api/v2/household/share', { member_id: id });
          toasts.show({ kind: 'good', text: t('household.shared', { name }) });
          await load();
        } })
      : null));
}

/**
 * @param {App.Context} ctx
 * @param {readonly Reply.HouseholdLeaderboardEntry[]} entries
 */
function ranking({ t, tn, format }, entries) {
  const most = Math.max(1, ...entries.map(({ completions }) => completions));
  return h('ol', { class: 'ranking', 'aria-label': t('household.leaderboard') },
    entries.map((entry) =>
      h('li', { class: entry.rank === 1 ? 'first' : '', 'data-key': entry.member_id },
        h('span', { class: 'rank' }, format.number(entry.rank)), avatar(entry.display_name, hueOf(entry.avatar_color)),
        h('div', { class: 'who' }, h('b', null, entry.display_name),
          h('span', { class: 'bar', 'aria-hidden': 'true',
            style: { '--part': `${(100 * entry.completions) / most}%` } }, h('i', null)),
          h('small', null,
            [format.span(entry.playtime_seconds), tn('household.games', entry.games_played),
              tn('household.wins', entry.wins)].join(' · '))),
        h('span', { class: 'score' }, tn('household.completions', entry.completions)))
    ));
}

/**
 * @param {App.Context} ctx
 * @param {Api.HouseholdMember | null} member `null` for a new one
 * @param {readonly Api.HouseholdMember[]} members
 * @returns {Promise<boolean>} whether something was saved
 */
async function editMember(ctx, member, members) {
  const { t, client } = ctx;
  const name = makeField({ key: 'display_name', kind: 'text', value: member?.display_name ?? '',
    label: t('household.member.name'), required: true });
  const colour = makeField({ key: 'avatar_color', kind: 'select', value: member?.avatar_color ?? 'blue',
    label: t('household.member.colour'),
    options: Object.keys(COLOURS).map((value) => ({ value, label: t(`household.colour.${value}`) })) });
  const yes = h('button', { class: 'button primary', type: 'submit' }, t('action.save'));
  const no = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, { title: member?.display_name ?? t('household.member.add'), width: 440,
    content: h('div', { class: 'stack' }, name.element, colour.element), footer: [no, yes],
    onSubmit: () => void save() });
  const save = async () => {
    setBusy(yes, true);
    const text = String(name.read());
    try {
      await client.post('/api/v2/household/member', { member_id: member?.member_id ?? memberId(text, members),
        display_name: text, avatar_color: colour.read(), stats_shared: member?.stats_shared ?? true });
      dialog.close('done');
    } catch (error) {
      showFormFailure(ctx, dialog.form, error);
    } finally {
      setBusy(yes, false);
    }
  };
  no.addEventListener('click', () => dialog.close(''));
  name.control.focus();
  return (await dialog.closed) === 'done';
}
