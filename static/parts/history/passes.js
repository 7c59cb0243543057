/**
 * What the program changed by itself, pass by pass, newest first. A pass is taken back as a whole; what somebody
 * changed or locked since stays.
 */

import { busyButton } from '../act.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function passesPanel(ctx, signal) {
  const root = h('div', null, waitBox(ctx));
  let hasContent = false;
  const load = coalesce(async () => {
    try {
      const { passes } = await ctx.client.get('/api/v2/library/passes');
      if (signal.aborted) return;
      hasContent = true;
      draw(ctx, root, passes, load);
    } catch (failure) {
      if (!signal.aborted) showFailure(ctx, root, failure, () => void load(), hasContent);
    }
  });
  ctx.bus.on('game', () => {
    if (root.isConnected) void load();
  }, signal);
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {HTMLElement} root
 * @param {readonly Reply.LibraryPass[]} passes
 * @param {() => Promise<void>} reload
 */
function draw(ctx, root, passes, reload) {
  const { t, tn, format, i18n } = ctx;
  patch(root, passes.length === 0
    ? emptyBox(ctx, 'spark', 'pass.none')
    : [h('div', { class: 'panel-head' }, h('p', { class: 'about' }, t('pass.about'))),
      h('ul', { class: 'rows passes' }, passes.map((pass) => {
        const key = `pass.kind.${pass.kind}`;
        const name = i18n.has(key) ? t(key) : pass.kind;
        return h('li', { 'data-key': pass.pass_id }, icon('spark'),
          h('div', { class: 'grow' }, h('b', null, name),
            h('small', null, [tn('pass.games', pass.games), format.ago(pass.at, new Date())].join(' · '))),
          busyButton(ctx, { label: t('action.undo'), symbol: 'refresh', focus: `undo:${pass.pass_id}`, about: name,
            run: () => undo(ctx, pass, reload) }));
      }))]);
}

/**
 * @param {App.Context} ctx
 * @param {Reply.LibraryPass} pass
 * @param {() => Promise<void>} reload
 */
async function undo(ctx, pass, reload) {
  const { client, toasts, tn } = ctx;
  try {
    const { games } = await client.post('/api/v2/library/passes/undo', { pass_id: pass.pass_id });
    toasts.show({ kind: 'good', text: tn('pass.undone', games) });
  } catch (error) {
    // Somebody else took it back; the list shows what is left.
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  } finally {
    await reload();
  }
}
