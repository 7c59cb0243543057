/**
 * Searching by what games are like: the chips of what a phrase was understood as, each of which can be taken away, and
 * the offer to search that way while somebody types.
 */

import { h, icon } from '../../core/dom.js';
import { genreNames, isPhrase, phraseParts, spelledAs, withoutPart } from '../../data/phrase.js';

/** How long the search field rests before its text is read as a phrase, in milliseconds. */
const REST = 300;

/** Conditions whose values are the beginnings of words that a genre may contain. */
const GENRES = Object.freeze(['genre', 'genre_any']);

/** Conditions whose values are platforms. The server compares them without regard to capitals, and names them so. */
const PLATFORMS = Object.freeze(['platform', 'platform_any']);

/**
 * What a condition of a phrase says, in the language of the page.
 *
 * @param {App.Context} ctx
 * @param {Api.PhraseChip} chip
 * @returns {string}
 */
export function chipText({ t, i18n, catalog }, { i18n: key, key: kind, label, value }) {
  const words = i18n.has(key) ? t(key) : label;
  const platforms = PLATFORMS.includes(kind) ? catalog.facets.platforms.map(([name]) => name) : [];
  const text = (/** @type {unknown} */ part) =>
    i18n.has(`progress.${part}`) ? t(`progress.${part}`) : spelledAs(String(part), platforms) || String(part);
  if (value === false || value === 'uninstalled') return t('sayit.not', { label: words });
  if (value === true || value === null || value === 'installed') return words;
  if (GENRES.includes(kind))
    return `${words}: ${genreNames([value].flat().map(String), catalog.facets.genres).join(', ')}`;
  if (Array.isArray(value)) return `${words}: ${value.map(text).join(', ')}`;
  if (typeof value !== 'object') return `${words}: ${text(value)}`;
  const { min = '', max = '' } = /** @type {{min?: number, max?: number}} */ (value);
  return `${words}: ${min === max ? min : `${min}–${max}`}`;
}

/**
 * The chips of a phrase. A press takes a part away.
 *
 * @param {App.Context} ctx
 * @param {Api.Phrase} phrase
 * @param {(say: string) => void} onSay the phrase from now on; empty for none
 * @returns {HTMLElement[]}
 */
export function saidChips(ctx, phrase, onSay) {
  const { t } = ctx;
  const labels = phrase.anchor
    ? [t('say.like', { name: phrase.anchor.name })]
    : [...phrase.chips.map((chip) => chipText(ctx, chip)), ...phrase.unparsed.map((word) => t('say.word', { word }))];
  const canonical = phrase.canonical ?? '';
  const isExact = phraseParts(canonical).length === labels.length && !phrase.anchor;
  return labels.map((label, at) =>
    h('button', { class: 'chip', type: 'button', 'data-focus': `say-${label}`,
      'aria-label': t('chip.remove', { label }), on: { click: () =>
        onSay(isExact ? withoutPart(canonical, at) : '') } }, label, icon('close'))
  );
}

/** Reads what is typed as a phrase, once the field rests. */
export class Offer {
  #ctx;
  #onRead;
  /** @type {App.Timer} */
  #timer;
  #text = '';
  /** @type {Api.Phrase | null} */
  #phrase = null;

  /**
   * @param {App.Context} ctx
   * @param {() => void} onRead
   */
  constructor(ctx, onRead) {
    this.#ctx = ctx;
    this.#onRead = onRead;
  }

  /**
   * What the text is understood as, as far as that is known; `null` when it says nothing of its own.
   *
   * @param {string} text
   * @returns {Api.Phrase | null}
   */
  of(text) {
    if (text === this.#text) return this.#phrase;
    clearTimeout(this.#timer);
    this.#text = text;
    this.#phrase = null;
    if (isPhrase(text)) this.#timer = setTimeout(() => void this.#read(text), REST);
    return null;
  }

  /** @param {string} text */
  async #read(text) {
    try {
      const phrase = await this.#ctx.collections.read(text);
      if (text !== this.#text || (phrase.chips.length === 0 && !phrase.anchor)) return;
      this.#phrase = phrase;
      this.#onRead();
    } catch {
      // The words are searched for as they are then.
    }
  }
}

/**
 * The button that searches by what the text means.
 *
 * @param {App.Context} ctx
 * @param {Api.Phrase} phrase
 * @param {() => void} onSay
 * @param {string} style
 * @returns {HTMLElement}
 */
export function offerButton(ctx, phrase, onSay, style) {
  return h('button', { class: style, type: 'button', 'data-focus': 'say-offer', on: { click: onSay } }, icon('spark'),
    ctx.tn('say.offer', phrase.match_count));
}
