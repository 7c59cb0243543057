/**
 * The kiosk in the settings: its PIN, switching it on and off, the family view, and locking this window.
 */

import { busyButton } from '../act.js';
import { showFailure, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { coalesce, Turns } from '../../core/coalesce.js';
import { h, icon, isTicked, patch } from '../../core/dom.js';

/** Ratings that the family view can end at, as the server spells them, each with the key of its name. */
const RATINGS = Object.freeze({ EC: 'esrb.EC', E: 'esrb.E', 'E10+': 'esrb.E10', T: 'esrb.T', M: 'esrb.M',
  AO: 'esrb.AO' });

/**
 * @param {App.Context} ctx
 * @returns {HTMLElement}
 */
export function kioskSettings(ctx) {
  const { t, client, kiosk, toasts } = ctx;
  const root = h('div', { class: 'kiosk-settings' }, waitBox(ctx));
  const pin = h('input', { class: 'input', type: 'password', inputmode: 'numeric', id: 'kiosk-pin', maxlength: 12,
    autocomplete: 'off', 'data-focus': 'kiosk-pin', 'aria-describedby': 'kiosk-pin-error' });
  const highest = h('select', { class: 'input', id: 'kiosk-esrb', 'data-focus': 'kiosk-esrb',
    on: { change: () => void choose({ museum_kiosk_esrb: highest.value }) } },
    Object.entries(RATINGS).map(([rating, name]) => h('option', { value: rating }, t(name))));
  const error = h('p', { class: 'error', role: 'alert', id: 'kiosk-pin-error' });
  /** The kiosk may be changed while its status is read, which is the one before then. */
  const turns = new Turns();
  /** What the settings say of the family view. @type {Api.Settings} */
  let settings = {};
  const load = coalesce(async () => {
    try {
      draw(await turns.read(async () => {
        settings = await client.get('/api/settings');
        return client.get('/api/v2/arcade/kiosk/status');
      }));
    } catch (failure) {
      showFailure(ctx, root, failure, () => void load(), root.querySelector('.setting') !== null);
    }
  });
  const change = async (/** @type {object} */ body) => {
    error.textContent = '';
    try {
      draw(await turns.change(() => client.post('/api/v2/arcade/kiosk/pin', body)));
      await kiosk.check();
      return true;
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 400) error.textContent = failure.message;
      else ctx.fail(failure);
      return false;
    }
  };
  const choose = async (/** @type {object} */ changes) => {
    try {
      await turns.change(() => client.post('/api/settings', changes));
    } catch (failure) {
      ctx.fail(failure);
    }
    await load();
  };
  const keep = async () => {
    if (!await change({ pin: pin.value })) return;
    pin.value = '';
    toasts.show({ kind: 'good', text: t('kiosk.pin.saved') });
  };
  const draw = (/** @type {Reply.KioskStatus} */ { enabled, pin_set: hasPin }) =>
    patch(root,
      h('div', { class: 'setting', 'data-key': 'on' },
        h('div', { class: 'text' }, h('label', { for: 'kiosk-on' }, t('kiosk.on')),
          h('p', null, t(hasPin ? 'kiosk.on.hint' : 'kiosk.on.noPin'))),
        h('div', { class: 'control' },
          h('label', { class: 'switch' },
            h('input', { type: 'checkbox', id: 'kiosk-on', checked: enabled, 'data-focus': 'kiosk-on',
              on: { change: (event) => void change({ enabled: isTicked(event) }) } }), h('span', { class: 'track' })))),
      h('form', { class: 'setting', 'data-key': 'pin', on: { submit: (event) => {
        event.preventDefault();
        void keep();
      } } },
        h('div', { class: 'text' }, h('label', { for: pin.id }, t(hasPin ? 'kiosk.pin.change' : 'kiosk.pin')),
          h('p', null, t('kiosk.pin.hint'))),
        h('div', { class: 'control' }, pin, error, h('div', { class: 'acts' }, hasPin
          ? busyButton(ctx, { label: t('kiosk.pin.clear'), symbol: 'trash', focus: 'kiosk-clear', run: () =>
            change({ clear: true }) })
          : null,
          h('button', { class: 'button primary', type: 'submit', 'data-focus': 'kiosk-save' }, icon('tick', 'icon-s'),
            t('action.save'))))),
      h('div', { class: 'setting', 'data-key': 'family' },
        h('div', { class: 'text' }, h('label', { for: 'kiosk-family' }, t('kiosk.family')),
          h('p', null, t('kiosk.family.hint'))),
        h('div', { class: 'control' },
          h('label', { class: 'switch' },
            h('input', { type: 'checkbox', id: 'kiosk-family', checked: settings['museum_kiosk_family'] === true,
              'data-focus': 'kiosk-family', on: { change: (event) =>
                void choose({ museum_kiosk_family: isTicked(event) }) } }), h('span', { class: 'track' })))),
      h('div', { class: 'setting', 'data-key': 'esrb' },
        h('div', { class: 'text' }, h('label', { for: highest.id }, t('kiosk.esrb')),
          h('p', null, t('kiosk.esrb.hint'))),
        h('div', { class: 'control' }, showRating(String(settings['museum_kiosk_esrb'])))), enabled && hasPin
      ? h('div', { class: 'setting', 'data-key': 'lock' },
        h('div', { class: 'text' }, h('span', { class: 'label' }, t('kiosk.lock')), h('p', null, t('kiosk.lock.hint'))),
        h('div', { class: 'control' },
          busyButton(ctx, { label: t('kiosk.lock.action'), symbol: 'lock', focus: 'kiosk-lock', run: () =>
            kiosk.lock() })))
      : null, h('p', { class: 'hints' }, t('kiosk.honest')));
  /** @param {string} rating */
  const showRating = (rating) => {
    highest.value = rating;
    return highest;
  };
  void load();
  return root;
}
