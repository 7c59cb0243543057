/**
 * What goes into a question for help: the report on the program and the end of its log, to read, copy and save. Both
 * come without credentials.
 */

import { fill, h, icon } from '../../core/dom.js';

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function diagnostics(ctx) {
  const { t, client } = ctx;
  const report = textBlock(ctx, {
    title: t('diagnostics.report'),
    file: 'service-report.json',
    load: async () => readable((await client.get('/api/diagnostic')).report),
  });
  const log = textBlock(ctx, {
    title: t('diagnostics.log'),
    file: 'service-log.txt',
    isLog: true,
    load: async () => (await client.get('/api/log')).log,
  });
  return h('div', { class: 'diagnostics' }, report, log);
}

/**
 * @param {string} report
 * @returns {string}
 */
function readable(report) {
  try {
    return JSON.stringify(JSON.parse(report), null, 2);
  } catch {
    return report;
  }
}

/**
 * @param {App.Context} ctx
 * @param {{title: string, file: string, load: () => Promise<string>, isLog?: boolean}} source a log is read from its
 *   end
 */
function textBlock(ctx, { title, file, load, isLog = false }) {
  const { t } = ctx;
  const pre = h('pre', { class: 'scroll', tabindex: 0, 'aria-label': title });
  const place = h('div', null, h('div', { class: 'wait' }));
  let text = '';
  const refresh = async () => {
    try {
      text = await load();
      pre.textContent = text || t('diagnostics.empty');
      if (!pre.isConnected) fill(place, pre);
      if (isLog) pre.scrollTop = pre.scrollHeight;
    } catch (failure) {
      fill(place, h('p', { class: 'none' }, t('diagnostics.failed')));
      ctx.fail(failure);
    }
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      ctx.toasts.show({ kind: 'good', text: t('diagnostics.copied', { title }) });
    } catch (failure) {
      ctx.fail(failure);
    }
  };
  const save = () => {
    const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    h('a', { href: address, download: file }).click();
    URL.revokeObjectURL(address);
  };
  const button = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {() => void} */ run) =>
    h('button', { class: 'button', type: 'button', 'aria-label': `${label}: ${title}`, on: { click: run } },
      icon(symbol, 'icon-s'), label);
  void refresh();
  return h('section', null,
    h('div', { class: 'section-head' }, h('h2', null, title),
      h('div', { class: 'acts' }, button('refresh', t('diagnostics.refresh'), () => void refresh()),
        button('copy', t('diagnostics.copy'), () => void copy()), button('down', t('diagnostics.save'), save))), place);
}
