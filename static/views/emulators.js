/**
 * The emulators screen: which are here and how, which would help with the games of the library, installing and updating
 * them, what they need besides, and the folders that belong to them.
 */

import { busyButton } from '../parts/act.js';
import { DefinitionsCard } from '../parts/emulators/definitions.js';
import { confirm } from '../parts/dialog.js';
import { needLines } from '../parts/needs.js';
import { platformSymbol } from '../parts/platform-symbol.js';
import { JobLists } from '../parts/job-list.js';
import { ScanFolders } from '../parts/emulators/scan-folders.js';
import { failureBox, pageHead, waitBox } from '../parts/state-box.js';
import { ApiError } from '../core/client.js';
import { coalesce } from '../core/coalesce.js';
import { h, icon, patch } from '../core/dom.js';
import { isActive } from '../data/jobs.js';
import { wantedEmulators } from '../data/emulators.js';

/** Kinds of jobs this screen shows while they are at work. */
const KINDS = Object.freeze(['emulator.install', 'emulator.update']);

/** Platforms that a card shows at once. */
const TAGS = 4;

/** So few more are not worth a press. */
const FEW = 2;

/** @implements {App.View} */
export class EmulatorsView {
  #ctx;
  #life = new AbortController();
  #root;
  #head = h('div', null);
  #jobs;
  #body = h('div', null);
  #folders;
  #defs;
  /** @type {Api.EmulatorList | null} */
  #answer = null;
  /** What the installed emulators need, by name. */
  /** @type {Map<string, readonly Api.Dependency[]>} */
  #needs = new Map();
  /** Emulators whose BIOS file is the expected one (`true`) or another (`false`). */
  /** @type {Map<string, boolean>} */
  #hashes = new Map();
  #load = coalesce(() => this.#read());

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   */
  constructor(ctx, root) {
    this.#ctx = ctx;
    const { bus, t } = ctx;
    this.#jobs = new JobLists(ctx, ['jobs.active']);
    this.#folders = new ScanFolders(ctx);
    this.#defs = h('section', { class: 'defs', hidden: true }, new DefinitionsCard(ctx, () => this.#load()).element);
    this.#root = h('div', { class: 'page work scroll', tabindex: -1 },
      h('div', { class: 'inner' }, this.#head, this.#jobs.element, this.#body, this.#folders.element, this.#defs));
    root.append(this.#root);
    patch(this.#head, pageHead(ctx, t('place.emulators')), h('p', { class: 'about lead-text' }, t('emulators.about')));
    patch(this.#body, waitBox(ctx));
    const { signal } = this.#life;
    bus.on('jobs', () => this.#drawJobs(), signal);
    bus.on('job:ended', ({ type }) => {
      if (KINDS.includes(type)) void this.#load();
    }, signal);
    bus.on('catalog:facets', () => this.#draw(), signal);
    bus.on('live:behind', () => void this.#load(), signal);
    this.#drawJobs();
    void this.#load();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #read() {
    const { client, catalog } = this.#ctx;
    try {
      // Which emulators are wanted follows from the platforms of the library: drawn before, cards would move.
      const [answer] = await Promise.all([client.get('/api/emulators', { pack: 'all' }), catalog.counted]);
      if (this.#life.signal.aborted) return;
      this.#answer = answer;
      this.#draw();
      await Promise.all([this.#readNeeds(answer), this.#folders.load(answer.emulators)]);
      this.#defs.hidden = false;
    } catch (error) {
      const known = ApiError.from(error);
      if (this.#life.signal.aborted) return;
      if (this.#answer) this.#ctx.fail(known);
      else patch(this.#body, failureBox(this.#ctx, known, () => void this.#load()));
    }
  }

  /** @param {Api.EmulatorList} answer */
  async #readNeeds(answer) {
    const here = answer.emulators.filter((emulator) => emulator.installed);
    const { adapters } = await this.#ctx.client.get('/api/v2/emulators/registry', { health: 1 });
    this.#hashes = new Map(
      adapters.filter((adapter) => adapter.bios_sha1 && (adapter.bios_ok || adapter.codes?.includes('BIOS_SHA1_DRIFT')))
        .map((adapter) => [adapter.emulator_id, !adapter.codes?.includes('BIOS_SHA1_DRIFT')]),
    );
    const all = await Promise.all(
      here.map((
        { name },
      ) => /** @type {Promise<{required: Api.Dependency[]}>} */ (this.#ctx.client.get('/api/emulators/dependencies', {
        name,
      }))),
    );
    this.#needs = new Map(here.map(({ name }, index) => [name, all[index]?.required ?? []]));
    if (!this.#life.signal.aborted) this.#draw();
  }

  #drawJobs() {
    this.#jobs.show(this.#ctx.jobs.list.filter((job) => KINDS.includes(job.type) && isActive(job)),
      () => 'jobs.active');
    this.#draw();
  }

  #draw() {
    const { t, catalog } = this.#ctx;
    const answer = this.#answer;
    if (!answer) return;
    const here = answer.emulators.filter((emulator) => emulator.installed);
    const wanted = wantedEmulators(answer.emulators, catalog.facets.platforms);
    const others = answer.emulators.filter((emulator) => !emulator.installed && !wanted.has(emulator.app_id));
    // "Install all" leaves the extended pack alone: nobody needs sixty emulators at once.
    const missing = answer.emulators.filter((emulator) => !emulator.installed && !emulator.pack);
    const hasTool = answer.emulators.some((emulator) => emulator.can_install);
    const cards = (/** @type {readonly Api.Emulator[]} */ list) =>
      h('ul', { class: 'sources' }, list.map((emulator) =>
        this.#card(emulator, wanted.get(emulator.app_id) ?? 0, hasTool)
      ));
    const section = (/** @type {string} */ id, /** @type {string} */ heading,
      /** @type {readonly Api.Emulator[]} */ list) => (list.length === 0
        ? null
        : h('section', { 'aria-labelledby': id }, h('h2', { id }, t(heading)), cards(list)));
    const more = others.filter((emulator) => emulator.pack);
    patch(this.#head, pageHead(this.#ctx, t('place.emulators'), here.some(({ mode }) => mode === 'flatpak')
      ? busyButton(this.#ctx, { label: t('emulators.updateAll'), symbol: 'refresh', focus: 'update-all',
        run: () => this.#start('update-all') })
      : null, hasTool && missing.length > 0
      ? busyButton(this.#ctx, { label: t('emulators.installAll'), symbol: 'download', focus: 'install-all',
        run: () => this.#installAll(missing.length) })
      : null), h('p', { class: 'about lead-text' }, t('emulators.about')));
    patch(this.#body, hasTool
      ? null
      : h('div', { class: 'callout', role: 'note' }, icon('missing'),
        h('div', null, h('b', null, t('emulators.noTool.title')), h('p', null, t('emulators.noTool.text'))),
        busyButton(this.#ctx, { label: t('emulators.again'), symbol: 'refresh', focus: 'again',
          run: () => this.#load() })),
      section('wanted-title', 'emulators.wanted', answer.emulators.filter((emulator) => wanted.has(emulator.app_id))),
      section('here-title', 'emulators.here', here),
      section('others-title', 'emulators.others', others.filter((emulator) => !emulator.pack)), more.length === 0
      ? null
      : h('details', { class: 'fold', 'data-key': 'more' },
        h('summary', { 'data-focus': 'more' }, icon('chevron'), this.#ctx.tn('emulators.more', more.length)),
        h('p', { class: 'about' }, t('emulators.more.text')), cards(more)));
  }

  /**
   * @param {Api.Emulator} emulator
   * @param {number} games games of the library that it would play and nothing plays now
   * @param {boolean} hasTool whether others can be installed from here; the notice at the top says it when none can
   */
  #card(emulator, games, hasTool) {
    const { t, tn } = this.#ctx;
    const { app_id: id, name, installed, mode, platforms, can_install: canInstall } = emulator;
    const job = this.#ctx.jobs.active.find((item) => KINDS.includes(item.type) && item.input['app_id'] === id);
    const state = job
      ? t(job.type === 'emulator.update' ? 'emulators.updating' : 'emulators.installing')
      : !installed
      ? t('emulators.missing')
      : t(mode === 'flatpak' ? 'emulators.package' : 'emulators.native');
    const act = (/** @type {string} */ key, /** @type {string} */ label, /** @type {string} */ symbol, style = '') =>
      busyButton(this.#ctx, { label: t(label), symbol, style, focus: `act-${key}:${id}`, about: name, run: () =>
        this.#start(key, emulator) });
    return h('li', { class: installed ? 'source' : 'source away', 'data-emulator': id },
      h('div', { class: 'top' },
        h('div', { class: 'symbol' }, platforms.length === 1 ? platformSymbol(platforms[0] ?? '') : icon('platform')),
        h('div', { class: 'who' }, h('h3', null, name), h('p', { class: 'state' }, state)),
        games > 0 ? h('span', { class: 'mark-text' }, tn('library.count', games)) : null),
      this.#platforms(name, platforms),
      installed ? needLines(this.#ctx, this.#needs.get(name) ?? [], this.#hashes.get(id)) : null,
      !installed && !canInstall && hasTool ? h('p', { class: 'hint' }, t('emulators.missing.text')) : null,
      h('div', { class: 'acts' }, job ? null : [
        installed ? act('open', 'emulators.open', 'open') : null,
        installed && mode === 'flatpak' ? act('update', 'emulators.update', 'refresh') : null,
        !installed && canInstall ? act('install', 'emulators.install', 'download', games > 0 ? 'primary' : '') : null,
      ]));
  }

  /**
   * @param {string} name of the emulator
   * @param {readonly string[]} platforms
   */
  #platforms(name, platforms) {
    const { t, tn, format } = this.#ctx;
    const tags = (/** @type {readonly string[]} */ list, /** @type {string} */ label) =>
      h('ul', { class: 'tags', 'aria-label': label }, list.map((platform) => h('li', null, platform)));
    const label = t('emulators.platforms', { name });
    if (platforms.length <= TAGS + FEW) return tags(platforms, label);
    const rest = platforms.slice(TAGS);
    return h('div', { class: 'first-tags' }, tags(platforms.slice(0, TAGS), label),
      h('details', { class: 'more-tags' },
        h('summary', { 'data-focus': `platforms:${name}`, 'aria-label': tn('emulators.platforms.more', rest.length) },
          `+${format.number(rest.length)}`), tags(rest, label)));
  }

  /**
   * Has something done with one emulator, or with all.
   *
   * @param {string} action `open`, `install`, `update`, `install-all` or `update-all`
   * @param {Api.Emulator} [emulator]
   */
  async #start(action, emulator) {
    const { client, jobs, announce, t } = this.#ctx;
    await client.post(`/api/emulators/${action}`, emulator ? { app_id: emulator.app_id } : {});
    if (action === 'open') announce(t('emulators.opened', { name: emulator?.name ?? '' }));
    else await jobs.refresh();
  }

  /** @param {number} count */
  async #installAll(count) {
    const { t, tn } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: tn('emulators.installAll.title', count),
      text: t('emulators.installAll.text'), action: t('emulators.installAll') });
    if (isSure) await this.#start('install-all');
  }
}
