/**
 * The live stream of the server, once for all tabs of a browser: the tab that holds the lock reads `GET /api/events`
 * and passes every event on. When that tab goes, the next one takes over. Knows events, not what they mean. After any
 * time without a stream everybody is told to fetch anew, because the server repeats nothing.
 */

import { ApiError } from './client.js';
import { EventParser } from './event-stream.js';

/** Name of the lock and of the channel; both belong to the origin, which is one start of one server. */
const SHARED = 'service-live';

/** Pauses between attempts to connect, in milliseconds. */
const FIRST_PAUSE = 400;
const LONGEST_PAUSE = 15_000;

/** Pause while every place on the stream is taken; the page asks the server instead, this often. */
const FALLBACK = 5000;

/** The server says something every 15 s; a stream that is silent for this long is dead. */
const SILENCE = 40_000;

/** A server that does not answer for this long was probably started anew, with another address. */
const GONE = 20_000;

/** Longest wait for the first word about the stream before the page goes on without it. */
const PATIENCE = 250;

/** Follows the stream, or the tab that follows it. */
export class Live {
  #client;
  #bus;
  #channel = new BroadcastChannel(SHARED);
  #leads = false;
  /** @type {App.LiveState} */
  #state = 'starting';
  /** @type {(() => void) | null} */
  #hurry = null;
  /** @type {Promise<void> | null} */
  #known = null;
  /** Whether the page went on before there was a stream. */
  #isLate = false;
  #isGone = false;
  /** @type {App.Timer} */
  #going;

  /**
   * @param {import('./client.js').Client} client
   * @param {import('./bus.js').Bus} bus
   */
  constructor(client, bus) {
    this.#client = client;
    this.#bus = bus;
  }

  get state() {
    return this.#state;
  }

  /** Whether the server has not answered for so long that another start of it would have another address. */
  get isGone() {
    return this.#isGone;
  }

  /** Whether this tab reads the stream for the others. */
  get leads() {
    return this.#leads;
  }

  /**
   * Starts once. Resolves when it is known whether there is a stream, or after a moment. A page without a token would
   * only keep the lock from the others.
   *
   * @returns {Promise<void>}
   */
  start() {
    if (!this.#client.token) return Promise.resolve();
    this.#known ??= new Promise((resolve) => {
      const stop = new AbortController();
      const done = () => {
        stop.abort();
        resolve();
      };
      this.#bus.on('live', done, stop.signal);
      setTimeout(() => {
        this.#isLate = this.#state === 'starting';
        done();
      }, PATIENCE);
      this.#channel.onmessage = ({ data }) => this.#hear(/** @type {App.LiveMessage} */ (data));
      this.#channel.postMessage({ type: 'hello' });
      void navigator.locks.request(SHARED, () => this.#lead());
    });
    return this.#known;
  }

  /** Tries again now instead of later. */
  retry() {
    if (this.#leads) this.#hurry?.();
    else this.#channel.postMessage({ type: 'retry' });
  }

  /** @param {App.LiveMessage} message from another tab */
  #hear(message) {
    switch (message.type) {
      case 'hello':
        if (this.#leads) this.#channel.postMessage({ type: 'state', state: this.#state });
        break;
      case 'retry':
        if (this.#leads) this.#hurry?.();
        break;
      case 'state':
        if (!this.#leads) this.#take(message.state);
        break;
      case 'event':
        if (!this.#leads) this.#bus.emit('live:event', message.event);
        break;
      case 'behind':
        if (!this.#leads) this.#bus.emit('live:behind', { missed: message.missed });
        break;
    }
  }

  /**
   * Reads the stream for as long as the page lives, and so holds the lock. Gives it up when the server does not know
   * the token.
   */
  async #lead() {
    this.#leads = true;
    let pause = FIRST_PAUSE;
    for (;;) {
      const outcome = await this.#follow();
      if (outcome === 'refused') break;
      // A stream that was there and broke off is asked for at once; only what cannot be had is waited for.
      if (outcome === 'ended') pause = FIRST_PAUSE;
      else this.#say(outcome);
      if (outcome === 'full') this.#tell({ type: 'behind', missed: false });
      await this.#wait(outcome === 'ended' ? 0 : outcome === 'full' ? FALLBACK : pause * (0.75 + Math.random() / 2));
      if (outcome === 'lost') pause = Math.min(LONGEST_PAUSE, pause * 2);
    }
    this.#leads = false;
    this.#known = null;
    this.#state = 'starting';
  }

  /**
   * One stream from its beginning to its end.
   *
   * @returns {Promise<'ended' | 'full' | 'lost' | 'refused'>}
   */
  async #follow() {
    const stop = new AbortController();
    /** @type {App.Timer} */
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort(), SILENCE);
    };
    let isOpen = false;
    try {
      heard();
      const reader = (await this.#client.stream('/api/events', stop.signal)).getReader();
      isOpen = true;
      const missed = this.#state !== 'starting' || this.#isLate;
      this.#say('live');
      this.#tell({ type: 'behind', missed });
      const parser = new EventParser();
      const decoder = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 'ended';
        heard();
        for (const event of parser.feed(decoder.decode(value, { stream: true }))) this.#tell({ type: 'event', event });
      }
    } catch (error) {
      if (isOpen) return 'ended';
      if (error instanceof ApiError && (error.status === 503 || error.status === 429)) return 'full';
      return error instanceof ApiError && error.code === 'UNAUTHORIZED' ? 'refused' : 'lost';
    } finally {
      clearTimeout(silence);
      stop.abort();
    }
  }

  /** @param {number} time */
  #wait(time) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  /** @param {App.LiveState} state */
  #say(state) {
    if (state === this.#state) return;
    this.#channel.postMessage({ type: 'state', state });
    this.#take(state);
  }

  /** @param {App.LiveState} state */
  #take(state) {
    if (state === this.#state) return;
    this.#state = state;
    this.#isGone = false;
    clearTimeout(this.#going);
    if (state === 'lost')
      this.#going = setTimeout(() => {
        this.#isGone = true;
        this.#bus.emit('live:gone', {});
      }, GONE);
    this.#bus.emit('live', { state });
  }

  /** @param {App.LiveMessage & {type: 'event' | 'behind'}} message to all tabs, this one too */
  #tell(message) {
    this.#channel.postMessage(message);
    if (message.type === 'event') this.#bus.emit('live:event', message.event);
    else this.#bus.emit('live:behind', { missed: message.missed });
  }
}
