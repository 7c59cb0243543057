/**
 * Which sources are asked for a field or a kind of picture, and in which order. One of them is shown at a time.
 */

import { busyButton } from '../act.js';
import { fill, h } from '../../core/dom.js';
import { orderList } from '../settings/order-list.js';

/** The parts of the order, with their headings. */
const PARTS = Object.freeze(
  /** @type {const} */ ([['fields', 'sources.gives.facts'], ['media', 'sources.gives.pictures']]),
);

const LIST = 'source-order-list';

/** The section with the order. */
export class SourceOrder {
  #ctx;
  /** @type {Reply.SourceOrder} */
  #order;
  #names;
  #choice = h('select', { class: 'input', id: 'source-order', 'data-focus': 'order' });
  #list = h('div', { class: 'bare' });
  element;
  /** Orders are saved one after the other. */
  /** @type {Promise<unknown>} */
  #saving = Promise.resolve();

  /**
   * @param {App.Context} ctx
   * @param {Reply.SourceOrder} order
   * @param {readonly Reply.SourceRow[]} sources
   */
  constructor(ctx, order, sources) {
    const { t } = ctx;
    this.#ctx = ctx;
    this.#order = order;
    this.#names = new Map(sources.map(({ id, name }) => [id, name]));
    fill(this.#choice,
      PARTS.map(([part, label]) =>
        h('optgroup', { label: t(label) }, order[part].map(({ name }) =>
          h('option', { value: `${part} ${name}` }, t(`field.${name}`))
        ))
      ));
    this.#choice.addEventListener('change', () => this.#draw());
    this.element = h('section', { class: 'source-order', 'aria-labelledby': 'source-order-title' },
      h('h2', { id: 'source-order-title' }, t('sources.order')), h('p', { class: 'hints' }, t('sources.order.hint')),
      h('div', { class: 'picking' }, h('label', { class: 'label', for: 'source-order' }, t('sources.order.for')),
        this.#choice,
        busyButton(ctx, { label: t('sources.order.reset'), symbol: 'refresh', focus: 'order-reset',
          run: () => this.#save(null) })), this.#list);
    this.#draw();
  }

  /** @returns {readonly ['fields' | 'media', string]} */
  #chosen() {
    const [part, name = ''] = this.#choice.value.split(' ');
    return [part === 'media' ? 'media' : 'fields', name];
  }

  #draw() {
    const [part, name] = this.#chosen();
    const row = this.#order[part].find((each) => each.name === name);
    if (!row) return;
    const all = [...row.sources, ...row.known.filter((id) => !row.sources.includes(id))];
    const entries = all.map((id) => ({ key: id, label: this.#names.get(id) ?? id, isOn: row.sources.includes(id) }));
    const list = orderList(this.#ctx, LIST, entries,
      (now) => void this.#save(now.filter(({ isOn }) => isOn).map(({ key }) => key)));
    list.setAttribute('aria-label', this.#ctx.t('sources.order.of', { name: this.#ctx.t(`field.${name}`) }));
    fill(this.#list, list);
  }

  /** @param {readonly string[] | null} sources null for the order that holds without a setting */
  #save(sources) {
    const [part, name] = this.#chosen();
    this.#saving = this.#saving.then(async () => {
      try {
        this.#order = await this.#ctx.client.post('/api/v2/metadata/source-order', { [part]: { [name]: sources } });
        if (sources === null) this.#draw();
      } catch (error) {
        this.#ctx.fail(error);
        this.#draw();
      }
    });
    return this.#saving;
  }
}
