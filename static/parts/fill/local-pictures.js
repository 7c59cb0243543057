/**
 * Pictures that other programs keep on this computer: what they would fill is shown first, and a job adds what is
 * agreed to.
 */

import { busyButton } from '../act.js';
import { ApiError } from '../../core/client.js';
import { fill, h, icon } from '../../core/dom.js';
import { openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { waitBox } from '../state-box.js';

const PREVIEW = '/api/v2/media/local/preview';
const APPLY = '/api/v2/media/local/apply';

/**
 * What leads to it.
 *
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function localCard(ctx) {
  const { t } = ctx;
  return h('section', { class: 'database local' }, h('div', { class: 'symbol' }, icon('folder')),
    h('div', { class: 'what' }, h('h2', null, t('local.title')), h('p', { class: 'line' }, t('local.short'))),
    h('div', { class: 'acts' },
      busyButton(ctx, { label: t('relink.look'), symbol: 'search', focus: 'local', about: t('local.title'),
        run: () => openLocalPictures(ctx) })));
}

/** @param {App.Context} ctx */
async function openLocalPictures(ctx) {
  const { t, tn, client, jobs, toasts, format } = ctx;
  const folder = makeField({ key: 'folder', kind: 'text', value: '', label: t('relink.folder'),
    hint: t('local.folder.hint'), mono: true, wide: true, isPath: true });
  const plan = h('div', { class: 'relink-plan', role: 'status' });
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const go = h('button', { class: 'button primary', type: 'submit' }, t('relink.look'));
  /** @type {Reply.LocalMediaPlan | null} */
  let found = null;

  const forget = () => {
    found = null;
    go.textContent = t('relink.look');
    go.disabled = false;
    fill(plan);
  };
  const draw = (/** @type {Reply.LocalMediaPlan} */ { counts, fields, items, truncated }) => {
    fill(plan, h('p', null, counts.items === 0 ? t('local.none') : tn('local.games', counts.games)), fields.length > 0
      ? h('p', { class: 'reasons' },
        fields.map(({ field, count }) => h('span', null, `${t(`choice.${field}`)} ${format.number(count)}`)))
      : null, items.length > 0
      ? h('ul', { class: 'rows findings scroll' },
        items.map(({ name, field, path }) =>
          h('li', { class: 'extra' },
            h('div', { class: 'grow' }, h('b', null, name),
              h('small', { class: 'mono-path', title: path }, `${t(`choice.${field}`)} · ${path}`)))
        ))
      : null, counts.items > items.length
      ? h('p', { class: 'hints' }, t('local.more', { count: format.number(counts.items) }))
      : null, truncated ? h('p', { class: 'hints' }, t('local.cut')) : null);
    go.textContent = counts.items === 0 ? t('relink.look') : tn('local.add', counts.items);
    go.disabled = counts.items === 0;
  };
  const look = async () => {
    forget();
    go.disabled = true;
    fill(plan, waitBox(ctx));
    try {
      const path = String(folder.read());
      found = await client.post(PREVIEW, path ? { folders: [path] } : {});
      draw(found);
    } catch (failure) {
      forget();
      throw failure;
    }
  };
  const apply = async (/** @type {Reply.LocalMediaPlan} */ { plan_id: id }) => {
    go.disabled = true;
    try {
      await client.post(APPLY, { plan_id: id });
      dialog.close('begun');
      toasts.show({ kind: 'good', text: t('local.begun'), actions: [{ label: t('action.show'), run: () =>
        ctx.router.go('/jobs') }] });
      void jobs.refresh();
    } catch (failure) {
      go.disabled = false;
      if (!(failure instanceof ApiError && failure.status === 409)) throw failure;
      await look();
      throw new ApiError(t('relink.stale'), { status: 409, code: failure.code, requestId: failure.requestId,
        path: APPLY });
    }
  };
  const submit = async () => {
    if (go.disabled) return;
    folder.fail('');
    showFormFailure(ctx, dialog.form, null);
    await (found ? apply(found) : look()).catch((failure) => showFieldFailure(ctx, dialog.form, folder, failure));
  };
  const dialog = openDialog(ctx, {
    title: t('local.title'),
    width: 640,
    content: [h('p', { class: 'hints' }, t('local.about')), h('div', { class: 'form-grid' }, folder.element), plan],
    footer: [cancel, go],
    onSubmit: () => void submit(),
  });
  folder.control.addEventListener('input', forget);
  cancel.addEventListener('click', () => dialog.close(''));
  folder.control.focus();
  await dialog.closed;
}
