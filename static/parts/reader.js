/**
 * Reads a document on the page: texts as text, pictures as pictures. Never shows markup of a file as markup.
 */

import { readAnswer } from '../core/client.js';
import { h } from '../core/dom.js';
import { openDialog, prepareDialog } from './dialog.js';
import { openPictures } from './picture.js';

const TEXTS = /\.(?:txt|md|markdown|nfo|diz|log|csv|ini|cfg|conf|json|asc|me|1st)$/i;
const PICTURES = /\.(?:png|jpe?g|gif|webp|avif|bmp)$/i;

/** Longest text that is shown, in bytes; the rest is left out. */
const LONGEST = 2 * 1024 * 1024;

/**
 * @param {string} path
 * @returns {boolean}
 */
export function canRead(path) {
  return TEXTS.test(path) || PICTURES.test(path);
}

/**
 * @param {App.Context} ctx
 * @param {Api.Extra} extra
 * @param {string} address without the token
 */
export async function openReader(ctx, extra, address) {
  const { t } = ctx;
  if (PICTURES.test(extra.path)) {
    try {
      openPictures(ctx, [{ source: await ctx.client.ticket(address), label: extra.name }]);
    } catch (failure) {
      ctx.fail(failure);
    }
    return;
  }
  try {
    const text = await prepareDialog(ctx, `document ${address}`, async () => {
      const response = await ctx.client.file(address, { Range: `bytes=0-${LONGEST - 1}` });
      if (!response.ok) await readAnswer(response, address, () => t('error.foreign'));
      return decode(await response.arrayBuffer());
    });
    if (text === null) return;
    const dialog = openDialog(ctx, {
      title: extra.name,
      width: 860,
      className: 'reader',
      content: [h('pre', { tabindex: 0, 'aria-label': extra.name }, text)],
    });
    /** @type {HTMLElement | null} */ (dialog.element.querySelector('pre'))?.focus();
    await dialog.closed;
  } catch (failure) {
    ctx.fail(failure);
  }
}

/**
 * UTF-8, else the western code page that old text files are written in.
 *
 * @param {ArrayBuffer} bytes
 * @returns {string}
 */
function decode(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
