/**
 * The tab of the edit dialog that says where each value comes from. Locks a value against automatic changes, opens it,
 * and gives it back its last automatic value. All of that happens at once, whether the dialog is saved or not.
 */

import { busyButton } from '../act.js';
import { shownText } from '../changes.js';
import { smallEmptyBox } from '../state-box.js';
import { h, icon, patch, setAttribute } from '../../core/dom.js';
import { originText } from '../../data/origins.js';

/** The list of a game. */
export class Origins {
  #ctx;
  #id;
  #fields;
  #read;
  #onRevert;

  /**
   * @param {App.Context} ctx
   * @param {string} id
   * @param {readonly Reply.FieldOrigin[]} fields
   * @param {{read: (field: string) => unknown, onRevert: (field: string) => Promise<void>}} editor `read` gives the
   *   stored value; `onRevert` hears of a value that went back
   */
  constructor(ctx, id, fields, { read, onRevert }) {
    this.#ctx = ctx;
    this.#id = id;
    this.#fields = fields;
    this.#read = read;
    this.#onRevert = onRevert;
    this.element = h('div', { class: 'origins' });
  }

  /**
   * Says beside the fields of the dialog where their values come from.
   *
   * @param {readonly App.Field[]} fields
   */
  mark(fields) {
    for (const { spec, element, control } of fields) {
      element.querySelector(':scope > .from')?.remove();
      const origin = this.#fields.find(({ field }) => field === spec.key);
      const label = element.querySelector(':scope > .label');
      if (!origin || !label || !(origin.by || origin.locked)) continue;
      const id = `${control.id}-from`;
      label.after(
        h('span', { class: 'from', id }, originText(this.#ctx, origin), origin.locked
          ? [icon('lock', 'icon-s'), h('span', { class: 'sr-only' }, this.#ctx.t('origin.locked'))]
          : null),
      );
      const described = (control.getAttribute('aria-describedby') ?? '').split(' ').filter((one) => one && one !== id);
      setAttribute(control, 'aria-describedby', [...described, id].join(' '));
    }
  }

  draw() {
    const { t } = this.#ctx;
    patch(this.element, this.#fields.length === 0
      ? smallEmptyBox(this.#ctx, 'lock', 'origin.none')
      : [h('p', { class: 'hints' }, t('origin.about')),
        h('ul', { class: 'rows' }, this.#fields.map((origin) => this.#row(origin)))]);
  }

  /** @param {Reply.FieldOrigin} origin */
  #row(origin) {
    const { t, i18n, format } = this.#ctx;
    const { field, locked, can_revert: canRevert, previous } = origin;
    const name = i18n.has(`field.${field}`) ? t(`field.${field}`) : field.replaceAll('_', ' ');
    const from = [originText(this.#ctx, origin), format.ago(origin.at, new Date()), locked ? t('origin.locked') : ''];
    return h('li', { 'data-field': field },
      h('div', { class: 'grow' }, h('b', null, name),
        h('span', { class: 'value' }, shownText(this.#ctx, this.#read(field))),
        h('small', null, locked ? icon('lock', 'icon-s') : null, from.filter(Boolean).join(' · ')),
        canRevert ? h('small', null, t('origin.before', { value: shownText(this.#ctx, previous) })) : null),
      h('div', { class: 'acts' }, canRevert
        ? busyButton(this.#ctx, { label: t('origin.revert'), symbol: 'refresh', focus: `revert:${field}`, about: name,
          run: () => this.#revert(field, name) })
        : null,
        busyButton(this.#ctx, { label: t(locked ? 'origin.unlock' : 'origin.lock'), symbol: locked ? 'unlock' : 'lock',
          focus: `lock:${field}`, about: name, run: () => this.#lock(field, name, !locked) })));
  }

  /**
   * @param {string} field
   * @param {string} name
   * @param {boolean} isLocked
   */
  async #lock(field, name, isLocked) {
    const { client, announce, t } = this.#ctx;
    const { fields } = await client.post('/api/v2/game/locks', { game_id: this.#id,
      [isLocked ? 'lock' : 'unlock']: [field] });
    this.#fields = fields;
    announce(t(isLocked ? 'origin.nowLocked' : 'origin.nowOpen', { field: name }));
    this.draw();
  }

  /**
   * @param {string} field
   * @param {string} name
   */
  async #revert(field, name) {
    const { client, announce, t } = this.#ctx;
    const { fields } = await client.post('/api/v2/game/origins/revert', { game_id: this.#id, field });
    this.#fields = fields;
    await this.#onRevert(field);
    announce(t('origin.reverted', { field: name }));
    this.draw();
  }
}
