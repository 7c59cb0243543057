/**
 * The theme that the page wears: a style sheet over those of the page. One that is tried on covers the chosen one until
 * it is taken off.
 */

import { coalesce } from './coalesce.js';

/** @type {{ client: import('./client.js').Client, name: string } | null} */
let wanted = null;
/** The theme that is tried on; `null` when none is. @type {string | null} */
let tried = null;
let worn = '';
/** Whether the style sheet of the worn theme may have changed. */
let isStale = false;
/** The text of what is worn. */
let wornText = '';

const wear = coalesce(async () => {
  if (!wanted) return;
  const name = tried ?? wanted.name;
  if (name === worn && !isStale) return;
  isStale = false;
  const css = await readTheme(wanted.client, name);
  if (css === null) return;
  worn = name;
  if (css === wornText) return;
  wornText = css;
  let style = document.getElementById('theme');
  if (!style) {
    style = document.createElement('style');
    style.id = 'theme';
    document.head.append(style);
  }
  style.textContent = css;
});

/**
 * Wears a theme; the empty name takes it off.
 *
 * @param {import('./client.js').Client} client
 * @param {string} name
 */
export function wearTheme(client, name) {
  wanted = { client, name };
  void wear();
}

/**
 * Reads the worn theme again: its style sheet may be another one under the same name.
 *
 * @returns {Promise<void>} settles when it is worn as it is now
 */
export function renewTheme() {
  isStale = true;
  return wear();
}

/**
 * Shows the page in a theme without choosing it; `null` goes back to the chosen one.
 *
 * @param {string | null} name
 * @returns {Promise<void>} settles when it is worn
 */
export function tryTheme(name) {
  tried = name;
  return wear();
}

/**
 * The text of a theme.
 *
 * @param {import('./client.js').Client} client
 * @param {string} name the empty string for the page without a theme
 * @returns {Promise<string | null>} `null` when it could not be read
 */
export async function readTheme(client, name) {
  if (!name) return '';
  const response = await client.file(`/api/theme.css?name=${encodeURIComponent(name)}`, {}).catch(() => null);
  return response?.ok ? response.text() : null;
}

/**
 * The colours, sizes and shadows that a style sheet gives to the whole page.
 *
 * @param {string} css
 * @returns {Record<string, string>} by the names of their properties
 */
export function tokensOf(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  /** @type {Record<string, string>} */
  const tokens = {};
  for (const rule of sheet.cssRules) {
    if (!(rule instanceof CSSStyleRule) || !rule.selectorText.split(',').some((part) => part.trim() === ':root'))
      continue;
    for (const name of rule.style) tokens[name] = rule.style.getPropertyValue(name).trim();
  }
  return tokens;
}
