/**
 * Messages between parts that must not know each other. The message names and their payloads are `App.Messages`.
 */

/** A synchronous publisher; a listener that throws does not stop the others. */
export class Bus {
  /** @type {Map<string, Set<(payload: never) => void>>} */
  #listeners = new Map();

  /**
   * Listens until the signal aborts.
   *
   * @template {keyof App.Messages} K
   * @param {K} name
   * @param {(payload: App.Messages[K]) => void} listener
   * @param {AbortSignal} [signal]
   */
  on(name, listener, signal) {
    if (signal?.aborted) return;
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set);
    set.add(/** @type {(payload: never) => void} */ (listener));
    signal?.addEventListener('abort', () => set.delete(/** @type {(payload: never) => void} */ (listener)), {
      once: true,
    });
  }

  /**
   * @template {keyof App.Messages} K
   * @param {K} name
   * @param {App.Messages[K]} payload
   */
  emit(name, payload) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        /** @type {(payload: App.Messages[K]) => void} */ (listener)(payload);
      } catch (error) {
        // The other listeners still run; the browser reports the error as uncaught.
        reportError(error);
      }
    }
  }
}
