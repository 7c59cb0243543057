/**
 * Smart collections in the sidebar, the dialog that makes and edits one and shows what its phrase finds, and deleting
 * with undo.
 */

import { makeField } from '../fields.js';
import { askAndSave } from './playlists.js';
import { chipText } from './said.js';
import { fill, h, icon } from '../../core/dom.js';
import { formatHash } from '../../core/router.js';

/** Characters the server takes. */
const LONGEST_NAME = 80;
const LONGEST_PHRASE = 500;

/** How long typing must rest before the phrase is tried, in milliseconds. */
const REST = 150;

/**
 * Everything a phrase says: its conditions, and the words that are looked for as they are.
 *
 * @param {App.Context} ctx
 * @param {Api.Phrase} phrase
 * @returns {string[]}
 */
export function phraseTexts(ctx, phrase) {
  const words = phrase.plain_query ? [phrase.plain_query] : phrase.unparsed;
  return [...phrase.chips.map((chip) => chipText(ctx, chip)),
    ...(words.length > 0 ? [ctx.t('collection.words', { words: words.join(' ') })] : [])];
}

/**
 * Makes a collection, or edits one.
 *
 * @param {App.Context} ctx
 * @param {{collection?: App.Collection, query?: string}} subject an existing collection, or the phrase of a new one
 * @returns {Promise<string>} the name it has now; the empty string when nothing was saved
 */
export async function editCollection(ctx, { collection, query = '' }) {
  const { t, tn, collections, router, toasts } = ctx;
  const phrase = makeField({ key: 'query', kind: 'text', value: collection?.query ?? query,
    label: t('collection.phrase'), hint: t('collection.phrase.hint'), required: true, wide: true });
  const name = makeField({ key: 'name', kind: 'text', value: collection?.name ?? nameOf(query), label: t('field.name'),
    required: true, wide: true });
  phrase.control.setAttribute('maxlength', String(LONGEST_PHRASE));
  name.control.setAttribute('maxlength', String(LONGEST_NAME));
  const found = h('div', { class: 'phrase', role: 'status' });
  let turn = 0;
  const attempt = async () => {
    turn += 1;
    const own = turn;
    const words = String(phrase.read());
    const read = words ? await collections.read(words) : null;
    if (own !== turn) return;
    fill(found, read
      ? [h('b', null, tn('collection.finds', read.match_count)),
        h('ul', null, phraseTexts(ctx, read).map((text) => h('li', { class: 'chip read' }, text)))]
      : null);
  };
  /** @type {App.Timer} */
  let timer;
  phrase.control.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => attempt().catch(ctx.fail), REST);
  });
  attempt().catch(ctx.fail);
  return askAndSave(ctx, {
    title: t(collection ? 'collection.edit' : 'collection.new'),
    action: t(collection ? 'action.save' : 'playlist.create'),
    name,
    first: collection || query ? name : phrase,
    content: [phrase.element, found, h('div', { class: 'gap' }, name.element)],
    isReady: () => {
      const isBlank = phrase.read() === '';
      phrase.fail(isBlank ? t('collection.needsPhrase') : '');
      if (isBlank) phrase.control.focus();
      return !isBlank;
    },
    isTaken: (wanted) => wanted !== collection?.name && collections.find(wanted) !== undefined,
    taken: t('collection.collision'),
    save: async (wanted) => {
      await collections.save({ name: wanted, query: String(phrase.read()) }, collection?.name);
      const { name: screen, query: address } = router.current;
      if (!collection)
        toasts.show({ kind: 'good', text: t('collection.made', { name: wanted }),
          actions: [{ label: t('playlist.open'), run: () => router.go('/', { collection: wanted }) }] });
      else if (screen === 'library' && address['collection'] === collection.name)
        router.replace('/', { ...address, collection: wanted });
    },
  });
}

/**
 * @param {App.Context} ctx
 * @param {App.Collection} collection
 */
export async function deleteCollection(ctx, collection) {
  const { t, collections, router, toasts } = ctx;
  try {
    await collections.remove(collection.name);
    if (router.current.query['collection'] === collection.name) router.go('/');
    toasts.show({ kind: 'good', text: t('collection.deleted', { name: collection.name }),
      actions: [{ label: t('action.undo'), run: () => void collections.save(collection).catch(ctx.fail) }] });
  } catch (error) {
    ctx.fail(error);
  }
}

/**
 * The collections and a button that makes one of what is searched for now.
 *
 * @param {App.Context} ctx
 * @param {(label: string) => HTMLElement} more the button of the menu of an entry
 * @returns {App.Child}
 */
export function collectionSection(ctx, more) {
  const { t, format, collections, router } = ctx;
  return [
    h('div', { class: 'places-head' }, h('h2', { id: 'collections-title' }, t('sidebar.collections')), h('button', {
      class: 'icon-button',
      type: 'button',
      tabindex: -1,
      'data-place': 'new:collection',
      'data-focus': 'new:collection',
      'aria-label': t('collection.new'),
      title: t('collection.new'),
      on: { click: () => void editCollection(ctx, { query: router.current.query['q'] ?? '' }) },
    }, icon('plus', 'icon-s'))),
    collections.list.length > 0
      ? h('ul', { 'aria-labelledby': 'collections-title' },
        collections.list.map(({ name, query, count }) =>
          h('li', { class: 'listed' },
            h('a', { class: 'place', href: formatHash('/', { collection: name }), 'data-place': `collection:${name}`,
              'data-focus': `collection:${name}`, tabindex: -1, title: query }, icon('spark'),
              h('span', { class: 'name' }, name),
              h('span', { class: 'count' }, count === null ? '' : format.number(count))),
            more(t('list.more', { name })))
        ))
      : h('p', { class: 'places-none' }, t('collection.none')),
  ];
}

/**
 * A name for what a phrase finds.
 *
 * @param {string} query
 * @returns {string}
 */
function nameOf(query) {
  const text = query.trim().slice(0, LONGEST_NAME);
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}
