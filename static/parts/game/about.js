/**
 * What is known about a game: its first screenshots, description, facts, own fields, tags and files.
 */

import { achievementsSection } from './achievements.js';
import { shotStrip } from './gallery.js';
import { h, icon, patch } from '../../core/dom.js';
import { makeRow } from '../../data/game.js';
import { gameFacts, markList, tagList } from '../library/details.js';

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function aboutPanel(ctx, id) {
  const { t } = ctx;
  const columns = h('div', { class: 'columns' });
  const achievements = achievementsSection(ctx, id);
  const shots = h('div', null);
  const root = h('div', null, shots, columns, achievements.element);
  const section = (/** @type {string} */ key, /** @type {App.Child} */ content) =>
    h('section', null, h('h2', null, t(key)), content);
  return {
    element: root,
    update: (record) => {
      achievements.update(record);
      patch(shots, shotStrip(ctx, id, record));
      const facts = [gameFacts(ctx, record), ownFields(record), tagList(ctx, record), markList(ctx, makeRow(record))]
        .filter((part) => part !== null);
      patch(columns, h('div', null, section('game.about', record.description
        ? h('p', { class: 'prose' }, record.description)
        : [h('p', { class: 'none' }, t('game.noDescription')),
          h('button', { class: 'button owner-only', type: 'button', 'data-focus': 'write',
            on: { click: () => void ctx.actions.edit(id) } }, icon('edit', 'icon-s'), t('action.edit'))]),
        otherNames(ctx, record)),
        h('div', null, facts.length > 0 ? section('game.facts', facts) : null,
          section('game.files', files(ctx, record))));
    },
  };
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 */
function otherNames(ctx, record) {
  const names = record.alternate_names ?? [];
  return names.length > 0
    ? h('section', null, h('h2', null, ctx.t('field.alternate_names')),
      h('ul', { class: 'plain' }, names.map((name) => h('li', null, name))))
    : null;
}

/**
 * Fields the user defined in the settings.
 *
 * @param {Api.Game} record
 */
function ownFields(record) {
  const fields = Object.entries(/** @type {Record<string, string>} */ (record['custom_fields'] ?? {})).filter((
    [, value],
  ) => value);
  return fields.length > 0
    ? h('dl', { class: 'facts' }, fields.map(([name, value]) => [h('dt', null, name), h('dd', null, value)]))
    : null;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Game} record
 */
function files(ctx, record) {
  const { t } = ctx;
  const fact = (/** @type {string} */ label,
    /** @type {string} */ value) => (value ? [h('dt', null, label), h('dd', { class: 'path' }, value)] : null);
  const discs = Array.isArray(record['discs']) ? record['discs'].length : 0;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(record.path ?? '');
      ctx.toasts.show({ kind: 'good', text: t('notice.copied') });
    } catch (failure) {
      ctx.fail(failure);
    }
  };
  return [
    h('dl', { class: 'facts files' }, fact(t('field.path'), record.path ?? ''),
      fact(t('field.launch'), String(record['launch'] ?? '')), fact(t('game.discs'), discs > 1 ? String(discs) : ''),
      fact(t('field.save_paths'), (record.save_paths ?? []).join('\n'))),
    record.path
      ? h('button', { class: 'button', type: 'button', 'data-focus': 'copy', on: { click: () => void copy() } },
        icon('copy', 'icon-s'), t('action.copyPath'))
      : null,
  ];
}
