/**
 * The settings screen, made from the table the server describes in `GET /api/openapi.json`. Each field is saved by
 * itself; a refused value shows the server's sentence beside it.
 */

import { aboutProgram } from '../parts/settings/about.js';
import { kioskSettings } from '../parts/settings/kiosk.js';
import { diagnostics } from '../parts/settings/diagnostics.js';
import { platformDocuments } from '../parts/game/extras.js';
import { isStacked, isTyped, pairList, settingControl, SIDEBAR } from '../parts/settings/control.js';
import { endsPage, showFailure } from '../parts/state-box.js';
import { ApiError } from '../core/client.js';
import { fill, h, icon, patch, setAttribute } from '../core/dom.js';
import { focusables } from '../core/focus.js';
import { isPhone } from '../core/phone.js';
import { isLockedOut } from '../data/kiosk.js';
import { fold } from '../data/search.js';
import { shownSettings } from '../data/settings-table.js';

/** Groups this screen adds: commands and documents by platform, the kiosk, report and log, and facts about the
 * program. */
const COMMANDS = 'commands';
const DOCUMENTS = 'documents';
const DIAGNOSTICS = 'diagnostics';
const KIOSK = 'kiosk';
const ABOUT = 'about';

/** Screens of their own that belong to the settings, with their icons. */
const ELSEWHERE = Object.freeze(
  /** @type {const} */ ([['stores', 'store'], ['emulators', 'platform'], ['backups', 'archive'], ['saves', 'save'], [
    'themes',
    'palette',
  ], ['plugins', 'puzzle'], ['household', 'players'], ['webhooks', 'plug']]),
);

/** How long a saved field says so. */
const SAVED_TIME = 2200;

/** The preset of the compositor, and the setting that holds those of the user. */
const PRESET = 'compositor_preset';
const OWN_PRESETS = 'compositor_custom_presets';

/** @implements {App.View} */
export class SettingsView {
  #ctx;
  #life = new AbortController();
  #root;
  #nav = h('ul', null);
  #body = h('div', { class: 'inner' });
  #scroll = h('div', { class: 'scroll', tabindex: -1 }, this.#body);
  #search;
  /** @type {App.SettingRow[]} */
  #rows = [];
  /** @type {Api.Settings} */
  #values = {};
  /** How often others were heard to change the settings. */
  #followed = 0;
  /**
   * The settings that are shown, by key.
   *
   * @type {Map<string, {row: App.SettingRow, element: HTMLElement, error: HTMLElement}>}
   */
  #shown = new Map();
  /** Settings that were changed elsewhere while they were worked on here, and show what they were before. */
  #stale = new Set();
  /**
   * How many changes of a setting are on their way, by key.
   *
   * @type {Map<string, number>}
   */
  #sent = new Map();
  /** @type {Api.Profiles} */
  #profiles = { profiles: {}, detected: {} };
  #group;
  /** Changes are sent one after the other: an older one that comes last would win. */
  #sending = Promise.resolve();

  /**
   * @param {App.Context} ctx
   * @param {HTMLElement} root
   * @param {App.Route} route
   */
  constructor(ctx, root, route) {
    this.#ctx = ctx;
    this.#group = route.arg;
    const { t, bus } = ctx;
    document.title = `${t('place.settings')} – Service Launcher`;
    this.#search = h('input', {
      class: 'input',
      type: 'search',
      placeholder: t('settings.search'),
      'aria-label': t('settings.search'),
      autocomplete: 'off',
      spellcheck: 'false',
      on: { input: () => {
        this.#drawNav();
        this.#drawBody();
      } },
    });
    const clear = h('button', { class: 'icon-button', type: 'button', 'aria-label': t('search.clear'),
      on: { click: () => {
        this.#search.value = '';
        this.#drawNav();
        this.#drawBody();
        this.#search.focus();
      } } }, icon('close'));
    this.#root = h('div', { class: 'settings' },
      h('nav', { class: 'scroll', 'aria-label': t('settings.groups') },
        h('button', { class: 'icon-button menu-button', type: 'button', 'aria-label': t('sidebar.open'),
          on: { click: () => bus.emit('sidebar', { open: true }) } }, icon('menu')),
        h('div', { class: 'search' }, icon('search'), this.#search, clear), this.#nav,
        this.#elsewhere('settings-elsewhere')), this.#scroll);
    root.append(this.#root);
    bus.on('settings', (values) => this.#follow(values), this.#life.signal);
    void this.#load();
  }

  /**
   * The screens of their own, which have their place beside the groups; on a phone they are the end of what is shown.
   *
   * @param {string} id of the heading
   */
  #elsewhere(id) {
    const { t } = this.#ctx;
    return [h('h2', { class: 'elsewhere', id }, t('settings.elsewhere')),
      h('ul', { 'aria-labelledby': id },
        ELSEWHERE.map(([name, symbol]) =>
          h('li', null,
            h('a', { class: 'place', href: `#/${name}` }, icon(symbol),
              h('span', { class: 'name' }, t(`place.${name}`)), icon('chevron', 'icon-s ahead')))
        ))];
  }

  /** @param {App.Route} route */
  update(route) {
    if (this.#group !== route.arg) this.#scroll.scrollTop = 0;
    this.#group = route.arg;
    this.#search.value = '';
    this.#drawNav();
    this.#drawBody();
  }

  unmount() {
    this.#life.abort();
    this.#root.remove();
  }

  async #load() {
    const { client } = this.#ctx;
    try {
      // Also the commands: nobody writes a row into a list that is not known yet.
      const [values, schema, profiles] = await Promise.all([
        this.#readValues(),
        /** @type {Promise<Api.OpenApi>} */ (client.get('/api/openapi.json')),
        /** @type {Promise<Api.Profiles>} */ (client.get('/api/profiles')),
      ]);
      if (this.#life.signal.aborted) return;
      this.#values = values;
      this.#profiles = profiles;
      this.#rows = shownSettings(schema);
      this.#drawNav();
      this.#drawBody();
    } catch (error) {
      if (!this.#life.signal.aborted)
        showFailure(this.#ctx, this.#body, error, () => void this.#load(), this.#rows.length > 0);
    }
  }

  /**
   * The settings as they are now: what was asked for before somebody changed them may be older than that.
   *
   * @returns {Promise<Api.Settings>}
   */
  async #readValues() {
    for (;;) {
      const before = this.#followed;
      const values = await this.#ctx.client.get('/api/settings');
      if (before === this.#followed) return values;
    }
  }

  #groups() {
    return [...new Set(this.#rows.map((row) => row.group)), COMMANDS, DOCUMENTS, KIOSK, DIAGNOSTICS, ABOUT];
  }

  #shownGroup() {
    const groups = this.#groups();
    return groups.includes(this.#group) ? this.#group : (groups[0] ?? COMMANDS);
  }

  #drawNav() {
    const shown = this.#search.value.trim() ? '' : this.#shownGroup();
    patch(this.#nav,
      this.#groups().map((group) =>
        h('li', { 'data-key': group },
          h('a', { class: 'place', href: `#/settings/${group}`, 'data-focus': `group-${group}`,
            'aria-current': group === shown ? 'page' : null }, h('span', { class: 'name' }, this.#groupName(group))))
      ));
    // On a phone the groups are one row that is wider than the window; in a low window they are longer than it.
    this.#nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest',
      inline: isPhone() ? 'center' : 'nearest' });
  }

  #drawBody() {
    const { t, tn } = this.#ctx;
    this.#shown.clear();
    const wanted = fold(this.#search.value.trim());
    if (wanted) {
      const found = this.#rows.filter((row) =>
        fold(`${this.#label(row)} ${this.#hint(row)} ${row.key} ${this.#groupName(row.group)}`).includes(wanted)
      );
      const groups = [...new Set(found.map((row) => row.group))];
      const count = found.length > 0 ? tn('settings.count', found.length) : t('settings.nothing');
      this.#ctx.announce(count);
      fill(this.#body, h('h1', null, t('settings.found')), h('p', { class: 'about' }, count), groups.map((group) =>
        h('section', { class: 'block' }, h('h2', null, this.#groupName(group)), found.filter((row) =>
          row.group === group
        ).map((row) =>
          this.#row(row)
        ))
      ), h('div', { class: 'other-screens' }, this.#elsewhere('settings-other-screens')));
      return;
    }
    const group = this.#shownGroup();
    const about = this.#ctx.i18n.has(`settings.about.${group}`)
      ? h('p', { class: 'about' }, t(`settings.about.${group}`))
      : null;
    fill(this.#body, h('h1', null, this.#groupName(group)), about,
      h('section', { class: 'block' }, this.#content(group)),
      h('div', { class: 'other-screens' }, this.#elsewhere('settings-other-screens')));
  }

  /** @param {string} group */
  #content(group) {
    if (group === COMMANDS) return this.#commands();
    if (group === DOCUMENTS) return this.#documents();
    if (group === KIOSK) return kioskSettings(this.#ctx);
    if (group === DIAGNOSTICS) return diagnostics(this.#ctx);
    if (group === ABOUT) return aboutProgram(this.#ctx, this.#values);
    return this.#rows.filter((row) => row.group === group).map((row) => this.#row(row));
  }

  /**
   * A row with what the server knows to choose from: presets of the compositor are those of the program and those of
   * the user.
   *
   * @param {App.SettingRow} row
   * @returns {App.SettingRow}
   */
  #known(row) {
    const presets = this.#values['compositor_presets'];
    if (row.key !== PRESET || !Array.isArray(presets)) return row;
    const { t, i18n } = this.#ctx;
    const labels = Object.fromEntries(
      /** @type {[string, string][]} */ (presets).map((
        [name, label],
      ) => [name, i18n.has(`choice.${PRESET}.${name}`) ? t(`choice.${PRESET}.${name}`) : label]),
    );
    return { ...row, control: 'choice', choices: ['', ...Object.keys(labels)], labels };
  }

  /** @param {App.SettingRow} described */
  #row(described) {
    const row = this.#known(described);
    const id = `setting-${row.key}`;
    const error = h('p', { class: 'error', role: 'alert', id: `${id}-error` });
    const hint = this.#hint(row);
    const control = settingControl(this.#ctx, row, valueOf(row, this.#values), id, (next) => this.#send(row, next));
    setAttribute(control, 'aria-describedby', [hint ? `${id}-hint` : '', error.id].filter(Boolean).join(' '));
    const isGroup = control.getAttribute('role') === 'group';
    if (isGroup) control.setAttribute('aria-labelledby', `${id}-label`);
    const name = isGroup
      ? h('span', { class: 'label', id: `${id}-label` }, this.#label(row))
      : h('label', { for: id }, this.#label(row));
    const element = h('div', { class: isStacked(row) ? 'setting stacked' : 'setting' },
      h('div', { class: 'text' }, name,
        h('span', { class: 'saved', 'aria-hidden': 'true' }, icon('tick'), this.#ctx.t('settings.saved')),
        hint ? h('p', { id: `${id}-hint` }, hint) : null), h('div', { class: 'control' }, control, error));
    element.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && element.contains(relatedTarget)) return;
      if (this.#stale.has(row.key) && !this.#sent.has(row.key)) this.#redraw(row.key);
    });
    this.#shown.set(row.key, { row: described, element, error });
    return element;
  }

  /**
   * Draws a setting as it is kept. The focus stays at its place in it.
   *
   * @param {string} key
   */
  #redraw(key) {
    this.#stale.delete(key);
    const shown = this.#shown.get(key);
    if (!shown?.element.isConnected) return;
    const place = focusables(shown.element).findIndex((control) => control === document.activeElement);
    const next = this.#row(shown.row);
    shown.element.replaceWith(next);
    if (place >= 0) focusables(next)[place]?.focus();
  }

  /**
   * Draws the settings again that another window or program changed. One that is being written in, or whose own change
   * is on its way, is drawn again later.
   *
   * @param {Api.Settings} values
   */
  #follow(values) {
    this.#followed += 1;
    const before = this.#values;
    this.#values = { ...before, ...values };
    for (const [key, { row, element }] of [...this.#shown]) {
      if (JSON.stringify(valueOf(row, before)) === JSON.stringify(valueOf(row, this.#values))) continue;
      if (element.contains(document.activeElement) && (isTyped(element) || this.#sent.has(key))) this.#stale.add(key);
      else this.#redraw(key);
    }
  }

  /** @param {() => Promise<void>} send tells what was refused itself */
  #inTurn(send) {
    this.#sending = this.#sending.then(send);
  }

  /**
   * Saves a setting when those before it are saved.
   *
   * @param {App.SettingRow} row
   * @param {unknown} value
   * @param {boolean} [isAgain] whether the control shows what is kept, and not this value
   */
  #send(row, value, isAgain = false) {
    const { key } = row;
    this.#sent.set(key, (this.#sent.get(key) ?? 0) + 1);
    // The control may go on changing its value while this one waits for its turn.
    const chosen = structuredClone(value);
    this.#inTurn(async () => {
      await this.#save(row, chosen, isAgain);
      const left = (this.#sent.get(key) ?? 1) - 1;
      if (left > 0) this.#sent.set(key, left);
      else this.#sent.delete(key);
    });
  }

  /**
   * @param {App.SettingRow} row
   * @param {unknown} value
   * @param {boolean} isAgain
   */
  async #save(row, value, isAgain) {
    const { client, preferences, announce, t } = this.#ctx;
    const drawn = this.#shown.get(row.key);
    if (drawn) forgetFailure(drawn.error);
    drawn?.element.classList.remove('is-saved');
    try {
      const settings = await client.post('/api/settings',
        row.key === SIDEBAR ? /** @type {Api.Settings} */ (value) : { [row.key]: value });
      this.#values = settings;
      const isSame = JSON.stringify(valueOf(row, settings)) === JSON.stringify(value);
      // While a later value is on its way, the control shows that one.
      const isLast = (this.#sent.get(row.key) ?? 0) <= 1;
      if (isLast && ((this.#stale.delete(row.key) && !isSame) || isAgain)) this.#redraw(row.key);
      if (row.key === OWN_PRESETS) this.#redraw(PRESET);
      // Who follows may have heard of the change before its answer came, and drawn the setting again.
      const shown = this.#shown.get(row.key)?.element;
      shown?.classList.add('is-saved');
      setTimeout(() => shown?.classList.remove('is-saved'), SAVED_TIME);
      announce(t('settings.announce', { name: this.#label(row) }));
      preferences.take(settings);
    } catch (failure) {
      const shown = this.#shown.get(row.key);
      // What was typed stays, to be tried again; a choice that is not kept must not look as if it were.
      if (shown && !isTyped(shown.element)) this.#redraw(row.key);
      this.#refuse(failure, this.#label(row), this.#shown.get(row.key)?.error, () => this.#send(row, value, true));
    }
  }

  /**
   * Tells at the field why something was not saved, or in a notice where the field is not shown any more.
   *
   * @param {unknown} failure
   * @param {string} name
   * @param {HTMLElement | undefined} error
   * @param {() => void} retry
   */
  #refuse(failure, name, error, retry) {
    const { t, fail } = this.#ctx;
    const known = ApiError.from(failure);
    if (isLockedOut(known) || endsPage(known)) {
      fail(known);
    } else if (!error?.isConnected) {
      fail(new ApiError(t('settings.failed', { name, reason: known.message }), known), [{ label: t('action.retry'),
        run: retry }]);
    } else if (known.status === 400) {
      showReason(error, known.message);
    } else {
      showReason(error, t('settings.unsaved', { reason: known.message }));
      // The error is read aloud by itself.
      error.after(
        h('button', { class: 'button retry', type: 'button', on: { click: retry } }, icon('refresh', 'icon-s'),
          t('action.retry')),
      );
    }
  }

  #commands() {
    const { t } = this.#ctx;
    const error = h('p', { class: 'error', role: 'alert' });
    const list = pairList(this.#ctx, { key: 'profiles' }, 'profiles', Object.entries(this.#profiles.profiles),
      (pairs) => this.#inTurn(() => this.#saveProfiles(Object.fromEntries(pairs), error)));
    list.setAttribute('aria-label', t('settings.group.commands'));
    const missing = Object.entries(this.#profiles.detected).filter(([platform]) => !this.#profiles.profiles[platform]);
    const suggestions = missing.length === 0
      ? null
      : h('div', { class: 'block' }, h('h2', null, t('commands.detected')),
        h('ul', { class: 'rows' },
          missing.map(([platform, command]) =>
            h('li', null, h('span', null, platform), h('code', { class: 'grow end' }, command),
              h('button', { class: 'button', type: 'button', 'aria-label': t('commands.use', { platform }),
                on: { click: () =>
                  this.#inTurn(() =>
                    this.#saveProfiles({ ...this.#profiles.profiles, [platform]: command }, error)
                  ) } }, t('commands.add')))
          )));
    return [list, h('div', { class: 'refusal' }, error), suggestions];
  }

  /**
   * @param {Record<string, string>} profiles
   * @param {HTMLElement} error
   */
  async #saveProfiles(profiles, error) {
    const { client, announce, t } = this.#ctx;
    forgetFailure(error);
    try {
      await client.post('/api/profiles', { profiles });
      const hadMore = Object.keys(profiles).length !== Object.keys(this.#profiles.profiles).length;
      this.#profiles = { ...this.#profiles, profiles };
      announce(t('settings.announce', { name: t('settings.group.commands') }));
      // A row that is being filled in must not be drawn away under the cursor.
      if (hadMore && !this.#body.contains(document.activeElement)) this.#drawBody();
    } catch (failure) {
      this.#refuse(failure, t('settings.group.commands'), error, () =>
        this.#inTurn(() => this.#saveProfiles(profiles, error)));
    }
  }

  /** The documents of one platform at a time. Platforms may become known while this is shown. */
  #documents() {
    const { t, catalog, bus } = this.#ctx;
    const names = catalog.facets.platforms.map(([name]) => name).filter(Boolean);
    if (names.length === 0) {
      const place = h('div', null, h('p', { class: 'hints' }, t('documents.noPlatform')));
      const known = new AbortController();
      bus.on('catalog:facets', ({ platforms }) => {
        if (!platforms.some(([name]) => name)) return;
        known.abort();
        if (place.isConnected) fill(place, this.#documents());
      }, AbortSignal.any([known.signal, this.#life.signal]));
      return place;
    }
    const place = h('div', null);
    const select = h('select', { class: 'input', id: 'documents-platform', on: { change: () => show() } },
      names.map((name) => h('option', { value: name }, name)));
    const show = () => fill(place, platformDocuments(this.#ctx, select.value, t('extras.platform.empty')));
    show();
    return [
      h('div', { class: 'field short' }, h('label', { class: 'label', for: select.id }, t('field.platform')), select),
      place,
    ];
  }

  /** @param {string} group */
  #groupName(group) {
    return this.#ctx.i18n.has(`settings.group.${group}`) ? this.#ctx.t(`settings.group.${group}`) : humanise(group);
  }

  /** @param {App.SettingRow} row */
  #label(row) {
    return this.#ctx.i18n.has(`setting.${row.key}`) ? this.#ctx.t(`setting.${row.key}`) : humanise(row.key);
  }

  /** @param {App.SettingRow} row */
  #hint(row) {
    const { t, i18n } = this.#ctx;
    const own = i18n.has(`setting.${row.key}.hint`) ? t(`setting.${row.key}.hint`) : '';
    const bounds = row.min !== undefined && row.max !== undefined
      ? t(row.off === undefined ? 'settings.bounds' : 'settings.boundsOrOff', { min: this.#ctx.format.number(row.min),
        max: this.#ctx.format.number(row.max) })
      : '';
    return [own, bounds].filter(Boolean).join(' ');
  }
}

/**
 * What the control of a setting shows.
 *
 * @param {App.SettingRow} row
 * @param {Api.Settings} values
 */
function valueOf(row, values) {
  // Which sections are shown and in which order stands in two settings.
  if (row.key === SIDEBAR)
    return { sidebar_sections: values[SIDEBAR] ?? row.default,
      hidden_sidebar_sections: values['hidden_sidebar_sections'] ?? [] };
  return row.set_flag ? values[row.set_flag] : (values[row.key] ?? row.default);
}

/** What can be invalid at a field. */
const FIELDS = 'input:not([type="checkbox"]), textarea, select';

/**
 * @param {HTMLElement} error
 * @param {string} reason
 */
function showReason(error, reason) {
  error.textContent = reason;
  error.closest('.setting')?.querySelector(FIELDS)?.setAttribute('aria-invalid', 'true');
}

/** @param {HTMLElement} error */
function forgetFailure(error) {
  error.textContent = '';
  const retry = error.parentElement?.querySelector(':scope > .retry');
  // The button leaves the keyboard at the control.
  if (retry && retry === document.activeElement)
    focusables(error.closest('.setting, .block') ?? document.body)[0]?.focus();
  retry?.remove();
  error.closest('.setting')?.querySelector(FIELDS)?.removeAttribute('aria-invalid');
}

/**
 * @param {string} key
 * @returns {string}
 */
function humanise(key) {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
