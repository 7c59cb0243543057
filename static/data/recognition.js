/**
 * What reading games again would change, by game; and the way back. Pure.
 */

/**
 * @param {readonly Reply.RecognitionChange[]} changes those of one game stand together
 * @returns {{id: string, changes: Reply.RecognitionChange[]}[]}
 */
export function changesByGame(changes) {
  /** @type {Map<string, Reply.RecognitionChange[]>} */
  const games = new Map();
  for (const change of changes) games.set(change.game_id, [...(games.get(change.game_id) ?? []), change]);
  return [...games].map(([id, own]) => ({ id, changes: own }));
}

/**
 * The changes that take changes back.
 *
 * @param {readonly Reply.RecognitionChange[]} changes
 * @returns {Reply.RecognitionChange[]}
 */
export function reversed(changes) {
  return changes.map((change) => ({ ...change, expected: change.value, value: change.expected }));
}
