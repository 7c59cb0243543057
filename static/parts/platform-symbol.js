/**
 * The symbols of the platforms: a line drawing of each machine, from `platforms.svg`, in the colour of the text around
 * it. Decoration: the name of the platform stands beside it.
 */

import { draw } from '../core/dom.js';
import { platformHue, symbolId } from '../data/game.js';

/** What is drawn where the symbols could not be read. */
const NO_SYMBOLS = 'i-platform';

/** Reads the symbols into the page. Without them the page works with one symbol for all. */
export async function loadPlatformSymbols() {
  const response = await fetch('/platforms.svg', { credentials: 'omit' }).catch(() => null);
  if (!response?.ok) return;
  const { documentElement } = new DOMParser().parseFromString(await response.text(), 'image/svg+xml');
  if (documentElement.nodeName === 'svg') document.body.prepend(document.importNode(documentElement, true));
}

/**
 * The symbol of a platform.
 *
 * @param {string} platform
 * @param {string} [className]
 * @returns {SVGElement}
 */
export function platformSymbol(platform, className = '') {
  const own = symbolId(platform);
  const id = [own, symbolId('')].find((name) => document.getElementById(name)) ?? NO_SYMBOLS;
  return draw('svg', { class: `icon ${className}`.trim(), 'aria-hidden': 'true' }, draw('use', { href: `#${id}` }));
}

/**
 * The symbol of a platform in the colour of the platform.
 *
 * @param {string} platform
 * @returns {SVGElement}
 */
export function hueSymbol(platform) {
  const symbol = platformSymbol(platform, 'machine');
  symbol.style.setProperty('--hue', String(platformHue(platform)));
  return symbol;
}
