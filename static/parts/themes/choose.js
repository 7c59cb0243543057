/**
 * All themes as small pictures of the page in their own colours: choosing one, trying one on first, importing one.
 */

import { askPath } from '../ask-path.js';
import { busyButton } from '../act.js';
import { showFailure, waitBox } from '../state-box.js';
import { swatch, themeName } from './swatch.js';
import { coalesce, Turns } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { readTheme, renewTheme, tokensOf, tryTheme } from '../../core/theme.js';

/**
 * @param {App.Context} ctx
 * @param {AbortSignal} signal
 * @returns {App.HistoryPanel}
 */
export function themesPanel(ctx, signal) {
  const root = h('div', { class: 'themes' }, waitBox(ctx));
  /** The theme that is tried on. @type {string | null} */
  let tried = null;
  /** @type {Map<string, Record<string, string>>} */
  const known = new Map([['', {}]]);
  let chosen = ctx.preferences.theme;
  /** A theme may be chosen while the list is read, which knows the one before. */
  const turns = new Turns();
  const load = coalesce(async () => {
    try {
      const { themes, global } = await turns.read(async () => {
        const answer = await ctx.client.get('/api/themes');
        await Promise.all(
          answer.themes.map(async (name) => known.set(name, tokensOf(await readTheme(ctx.client, name) ?? ''))),
        );
        return answer;
      });
      for (const name of known.keys()) if (name && !themes.includes(name)) known.delete(name);
      chosen = global;
      if (!signal.aborted) draw();
    } catch (error) {
      if (!signal.aborted) showFailure(ctx, root, error, () => void load(), root.querySelector('.swatches') !== null);
    }
  });
  const put = async (/** @type {string | null} */ name) => {
    tried = name;
    await tryTheme(name);
    if (signal.aborted) return;
    draw();
    // The bar covers what is at the foot of the window.
    if (name !== null)
      root.querySelector(`[data-theme-name="${CSS.escape(name)}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const choose = async (/** @type {string} */ name) => {
    const before = chosen;
    chosen = name;
    await turns.change(() => ctx.client.post('/api/themes/select', { name }));
    ctx.preferences.take(await ctx.client.get('/api/settings'));
    await put(null);
    if (before === name) return;
    ctx.toasts.show({ kind: 'good', text: ctx.t('themes.chosen', { name: themeName(ctx, name) }), actions: [{
      label: ctx.t('action.undo'),
      run: () => void choose(before).catch(ctx.fail),
    }] });
  };
  const draw = () =>
    patch(root, head(ctx, load), bar(ctx, tried, put, choose),
      h('ul', { class: 'swatches', 'aria-label': ctx.t('place.themes') }, [...known].sort(([a], [b]) =>
        a.localeCompare(b)
      ).map(([name, tokens]) =>
        h('li', { 'data-key': `theme-${name}`, 'data-theme-name': name },
          h('button', { class: 'swatch-choice', type: 'button', 'data-focus': `use-${name}`,
            'aria-pressed': String(name === chosen), on: { click: () => void choose(name).catch(ctx.fail) } },
            swatch(tokens), h('span', { class: 'caption' }, themeName(ctx, name)),
            name === chosen ? icon('tick', 'icon-s') : null),
          h('button', { class: 'button', type: 'button', 'data-focus': `try-${name}`,
            'aria-pressed': String(name === tried), 'aria-label': `${ctx.t('themes.try')}: ${themeName(ctx, name)}`,
            on: { click: () => void put(name === tried ? null : name) } }, icon('playing', 'icon-s'),
            ctx.t('themes.try')))
      )));
  ctx.bus.on('settings', () => {
    if (ctx.preferences.theme === chosen || !known.has(ctx.preferences.theme)) return;
    chosen = ctx.preferences.theme;
    draw();
  }, signal);
  // Escape takes off what is tried on before it leaves the screen.
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || tried === null) return;
    event.preventDefault();
    event.stopPropagation();
    void put(null);
  });
  return { element: root, show: () => void load() };
}

/**
 * @param {App.Context} ctx
 * @param {() => Promise<void>} load
 */
function head(ctx, load) {
  const { t, client, toasts } = ctx;
  const bring = () =>
    askPath(ctx, { title: t('themes.import'), label: t('themes.path'), hint: t('themes.path.hint'),
      action: t('themes.import.action'), kind: 'file', send: async (path) => {
        const { theme } = await client.post('/api/themes/import', { path });
        void renewTheme();
        toasts.show({ kind: 'good', text: t('themes.imported', { name: themeName(ctx, theme) }) });
      } }).then((done) => (done ? load() : undefined));
  const open = busyButton(ctx, { label: t('themes.folder'), symbol: 'folder', focus: 'folder',
    run: () => client.post('/api/themes/open-folder') });
  return h('div', { class: 'panel-head', 'data-key': 'head' }, h('p', { class: 'about' }, t('themes.choose')),
    h('div', { class: 'acts' }, open,
      h('button', { class: 'button', type: 'button', 'data-focus': 'import', on: { click: () => void bring() } },
        icon('plus', 'icon-s'), t('themes.import'))));
}

/**
 * What is tried on, and the choice it leads to. It stands over the page, so that nothing moves.
 *
 * @param {App.Context} ctx
 * @param {string | null} tried
 * @param {(name: string | null) => Promise<void>} put
 * @param {(name: string) => Promise<void>} choose
 */
function bar(ctx, tried, put, choose) {
  if (tried === null) return null;
  const { t } = ctx;
  const button = (/** @type {string} */ key, /** @type {string} */ style, /** @type {() => Promise<void>} */ run) =>
    h('button', { class: `button ${style}`, type: 'button', 'data-focus': `bar-${key}`, on: { click: () =>
      void run().catch(ctx.fail) } }, t(`themes.bar.${key}`));
  return h('div', { class: 'try-bar', role: 'status', 'data-key': 'bar' },
    h('p', null, t('themes.tried', { name: themeName(ctx, tried) })), button('back', '', () => put(null)),
    button('use', 'primary', () => choose(tried)));
}
