/**
 * What the setup flow offers, asks for and sends. Pure.
 */

/** Groups of a preview in the order they are shown: what needs a decision comes first. */
export const GROUPS = Object.freeze(['ambiguities', 'additions', 'merges', 'unsupported', 'duplicates', 'exclusions']);

/** Groups in which the user can decide. */
export const OPEN_GROUPS = Object.freeze(['ambiguities', 'additions', 'merges', 'unsupported']);

/** Titles that emulators install themselves: the source and the emulator it belongs to. */
const INSTALLED_TITLES = Object.freeze(/** @type {Record<string, string>} */ ({
  'org.scummvm.ScummVM': 'engine-library',
  'net.rpcs3.RPCS3': 'emu-library-1',
  'org.vita3k.Vita3K': 'emu-library-2',
}));

/** States in which a preview is being made. */
const BUSY = Object.freeze(['queued', 'running', 'cancelling']);

/**
 * @param {Api.SetupPreview} preview
 * @returns {boolean}
 */
export function isBeingMade(preview) {
  return BUSY.includes(preview.state);
}

/**
 * Titles that the emulators on this machine have installed themselves.
 *
 * @param {readonly Api.Emulator[]} emulators
 * @returns {{type: string, emulator: string}[]} with the name of the emulator
 */
export function emulatorSources(emulators) {
  return emulators.filter((emulator) => emulator.installed).flatMap((emulator) => {
    const type = INSTALLED_TITLES[emulator.app_id];
    return type ? [{ type, emulator: emulator.name }] : [];
  });
}

/**
 * What becomes of a candidate as things stand: what was decided, else what the preview intends.
 *
 * @param {Api.SetupItem} item
 * @returns {string} `import`, `merge`, `skip`, `exclude` or `review`
 */
export function plannedAction(item) {
  return item.decision?.action || item.intended_action;
}

/**
 * The decision that brings a candidate in again, as the preview would have done it.
 *
 * @param {Api.SetupItem} item
 * @returns {Api.SetupDecision}
 */
export function inclusion(item) {
  const { candidate_id, existing_game_target: target } = item;
  if (item.group === 'merges' && target) return { candidate_id, action: 'merge', merge_target: target.game_id ?? '' };
  return { candidate_id, action: 'import', ...(item.group === 'unsupported' ? { launch_setup: 'incomplete' } : {}) };
}

/**
 * The newest preview that the jobs know of.
 *
 * @param {readonly Api.Job[]} jobs the newest first
 * @returns {string} its id, or the empty string
 */
export function newestPreview(jobs) {
  const scan = jobs.find((job) => job.type === 'setup.scan');
  return String(scan?.input['preview_id'] ?? scan?.name.split(':')[1] ?? '');
}

/**
 * All candidates of counts by group.
 *
 * @param {Reply.SetupCounts} counts
 * @returns {number}
 */
export function sumOf(counts) {
  return GROUPS.reduce((sum, group) => sum + (counts[/** @type {'merges'} */ (group)] ?? 0), 0);
}

/**
 * The most frequent extensions.
 *
 * @param {Record<string, number>} types files by extension
 * @param {number} most
 * @returns {{told: [string, number][], more: number}} `more` is how many extensions are not told
 */
export function mostTypes(types, most) {
  const all = Object.entries(types).sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
  return { told: all.slice(0, most), more: Math.max(0, all.length - most) };
}
