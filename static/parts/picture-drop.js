/**
 * Pictures that are dragged from the desktop onto a part of the page, and other files that are dropped.
 */

import { PICTURE_TYPES } from '../data/upload.js';

/**
 * The pictures among what is dragged or pasted.
 *
 * @param {DataTransfer | null} data
 * @returns {File[]}
 */
export function picturesOf(data) {
  return [...data?.files ?? []].filter(({ type }) => PICTURE_TYPES.includes(type));
}

/**
 * Takes pictures that are dropped on a part of the page.
 *
 * @param {HTMLElement} root
 * @param {string} places selector of what can get them: the root or what it holds
 * @param {(files: File[], place: Element) => void} take hears of the drop
 * @param {AbortSignal} [signal] ends it; without it the part goes away by itself
 */
export function receivePictures(root, places, take, signal) {
  const options = signal ? { signal } : {};
  const find = (/** @type {DragEvent} */ { dataTransfer, target }) =>
    dataTransfer?.types.includes('Files') && target instanceof Element ? target.closest(places) : null;
  const show = (/** @type {Element | null} */ place) => {
    const shown = root.querySelector('.takes-picture') ?? (root.matches('.takes-picture') ? root : null);
    if (shown === place) return;
    shown?.classList.remove('takes-picture');
    place?.classList.add('takes-picture');
  };
  root.addEventListener('dragover', (event) => {
    const place = find(event);
    show(place);
    if (!place || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
  }, options);
  root.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) show(null);
  }, options);
  root.addEventListener('drop', (event) => {
    const place = find(event);
    show(null);
    if (!place) return;
    // Otherwise the browser leaves the page and shows the file.
    event.preventDefault();
    take(picturesOf(event.dataTransfer), place);
  }, options);
}

/**
 * Keeps the browser from leaving the page for a file that is dropped where nothing takes it.
 *
 * @param {(files: readonly File[]) => void} take hears of the drop
 */
export function receiveOtherFiles(take) {
  const isOurs = (/** @type {DragEvent} */ { dataTransfer, defaultPrevented, target }) =>
    !defaultPrevented && dataTransfer?.types.includes('Files') === true &&
    !(target instanceof HTMLInputElement && target.type === 'file');
  document.addEventListener('dragover', (event) => {
    if (isOurs(event)) event.preventDefault();
  });
  document.addEventListener('drop', (event) => {
    if (!isOurs(event)) return;
    event.preventDefault();
    take([...event.dataTransfer?.files ?? []]);
  });
}
