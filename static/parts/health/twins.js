/**
 * Games that look like one game, in groups: which of a group are merged is chosen there, the plan is shown, and nothing
 * is written before it is agreed to. Below them the pictures that are kept more than once.
 */

import { busyButton } from '../act.js';
import { changeTable } from '../changes.js';
import { confirm, openDialog, showFormFailure } from '../dialog.js';
import { emptyBox, showFailure, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { coalesce } from '../../core/coalesce.js';
import { fill, h, icon, isTicked, patch } from '../../core/dom.js';

const MERGE = '/api/v2/library/duplicates/merge';
const CLEANUP = '/api/media/cleanup';

/** Why games stand in one group. */
const KINDS = Object.freeze({ identity: 'twins.identity', path: 'twins.path', title: 'twins.sameTitle' });

/** The panel. */
export class Twins {
  #ctx;
  #signal;
  #load = coalesce(() => this.#read());
  /** @type {Api.Twins | null} */
  #found = null;
  /** @type {Api.MediaCleanup | null} */
  #copies = null;
  /** Games that are left out of merging, by stable id. */
  #left = /** @type {Set<string>} */ (new Set());

  /**
   * @param {App.Context} ctx
   * @param {AbortSignal} signal
   */
  constructor(ctx, signal) {
    this.#ctx = ctx;
    this.#signal = signal;
    this.element = h('div', { class: 'twins' }, waitBox(ctx));
    void this.#load();
  }

  /** Looks again. */
  refresh() {
    return this.#load();
  }

  async #read() {
    const { client, tn, announce } = this.#ctx;
    try {
      const [found, copies] = await Promise.all([
        /** @type {Promise<Api.Twins>} */ (client.get('/api/v2/library/duplicates')),
        /** @type {Promise<Api.MediaCleanup>} */ (client.post(CLEANUP, { apply: false })),
      ]);
      if (this.#signal.aborted) return;
      [this.#found, this.#copies] = [found, copies];
      this.#draw();
      announce(tn('twins.count', found.groups.length));
    } catch (error) {
      if (!this.#signal.aborted)
        showFailure(this.#ctx, this.element, error, () => void this.#load(), this.#found !== null);
    }
  }

  #draw() {
    const { t } = this.#ctx;
    const groups = this.#found?.groups ?? [];
    const copies = this.#copies?.paths.length ?? 0;
    patch(this.element, groups.length === 0 && copies === 0
      ? emptyBox(this.#ctx, 'check', 'twins.none', h('a', { class: 'button', href: '#/' }, t('history.none.action')))
      : null, groups.length > 0 ? h('p', { class: 'hints' }, t('twins.about')) : null,
      groups.map((group, index) => this.#group(group, index)),
      this.#found?.truncated ? h('p', { class: 'hints' }, t('twins.more')) : null,
      copies > 0 ? this.#pictures(copies) : null);
  }

  /**
   * @param {Api.TwinGroup} group
   * @param {number} index
   */
  #group({ kind, title, platform, games }, index) {
    const { t } = this.#ctx;
    const id = `twins-${index}`;
    const name = title || games[0]?.name || '';
    return h('section', { class: 'found', 'data-key': games[0]?.game_id, 'aria-labelledby': id },
      h('div', { class: 'section-head' },
        h('h2', { id }, icon('copy'), name,
          h('span', { class: 'number' }, [platform, t(KINDS[kind])].filter(Boolean).join(' · '))),
        busyButton(this.#ctx, { label: t('twins.merge'), symbol: 'copy', focus: `merge-${games[0]?.game_id}`,
          about: name, run: () => this.#merge(games) })),
      h('ul', { class: 'rows findings' }, games.map((game) => this.#game(game))));
  }

  /** @param {Api.TwinRow} game */
  #game(game) {
    const { t, format } = this.#ctx;
    const box = h('input', { type: 'checkbox', checked: !this.#left.has(game.game_id),
      'data-focus': `twin-${game.game_id}`, 'aria-label': t('twins.include', { name: game.name }),
      on: { change: (event) => {
        if (isTicked(event)) this.#left.delete(game.game_id);
        else this.#left.add(game.game_id);
      } } });
    return h('li', { class: 'extra' }, box,
      h('div', { class: 'grow' }, h('b', null, game.name),
        game.path ? h('small', { class: 'mono-path', title: game.path }, game.path) : null),
      h('span', { class: 'end' }, game.playtime_seconds > 0 ? format.span(game.playtime_seconds) : ''),
      h('a', { class: 'icon-button', href: `#/game/${encodeURIComponent(game.game_id)}`,
        'data-focus': `page-${game.game_id}`, 'aria-label': t('health.open', { name: game.name }),
        title: t('action.openPage') }, icon('open')));
  }

  /** @param {readonly Api.TwinRow[]} games */
  async #merge(games) {
    const { t, toasts, router, catalog } = this.#ctx;
    const ids = games.filter((game) => !this.#left.has(game.game_id)).map((game) => game.game_id);
    if (ids.length < 2) {
      toasts.show({ text: t('twins.two') });
      return;
    }
    const merged = await openMerge(this.#ctx, ids);
    if (!merged) return;
    toasts.show({ kind: 'good', text: t('twins.done', { name: merged }),
      actions: [{ label: t('twins.trash'), run: () => router.go('/history/trash') }] });
    await Promise.all([catalog.load(), this.#load()]);
  }

  /** @param {number} count copies that are not needed */
  #pictures(count) {
    const { t, tn } = this.#ctx;
    return h('section', { class: 'found', 'aria-labelledby': 'twins-pictures' },
      h('div', { class: 'section-head' }, h('h2', { id: 'twins-pictures' }, icon('picture'), t('twins.pictures')),
        busyButton(this.#ctx, { label: t('twins.pictures.remove'), symbol: 'trash', focus: 'pictures',
          run: () => this.#clean(count) })), h('p', { class: 'hints' }, tn('twins.pictures.about', count)));
  }

  /** @param {number} count */
  async #clean(count) {
    const { t, tn, client, toasts } = this.#ctx;
    const list = h('ul', { class: 'plain scroll short' },
      (this.#copies?.paths ?? []).slice(0, 200).map((path) => h('li', { class: 'mono-path' }, path)));
    if (!(await confirm(this.#ctx, { title: tn('twins.pictures.sure', count), text: t('twins.pictures.sure.text'),
      action: t('twins.pictures.remove'), danger: true, extra: list }))) return;
    /** @type {Api.MediaCleanup} */
    const { paths } = await client.post(CLEANUP, { apply: true });
    toasts.show({ kind: 'good', text: tn('twins.pictures.done', paths.length) });
    await this.#load();
  }
}

/**
 * Shows what merging games would change, and merges them when that is agreed to.
 *
 * @param {App.Context} ctx
 * @param {readonly string[]} ids
 * @returns {Promise<string>} the name of the game that stays, or empty when nothing was merged
 */
async function openMerge(ctx, ids) {
  const { t, client } = ctx;
  const body = h('div', { class: 'revert' }, waitBox(ctx));
  const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
  const apply = h('button', { class: 'button primary', type: 'submit', disabled: true }, t('twins.apply'));
  /** @type {Api.MergePlan | null} */
  let plan = null;
  let name = '';
  const preview = async () => {
    /** @type {Api.MergePlan} */
    const answer = await client.post('/api/v2/library/duplicates/preview', { ids });
    /** @type {{games: Record<string, unknown>[]}} */
    const { games } = await client.get('/api/library/delta', { ids: answer.primary.game_id });
    const before = games[0] ?? {};
    const changes = answer.changed_fields.map((field) => ({ field, from: before[field],
      to: answer.changes[field]?.value })
    );
    [plan, name] = [answer, answer.primary.name];
    apply.disabled = false;
    fill(body, h('p', null, t('twins.stays', { name: answer.primary.name })),
      h('ul', { class: 'plain' },
        answer.absorbed.map(({ name, path }) => h('li', null, name, ' ', h('small', { class: 'mono-path' }, path)))),
      h('p', { class: 'hints' }, t('twins.files')), changes.length > 0
      ? [h('p', null, t('twins.takes', { name: answer.primary.name })), changeTable(ctx, changes)]
      : null);
  };
  const refuse = (/** @type {unknown} */ failure) => showFormFailure(ctx, dialog.form, failure);
  const submit = async () => {
    if (!plan || apply.disabled) return;
    showFormFailure(ctx, dialog.form, null);
    apply.disabled = true;
    try {
      await client.post(MERGE, { ids, base_token: plan.base_token });
      dialog.close('merged');
    } catch (failure) {
      apply.disabled = false;
      if (!(failure instanceof ApiError && failure.status === 409)) {
        refuse(failure);
        return;
      }
      await preview().then(
        () =>
          refuse(
            new ApiError(t('twins.stale'), { status: 409, code: failure.code, requestId: failure.requestId,
              path: MERGE }),
          ),
        refuse,
      );
    }
  };
  const dialog = openDialog(ctx, { title: t('twins.title'), width: 720, content: body, footer: [cancel, apply],
    onSubmit: () => void submit() });
  cancel.addEventListener('click', () => dialog.close(''));
  cancel.focus();
  await preview().then(() => apply.focus(), (failure) => {
    fill(body);
    refuse(failure);
  });
  return (await dialog.closed) === 'merged' ? name : '';
}
