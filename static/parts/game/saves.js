/**
 * The saves of one game: where they are, which versions are kept, and bringing one back. What is there is always
 * archived before a restore.
 */

import { ApiError } from '../../core/client.js';
import { coalesce } from '../../core/coalesce.js';
import { h, icon, patch } from '../../core/dom.js';
import { runBusy, setBusy } from '../act.js';
import { confirm, openDialog, showFieldFailure, showFormFailure } from '../dialog.js';
import { makeField } from '../fields.js';
import { failureBox } from '../state-box.js';
import { devicesSection } from './saves-devices.js';

/**
 * @param {App.Context} ctx
 * @param {string} id
 * @returns {App.GamePanel}
 */
export function savesPanel(ctx, id) {
  const panel = new SavesPanel(ctx, id);
  return { element: panel.element, update: (record) => panel.update(record) };
}

/** Paths and versions of one game. */
class SavesPanel {
  #ctx;
  #id;
  /** @type {Api.Game | null} */
  #record = null;
  /** @type {Api.SaveVersion[]} */
  #versions = [];
  /** Whether the versions were read, and not in vain. */
  #isRead = false;
  /** What other devices have; `null` before it was read. */
  /** @type {Reply.SaveSync | null} */
  #devices = null;
  /** Save paths that were found and are not configured; `null` before somebody looked. */
  /** @type {Api.SaveCandidate[] | null} */
  #found = null;
  /** How the checks of this visit went. */
  /** @type {Map<string, string>} */
  #checked = new Map();
  #load = coalesce(() => this.#read());
  #loadDevices = coalesce(() => this.#readDevices());
  element = h('div', null, h('div', { class: 'wait' }));

  /**
   * @param {App.Context} ctx
   * @param {string} id
   */
  constructor(ctx, id) {
    this.#ctx = ctx;
    this.#id = id;
    const life = new AbortController();
    ctx.bus.on('job:ended', ({ type, input }) => {
      if (!this.element.isConnected) return;
      if (type.startsWith('saves.') && (input['game_id'] ?? id) === id) {
        void this.#load();
        void this.#loadDevices();
      }
    }, life.signal);
    ctx.bus.on('route', ({ name, arg }) => {
      if (name !== 'game' || arg !== id) life.abort();
    }, life.signal);
  }

  /** @param {Api.Game} record */
  update(record) {
    const before = this.#record;
    this.#record = record;
    void this.#load();
    // Saves that are not shared become so by these two only.
    const isOff = this.#devices?.on === false && before?.save_sync === record.save_sync &&
      before?.platform === record.platform;
    if (!isOff) void this.#loadDevices();
  }

  async #read() {
    try {
      const { versions } = await this.#ctx.client.get('/api/v2/saves/history', { game_id: this.#id });
      this.#versions = versions;
      this.#isRead = true;
      this.#draw();
    } catch (error) {
      this.#isRead = false;
      patch(this.element, failureBox(this.#ctx, ApiError.from(error), () => void this.#load()));
    }
  }

  /** Read by itself: a folder that does not answer must not hold back what is on this device. */
  async #readDevices() {
    try {
      this.#devices = await this.#ctx.client.get('/api/v2/saves/devices', { game_id: this.#id });
    } catch (error) {
      this.#ctx.fail(error);
    }
    // What went wrong with the versions stays in sight.
    if (this.#isRead) this.#draw();
  }

  #devicesSection() {
    if (this.#devices === null) return null;
    return devicesSection(this.#ctx, this.#devices, {
      mode: String(this.#record?.save_sync ?? ''),
      setMode: (mode) => this.#setMode(mode),
      sync: () => this.#queue(() => this.#ctx.client.post('/api/v2/saves/devices/sync', { game_id: this.#id })),
      choose: (version) =>
        this.#queue(() => this.#ctx.client.post('/api/v2/saves/devices/choose', { game_id: this.#id, version })),
    });
  }

  /** @param {string} mode */
  async #setMode(mode) {
    const { client, catalog } = this.#ctx;
    await this.#try(async () => {
      await client.post('/api/game', { game_id: this.#id, game: { name: this.#record?.name, save_sync: mode } });
      const [record] = await catalog.refresh([this.#id]);
      this.#record = record ?? this.#record;
      await this.#loadDevices();
    });
  }

  /** @param {() => Promise<unknown>} submit */
  async #queue(submit) {
    await this.#try(async () => {
      await submit();
      await this.#ctx.jobs.refresh();
    });
  }

  #draw() {
    const { t } = this.#ctx;
    const paths = this.#record?.save_paths ?? [];
    const add = h('button', { class: 'button', type: 'button', 'data-focus': 'add',
      on: { click: () => void this.#askPath() } }, icon('plus', 'icon-s'), t('saves.add'));
    const look = h('button', { class: 'button', type: 'button', 'data-focus': 'look',
      on: { click: () => void this.#look() } }, icon('search', 'icon-s'), t('saves.look'));
    const make = h('button', { class: 'button primary', type: 'button', 'data-focus': 'make',
      disabled: paths.length === 0, on: { click: () => void this.#backUp() } }, icon('archive', 'icon-s'),
      t('saves.backup'));
    patch(this.element,
      h('section', null,
        h('div', { class: 'section-head' }, h('h2', null, t('saves.paths')), h('div', { class: 'acts' }, look, add)),
        paths.length > 0
          ? h('ul', { class: 'rows' },
            paths.map((path) => h('li', null, icon('folder'), h('span', { class: 'grow mono-path' }, path))))
          : h('p', { class: 'none' }, t('saves.paths.none')), this.#candidates()), this.#devicesSection(),
      h('section', null, h('div', { class: 'section-head' }, h('h2', null, t('saves.versions')), make),
        this.#versions.length > 0
          ? h('ul', { class: 'rows' }, this.#versions.map((version) => this.#version(version)))
          : h('p', { class: 'none' }, t('saves.versions.none'))));
  }

  #candidates() {
    const { t } = this.#ctx;
    if (this.#found === null) return null;
    if (this.#found.length === 0) return h('p', { class: 'none', role: 'status' }, t('saves.found.none'));
    return [h('h3', { class: 'found', role: 'status' }, this.#ctx.tn('saves.found', this.#found.length)),
      h('ul', { class: 'rows' },
        this.#found.map((candidate) =>
          h('li', null, icon('search'),
            h('div', { class: 'grow mono-path' }, candidate.path,
              candidate.shared ? h('small', null, t('saves.shared')) : null),
            h('button', { class: 'button', type: 'button', 'data-focus': `add:${candidate.path}`,
              'aria-label': `${t('saves.use')}: ${candidate.path}`, on: { click: () =>
                void this.#use(candidate.path) } }, t('saves.use')))
        ))];
  }

  /** @param {Api.SaveVersion} version */
  #version(version) {
    const { t, format } = this.#ctx;
    const when = [format.date(version.created), format.time(version.created)].filter(Boolean).join(', ') ||
      version.name;
    const label = `saves.label.${version.label}`;
    const checked = this.#checked.get(version.name);
    return h('li', null, icon('archive'),
      h('div', { class: 'grow' }, when,
        h('small', null,
          [this.#ctx.i18n.has(label) ? t(label) : version.label, format.bytes(version.size), checked].filter(Boolean)
            .join(' · '))),
      h('button', { class: 'button', type: 'button', 'data-focus': `check:${version.name}`,
        'aria-label': `${t('saves.check')}: ${when}`,
        on: { click: ({ currentTarget }) => void runBusy(this.#ctx, currentTarget, () => this.#check(version.name)) } },
        t('saves.check')),
      h('button', { class: 'button', type: 'button', 'data-focus': `restore:${version.name}`,
        'aria-label': `${t('backup.restore')}: ${when}`, on: { click: () => void this.#restore(version.name, when) } },
        t('backup.restore')));
  }

  async #look() {
    await this.#try(async () => {
      const { candidates } = await this.#ctx.client.get('/api/saves/discover', { game_id: this.#id });
      this.#found = candidates;
      this.#draw();
    });
  }

  /** @param {string} path */
  async #use(path) {
    await this.#try(async () => {
      await this.#add(path);
      this.#found = this.#found?.filter((candidate) => candidate.path !== path) ?? null;
      this.#draw();
    });
  }

  /** @param {string} path */
  async #add(path) {
    await this.#ctx.client.post('/api/saves/add', { game_id: this.#id, path });
    const [record] = await this.#ctx.catalog.refresh([this.#id]);
    this.#record = record ?? this.#record;
    this.#draw();
  }

  async #askPath() {
    const { t } = this.#ctx;
    const path = makeField({ key: 'path', kind: 'text', value: '', label: t('saves.path'), hint: t('saves.path.hint'),
      required: true, mono: true, isPath: true });
    const save = h('button', { class: 'button primary', type: 'submit' }, t('saves.add'));
    const submit = async () => {
      setBusy(save, true);
      path.fail('');
      showFormFailure(this.#ctx, dialog.form, null);
      try {
        await this.#add(String(path.read()));
        dialog.close('added');
      } catch (error) {
        showFieldFailure(this.#ctx, dialog.form, path, error);
      }
      setBusy(save, false);
    };
    const dialog = openDialog(this.#ctx, { title: t('saves.add'), content: path.element, footer: save,
      onSubmit: () => void submit() });
    path.control.focus();
    await dialog.closed;
  }

  async #backUp() {
    const { client, toasts, t } = this.#ctx;
    await this.#try(async () => {
      await client.post('/api/saves/backup', { game_id: this.#id });
      toasts.show({ kind: 'good', text: t('saves.made') });
      await this.#load();
    });
  }

  /**
   * Unpacks an archive into a scratch folder, which reads it to the last byte.
   *
   * @param {string} name
   */
  async #check(name) {
    const { client, t, tn } = this.#ctx;
    await this.#try(async () => {
      const proof = await client.post('/api/v2/saves/history/test-restore', { game_id: this.#id, backup: name });
      const text = proof.ok ? tn('saves.whole', proof.files) : t('backup.invalid');
      this.#checked.set(name, text);
      this.#ctx.announce(text);
      this.#draw();
    });
  }

  /**
   * @param {string} name
   * @param {string} when
   */
  async #restore(name, when) {
    const { client, jobs, t } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('saves.restore.title'),
      text: t('saves.restore.text', { time: when }), action: t('backup.restore'), danger: true });
    if (!isSure) return;
    await this.#try(async () => {
      await client.post('/api/v2/saves/history/restore', { game_id: this.#id, backup: name });
      await jobs.refresh();
    });
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#ctx.fail(error);
    }
  }
}
