/**
 * What a theme can set, in groups: the properties of `:root` in `styles/tokens.css`. A unit test compares both.
 */

/** @type {readonly App.TokenGroup[]} */
export const TOKEN_GROUPS = Object.freeze([
  { key: 'page', tokens: ['--bg', '--bg-side', '--selected'] },
  { key: 'panels', tokens: ['--surface-1', '--surface-2', '--surface-3', '--surface-4', '--line', '--edge'] },
  { key: 'text', tokens: ['--text', '--text-2', '--text-3'] },
  { key: 'accent', tokens: ['--accent', '--accent-strong', '--accent-soft', '--on-accent', '--on-accent-soft'] },
  { key: 'danger', tokens: ['--danger', '--danger-soft', '--on-danger-soft', '--danger-fill', '--on-danger-fill'] },
  { key: 'states', tokens: ['--good', '--good-soft', '--on-good-soft', '--warn', '--warn-soft', '--on-warn-soft'] },
  { key: 'marks', tokens: ['--favorite', '--star', '--mark-bg', '--on-mark', '--scrim'] },
  { key: 'art', tokens: ['--tint-light', '--tint-chroma', '--mono-top', '--mono-bottom', '--machine', '--on-mono'] },
  { key: 'shape', tokens: ['--radius-m', '--radius-l', '--shadow-1', '--shadow-2', '--shadow-3'] },
]);

/**
 * A style sheet that sets all of them to what they are now.
 *
 * @param {(name: string) => string} valueOf
 * @returns {string}
 */
export function sheetOf(valueOf) {
  const lines = TOKEN_GROUPS.flatMap(({ tokens }) => tokens).map((name) => `  ${name}: ${valueOf(name)};`);
  return `:root {\n${lines.join('\n')}\n}\n`;
}

/**
 * The platform whose theme a screen wears: that of the game it is about, or the only one whose games it shows.
 *
 * @param {App.Route} route
 * @param {(id: string) => App.Row | undefined} find
 * @returns {string} the empty string for none
 */
export function platformOf({ name, arg, query }, find) {
  if (name === 'game') return find(arg)?.platform ?? '';
  if (name !== 'library' && name !== 'big') return '';
  const only = query['platform'] ?? '';
  return only === '-' || only.includes('|') ? '' : only;
}
