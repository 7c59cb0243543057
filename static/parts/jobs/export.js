/**
 * The dialog that starts an export: format, which games, whether the paths of media go along.
 */

import { h } from '../../core/dom.js';
import { setBusy } from '../act.js';
import { openDialog, prepareDialog, showFormFailure } from '../dialog.js';

/** @param {App.Context} ctx */
export async function openExport(ctx) {
  const { t, client } = ctx;
  const platforms = ctx.catalog.facets.platforms.map(([name]) => name).filter(Boolean);
  const playlists = await prepareDialog(ctx, 'export', () => playlistNames(ctx));
  if (!playlists) return;
  const format = choice('format', [['json', t('export.json'), t('export.json.text')], ['csv', t('export.csv'),
    t('export.csv.text')]]);
  const scope = h('select', { class: 'input', id: 'export-scope' },
    h('option', { value: 'all' }, t('export.scope.all')), platforms.length > 0
    ? h('optgroup', { label: t('sidebar.platforms') },
      platforms.map((name) => h('option', { value: `platform:${name}` }, name)))
    : null, playlists.length > 0
    ? h('optgroup', { label: t('export.playlists') },
      playlists.map((name) => h('option', { value: `playlist:${name}` }, name)))
    : null);
  const media = h('input', { type: 'checkbox' });
  const start = h('button', { class: 'button primary', type: 'submit' }, t('export.start'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const submit = async () => {
    const cut = scope.value.indexOf(':');
    setBusy(start, true);
    showFormFailure(ctx, dialog.form, null);
    try {
      await client.post('/api/v2/library/export', {
        format: new FormData(dialog.form).get('format'),
        scope: cut < 0 ? scope.value : scope.value.slice(0, cut),
        include_media_paths: media.checked,
        ...(cut < 0 ? {} : { scope_name: scope.value.slice(cut + 1) }),
      });
      dialog.close('started');
      ctx.announce(t('export.started'));
      await ctx.jobs.refresh();
    } catch (error) {
      setBusy(start, false);
      showFormFailure(ctx, dialog.form, error);
    }
  };
  const dialog = openDialog(ctx, {
    title: t('export.title'),
    footer: [cancel, start],
    onSubmit: () => void submit(),
    content: h('div', { class: 'stack' },
      h('fieldset', { class: 'choice-cards' }, h('legend', { class: 'label' }, t('export.format')), format),
      h('div', { class: 'field' }, h('label', { class: 'label', for: 'export-scope' }, t('export.scope')), scope),
      h('label', { class: 'check' }, media, t('export.media'))),
  });
  cancel.addEventListener('click', () => dialog.close(''));
  dialog.form.querySelector('input')?.focus();
}

/**
 * Choices with a line about each, the first one taken.
 *
 * @param {string} name
 * @param {[value: string, label: string, text: string][]} rows
 */
function choice(name, rows) {
  return rows.map(([value, label, text], index) =>
    h('label', { class: 'card-choice' }, h('input', { type: 'radio', name, value, checked: index === 0 }),
      h('span', null, h('b', null, label), h('small', null, text)))
  );
}

/**
 * @param {App.Context} ctx
 * @returns {Promise<string[]>} none when they cannot be read; everything can be exported without them
 */
async function playlistNames(ctx) {
  try {
    /** @type {{playlists?: {name: string}[]}} */
    const { playlists = [] } = await ctx.client.get('/api/library', { offset: 0, limit: 0 });
    return playlists.map(({ name }) => name);
  } catch (error) {
    ctx.fail(error);
    return [];
  }
}
