/**
 * The saves of one game that go from device to device: whether they are shared, which versions there are, and the
 * choice where two devices played.
 */

import { h, icon } from '../../core/dom.js';
import { runBusy } from '../act.js';

/** Whether a game shares its saves; empty follows its platform. */
const MODES = Object.freeze(['', 'on', 'off']);

/**
 * What the page does: sets whether the saves are shared, syncs them, and chooses a version.
 *
 * @typedef {object} Acts
 * @property {string} mode
 * @property {(mode: string) => Promise<void>} setMode
 * @property {() => Promise<void>} sync
 * @property {(version: string) => Promise<void>} choose
 */

/**
 * @param {App.Context} ctx
 * @param {Reply.SaveSync} status
 * @param {Acts} how
 * @returns {HTMLElement}
 */
export function devicesSection(ctx, status, how) {
  const { t } = ctx;
  const mode = h('select', { class: 'input', 'data-focus': 'devices-mode', 'aria-label': t('field.save_sync'),
    on: { change: ({ currentTarget }) => void how.setMode(/** @type {HTMLSelectElement} */ (currentTarget).value) } },
    MODES.map((item) =>
      h('option', { value: item, selected: item === how.mode }, t(item ? `option.${item}` : 'saves.devices.inherit'))
    ));
  const sync = status.on
    ? h('button', { class: 'button', type: 'button', 'data-focus': 'devices-sync',
      on: { click: ({ currentTarget }) => void runBusy(ctx, currentTarget, how.sync) } }, icon('refresh', 'icon-s'),
      t('saves.devices.sync'))
    : null;
  const problem = status.problem ? h('p', { class: 'callout', role: 'note' }, status.problem) : null;
  return h('section', { 'data-key': 'devices' },
    h('div', { class: 'section-head' }, h('h2', null, t('saves.devices')), h('div', { class: 'acts' }, mode, sync)),
    problem, h('p', { role: 'status' }, t(`saves.devices.${status.state}`)), choice(ctx, status, how.choose),
    versions(ctx, status));
}

/**
 * The versions that nobody follows, side by side.
 *
 * @param {App.Context} ctx
 * @param {Reply.SaveSync} status
 * @param {(version: string) => Promise<void>} choose
 */
function choice(ctx, status, choose) {
  if (status.state !== 'conflict') return null;
  const { t, format } = ctx;
  const cards = status.versions.filter((version) => version.newest && !(status.unsent && version.here)).map((
    version,
  ) => ({ id: version.id, picture: version.picture && version.complete,
    title: version.own ? t('saves.devices.own', { device: version.device }) : version.device,
    facts: factsOf(ctx, version), complete: version.complete })
  );
  if (status.unsent && status.local) {
    const { local } = status;
    cards.unshift({ id: '', picture: false, title: t('saves.devices.here'), complete: true,
      facts: [whenOf(ctx, local.changed_at), format.bytes(local.size), ctx.tn('saves.devices.files', local.files)] });
  }
  return h('ul', { class: 'rows devices-choice', 'data-key': 'choice' },
    cards.map((card) =>
      h('li', null, h('span', { class: 'sample' }, card.picture
        ? h('img', { alt: '', decoding: 'async', src: ctx.client.savesPicture(status.game_id, card.id) })
        : icon('archive')), h('div', { class: 'grow' }, card.title, h('small', null, card.facts.join(' · '))),
        card.complete
          ? h('button', { class: 'button', type: 'button', 'data-focus': `choose:${card.id}`,
            'aria-label': `${t('saves.devices.choose')}: ${card.title}, ${card.facts[0]}`,
            on: { click: ({ currentTarget }) => void runBusy(ctx, currentTarget, () => choose(card.id)) } },
            t('saves.devices.choose'))
          : h('small', null, t('saves.devices.arriving')))
    ));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.SaveSync} status
 */
function versions(ctx, status) {
  if (status.state === 'conflict' || status.versions.length === 0) return null;
  const { t } = ctx;
  return h('ul', { class: 'rows', 'data-key': 'versions' },
    status.versions.slice(0, 5).map((version) =>
      h('li', null, icon('archive'),
        h('div', { class: 'grow' }, version.own ? t('saves.devices.own', { device: version.device }) : version.device,
          h('small', null, [...factsOf(ctx, version), version.here ? t('saves.devices.used') : ''].filter(Boolean)
            .join(' · '))))
    ));
}

/**
 * @param {App.Context} ctx
 * @param {Reply.SaveSyncVersion} version
 * @returns {string[]}
 */
function factsOf(ctx, version) {
  return [whenOf(ctx, version.at), ctx.t('saves.devices.played', { time: ctx.format.span(version.playtime_seconds) }),
    ctx.format.bytes(version.size), ctx.tn('saves.devices.files', version.files)];
}

/**
 * @param {App.Context} ctx
 * @param {string} at
 */
function whenOf({ format }, at) {
  return [format.date(at), format.time(at)].filter(Boolean).join(', ');
}
