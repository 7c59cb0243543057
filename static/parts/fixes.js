/**
 * What cures a cause for which games do not start, with one press: install the emulator, let it into the folder, choose
 * a core or another emulator, show where a file belongs, explain a command. The same for one game and for all games of
 * a cause.
 */

import { busyButton } from './act.js';
import { confirm, openDialog, prepareDialog } from './dialog.js';
import { revealPlace } from './needs.js';
import { h } from '../core/dom.js';
import { emulatorName } from '../data/causes.js';

/** Games of one request that chooses for them. */
const PAGE = 500;

/** Places of a command that are filled in. */
const TOKENS = Object.freeze(['{path}', '{name}', '{platform}', '{rom_name}', '{emulator_dir}', '{data_dir}']);

/**
 * The button of a fix; `null` when the user has to do it.
 *
 * @param {App.Context} ctx
 * @param {Api.Fix | null | undefined} fix
 * @param {{definitions: readonly Api.Definition[], games: () => Promise<string[]>, done: () => Promise<unknown>, focus:
 *   string, style?: string, about?: string}} options `games` are the games it cures, `done` looks again afterwards
 * @returns {HTMLButtonElement | null}
 */
export function fixButton(ctx, fix, { definitions, games, done, focus, style = '', about = '' }) {
  if (!fix) return null;
  const { t } = ctx;
  const text = (/** @type {string} */ key) => String(fix.payload[key] ?? '');
  const button = (/** @type {string} */ label, /** @type {string} */ symbol,
    /** @type {() => Promise<unknown>} */ run) => busyButton(ctx, { label, symbol, focus, style, about, run });
  switch (fix.kind) {
    case 'flatpak_install':
      return button(t('fix.install', { name: emulatorName(text('app_id'), definitions) }), 'download',
        () => install(ctx, text('app_id')));
    case 'flatpak_grant':
      return button(t('fix.grant'), 'folder', async () => {
        if (await grant(ctx, text('app_id'), text('path'), text('command'), definitions, done)) await done();
      });
    case 'reveal_bios_path':
      return text('path') ? button(t('reveal.action'), 'folder', () => revealPlace(ctx, text('path'))) : null;
    case 'explain_token':
      return button(t('fix.explain'), 'edit', () => explain(ctx, fix));
    case 'pick_core':
      return fix.payload['core']
        ? button(t('fix.core'), 'plug', async () => {
          if (await chooseCore(ctx, games)) await done();
        })
        : button(t('fix.emulator'), 'platform', async () => {
          if (await chooseEmulator(ctx, fix, definitions, games)) await done();
        });
    default:
      return null;
  }
}

/**
 * Has the emulator installed; whoever shows the job looks again when it has ended.
 *
 * @param {App.Context} ctx
 * @param {string} app
 */
async function install(ctx, app) {
  await ctx.client.post('/api/emulators/install', { app_id: app });
  ctx.announce(ctx.t('emulators.installing'));
  await ctx.jobs.refresh();
}

/**
 * @param {App.Context} ctx
 * @param {string} app
 * @param {string} folder
 * @param {string} command what will be run
 * @param {readonly Api.Definition[]} definitions
 * @param {() => Promise<unknown>} done
 * @returns {Promise<boolean>} whether the folder was opened to the emulator
 */
async function grant(ctx, app, folder, command, definitions, done) {
  const { t, client, toasts } = ctx;
  const name = emulatorName(app, definitions);
  const isSure = await confirm(ctx, { title: t('fix.grant.title', { name }), text: t('fix.grant.text', { folder }),
    action: t('fix.grant'), extra: h('p', { class: 'mono-path command' }, command) });
  if (!isSure) return false;
  await client.post('/api/v2/launch/grant', { app_id: app, folder });
  const undo = async () => {
    await client.post('/api/v2/launch/grant/undo', { app_id: app, folder });
    await done();
  };
  toasts.show({ kind: 'good', text: t('fix.granted', { name, folder }),
    actions: [{ label: t('action.undo'), run: () => void undo().catch(ctx.fail) }] });
  return true;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Fix} fix
 */
async function explain(ctx, fix) {
  const { t } = ctx;
  const tokens = /** @type {string[]} */ (fix.payload['invalid_tokens'] ?? []);
  const close = h('button', { class: 'button primary', type: 'button' }, t('action.close'));
  const dialog = openDialog(ctx, {
    title: t('fix.explain'),
    footer: close,
    content: h('div', { class: 'stack' },
      h('p', { class: 'prose' },
        tokens.length > 0 ? t('fix.explain.unknown', { tokens: tokens.join(' ') }) : t('fix.explain.quotes')),
      typeof fix.payload['template'] === 'string'
        ? h('p', { class: 'mono-path command' }, String(fix.payload['template']))
        : null, h('p', { class: 'prose' }, t('fix.explain.known', { tokens: TOKENS.join(' ') }))),
  });
  close.addEventListener('click', () => dialog.close(''));
  close.focus();
  await dialog.closed;
}

/**
 * One of several, by radio buttons; the first is chosen.
 *
 * @param {App.Context} ctx
 * @param {string} title
 * @param {string} text
 * @param {readonly {value: string, label: string, note: string}[]} choices
 * @returns {Promise<string>} the empty string when nothing was chosen
 */
async function choose(ctx, title, text, choices) {
  const { t } = ctx;
  const boxes = choices.map((choice, index) =>
    h('input', { type: 'radio', name: 'fix-choice', value: choice.value, checked: index === 0 })
  );
  const ok = h('button', { class: 'button primary', type: 'submit', disabled: choices.length === 0 }, t('fix.choose'));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const dialog = openDialog(ctx, {
    title,
    footer: [cancel, ok],
    onSubmit: () => dialog.close(boxes.find((box) => box.checked)?.value ?? ''),
    content: h('div', { class: 'stack' }, h('p', { class: 'prose' }, text),
      h('fieldset', { class: 'choice-list' }, h('legend', { class: 'sr-only' }, title),
        choices.map((choice, index) =>
          h('label', { class: 'card-choice' }, boxes[index],
            h('span', null, h('b', null, choice.label), h('small', null, choice.note)))
        ))),
  });
  cancel.addEventListener('click', () => dialog.close(''));
  (boxes[0] ?? cancel).focus();
  return dialog.closed;
}

/**
 * @param {App.Context} ctx
 * @param {() => Promise<string[]>} find the games
 * @returns {Promise<boolean>} whether a core was chosen
 */
async function chooseCore(ctx, find) {
  const { t, tn, client } = ctx;
  const ready = await prepareDialog(ctx, 'core', async () => {
    const games = await find();
    const { cores } = await client.get('/api/v2/launch/cores');
    return { games, cores };
  });
  if (!ready) return false;
  const { games, cores } = ready;
  const core = await choose(ctx, t('fix.core'),
    cores.length > 0 ? tn('fix.core.text', games.length) : t('fix.core.none'),
    cores.map((item) => ({ value: item.core, label: item.name, note: item.path })));
  if (!core) return false;
  for (const id of games) await client.post('/api/v2/launch/core', { game_id: id, core });
  ctx.toasts.show({ kind: 'good', text: tn('bulk.changed', games.length) });
  return true;
}

/**
 * @param {App.Context} ctx
 * @param {Api.Fix} fix
 * @param {readonly Api.Definition[]} definitions
 * @param {() => Promise<string[]>} find the games
 * @returns {Promise<boolean>} whether an emulator was chosen
 */
async function chooseEmulator(ctx, fix, definitions, find) {
  const { t, tn, client } = ctx;
  const games = await prepareDialog(ctx, 'emulator', find);
  if (!games) return false;
  const offered = /** @type {string[]} */ (fix.payload['candidates'] ?? []);
  const candidates = offered.length > 0
    ? offered.flatMap((id) => definitions.find((item) => item.id === id) ?? [])
    : definitions;
  const adapter = await choose(ctx, t('fix.emulator'), tn('fix.emulator.text', games.length),
    candidates.map((item) => ({ value: item.id, label: item.name, note: item.platforms.join(', ') })));
  if (!adapter) return false;
  for (let at = 0; at < games.length; at += PAGE)
    await client.post('/api/v2/launch/adapter', { game_ids: games.slice(at, at + PAGE), adapter_id: adapter });
  await ctx.catalog.refresh(games.slice(0, PAGE));
  ctx.toasts.show({ kind: 'good', text: tn('bulk.changed', games.length) });
  return true;
}
