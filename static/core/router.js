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

  /** @param {(route: App.Route) => void} listener called for each new address */
  constructor(listener) {
    this.#listener = listener;
    addEventListener('hashchange', () => {
      if (parseHash(location.hash).hash !== this.current.hash) this.#follow();
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
   * @param {() => void} close called when somebody went back, or on to another address
   * @returns {() => void} ends it, for what was closed in another way
   */
  hold(close) {
    const below = this.current.hash;
    /** @type {(() => void) | null} */
    let left = close;
    const onMove = () => {
      removeEventListener('popstate', onMove);
      // The entry below still has the address from before.
      if (parseHash(location.hash).hash === below) history.replaceState(null, '', `#${this.current.hash}`);
      left?.();
      left = null;
    };
    history.pushState({ held: true }, '');
    addEventListener('popstate', onMove);
    return () => {
      if (!left) return;
      left = null;
      // What closes it may lead on to another address in the same moment: then there is nothing to go back from.
      setTimeout(() => {
        if (history.state?.held) history.back();
        else removeEventListener('popstate', onMove);
      });
    };
  }

  /**
   * Shows a screen instead of the address the page was opened with.
   *
   * @param {string} path
   */
  replaceStart(path) {
    history.replaceState(null, '', formatHash(path));
    this.#follow();
  }

  /** @param {boolean} [replaced] whether the address took the place of the one before it */
  #follow(replaced = false) {
    this.current = { ...parseHash(location.hash), replaced };
    this.#listener(this.current);
  }
}
