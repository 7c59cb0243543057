/**
 * The first step of the setup flow: where to look. Stores, emulators and usual folders that are there are chosen
 * already; other folders are added by hand. Looking writes nothing.
 */

import { busyButton } from '../act.js';
import { openImport } from '../library/import.js';
import { openMigrate } from './migrate.js';
import { makeField } from '../fields.js';
import { failureBox, waitBox } from '../state-box.js';
import { ApiError } from '../../core/client.js';
import { coalesce } from '../../core/coalesce.js';
import { fill, h, icon, isTicked, patch } from '../../core/dom.js';
import { emulatorSources } from '../../data/setup.js';

/** The choice of sources. */
export class SetupSources {
  #ctx;
  #onStart;
  #about = h('p', { class: 'about' });
  #body = h('div', null);
  #list = h('div', null);
  /** @type {App.SetupChoice[]} */
  #choices = [];
  #missing = /** @type {string[]} */ ([]);
  #emulators = /** @type {string[]} */ ([]);
  #isLoaded = false;
  #form;
  #folderLabel;
  #start;
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {(sources: Api.SetupSource[]) => Promise<void>} onStart looks into the chosen sources
   */
  constructor(ctx, onStart) {
    this.#ctx = ctx;
    this.#onStart = onStart;
    const { t } = ctx;
    const folder = makeField({ key: 'setup-folder', kind: 'text', value: '', label: t('setup.folder'), mono: true,
      hint: t('setup.folder.hint'), isPath: true });
    this.#folderLabel = folder.element.querySelector('.label');
    this.#form = h('form', {
      class: 'add-form one',
      novalidate: true,
      'aria-label': t('setup.folder.add'),
      on: {
        submit: (event) => {
          event.preventDefault();
          const path = String(folder.read());
          if (!path) return;
          this.#addFolder(path, true);
          folder.write('');
          folder.control.focus();
          this.#draw();
        },
      },
    }, folder.element, h('button', { class: 'button', type: 'submit' }, icon('plus', 'icon-s'), t('setup.folder.add')));
    this.#start = h('div', { class: 'step-acts' });
    this.element = h('section', { class: 'setup-sources', 'aria-labelledby': 'setup-sources-title' },
      h('h2', { id: 'setup-sources-title' }, t('setup.sources')), this.#about, this.#body);
    fill(this.#body, waitBox(ctx));
    void this.#load();
  }

  async #read() {
    const { client, t } = this.#ctx;
    try {
      const [{ stores }, { emulators }, settings, wrapper, { folders, launchers }, { configs }] = await Promise.all([
        client.get('/api/storefront/status'),
        client.get('/api/emulators'),
        client.get('/api/settings'),
        client.get('/api/wrapper/status'),
        client.get('/api/import/folders'),
        client.get('/api/emulators/scan-configs'),
      ]);
      const kept = this.#choices.filter((choice) => choice.isOwn);
      this.#choices = stores.filter((store) => store.found).map((store) => ({
        source: { type: store.source, label: store.name },
        symbol: 'store',
        name: store.name,
        note: store.places[0] ?? store.client,
        isChosen: true,
      }));
      this.#missing = stores.filter((store) => !store.found).map((store) => store.name);
      if (wrapper.installed)
        this.#choices.push({ source: { type: 'wrapper', label: t('stores.wrapper') }, symbol: 'plug',
          name: t('stores.wrapper'), note: wrapper.data_dirs[0] ?? '', isChosen: true });
      for (const { name, path } of launchers)
        this.#choices.push({ source: { type: 'launcher', path, label: name }, symbol: 'store', name, note: path,
          isChosen: true });
      const server = String(settings['libserver_url'] ?? '');
      if (server)
        this.#choices.push({ source: { type: 'libserver', label: t('stores.server') }, symbol: 'server',
          name: t('stores.server'), note: server, isChosen: true });
      for (const { type, emulator } of emulatorSources(emulators)) {
        this.#choices.push({ source: { type, label: emulator }, symbol: 'platform',
          name: t('setup.source.titles', { emulator }), note: '', isChosen: true });
      }
      this.#emulators = emulators.filter((emulator) => emulator.installed).map((emulator) => emulator.name);
      const watched = Array.isArray(settings['watch_folders'])
        ? settings['watch_folders'].map((
          item,
        ) => (typeof item === 'string' ? item : String(/** @type {{path?: unknown}} */ (item)?.path ?? ''))).filter(
          Boolean,
        )
        : [];
      for (const path of new Set([...watched, ...configs.map((config) => config.folder), ...folders]))
        this.#addFolder(path, false);
      for (const choice of kept) this.#addFolder(choice.source.path ?? '', true);
      this.#isLoaded = true;
      this.#draw();
    } catch (error) {
      const known = ApiError.from(error);
      if (this.#isLoaded) this.#ctx.fail(known);
      else patch(this.#body, failureBox(this.#ctx, known, () => void this.#load()));
    }
  }

  /**
   * @param {string} path
   * @param {boolean} isOwn whether the user wrote it here
   */
  #addFolder(path, isOwn) {
    if (!path || this.#choices.some((choice) => choice.source.path === path)) return;
    this.#choices.push({ source: { type: 'folder', path }, symbol: 'folder', name: path, note: '', isChosen: true,
      isOwn });
  }

  #draw() {
    const { t, tn } = this.#ctx;
    if (!this.#isLoaded) return;
    if (!this.#form.isConnected) fill(this.#body, this.#list, this.#form, this.#start);
    this.#about.textContent = t(this.#choices.length === 0 ? 'setup.sources.none' : 'setup.sources.text');
    const hasFolder = this.#choices.some((choice) => choice.source.type === 'folder');
    if (this.#folderLabel) this.#folderLabel.textContent = t(hasFolder ? 'setup.folder' : 'setup.folder.first');
    const count = this.#choices.filter((choice) => choice.isChosen).length;
    patch(this.#list, this.#choices.length === 0
      ? null
      : h('ul', { class: 'rows choices' }, this.#choices.map((choice, index) => this.#row(choice, index))),
      h('p', { class: 'hints' }, t(this.#emulators.length > 0 ? 'setup.emulators.here' : 'setup.emulators.none', {
        emulators: this.#emulators.join(', '),
      }), ' ', h('a', { href: '#/emulators' }, t('setup.emulators.manage'))), this.#missing.length > 0
      ? h('p', { class: 'hints' }, t('setup.sources.missing', { stores: this.#missing.join(', ') }), ' ',
        h('a', { href: '#/stores' }, t('setup.sources.stores')))
      : null);
    const look = busyButton(this.#ctx, { label: t('setup.look'), symbol: 'search', style: 'primary large',
      focus: 'look',
      run: () => this.#onStart(this.#choices.filter((choice) => choice.isChosen).map((choice) => choice.source)) });
    look.disabled = count === 0;
    patch(this.#start,
      h('button', { class: 'button quiet', type: 'button', 'data-focus': 'one',
        on: { click: () => void openImport(this.#ctx) } }, t('setup.oneFolder')),
      h('button', { class: 'button quiet', type: 'button', 'data-focus': 'migrate',
        on: { click: () => void openMigrate(this.#ctx) } }, t('migrate.title')), look);
    this.#start.setAttribute('aria-label', tn('setup.chosen', count));
  }

  /**
   * @param {App.SetupChoice} choice
   * @param {number} index
   */
  #row(choice, index) {
    const { t } = this.#ctx;
    const box = h('input', { type: 'checkbox', checked: choice.isChosen, 'data-focus': `source-${index}`,
      on: { change: (event) => {
        choice.isChosen = isTicked(event);
        this.#draw();
      } } });
    return h('li', { 'data-type': choice.source.type },
      h('label', { class: 'check grow' }, box, icon(choice.symbol),
        h('span', { class: 'what' }, h('span', { class: choice.source.path ? 'mono-path' : 'name' }, choice.name),
          choice.note ? h('small', { class: 'mono-path' }, choice.note) : null)), choice.isOwn
      ? h('button', {
        class: 'icon-button',
        type: 'button',
        'aria-label': `${t('action.remove')}: ${choice.name}`,
        on: { click: () => {
          this.#choices.splice(index, 1);
          this.#draw();
        } },
      }, icon('close'))
      : null);
  }
}
