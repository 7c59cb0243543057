/**
 * Pictures that other programs keep on this computer: a job looks for them, what they would fill is shown, and another
 * job adds what is agreed to.
 */

import { busyButton, setBusy } from '../act.js';
import { ApiError } from '../../core/client.js';
import { fill, h, icon, patch } from '../../core/dom.js';
import { openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { jobBar, jobTitle } from '../job-card.js';
import { waitBox } from '../state-box.js';
import { JOBS } from '../../data/filling.js';

const PREVIEW = '/api/v2/media/local/preview';
const PLAN = '/api/v2/media/local/plan';
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

/**
 * Looks for pictures until that is not wanted any more.
 *
 * @param {App.Context} ctx
 * @param {string} folder the usual ones when it is empty
 * @param {AbortSignal} wanted
 * @param {(job: Api.Job) => void} seen
 * @returns {Promise<Reply.LocalMediaPlan | null>} `null` when it was not wanted any more
 */
async function search(ctx, folder, wanted, seen) {
  const { t, client, jobs } = ctx;
  let id = '';
  const stop = async () => {
    if (!id) return;
    try {
      await jobs.act(id, 'cancel');
    } catch (failure) {
      // One that has ended meanwhile cannot be stopped.
      if (!(failure instanceof ApiError && failure.status === 409)) ctx.fail(failure);
    }
  };
  wanted.addEventListener('abort', () => void stop(), { once: true });
  const job = await jobs.follow(JOBS.look, async () => {
    const begun = await client.post(PREVIEW, folder ? { folders: [folder] } : {});
    id = begun.job_id;
    if (wanted.aborted) void stop();
    return begun;
  }, seen);
  id = '';
  if (wanted.aborted) return null;
  if (job.state === 'done') return client.get(PLAN, { plan_id: String(job.result?.['plan_id'] ?? '') });
  const [fault, title] = [job.error_detail, jobTitle(ctx, job)];
  throw new ApiError(
    fault?.message ??
      (job.state === 'cancelled' ? t('job.told.cancelled', { title }) : `${title}: ${t(`job.state.${job.state}`)}`),
    { status: fault?.code === 'BAD_REQUEST' ? 400 : 0, code: fault?.code ?? '', requestId: fault?.request_id ?? '',
      path: PREVIEW },
  );
}

/** @param {App.Context} ctx */
async function openLocalPictures(ctx) {
  const { t, tn, client, jobs, toasts, format } = ctx;
  const folder = makeField({ key: 'folder', kind: 'text', value: '', label: t('relink.folder'),
    hint: t('local.folder.hint'), mono: true, wide: true, isPath: true });
  const work = h('div', { class: 'looking' });
  const plan = h('div', { class: 'relink-plan', role: 'status' });
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const go = h('button', { class: 'button primary', type: 'submit' }, t('relink.look'));
  /** @type {Reply.LocalMediaPlan | null} */
  let found = null;
  /** The search that goes on. */
  /** @type {AbortController | null} */
  let looking = null;

  /** A search may take minutes, so its button says that it cannot be pressed, and keeps the keyboard. */
  const setWorking = (/** @type {boolean} */ isWorking) => {
    setBusy(go, isWorking);
    if (isWorking) go.setAttribute('aria-disabled', 'true');
    else go.removeAttribute('aria-disabled');
  };
  /** Ends a search, and takes away what one found. */
  const forget = () => {
    looking?.abort();
    looking = null;
    found = null;
    go.textContent = t('relink.look');
    setWorking(false);
    fill(work);
    fill(plan);
  };
  const drawWork = (/** @type {Api.Job} */ job) => {
    const text = job.state === 'queued' ? t('job.waiting') : tn('local.looked', job.current);
    patch(work, jobBar(ctx, job), h('p', { class: 'hints' }, text),
      h('p', { class: 'mono-path' }, job.state === 'running' ? job.message : ''));
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
  };
  const look = async () => {
    forget();
    const own = new AbortController();
    looking = own;
    setWorking(true);
    fill(work, waitBox(ctx));
    try {
      const made = await search(ctx, String(folder.read()), own.signal, (job) => {
        if (looking === own) drawWork(job);
      });
      if (looking !== own || !made) return;
      forget();
      found = made.counts.items > 0 ? made : null;
      draw(made);
    } catch (failure) {
      if (looking !== own) return;
      forget();
      throw failure;
    }
  };
  const apply = async (/** @type {Reply.LocalMediaPlan} */ { plan_id: id }) => {
    setWorking(true);
    try {
      await client.post(APPLY, { plan_id: id });
      dialog.close('begun');
      toasts.show({ kind: 'good', text: t('local.begun'), actions: [{ label: t('action.show'), run: () =>
        ctx.router.go('/jobs') }] });
      void jobs.refresh();
    } catch (failure) {
      setWorking(false);
      if (!(failure instanceof ApiError && failure.status === 409)) throw failure;
      await look();
      throw new ApiError(t('relink.stale'), { status: 409, code: failure.code, requestId: failure.requestId,
        path: APPLY });
    }
  };
  const submit = async () => {
    folder.fail('');
    showFormFailure(ctx, dialog.form, null);
    await (found ? apply(found) : look()).catch((failure) => showFieldFailure(ctx, dialog.form, folder, failure));
  };
  const dialog = openDialog(ctx, {
    title: t('local.title'),
    width: 640,
    content: [h('p', { class: 'hints' }, t('local.about')), h('div', { class: 'form-grid' }, folder.element), work,
      plan],
    footer: [cancel, go],
    onSubmit: () => void submit(),
  });
  folder.control.addEventListener('input', forget);
  cancel.addEventListener('click', () => {
    if (!looking) return dialog.close('');
    forget();
    ctx.announce(t('job.told.cancelled', { title: t(`job.type.${JOBS.look}`) }));
  });
  folder.control.focus();
  await dialog.closed;
  forget();
}
