/**
 * Repairing the findings of a dimension: what will happen is shown first, and a message takes it back.
 */

import { setBusy } from '../act.js';
import { openDialog, prepareDialog, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { ApiError } from '../../core/client.js';
import { h, patch } from '../../core/dom.js';

const FIX = '/api/v2/library/health/fix';

/** Rows of a preview that are shown. */
const SHOWN = 100;

/**
 * What a plan may say.
 *
 * @typedef {{kind: string, merges?: {primary: {name: string}, absorbed: {name: string}[]}[],
 *   matches?: {game_id: string, from: string, to: string}[], targets?: string[], game_ids?: string[], action?: string,
 *   platforms?: string[]}} Plan
 */

/**
 * @param {App.Context} ctx
 * @param {string} dimension
 * @param {() => Promise<void>} onUndone
 * @returns {Promise<boolean>} whether anything was repaired
 */
export async function openFix(ctx, dimension, onUndone) {
  const { t, client, router } = ctx;
  const name = t(`score.${dimension}`);
  const folder = makeField({ key: 'folder', kind: 'text', value: '', label: t('relink.folder'), mono: true, wide: true,
    isPath: true });
  const ask = (/** @type {object} */ more) =>
    client.post(FIX, { dimension, issue_ids: 'all', ...(folder.read() ? { folder: folder.read() } : {}), ...more });
  /** @type {Reply.FixReply | null | void} */
  const first = await prepareDialog(ctx, `fix ${dimension}`, () => ask({ dry_run: true })).catch(ctx.fail);
  if (!first) return false;
  let preview = first;
  const body = h('div', { class: 'fix-plan' });
  const said = h('p', { class: 'hints', role: 'status' });
  const cancel = h('button', { class: 'button', type: 'button', on: { click: () => dialog.close('') } },
    t('action.cancel'));
  const go = h('button', { class: 'button primary', type: 'submit' });
  const planOf = () => /** @type {Plan} */ (preview.plan ?? { kind: '' });
  const draw = () => {
    const plan = planOf();
    const { kind } = plan;
    const rows = rowsOf(ctx, plan);
    const isNothing = kind === 'relink' && rows.length === 0;
    go.textContent = kind === 'repair_wizard' || isNothing
      ? t('score.fix.look')
      : kind === 'manual'
      ? t(plan.action === 'open_editor' ? 'place.fill' : 'play.setUp')
      : t('score.fix.go');
    patch(body, h('p', { 'data-key': 'about' }, t(aboutOf(plan))),
      kind === 'repair_wizard' || kind === 'relink' ? folder.element : null,
      isNothing ? h('p', { class: 'hints' }, t('score.fix.nothing')) : null, rows.length > 0
      ? h('ul', { class: 'rows findings scroll short', tabindex: 0, 'aria-label': name }, rows.slice(0, SHOWN).map((
        [title, detail],
      ) =>
        h('li', { class: 'extra' },
          h('div', { class: 'grow' }, h('b', null, title),
            detail ? h('small', { class: 'mono-path', title: detail }, detail) : null))
      ))
      : null, rows.length > SHOWN
      ? h('p', { class: 'hints' }, t('relink.all', { count: ctx.format.number(rows.length) }))
      : null);
  };
  const look = async () => {
    preview = await ask({ dry_run: true });
    draw();
  };
  const apply = async () => {
    const plan = planOf();
    if (plan.kind === 'manual') {
      dialog.close('');
      router.go(plan.action === 'open_editor' ? '/fill' : '/health/launch');
      return;
    }
    if (plan.kind === 'repair_wizard' || (plan.kind === 'relink' && rowsOf(ctx, plan).length === 0)) {
      await look();
      return;
    }
    try {
      const { fix_id: id } = await ask({ base_token: preview.base_token });
      dialog.close('fixed');
      ctx.toasts.show({ kind: 'good', text: t('score.fix.done', { name }), actions: id
        ? [{ label: t('action.undo'), run: () => void undo(ctx, id, onUndone) }]
        : [] });
    } catch (error) {
      if (!(error instanceof ApiError && /stale/i.test(error.message))) throw error;
      await look();
      said.textContent = t('score.fix.stale');
    }
  };
  const submit = async () => {
    if (go.getAttribute('aria-busy') === 'true') return;
    showFormFailure(ctx, dialog.form, null);
    folder.fail('');
    setBusy(go, true);
    try {
      await apply();
    } catch (error) {
      const known = ApiError.from(error);
      if (known.status === 400 && body.contains(folder.element)) folder.fail(known.message);
      else showFormFailure(ctx, dialog.form, known);
    } finally {
      setBusy(go, false);
    }
  };
  const dialog = openDialog(ctx, { title: t('score.fix.title', { name }), width: 620, content: [body, said],
    footer: [cancel, go], onSubmit: () => void submit() });
  draw();
  if (planOf().kind === 'repair_wizard') folder.control.focus();
  else go.focus();
  return (await dialog.closed) === 'fixed';
}

/**
 * @param {Plan} plan
 * @returns {string} the key of the sentence that says what happens
 */
function aboutOf({ kind, action }) {
  switch (kind) {
    case 'merge':
      return 'score.fix.merge';
    case 'repair_wizard':
      return 'score.fix.folder';
    case 'relink':
      return 'score.fix.relink';
    case 'artwork_doctor':
      return 'score.fix.pictures';
    default:
      return action === 'open_editor' ? 'score.fix.editor' : 'score.fix.emulators';
  }
}

/**
 * What a plan does, a line for each game or platform.
 *
 * @param {App.Context} ctx
 * @param {Plan} plan
 * @returns {[string, string][]}
 */
function rowsOf({ catalog }, plan) {
  const named = (/** @type {string} */ id) => catalog.find(id)?.name ?? id;
  switch (plan.kind) {
    case 'merge':
      return (plan.merges ?? []).map((
        { primary, absorbed },
      ) => [primary.name, `← ${absorbed.map(({ name }) => name).join(', ')}`]);
    case 'relink':
      return (plan.matches ?? []).map(({ game_id: id, to }) => [named(id), to]);
    case 'artwork_doctor':
      return (plan.targets ?? []).map((id) => [named(id), '']);
    default:
      return plan.platforms
        ? plan.platforms.map((name) => [name, ''])
        : (plan.game_ids ?? []).map((id) => [named(id), '']);
  }
}

/**
 * @param {App.Context} ctx
 * @param {string} id of the repair
 * @param {() => Promise<void>} onUndone
 */
async function undo(ctx, id, onUndone) {
  const { t, client, catalog, toasts } = ctx;
  try {
    const { undone } = await client.post('/api/v2/library/health/undo', { fix_id: id });
    if (!undone) {
      toasts.show({ text: t('score.fix.wait'), actions: [{ label: t('action.undo'), run: () =>
        void undo(ctx, id, onUndone) }] });
      return;
    }
    toasts.show({ kind: 'good', text: t('score.fix.undone') });
    await Promise.all([catalog.load(), onUndone()]);
  } catch (error) {
    ctx.fail(error);
  }
}
