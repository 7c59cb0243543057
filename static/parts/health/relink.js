/**
 * Files that were moved: a folder is looked through for them, what was found is shown, and what is agreed to takes the
 * place of the paths that lead nowhere.
 */

import { ApiError } from '../../core/client.js';
import { fill, h } from '../../core/dom.js';
import { openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { waitBox } from '../state-box.js';

const PREVIEW = '/api/v2/library/repair/preview';
const APPLY = '/api/v2/library/repair/apply';

/** Paths of each kind that are shown for a look. */
const SHOWN = 200;

/**
 * @param {App.Context} ctx
 * @returns {Promise<number>} paths that were put right
 */
export async function openRelink(ctx) {
  const { t, tn, client } = ctx;
  const folder = makeField({ key: 'folder', kind: 'text', value: '', label: t('relink.folder'),
    hint: t('relink.folder.hint'), mono: true, wide: true, required: true, isPath: true });
  const body = h('div', { class: 'revert' }, h('p', { class: 'hints' }, t('relink.about')), folder.element);
  const plan = h('div', { class: 'relink-plan', role: 'status' });
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const go = h('button', { class: 'button primary', type: 'submit' }, t('relink.look'));
  /** @type {Api.RepairPlan | null} */
  let found = null;
  /** Places of the matches in the plan that are left alone. */
  const left = /** @type {Set<number>} */ (new Set());
  let updated = 0;

  const forget = () => {
    found = null;
    go.textContent = t('relink.look');
    go.disabled = false;
    fill(plan);
  };
  const look = async () => {
    forget();
    go.disabled = true;
    fill(plan, waitBox(ctx));
    try {
      /** @type {Api.RepairPlan} */
      const answer = await client.post(PREVIEW, { folder: folder.read() });
      left.clear();
      found = answer;
      draw(answer);
    } catch (failure) {
      forget();
      throw failure;
    }
  };
  const choose = () => {
    const count = left.size === 0 ? (found?.counts.matched ?? 0) : (found?.matches.length ?? 0) - left.size;
    go.textContent = tn('relink.apply', count);
    go.disabled = count === 0;
  };
  const draw = (/** @type {Api.RepairPlan} */ { matches, ambiguous, counts }) => {
    const row = (/** @type {Api.RepairMatch} */ match, /** @type {number} */ index) => {
      const box = h('input', { type: 'checkbox', checked: true, 'aria-label': t('relink.take', { name: match.name }) });
      box.addEventListener('change', () => {
        if (box.checked) left.delete(index);
        else left.add(index);
        choose();
      });
      return h('li', { class: 'extra' }, box,
        h('div', { class: 'grow' }, h('b', null, match.name),
          h('small', { class: 'mono-path', title: match.from }, match.relative)));
    };
    fill(plan, h('p', null, counts.matched === 0 ? t('relink.none') : tn('relink.found', counts.matched)),
      matches.length > 0 ? h('ul', { class: 'rows findings scroll' }, matches.slice(0, SHOWN).map(row)) : null,
      counts.matched > SHOWN
        ? h('p', { class: 'hints' }, t('relink.all', { count: ctx.format.number(counts.matched) }))
        : null, counts.ambiguous > 0 ? h('p', { class: 'hints' }, tn('relink.ambiguous', counts.ambiguous)) : null,
      counts.ambiguous > 0
        ? h('ul', { class: 'plain scroll short' },
          ambiguous.slice(0, SHOWN).map(({ name, choices }) =>
            h('li', null, name, ' ', h('small', { class: 'mono-path' }, choices.map(({ relative }) =>
              relative
            ).join(', ')))
          ))
        : null, counts.unmatched > 0 ? h('p', { class: 'hints' }, tn('relink.unmatched', counts.unmatched)) : null);
    choose();
  };
  const apply = async (/** @type {Api.RepairPlan} */ { matches, base_token: token }) => {
    go.disabled = true;
    // Everything needs no list; a list of positions is the shortest, and the token says that they still hold.
    const selection = left.size === 0
      ? undefined
      : matches.filter((_, index) => !left.has(index)).map(({ id, field }) => [id, field]);
    try {
      /** @type {{updated: number}} */
      const answer = await client.post(APPLY, { folder: folder.read(), base_token: token, selection });
      updated = answer.updated;
      dialog.close('applied');
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
  const dialog = openDialog(ctx, { title: t('relink.title'), width: 680, content: [body, plan], footer: [cancel, go],
    onSubmit: () => void submit() });
  folder.control.addEventListener('input', forget);
  cancel.addEventListener('click', () => dialog.close(''));
  folder.control.focus();
  await dialog.closed;
  if (updated > 0) ctx.toasts.show({ kind: 'good', text: tn('relink.done', updated) });
  return updated;
}
