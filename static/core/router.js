/**
 * Hash routes: `#/path?key=value`. Knows addresses, not screens.
 */

/**
 * @param {string} hash
 * @returns {App.Route}
 */
export function parseHash(hash) {
  const text = hash.replace(/^#/, '') || '/';
  const cut = text.indexOf('?');
  const path = cut < 0 ? text : text.slice(0, cut);
  const segments = path.split('/').filter(Boolean).map(decodeSegment);
  const query = new URLSearchParams(cut < 0 ? '' : text.slice(cut + 1));
  return { name: segments[0] ?? 'library', arg: segments[1] ?? '', query: Object.fromEntries(query), hash: text };
}

/**
 * @param {string} text
 * @returns {string}
 */
function decodeSegment(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} path
 * @param {Record<string, string | undefined>} [query] empty values are left out
 * @returns {string} `#/path?key=value`
 */
export function formatHash(path, query = {}) {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) search.set(key, value);
  const tail = search.toString();
  return `#${path}${tail ? `?${tail}` : ''}`;
}

/** Follows the address and changes it. */
export class Router {
  #listener;
  /** @type {App.Route} */
  current = parseHash(location.hash);
  /**
   * What lies over the screen, the topmost last.
   *
   * @type {(() => boolean | void)[]}
   */
  #over = [];
  /** The entry of the history that was added for what lies over a screen, where the page stands on one. */
  #entry = entryOf('over');

  /** @param {(route: App.Route) => void} listener called for each new address */
  constructor(listener) {
    this.#listener = listener;
    addEventListener('popstate', () => this.#step());
    addEventListener('hashchange', () => {
      if (parseHash(location.hash).hash !== this.current.hash && this.#closeAll()) this.#follow();
    });
  }

  /** Shows the address the page was opened with. */
  start() {
    this.#follow();
  }

  /**
   * @param {string} path
   * @param {Record<string, string | undefined>} [query]
   */
  go(path, query) {
    location.hash = formatHash(path, query);
  }

  /**
   * Changes the address without a new entry in the history, as for each letter of a search.
   *
   * @param {string} path
   * @param {Record<string, string | undefined>} [query]
   */
  replace(path, query) {
    history.replaceState(history.state, '', formatHash(path, query));
    this.#follow(true);
  }

  /**
   * Has "back" close what lies over a screen instead of leaving the screen. What the address became meanwhile stays.
   *
   * All that lies over a screen shares one entry of the history. It stays when nothing lies there any more, for the
   * next that does, and "back" passes over it: going back from it at once would overtake a step that comes next.
   *
   * @param {() => boolean | void} close called when somebody went back, or on to another address; `false` when it stays
   *   open, and the address too
   * @returns {() => void} ends it, for what was closed in another way
   */
  hold(close) {
    this.#over.push(close);
    this.#add();
    return () => {
      this.#over = this.#over.filter((other) => other !== close);
    };
  }

  /**
   * Shows a screen instead of the address the page was opened with.
   *
   * @param {string} path
   */
  replaceStart(path) {
    history.replaceState(null, '', formatHash(path));
    this.#entry = '';
    this.#follow();
  }

  /** Adds the entry for what lies over the screen, unless the page stands on it. */
  #add() {
    if (this.#entry) return;
    this.#entry = Math.random().toString(36).slice(2);
    history.replaceState({ below: this.#entry }, '');
    history.pushState({ over: this.#entry }, '');
  }

  /** Takes a step back to the entry below what lies over a screen. */
  #step() {
    const left = this.#entry;
    this.#entry = entryOf('over');
    if (!left || entryOf('below') !== left) return;
    // The entry below still has the address from before.
    history.replaceState(history.state, '', `#${this.current.hash}`);
    if (this.#over.length === 0) history.back();
    else {
      this.#closeTop();
      if (this.#over.length > 0) this.#add();
    }
  }

  /** @returns {boolean} whether the topmost is closed */
  #closeTop() {
    const close = this.#over.at(-1);
    if (close?.() === false) return false;
    this.#over = this.#over.filter((other) => other !== close);
    return true;
  }

  /** @returns {boolean} whether nothing lies over the screen any more; else the address is that of the screen again */
  #closeAll() {
    while (this.#over.length > 0) {
      if (this.#closeTop()) continue;
      this.#entry = Math.random().toString(36).slice(2);
      history.pushState({ over: this.#entry }, '', `#${this.current.hash}`);
      return false;
    }
    return true;
  }

  /** @param {boolean} [replaced] whether the address took the place of the one before it */
  #follow(replaced = false) {
    this.current = { ...parseHash(location.hash), replaced };
    this.#listener(this.current);
  }
}

/**
 * @param {'over' | 'below'} place
 * @returns {string} the entry over a screen that this one is, or lies below
 */
function entryOf(place) {
  return /** @type {Record<string, string> | null} */ (history.state)?.[place] ?? '';
}
