/**
 * Server-sent events out of a stream of text, whatever its pieces are cut into. Pure. Refuses nothing: fields it does
 * not know are passed over, as the format wants it.
 */

/** Cuts text into events. */
export class EventParser {
  #rest = '';
  #name = '';
  /** @type {string[]} */
  #data = [];

  /**
   * Takes the next piece.
   *
   * @param {string} text
   * @returns {App.StreamEvent[]} events that are complete now, in order
   */
  feed(text) {
    /** @type {App.StreamEvent[]} */
    const events = [];
    // A CR at the end of a piece may be the first half of a line end.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') this.#read(line);
      else this.#finish(events);
    }
    return events;
  }

  /** @param {string} line */
  #read(line) {
    const cut = line.indexOf(':');
    const field = cut < 0 ? line : line.slice(0, cut);
    const value = cut < 0 ? '' : line.slice(cut + 1).replace(/^ /, '');
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#data.push(value);
  }

  /** @param {App.StreamEvent[]} events */
  #finish(events) {
    if (this.#data.length > 0) events.push({ name: this.#name || 'message', data: parse(this.#data.join('\n')) });
    this.#name = '';
    this.#data = [];
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function parse(text) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(text);
    return value && typeof value === 'object' && !Array.isArray(value)
      ? /** @type {Record<string, unknown>} */ (value)
      : {};
  } catch {
    return {};
  }
}
