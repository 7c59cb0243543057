/**
 * What people do with many games at once: changes and removals in pages that fit a request, with progress, a stop, and
 * an undo that brings back what each game was before.
 */

import { confirm } from '../dialog.js';
import { changesBack, pagesOf } from '../../data/batches.js';

/** Fields the narrow route takes; with any other field the wide one is asked. */
const WIZARD = Object.freeze(['platform', 'genre', 'progress', 'rating', 'favorite', 'hidden', 'esrb',
  'custom_fields']);

/** Games the trash keeps; older ones leave it when more come. */
export const TRASH_LIMIT = 200;

/** Runs work on many games, one piece of work at a time. */
export class Bulk {
  #ctx;
  #isStopped = false;
  /**
   * How much of the work is done, 0..1; `null` while there is none.
   *
   * @type {number | null}
   */
  part = null;

  /** @param {App.Context} ctx */
  constructor(ctx) {
    this.#ctx = ctx;
  }

  /** Ends the work after the page that is on its way. */
  stop() {
    this.#isStopped = true;
  }

  /**
   * Changes games alike and offers to take it back.
   *
   * @param {readonly string[]} ids
   * @param {Record<string, unknown>} change
   */
  async change(ids, change) {
    const { tn, t, catalog } = this.#ctx;
    const rows = ids.flatMap((id) => catalog.find(id) ?? []);
    const back = changesBack(rows, change);
    const done = await this.#run(rows.map((row) => row.id), (page) => this.#send(page, change));
    if (done.size === 0) return;
    const undo = back.map(({ ids: all, change: before }) => ({ ids: all.filter((id) => done.has(id)), change: before }))
      .filter((step) => step.ids.length > 0);
    this.#ctx.toasts.show({ kind: 'good', text: tn('bulk.changed', done.size),
      ...(undo.length > 0 ? { actions: [{ label: t('action.undo'), run: () => void this.#undo(undo) }] } : {}) });
  }

  /**
   * Other work on many games, in pages, with its progress and a stop. What follows from it is up to the caller.
   *
   * @param {readonly string[]} ids
   * @param {(page: string[]) => Promise<unknown>} send
   * @returns {Promise<Set<string>>} those that were done
   */
  work(ids, send) {
    return this.#run(ids, send, false);
  }

  /** @param {readonly App.Change[]} steps */
  async #undo(steps) {
    const all = steps.flatMap((step) => step.ids);
    const changes = new Map(steps.flatMap((step, at) => step.ids.map((id) => [id, at])));
    const done = await this.#run(all, async (page) => {
      for (const [at, step] of steps.entries()) {
        const ids = page.filter((id) => changes.get(id) === at);
        if (ids.length > 0) await this.#send(ids, step.change);
      }
    });
    if (done.size > 0) this.#ctx.toasts.show({ kind: 'good', text: this.#ctx.tn('bulk.undone', done.size) });
  }

  /**
   * Moves games to the trash after a question.
   *
   * @param {readonly string[]} ids
   */
  async trash(ids) {
    const { t, tn, client, catalog, bus, toasts } = this.#ctx;
    const [first] = ids.map((id) => catalog.find(id));
    const text = ids.length > TRASH_LIMIT ? t('bulk.trash.many', { count: TRASH_LIMIT }) : t('bulk.trash.text');
    const title = ids.length === 1 && first
      ? t('remove.title', { name: first.name })
      : tn('bulk.trash.title', ids.length);
    if (!(await confirm(this.#ctx, { title, text, action: tn('bulk.trash.action', ids.length), danger: true }))) return;
    /** @type {string[][]} */
    const entries = [];
    const done = await this.#run(ids, async (page) => {
      const { trash_ids: made } = /** @type {Reply.GamesTrashed} */ (await client.post('/api/v2/library/trash', {
        ids: page,
      }));
      entries.push(made);
      catalog.remove(page);
    }, false);
    if (done.size === 0) return;
    bus.emit('removed', { id: '' });
    // Each page is in the order the library had then: the last page comes back first, so that each game finds its old
    // place.
    /** @type {string[]} */
    const kept = [];
    for (const page of entries.reverse())
      kept.push(...page.slice(Math.max(0, page.length - (TRASH_LIMIT - kept.length))));
    toasts.show({ kind: 'good', text: tn('bulk.trashed', done.size),
      actions: [{ label: t('action.undo'), run: () => void this.#restore(kept) }] });
  }

  /** @param {readonly string[]} entries of the trash in the order in which they find their old places */
  async #restore(entries) {
    /** @type {string[]} */
    const back = [];
    const done = await this.#run(entries, async (page) => {
      for (const trash_id of page) {
        const { game_id: id } = await this.#ctx.client.post('/api/v2/library/trash/restore', { trash_id });
        back.push(id);
      }
    }, false);
    await this.#ctx.catalog.refresh(back).catch(this.#ctx.fail);
    await this.#ctx.lists.reload().catch(this.#ctx.fail);
    if (done.size > 0) this.#ctx.toasts.show({ kind: 'good', text: this.#ctx.tn('bulk.restored', done.size) });
  }

  /**
   * @param {readonly string[]} ids
   * @param {Record<string, unknown>} changes
   */
  #send(ids, changes) {
    const isNarrow = Object.keys(changes).every((key) => WIZARD.includes(key));
    return this.#ctx.client.post(isNarrow ? '/api/games/bulk-wizard' : '/api/games/bulk', { ids, changes });
  }

  /**
   * Sends pages one after the other. A refusal ends the work; what was done before it stays and is told.
   *
   * @param {readonly string[]} ids
   * @param {(page: string[]) => Promise<unknown>} send
   * @param {boolean} [isChange] whether the games are there afterwards and must be fetched again
   * @returns {Promise<Set<string>>} the games that were done
   */
  async #run(ids, send, isChange = true) {
    const { catalog, bus, toasts, t } = this.#ctx;
    /** @type {Set<string>} */
    const done = new Set();
    if (this.part !== null) {
      toasts.show({ text: t('bulk.busy') });
      return done;
    }
    this.#isStopped = false;
    catalog.hold();
    this.#tell(0);
    try {
      for (const page of pagesOf(ids)) {
        if (this.#isStopped) break;
        await send(page);
        for (const id of page) done.add(id);
        this.#tell(done.size / ids.length);
      }
    } catch (error) {
      this.#ctx.fail(error);
    } finally {
      await catalog.release(isChange ? [...done] : []).catch(this.#ctx.fail);
      this.#tell(null);
    }
    if (isChange && done.size > 0) bus.emit('game', { ids: [...done] });
    return done;
  }

  /** @param {number | null} part */
  #tell(part) {
    this.part = part;
    this.#ctx.bus.emit('bulk', { part });
  }
}
