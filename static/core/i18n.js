/**
 * Strings of the user interface. Keys are flat and dotted, English is the source, plural forms are `key.one`,
 * `key.other`.
 */

/** Languages of the product; the same five as the `locale` setting. */
export const LOCALES = Object.freeze(['en', 'es', 'de', 'fr', 'pt']);

/** One loaded language over English. */
export class I18n {
  /** @type {Record<string, string>} */
  #source = {};
  /** @type {Record<string, string>} */
  #strings = {};
  #plural = new Intl.PluralRules('en');
  locale = 'en';

  /**
   * Loads a language; an unknown one becomes English.
   *
   * @param {string} locale
   * @param {(locale: string) => Promise<Record<string, string>>} load
   */
  async use(locale, load) {
    const wanted = LOCALES.includes(locale) ? locale : 'en';
    if (Object.keys(this.#source).length === 0) this.#source = await load('en');
    this.#strings = wanted === 'en' ? this.#source : await load(wanted);
    this.#plural = new Intl.PluralRules(wanted);
    this.locale = wanted;
  }

  /**
   * The string of a key with `{name}` places filled in. A missing key shows itself, so that it is noticed.
   *
   * @param {string} key
   * @param {Record<string, string | number>} [values]
   * @returns {string}
   */
  t = (key, values) => fillPlaces(this.#strings[key] ?? this.#source[key] ?? key, values);

  /**
   * The plural form for `count`; `{count}` is filled with the number as people write it.
   *
   * @param {string} key
   * @param {number} count
   * @param {Record<string, string | number>} [values]
   * @returns {string}
   */
  tn = (key, count, values = {}) => {
    const form = `${key}.${this.#plural.select(count)}`;
    const text = this.#strings[form] ?? this.#strings[`${key}.other`] ?? this.#source[`${key}.other`] ?? key;
    return fillPlaces(text, { count: new Intl.NumberFormat(this.locale).format(count), ...values });
  };

  /**
   * Whether a key has a string, for labels of things the server may add later.
   *
   * @param {string} key
   * @returns {boolean}
   */
  has = (key) => key in this.#source;
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
function fillPlaces(text, values) {
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));
}
