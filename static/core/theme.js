/** The theme that the user chose: a style sheet over those of the page. */

import { coalesce } from './coalesce.js';

/** @type {{ client: import('./client.js').Client, name: string } | null} */
let wanted = null;
let worn = '';

const wear = coalesce(async () => {
  if (!wanted || wanted.name === worn) return;
  const { client, name } = wanted;
  let css = '';
  if (name) {
    const response = await client.file(`/api/theme.css?name=${encodeURIComponent(name)}`, {}).catch(() => null);
    if (!response?.ok) return;
    css = await response.text();
  }
  worn = name;
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
