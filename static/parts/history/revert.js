/**
 * Taking back a change of the journal: first the plan, then the change itself. When the game changed since the plan was
 * made nothing is written and the new plan is shown.
 */

import { ApiError } from '../../core/client.js';
import { fill, h } from '../../core/dom.js';
import { changeTable } from '../changes.js';
import { openDialog, showFormFailure } from '../dialog.js';

const PATH = '/api/v2/library/journal/revert';

/** The code of a plan that is too old. */
const STALE = 'TM_REVERT_STALE';

/**
 * @param {App.Context} ctx
 * @param {Api.JournalEvent} event
 * @param {boolean} undo take this one change back, instead of bringing the game to what it was after it
 */
export async function openRevert(ctx, event, undo) {
  const { t, client } = ctx;
  const request = { event_id: event.event_id, game_id: event.game_id, undo };
  const body = h('div', { class: 'revert' }, h('div', { class: 'wait' }));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const apply = h('button', { class: 'button primary', type: 'submit', disabled: true }, t('revert.apply'));
  /** @type {Api.RevertPlan | null} */
  let plan = null;
  const preview = async () => {
    ({ plan } = /** @type {Reply.RevertPreview} */ (await client.post(PATH, request)));
    apply.disabled = plan.noop;
    fill(body,
      h('p', null, t(plan.noop ? 'revert.nothing' : undo ? 'revert.undo' : 'revert.back', { name: event.name })),
      planOf(ctx, plan));
  };
  const refuse = (/** @type {unknown} */ failure) => showFormFailure(ctx, dialog.form, failure);
  const submit = async () => {
    if (!plan || plan.noop) return;
    showFormFailure(ctx, dialog.form, null);
    apply.disabled = true;
    try {
      await client.post(PATH, { ...request, apply: true, base_token: plan.base_token });
      dialog.close('applied');
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 409) {
        await preview().catch(refuse);
        showFormFailure(ctx, dialog.form,
          new ApiError(t('revert.stale'), { status: 409, code: failure.code || STALE, requestId: failure.requestId,
            path: PATH }));
      } else {
        refuse(failure);
        apply.disabled = false;
      }
    }
  };
  const dialog = openDialog(ctx, { title: t(undo ? 'journal.undo' : 'journal.back'), width: 720, content: body,
    footer: [cancel, apply], onSubmit: () => void submit() });
  cancel.addEventListener('click', () => dialog.close(''));
  try {
    await preview();
    (apply.disabled ? cancel : apply).focus();
  } catch (failure) {
    fill(body, h('p', null, t('revert.refused')));
    refuse(failure);
    cancel.focus();
  }
  if ((await dialog.closed) !== 'applied') return;
  ctx.toasts.show({ kind: 'good', text: t('revert.done', { name: event.name }) });
  await ctx.actions.reload(event.game_id);
}

/**
 * @param {App.Context} ctx
 * @param {Api.RevertPlan} plan
 */
function planOf(ctx, plan) {
  if (plan.noop || plan.changes.length === 0) return null;
  return changeTable(ctx,
    plan.changes.map(({ field, from, to, action }) => ({ field, from, to: action === 'remove' ? '' : to })));
}
