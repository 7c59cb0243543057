/**
 * The screen for a library file that cannot be read: says what is wrong, shows what can be restored, restores only
 * after a question.
 */

import { busyButton } from '../parts/act.js';
import { confirm } from '../parts/dialog.js';
import { h, icon, patch } from '../core/dom.js';
import { parseTime } from '../core/format.js';

/** @implements {App.View} */
export class RecoveryView {
  #ctx;
  #root;
  #body = h('div', { role: 'status' }, h('div', { class: 'wait' }));
  #onRestored;

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {() => Promise<void>} onRestored looks whether the library can be read now
   */
  constructor(ctx, root, onRestored) {
    this.#ctx = ctx;
    this.#onRestored = onRestored;
    const { t } = ctx;
    document.title = `${t('recovery.title')} – Service Launcher`;
    this.#root = h('div', { class: 'page scroll', tabindex: -1 },
      h('div', { class: 'inner recovery' }, h('h1', null, t('recovery.title')),
        h('p', { class: 'lead' }, t('recovery.text')), this.#body));
    root.append(this.#root);
    void this.#inspect();
  }

  unmount() {
    this.#root.remove();
  }

  /** The library cannot be read still: shows what there is now. */
  update() {
    this.#ctx.announce(this.#ctx.t('recovery.title'));
    void this.#inspect();
  }

  async #inspect() {
    try {
      const report = await this.#ctx.client.post('/api/state/recover', { dry_run: true });
      this.#draw(report);
    } catch (error) {
      patch(this.#body,
        busyButton(this.#ctx, { label: this.#ctx.t('action.retry'), symbol: 'refresh', focus: 'again', run: () =>
          this.#inspect() }));
      this.#ctx.fail(error);
    }
  }

  /** @param {Api.RecoveryReport} report */
  #draw(report) {
    const { t } = this.#ctx;
    const rows = /** @type {HTMLElement[]} */ ([]);
    if (report.backup_available) rows.push(this.#choice(t('recovery.backup'), t('recovery.backup.text'), {}));
    for (const snapshot of report.snapshots ?? []) {
      rows.push(
        this.#choice(this.#moment(snapshot.modified), this.#ctx.format.bytes(snapshot.size), {
          snapshot: snapshot.name,
        }),
      );
    }
    patch(this.#body, rows.length > 0 ? h('h2', null, t('recovery.choose')) : null,
      rows.length > 0 ? h('ul', { class: 'snapshots' }, rows) : h('p', { class: 'lead' }, t('recovery.nothing')),
      busyButton(this.#ctx, { label: t('recovery.again'), symbol: 'refresh', focus: 'again',
        run: () => this.#onRestored() }));
  }

  /**
   * @param {string} title
   * @param {string} text
   * @param {{snapshot?: string}} body
   */
  #choice(title, text, body) {
    return h('li', { class: 'snapshot' }, icon('history'), h('div', null, h('b', null, title), h('small', null, text)),
      h('button', { class: 'button primary', type: 'button', 'data-focus': `restore:${body.snapshot ?? ''}`,
        on: { click: () => void this.#restore(title, body) } }, this.#ctx.t('recovery.restore')));
  }

  /**
   * @param {number | string} modified epoch seconds
   */
  #moment(modified) {
    const at = typeof modified === 'number' ? new Date(modified * 1000) : (parseTime(modified) ?? new Date(0));
    return new Intl.DateTimeFormat(this.#ctx.i18n.locale, { dateStyle: 'full', timeStyle: 'medium' }).format(at);
  }

  /**
   * @param {string} title
   * @param {{snapshot?: string}} body
   */
  async #restore(title, body) {
    const { t, tn } = this.#ctx;
    if (!(await confirm(this.#ctx, { title: t('recovery.sure.title'), text: t('recovery.sure.text', { title }),
      action: t('recovery.restore') }))) return;
    try {
      const { games } = await this.#ctx.client.post('/api/state/recover', body);
      this.#ctx.toasts.show({ kind: 'good', text: tn('recovery.done', games) });
      await this.#onRestored();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }
}
