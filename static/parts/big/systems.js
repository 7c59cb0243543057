/**
 * The systems on the big screen: every platform that has games as a large card with its drawn machine and its count,
 * one beside the other, in the light of the one that is looked at.
 */

import { h } from '../../core/dom.js';
import { platformHue } from '../../data/game.js';
import { platformSymbol } from '../platform-symbol.js';
import { openBigDialog } from './dialog.js';

/**
 * @param {App.Context} ctx
 * @param {{now: string | null, onChoose: (platform: string) => void}} events `now` is the platform that is shown
 */
export function openBigSystems(ctx, { now, onChoose }) {
  const { t, tn, catalog } = ctx;
  const cards = catalog.facets.platforms.map(([name, count]) =>
    h('button', {
      class: 'big-system',
      type: 'button',
      style: { '--hue': platformHue(name) },
      'aria-pressed': String(name === now),
      on: { click: () => {
        dialog.close('');
        onChoose(name);
      } },
    }, platformSymbol(name), h('span', { class: 'name' }, name || t('platform.none')),
      h('span', { class: 'count' }, tn('library.count', count)))
  );
  const row = h('div', { class: 'big-system-row scroll' }, cards);
  const dialog = openBigDialog(ctx, {
    title: t('sidebar.platforms'),
    className: 'big-systems',
    content: row,
    first: () => cards.find((card) => card.getAttribute('aria-pressed') === 'true') ?? cards[0] ?? null,
  });
  const look = (/** @type {EventTarget | null} */ target) => {
    const card = cards.find((each) => each === target);
    if (!card) return;
    dialog.element.style.setProperty('--hue', card.style.getPropertyValue('--hue'));
    card.scrollIntoView({ inline: 'nearest', block: 'nearest',
      behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth' });
  };
  row.addEventListener('focusin', ({ target }) => look(target), { signal: dialog.signal });
  look(document.activeElement);
}
