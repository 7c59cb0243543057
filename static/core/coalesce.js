/**
 * Work that many ask for at once and that needs to be done once.
 */

/**
 * Makes a function that runs the work; calls that come while it runs are answered together by one more run.
 *
 * @param {() => Promise<void>} work
 * @returns {() => Promise<void>} settles when no run is owed any more
 */
export function coalesce(work) {
  /** @type {Promise<void> | null} */
  let running = null;
  let isOwed = false;
  const run = async () => {
    try {
      while (isOwed) {
        isOwed = false;
        await work();
      }
    } finally {
      running = null;
    }
  };
  return () => {
    isOwed = true;
    running ??= run();
    return running;
  };
}

/**
 * Changes and reads of one thing that the server keeps: changes go one after the other, and what was read before a
 * change is read again after it, so that it is never shown.
 */
export class Turns {
  /** Settles when every change that was asked for is done. */
  #last = Promise.resolve();
  #changes = 0;

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  change(work) {
    this.#changes += 1;
    const done = this.#last.then(work);
    this.#last = done.then(() => undefined, () => undefined);
    return done;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async read(work) {
    for (;;) {
      await this.#last;
      const before = this.#changes;
      const answer = await work();
      if (before === this.#changes) return answer;
    }
  }
}

/**
 * Makes a function that asks about things by their ids, one question after the other: an older answer never comes
 * behind a newer one. What is asked while an answer is awaited goes into the next question together.
 *
 * @template T
 * @param {(ids: string[]) => Promise<T>} ask
 * @returns {(ids: readonly string[]) => Promise<T>} the answer about these ids, and perhaps others
 */
export function gather(ask) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /** @type {{ids: Set<string>, answer: Promise<T>} | null} */
  let next = null;
  const open = () => {
    const ids = /** @type {Set<string>} */ (new Set());
    const answer = last.then(() => {
      next = null;
      return ask([...ids]);
    });
    last = answer.catch(() => undefined);
    return { ids, answer };
  };
  return (ids) => {
    next ??= open();
    for (const id of ids) next.ids.add(id);
    return next.answer;
  };
}
