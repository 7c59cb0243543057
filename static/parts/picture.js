/** Pictures over everything, one at a time: arrows move, a key, a click beside the picture or the cross closes. */

import { h, icon, setAttribute } from '../core/dom.js';
import { activeTile, rememberFocus } from '../core/focus.js';

/**
 * @param {App.Context} ctx
 * @param {readonly App.Picture[]} pictures
 * @param {number} [first] which one to begin with
 */
export function openPictures(ctx, pictures, first = 0) {
  const { t } = ctx;
  const restore = rememberFocus(activeTile);
  const image = h('img', { alt: '' });
  const caption = h('p', { class: 'caption', 'aria-live': 'polite' });
  const close = h('button', { class: 'icon-button cross', type: 'button', 'aria-label': t('action.close') },
    icon('close'));
  const step = (/** @type {string} */ symbol, /** @type {string} */ label, /** @type {number} */ by) =>
    h('button', {
      class: `icon-button ${symbol}`,
      type: 'button',
      'aria-label': label,
      on: { click: () => show(at + by) },
    }, icon(symbol));
  const steps = pictures.length > 1
    ? [step('before', t('picture.before'), -1), step('after', t('picture.after'), 1)]
    : [];
  const element = h('dialog', { class: 'picture' }, image, caption, steps, close);
  let at = first;
  const show = (/** @type {number} */ index) => {
    at = (index + pictures.length) % pictures.length;
    const picture = pictures[at];
    if (!picture) return;
    image.src = picture.source;
    setAttribute(image, 'alt', picture.label);
    setAttribute(element, 'aria-label', picture.label);
    caption.textContent = pictures.length > 1
      ? t('picture.place', { label: picture.label, number: at + 1, total: pictures.length })
      : picture.label;
  };
  const end = () => {
    release();
    element.close();
    element.remove();
    ctx.bus.emit('dialog', { open: document.querySelector('dialog[open]') !== null });
    restore();
  };
  close.addEventListener('click', end);
  element.addEventListener('click', (event) => {
    if (event.target === element) end();
  });
  element.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined || pictures.length < 2) return;
    event.preventDefault();
    show(at + by);
  });
  element.addEventListener('cancel', (event) => {
    event.preventDefault();
    end();
  });
  show(first);
  document.body.append(element);
  element.showModal();
  const release = ctx.router.hold(end);
  ctx.bus.emit('dialog', { open: true });
  close.focus();
}
