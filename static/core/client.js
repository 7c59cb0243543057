/**
 * The one way to the server: adds the token, reads the error envelope, counts nothing and caches nothing.
 * Refuses: any address of another origin.
 */

const STORAGE_KEY = 'service-token';
const SESSION_KEY = 'service-session';

/** A refused or failed request, with what the user needs to report it. */
export class ApiError extends Error {
  /**
   * @param {string} message the sentence of the server, or ours when there was no answer
   * @param {{status?: number, code?: string, requestId?: string, path?: string, isChange?: boolean}} [facts]
   */
  constructor(message, facts = {}) {
    super(message);
    this.name = 'ApiError';
    /** HTTP status; 0 when the server did not answer. */
    this.status = facts.status ?? 0;
    /** Stable code of the envelope, `UNAUTHORIZED` or `NO_ANSWER` where the envelope has none. */
    this.code = facts.code ?? '';
    this.requestId = facts.requestId ?? '';
    /** The API path that was asked. */
    this.path = facts.path ?? '';
    /** Whether something was to be changed that got no answer: nobody asks for that again. */
    this.isChange = facts.isChange ?? false;
  }

  /**
   * What was caught, as one of these: a request that failed is one, a fault of the page is made one.
   *
   * @param {unknown} caught
   * @returns {ApiError}
   */
  static from(caught) {
    return caught instanceof ApiError ? caught : new ApiError(String(caught));
  }
}

/**
 * Takes the token out of the address, hides it from the address bar and remembers it for a reload.
 *
 * The token stands in memory and in `sessionStorage`. That storage belongs to this tab and to this origin, and the
 * origin contains the port, which the system chooses anew at each start, just as the token is new at each start.
 * Whoever can read it runs as a script of this page already, and the content policy lets only our own files be one.
 *
 * @param {Location} location
 * @param {History} history
 * @param {Storage} storage
 * @returns {string} the token, or the empty string
 */
export function takeToken(location, history, storage) {
  const query = new URLSearchParams(location.search);
  const inHash = /(?:^#|[?&])token=([^&]*)/.exec(location.hash);
  const token = query.get('token') || (inHash ? decodeURIComponent(inHash[1] ?? '') : '');
  if (!token) return storage.getItem(STORAGE_KEY) ?? '';
  storage.setItem(STORAGE_KEY, token);
  query.delete('token');
  const rest = query.toString();
  const hash = inHash ? stripToken(location.hash) : location.hash;
  history.replaceState(null, '', `${location.pathname}${rest ? `?${rest}` : ''}${hash}`);
  return token;
}

/**
 * @param {string} hash
 * @returns {string}
 */
function stripToken(hash) {
  const left = hash.replace(/^#token=[^&]*&?/, '#').replace(/([?&])token=[^&]*&?/, '$1').replace(/[?&]$/, '');
  return left === '#' ? '' : left;
}

/**
 * The name of this tab for the server, which tells by it who entered the PIN of the kiosk. A reload keeps it.
 *
 * @param {Storage} storage
 * @returns {string}
 */
export function sessionName(storage) {
  const known = storage.getItem(SESSION_KEY);
  if (known) return known;
  const name = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  storage.setItem(SESSION_KEY, name);
  return name;
}

/** Speaks to the server. */
export class Client {
  #token;
  #noAnswer;
  #session;
  /**
   * Whether the addresses of pictures name this tab. They have to while the kiosk is on: `<img>` sends no header, and
   * the server would take the page for one that is locked.
   */
  namesTab = false;
  /** Called when the server answers after it had not. @type {() => void} */
  onAnswered = () => undefined;
  /** Whether the last that is known of the server is that it did not answer. */
  #isSilent = false;

  /**
   * @param {string} token
   * @param {(status?: number) => string} noAnswer the sentence to show when the server cannot be reached; with a
   *   status, when something else answered in its place
   * @param {string} [session] the name of this tab
   */
  constructor(token, noAnswer, session = '') {
    this.#token = token;
    this.#session = session;
    this.#noAnswer = noAnswer;
  }

  /** The session token; the catalog worker needs it for its own requests. */
  get token() {
    return this.#token;
  }

  /** What every request says of itself, for the catalog worker. @returns {Record<string, string>} */
  get headers() {
    return { 'X-Service-Token': this.#token, ...(this.#session ? { 'X-Service-Session': this.#session } : {}) };
  }

  /**
   * @template {string} P
   * @param {P} path
   * @param {Record<string, string | number | undefined>} [query]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Reply.ToGet<P>>}
   */
  get(path, query = {}, signal) {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
    const tail = search.toString();
    return this.#send(tail ? `${path}?${tail}` : path, { method: 'GET', ...(signal ? { signal } : {}) });
  }

  /**
   * @template {string} P
   * @param {P} path
   * @param {object} [body]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Reply.ToPost<P>>}
   */
  post(path, body = {}, signal) {
    const headers = { 'Content-Type': 'application/json' };
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body), ...(signal ? { signal } : {}) });
  }

  /**
   * The body of an answer that goes on for as long as both sides want.
   *
   * @param {string} path
   * @param {AbortSignal} signal ends it
   * @returns {Promise<ReadableStream<Uint8Array>>}
   */
  async stream(path, signal) {
    const response = await this.#fetch(path, { signal });
    if (!response.ok || !response.body) return readAnswer(response, path, this.#noAnswer);
    return response.body;
  }

  /**
   * The address of a file with leave to read it for some minutes, for a link: an address ends up in the history of the
   * browser and in messages, where the token must not be.
   *
   * @param {string} path with its query
   * @returns {Promise<string>}
   */
  async ticket(path) {
    return (await this.post('/api/ticket', { path })).address;
  }

  /**
   * The answer with a file, whatever its status.
   *
   * @param {string} path with its query
   * @param {Record<string, string>} headers
   * @returns {Promise<Response>}
   */
  file(path, headers) {
    return this.#fetch(path, { headers });
  }

  /**
   * A request that is sent although the page goes away; nobody hears its answer.
   *
   * @param {string} path
   * @param {object} body
   */
  postLast(path, body) {
    const headers = { 'Content-Type': 'application/json', ...this.headers };
    fetch(path, { method: 'POST', headers, body: JSON.stringify(body), keepalive: true, credentials: 'omit' }).catch(
      () => undefined,
    );
  }

  /**
   * The address of a media file, for `<img>`, which cannot send the token header. `epoch` makes the address change when
   * media changed, because the answers are immutable for the browser's cache.
   *
   * @param {string} gameId
   * @param {string} kind
   * @param {number} epoch
   * @param {{index?: number, width?: number, change?: string}} [options] `index` says which screenshot; `width` how
   *   wide the picture is shown, in CSS pixels: the server then sends a smaller copy where it has one; `change` what
   *   gave the game the picture, where the epoch may not be known yet
   * @returns {string}
   */
  media(gameId, kind, epoch, { index, width, change } = {}) {
    const version = change === undefined ? String(epoch) : `${epoch}.${change}`;
    const query = new URLSearchParams({ game_id: gameId, kind, v: version });
    if (index !== undefined) query.set('index', String(index));
    const copy = width === undefined
      ? undefined
      : copyWidth(width, typeof devicePixelRatio === 'number' ? devicePixelRatio : 1);
    if (copy !== undefined) query.set('w', String(copy));
    return this.#picture('/api/media', query);
  }

  /**
   * The address of an imported picture, for `<img>`. Its digest makes the address change when another picture takes its
   * place, because a page does not load an address twice.
   *
   * @param {string} gameId the game it belongs to; empty for those that belong to none
   * @param {number} index
   * @param {{sha256: string}} memory
   * @returns {string}
   */
  memory(gameId, index, { sha256 }) {
    return this.#picture('/api/v2/memories/media', { ...(gameId ? { game_id: gameId } : { bucket: 'unassigned' }),
      index: String(index), v: sha256.slice(0, 16) });
  }

  /**
   * The address of a smaller copy of a picture that can be chosen for a game.
   *
   * @param {string} id the game
   * @param {string} kind
   * @param {{provider: string, database_id: number, url: string}} choice as the list of choices has it
   * @returns {string}
   */
  candidate(id, kind, { provider, database_id: databaseId, url }) {
    const from = databaseId > 0 ? { database_id: String(databaseId) } : { game_id: id, kind, provider };
    return this.#picture('/api/v2/media/candidate', { url, ...from });
  }

  /**
   * The address of a smaller copy of the picture that a game had before a fix of artwork, for `<img>`.
   *
   * @param {string} batch the fix
   * @param {string} id the game
   * @param {string} field
   * @returns {string}
   */
  before(batch, id, field) {
    return this.#picture('/api/v2/artgrid/hygiene/before', { batch_id: batch, game_id: id, field });
  }

  /**
   * The address of the picture of a version of saves that devices share, for `<img>`.
   *
   * @param {string} id the game
   * @param {string} version
   * @returns {string}
   */
  savesPicture(id, version) {
    return this.#picture('/api/v2/saves/devices/picture', { game_id: id, version });
  }

  /**
   * The address of the picture of an achievement, for `<img>`.
   *
   * @param {string} name
   * @param {boolean} isLocked
   * @returns {string}
   */
  badge(name, isLocked) {
    return this.#picture('/api/ach/badge', { name, locked: isLocked ? '1' : '0' });
  }

  /**
   * @param {string} path
   * @param {Record<string, string> | URLSearchParams} query
   * @returns {string} an address that says what a request without headers cannot
   */
  #picture(path, query) {
    const address = new URLSearchParams(query);
    address.set('token', this.#token);
    if (this.namesTab && this.#session) address.set('session', this.#session);
    return `${path}?${address}`;
  }

  /**
   * @template T
   * @param {string} path
   * @param {RequestInit} init
   * @returns {Promise<T>}
   */
  async #send(path, init) {
    return readAnswer(await this.#fetch(path, init), path, this.#noAnswer);
  }

  /**
   * @param {string} path
   * @param {RequestInit} init
   * @returns {Promise<Response>}
   */
  async #fetch(path, init) {
    const headers = { ...init.headers, ...this.headers };
    try {
      const response = await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'omit' });
      if (this.#isSilent) {
        this.#isSilent = false;
        queueMicrotask(this.onAnswered);
      }
      return response;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') throw error;
      this.#isSilent = true;
      throw new ApiError(this.#noAnswer(), { code: 'NO_ANSWER', path, isChange: init.method === 'POST' });
    }
  }
}

/**
 * Reads the JSON of an answer or throws what its envelope says.
 *
 * @template T
 * @param {Response} response
 * @param {string} path
 * @param {(status?: number) => string} noAnswer the sentence for an answer that is not of the service
 * @returns {Promise<T>}
 */
export async function readAnswer(response, path, noAnswer) {
  /** @type {unknown} */
  let body = null;
  try {
    body = await response.json();
  } catch {
    if (response.ok) throw new ApiError(noAnswer(), { status: response.status, code: 'NO_ANSWER', path });
  }
  if (response.ok) return /** @type {T} */ (body);
  const envelope = /** @type {Api.ErrorEnvelope} */ (body && typeof body === 'object' ? body : {});
  throw new ApiError(envelope.error || noAnswer(response.status), {
    status: response.status,
    code: envelope.code || (response.status === 403 ? 'UNAUTHORIZED' : `HTTP_${response.status}`),
    requestId: envelope.request_id ?? '',
    path,
  });
}

/** Widths of the copies that the server makes of pictures. */
const COPIES = Object.freeze([160, 320, 640]);

/**
 * The copy for a picture shown `width` CSS pixels wide; `undefined` when only the picture itself is sharp enough. One
 * address for sizes that get the same copy, so the browser keeps it while tiles are resized.
 *
 * @param {number} width
 * @param {number} ratio device pixels of a CSS pixel
 * @returns {number | undefined}
 */
export function copyWidth(width, ratio) {
  return COPIES.find((copy) => copy >= Math.floor(width * ratio));
}
