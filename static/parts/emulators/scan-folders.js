/**
 * Folders that belong to emulators: which emulator plays what lies there, scanning them now, and whether they are
 * scanned by themselves.
 */

import { busyButton, runBusy } from '../act.js';
import { makeField } from '../fields.js';
import { ApiError } from '../../core/client.js';
import { fill, h, icon, isTicked, patch } from '../../core/dom.js';
import { mayTakeFocus } from '../../core/focus.js';

/** The list and the form below it. */
export class ScanFolders {
  #ctx;
  #list = h('div', null);
  #form = h('div', null);
  /** @type {readonly Api.ScanConfig[]} */
  #configs = [];
  /** Names by package id and by definition. */
  /** @type {Map<string, string>} */
  #names = new Map();

  /** @param {App.Context} ctx */
  constructor(ctx) {
    this.#ctx = ctx;
    const { t } = ctx;
    this.element = h('section', { class: 'scans', 'aria-labelledby': 'scans-title', hidden: true },
      h('h2', { id: 'scans-title' }, t('scans.title')), h('p', { class: 'about' }, t('scans.about')), this.#list,
      this.#form);
  }

  /** @param {readonly Api.Emulator[]} emulators */
  async load(emulators) {
    const { client } = this.#ctx;
    try {
      const [{ configs }, { definitions }] = await Promise.all([
        client.get('/api/emulators/scan-configs'),
        client.get('/api/emulators/definitions', { pack: 'all' }),
      ]);
      this.#configs = configs;
      this.#names = new Map([...emulators.map((item) => /** @type {const} */ ([item.app_id, item.name])),
        ...definitions.map((item) => /** @type {const} */ ([item.id, item.name]))]);
      if (this.#form.childElementCount === 0) this.#drawForm(emulators, definitions);
      this.element.hidden = false;
      this.#draw();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }

  #draw() {
    const { t } = this.#ctx;
    patch(this.#list, this.#configs.length === 0
      ? h('p', { class: 'none' }, t('scans.none'))
      : h('ul', { class: 'rows' }, this.#configs.map((config) => this.#row(config))));
  }

  /** @param {Api.ScanConfig} config */
  #row(config) {
    const { t } = this.#ctx;
    const { folder } = config;
    const box = h('input', {
      type: 'checkbox',
      role: 'switch',
      checked: config.auto_update,
      'data-focus': `scan-auto:${folder}`,
      'aria-label': `${t('scans.automatic')}: ${folder}`,
      on: { change: (event) => void this.#save({ ...config, auto_update: isTicked(event) }).catch(this.#ctx.fail) },
    });
    return h('li', { 'data-folder': folder }, icon('folder'),
      h('div', { class: 'grow' }, h('span', { class: 'mono-path' }, folder),
        h('small', null, this.#names.get(config.emulator_id) ?? config.emulator_id)),
      h('label', { class: 'switch' }, h('span', { class: 'words', 'aria-hidden': 'true' }, t('scans.automatic')), box,
        h('span', { class: 'track' })),
      h('div', { class: 'acts' },
        busyButton(this.#ctx, { label: t('scans.now'), symbol: 'search', focus: `scan:${folder}`, about: folder,
          run: () => this.#scan(config) }), h('button', {
          class: 'icon-button',
          type: 'button',
          'data-focus': `scan-forget:${folder}`,
          'aria-label': `${t('scans.forget')}: ${folder}`,
          title: t('scans.forget'),
          on: { click: () => void this.#forget(config).catch(this.#ctx.fail) },
        }, icon('close'))));
  }

  /**
   * @param {readonly Api.Emulator[]} emulators
   * @param {readonly Api.Definition[]} definitions
   */
  #drawForm(emulators, definitions) {
    const { t } = this.#ctx;
    const folder = makeField({ key: 'scan-folder', kind: 'text', value: '', label: t('import.folder'), mono: true,
      required: true, isPath: true });
    const emulator = h('select', { class: 'input', id: 'scan-emulator' },
      emulators.map((item) =>
        h('optgroup', { label: item.name }, h('option', { value: item.app_id }, item.name),
          definitions.filter((definition) => definition.emulator_id === item.app_id).map((definition) =>
            h('option', { value: definition.id }, definition.name)
          ))
      ));
    const auto = makeField({ key: 'scan-auto', kind: 'bool', value: false, label: t('scans.automatic') });
    const submit = async () => {
      folder.fail('');
      const config = { folder: String(folder.read()), emulator_id: emulator.value, auto_update: Boolean(auto.read()) };
      try {
        // A folder that cannot be scanned is not remembered.
        await this.#scan(config);
        await this.#save(config);
        folder.write('');
        if (mayTakeFocus(this.#form)) folder.control.focus();
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        folder.fail(error.message);
        if (mayTakeFocus(this.#form)) folder.control.focus();
      }
    };
    fill(this.#form,
      h('form', { class: 'add-form', novalidate: true, 'aria-label': t('scans.add'), on: { submit: (event) => {
        event.preventDefault();
        void runBusy(this.#ctx, event.currentTarget, submit);
      } } }, folder.element,
        h('div', { class: 'field' }, h('label', { class: 'label', for: emulator.id }, t('scans.emulator')), emulator),
        auto.element, h('button', { class: 'button', type: 'submit' }, icon('plus', 'icon-s'), t('scans.add'))));
  }

  /** @param {Api.ScanConfig} config */
  async #scan(config) {
    const { client, catalog, toasts, t, tn } = this.#ctx;
    const { added, found } = await client.post('/api/emulators/scan', { folder: config.folder,
      emulator_id: config.emulator_id });
    if (added > 0) catalog.extend();
    toasts.show({ kind: 'good',
      text: [added > 0 ? tn('import.added', added) : t('import.nothing'), tn('import.found', found)].join(' · ') });
  }

  /** @param {Api.ScanConfig} config */
  async #save(config) {
    const { client, announce, t } = this.#ctx;
    await client.post('/api/emulators/scan-configs', config);
    this.#configs = [...this.#configs.filter(({ folder }) => folder !== config.folder), config];
    announce(t('settings.announce', { name: config.folder }));
    this.#draw();
  }

  /** @param {Api.ScanConfig} config */
  async #forget(config) {
    const { client, toasts, t } = this.#ctx;
    await client.post('/api/emulators/scan-configs/delete', { folder: config.folder });
    this.#configs = this.#configs.filter(({ folder }) => folder !== config.folder);
    toasts.show({ text: t('scans.forgotten', { folder: config.folder }),
      actions: [{ label: t('action.undo'), run: () => void this.#save(config).catch(this.#ctx.fail) }] });
    this.#draw();
  }
}
