/**
 * The setting `region_priority`: regions in the order in which they are preferred. They are chosen among those of the
 * library and the usual ones; any other can be written.
 */

import { fill, h, icon } from '../../core/dom.js';
import { OrderList } from './order-list.js';

/** Regions as lists of known dumps name them. */
const USUAL = Object.freeze([
  'World',
  'North America',
  'USA',
  'Europe',
  'Japan',
  'Asia',
  'Australia',
  'Brazil',
  'Canada',
  'China',
  'France',
  'Germany',
  'Hong Kong',
  'Italy',
  'Korea',
  'Latin America',
  'Netherlands',
  'Russia',
  'Scandinavia',
  'Spain',
  'Sweden',
  'Taiwan',
  'United Kingdom',
]);

/** The choice that is written instead of chosen. No region is called so. */
const WRITTEN = '*';

/** Letters a region may have. */
const LONGEST = 80;

/**
 * @param {App.Context} ctx
 * @param {string} id for the label
 * @param {readonly string[]} value the empty string stands for every region that is not named
 * @param {(value: string[]) => void} commit
 * @returns {HTMLElement}
 */
export function regionList(ctx, id, value, commit) {
  const { t, toasts } = ctx;
  const label = (/** @type {string} */ region) => region || t('settings.otherEntry');
  const list = new OrderList(ctx, value.map((region) => ({ key: region, label: label(region), isOn: true })),
    (entries) => {
      offer();
      commit(entries.map(({ key }) => key));
    }, { isDroppable: true });
  const select = h('select', { class: 'input', id: `${id}-more`, on: { change: () => {
    written.hidden = select.value !== WRITTEN;
  } } });
  const written = h('input', { class: 'input', type: 'text', hidden: true, maxlength: LONGEST,
    'aria-label': t('regions.name'), placeholder: t('regions.name'), autocomplete: 'off', spellcheck: 'false' });
  const add = h('button', { class: 'button', type: 'button' }, icon('plus', 'icon-s'), t('regions.add'));

  /** Offers what is not in the list yet. */
  const offer = () => {
    const chosen = new Set(list.entries.map(({ key }) => key));
    const own = ctx.catalog.valuesOf('region').filter((region) => !chosen.has(region));
    const usual = USUAL.filter((region) => !chosen.has(region) && !own.includes(region));
    const options = (/** @type {readonly string[]} */ regions) =>
      regions.map((region) => h('option', { value: region }, label(region)));
    const before = select.value;
    fill(select, own.length > 0 ? h('optgroup', { label: t('regions.own') }, options(own)) : null,
      h('optgroup', { label: t('regions.usual') }, options(usual)), chosen.has('') ? null : options(['']),
      h('option', { value: WRITTEN }, t('regions.another')));
    if ([...select.options].some((option) => option.value === before)) select.value = before;
    written.hidden = select.value !== WRITTEN;
  };
  const take = () => {
    const region = select.value === WRITTEN ? written.value.trim() : select.value;
    const at = list.entries.findIndex(({ key }) => key === region);
    if (select.value === WRITTEN && (region === '' || at >= 0)) {
      if (at >= 0) toasts.show({ text: t('regions.there', { name: label(region), place: at + 1 }) });
      written.focus();
      return;
    }
    written.value = '';
    // What stands for all others is of no use before one that is named.
    const last = list.entries.at(-1)?.key === '' && region !== '' ? list.entries.length - 1 : list.entries.length;
    list.insert({ key: region, label: label(region), isOn: true }, last);
  };
  add.addEventListener('click', take);
  written.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    take();
  });
  const root = h('div', { class: 'regions', role: 'group', id, tabindex: -1 }, list.element,
    h('div', { class: 'adding' }, h('label', { class: 'sr-only', for: select.id }, t('regions.choose')), select,
      written, add));
  offer();
  // The regions of the library are all known when it is whole.
  const stop = new AbortController();
  ctx.bus.on('catalog:ready', () => {
    if (root.isConnected) offer();
    else stop.abort();
  }, stop.signal);
  return root;
}
