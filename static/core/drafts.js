/**
 * Words that were typed and not sent: kept while the tab is open, also when it is loaded again, and asked about before
 * it closes.
 */

/** Begins the keys in the storage of the tab. */
const PREFIX = 'draft ';

/**
 * Drafts that were read or written since the page was loaded.
 *
 * @type {Map<string, string>}
 */
const drafts = new Map();

/** @param {Event} event */
const ask = (event) => event.preventDefault();

/**
 * @param {string} about what was being written
 * @returns {string} the words, or the empty string
 */
export function readDraft(about) {
  return drafts.get(about) ?? sessionStorage.getItem(PREFIX + about) ?? '';
}

/**
 * @param {string} about
 * @param {string} text the empty string ends the draft
 */
export function keepDraft(about, text) {
  if (text.trim()) drafts.set(about, text);
  else drafts.delete(about);
  try {
    if (drafts.has(about)) sessionStorage.setItem(PREFIX + about, text);
    else sessionStorage.removeItem(PREFIX + about);
  } catch {
    // A full storage keeps nothing more; the words are still in memory.
  }
  if (drafts.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

/**
 * Has the browser ask before the page goes away with changes that were not sent.
 *
 * @param {() => boolean} isDirty
 * @param {AbortSignal} signal
 */
export function askBeforeLeaving(isDirty, signal) {
  addEventListener('beforeunload', (event) => {
    if (isDirty()) event.preventDefault();
  }, { signal });
}
