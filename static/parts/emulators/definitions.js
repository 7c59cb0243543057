/**
 * The definitions of emulators: how many there are, the pack from the channel and its update with what it would change,
 * going back to what came with the program, and files that are passed over. Nothing is asked for before the user opens
 * it, because the status looks for a new version.
 */

import { busyButton } from '../act.js';
import { confirm } from '../dialog.js';
import { failureBox, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { h, icon, patch } from '../../core/dom.js';

/** The code of a pack that is not signed with the key. */
const UNSIGNED = 'signature_verification_failed';

/** The card. */
export class DefinitionsCard {
  #ctx;
  #onChange;
  #body = h('div', null);
  /** @type {Api.DefsStatus | null} */
  #status = null;
  /** @type {Api.DefsUpdate | null} */
  #update = null;

  /**
   * @param {App.Context} ctx
   * @param {() => Promise<unknown>} onChange other emulators are known now
   */
  constructor(ctx, onChange) {
    this.#ctx = ctx;
    this.#onChange = onChange;
    this.element = h('details', { class: 'fold definitions', on: { toggle: () => {
      if (this.element.open && !this.#status) void this.#load();
    } } }, h('summary', { 'data-focus': 'defs' }, icon('chevron'), ctx.t('defs.title')), this.#body);
  }

  async #load() {
    if (!this.#status) patch(this.#body, waitBox(this.#ctx));
    try {
      this.#status = await this.#ctx.client.get('/api/v2/emulators/defs/status');
      this.#update = this.#status?.update ?? null;
      this.#draw();
    } catch (error) {
      if (this.#status) this.#ctx.fail(error);
      else patch(this.#body, failureBox(this.#ctx, ApiError.from(error), () => void this.#load()));
    }
  }

  #draw() {
    const { t, tn, format } = this.#ctx;
    const status = this.#status;
    if (!status) return;
    const update = this.#update;
    const figure = (/** @type {string} */ key, /** @type {number} */ value) =>
      h('div', null, h('dt', null, t(key)), h('dd', null, format.number(value)));
    const news = !update
      ? ''
      : !update.ok
      ? update.error ?? ''
      : update.update_available
      ? t('defs.news', { version: update.version ?? '' })
      : t('defs.newest');
    patch(this.#body,
      h('div', { class: 'source' },
        h('div', { class: 'top' }, h('div', { class: 'symbol' }, icon('file')),
          h('div', { class: 'who' },
            h('h3', null, status.version ? t('defs.version', { version: status.version }) : t('defs.bundled')),
            h('p', { class: 'state' }, t('defs.text')))),
        h('dl', { class: 'small-figures' }, figure('defs.figure.bundled', status.bundled_definitions),
          figure('defs.figure.pack', status.installed.length), figure('defs.figure.own', status.local_definitions)),
        news
          ? h('p', { class: `outcome-line ${update?.ok ? 'good' : 'bad'}`, role: 'status' },
            icon(update?.ok ? 'check' : 'missing', 'icon-s'), news)
          : null,
        update?.ok && update.update_available && update.notes ? h('p', { class: 'hint' }, update.notes) : null,
        status.locally_modified.length > 0
          ? h('p', { class: 'hint' }, tn('defs.modified', status.locally_modified.length))
          : null, status.problems.length > 0
        ? h('ul', { class: 'needs' },
          status.problems.map((problem) =>
            h('li', { class: 'warn' }, icon('missing', 'icon-s'),
              h('div', { class: 'grow' }, h('span', null, problem.file), h('small', null, problem.error)))
          ))
        : null, h('div', { class: 'acts' }, update?.ok && update.update_available
          ? busyButton(this.#ctx, { label: t('defs.update'), symbol: 'download', style: 'primary', focus: 'defs-update',
            run: () => this.#install() })
          : busyButton(this.#ctx, { label: t('defs.check'), symbol: 'refresh', focus: 'defs-update',
            run: () => this.#check() }), status.version
          ? busyButton(this.#ctx, { label: t('defs.rollback'), symbol: 'back', focus: 'defs-rollback',
            run: () => this.#rollback() })
          : null)));
  }

  async #check() {
    this.#update = await this.#ctx.client.get('/api/v2/emulators/defs/update');
    this.#draw();
  }

  async #install() {
    const { client, t, toasts } = this.#ctx;
    const update = this.#update;
    const isSure = await confirm(this.#ctx, { title: t('defs.update.title', { version: update?.version ?? '' }),
      text: t('defs.update.text'), action: t('defs.update'),
      ...(update?.notes ? { extra: h('p', { class: 'prose' }, update.notes) } : {}) });
    if (!isSure) return;
    const done = await client.post('/api/v2/emulators/defs/update').catch((error) => {
      throw this.#inWords(error);
    });
    toasts.show({ kind: 'good',
      text: t('defs.updated', { added: done.installed?.length ?? 0, changed: done.updated?.length ?? 0,
        removed: done.removed?.length ?? 0, kept: done.kept_local?.length ?? 0 }) });
    await this.#readAll();
  }

  /**
   * Reads everything that a change of the definitions changes. The button is free when the card is up to date, whatever
   * the emulators above take: the user who is quick asks for the next change by then. What comes above may move what is
   * worked on out of sight.
   */
  async #readAll() {
    const loaded = this.#load();
    void Promise.all([loaded, this.#onChange()]).then(() => {
      if (this.element.contains(document.activeElement)) document.activeElement?.scrollIntoView({ block: 'nearest' });
    });
    await loaded;
  }

  /**
   * The server names a pack that is not signed by a code alone.
   *
   * @param {unknown} error
   */
  #inWords(error) {
    if (error instanceof ApiError && error.code === UNSIGNED) error.message = this.#ctx.t('defs.unsigned');
    return error;
  }

  async #rollback() {
    const { client, t, tn, toasts } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('defs.rollback.title'), text: t('defs.rollback.text'),
      action: t('defs.rollback'), danger: true });
    if (!isSure) return;
    const done = await client.post('/api/v2/emulators/defs/rollback');
    toasts.show({ text: tn('defs.rolledBack', done.removed?.length ?? 0) });
    await this.#readAll();
  }
}
