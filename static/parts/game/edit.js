/**
 * The edit dialog: every field the server lets people write, in tabs. Only what changed is sent; a refused field shows
 * the server's sentence beside it. When somebody else changed the same field meanwhile, both values are shown and the
 * person decides.
 */

import { ApiError } from '../../core/client.js';
import { h } from '../../core/dom.js';
import { askBeforeLeaving } from '../../core/drafts.js';
import { MEDIA } from '../../data/media.js';
import { setBusy } from '../act.js';
import { confirm, openDialog, prepareDialog, showFormFailure } from '../dialog.js';
import { Origins } from './origins.js';
import { customField, editField, fieldOfMessage, keys, shownValue, tabs } from './edit-fields.js';

const CUSTOM = 'custom:';

/** How often a save that another change overtook is tried again without a question. */
const ATTEMPTS = 3;

/** What facets call games without a value. */
const BLANK = 'Unspecified';

/** Fields whose known values are suggested. */
const FACETS = Object.freeze(['genre', 'developer', 'publisher']);

/**
 * The body of a save: the name, which every save must carry, and what changed. Any other absent key leaves its field as
 * it is. What is written over is named as it was seen, so the server refuses the save when somebody was quicker.
 *
 * @param {Api.Game} record as the server sent it last
 * @param {Record<string, unknown>} changes
 * @returns {Record<string, unknown>}
 */
export function saveBody(record, changes) {
  const game = { name: record.name, ...changes };
  return { game_id: record.game_id, game,
    expected: Object.fromEntries(Object.keys(game).map((key) => [key, record[key]])) };
}

/**
 * Fields that were changed here and, since the dialog was opened, elsewhere too, to something else.
 *
 * @param {Api.Game} base the record the dialog began with
 * @param {Api.Game} fresh the record now
 * @param {Record<string, App.FieldValue>} changes what was changed here, by field
 * @returns {string[]}
 */
export function findConflicts(base, fresh, changes) {
  return Object.keys(changes).filter((key) => {
    const [before, now] = [base, fresh].map((record) => JSON.stringify(valueOf(record, key)));
    return before !== now && now !== JSON.stringify(changes[key]);
  });
}

/**
 * @param {Api.Game} record
 * @param {string} key
 * @returns {App.FieldValue}
 */
function valueOf(record, key) {
  if (!key.startsWith(CUSTOM)) return shownValue(record, key);
  return String(/** @type {Record<string, unknown>} */ (record['custom_fields'] ?? {})[key.slice(CUSTOM.length)] ?? '');
}

/**
 * Opens the dialog for a game, with its record as it is now. Resolves to whether it was saved.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {string} [first] the tab to begin with
 * @returns {Promise<boolean>}
 */
export async function openEditor(ctx, id, first = 'general') {
  const ready = await prepareDialog(ctx, `game ${id}`, async () => {
    // Of a game that is gone the server knows no origins.
    const known = ctx.client.get('/api/v2/game/origins', { game_id: id }).catch((error) => ApiError.from(error));
    const [[record], choices, origins] = await Promise.all([ctx.catalog.refresh([id]), loadChoices(ctx), known]);
    if (!record) return null;
    if (origins instanceof ApiError) throw origins;
    return { record, choices, origins: origins.fields };
  });
  return ready !== null &&
    new Editor(ctx, ready.record, ready.choices, ready.origins).open(first in tabs() ? first : 'general');
}

/** One open dialog. */
class Editor {
  #ctx;
  /** What the fields are compared with: the newest record seen. */
  #base;
  #tabs;
  #choices;
  /** @type {Map<string, string>} */
  #initial = new Map();
  /** @type {App.DialogHandle} */
  #dialog = /** @type {App.DialogHandle} */ (/** @type {unknown} */ (null));
  #save;
  #isSaving = false;
  #origins;

  /**
   * @param {App.Context} ctx
   * @param {Api.Game} record
   * @param {App.EditChoices} choices
   * @param {readonly Reply.FieldOrigin[]} origins
   */
  constructor(ctx, record, choices, origins) {
    this.#ctx = ctx;
    this.#base = record;
    this.#choices = choices;
    this.#tabs = Object.entries(tabs()).map(([name, specs]) =>
      makeTab(ctx, name, [
        ...specs.map((spec) => editField(ctx, record, spec, choices)),
        ...(name === 'details'
          ? choices.custom.map((definition, index) => customField(record, definition, index))
          : []),
      ])
    );
    this.#origins = new Origins(ctx, record.game_id, origins, { read: (key) => this.#base[key],
      onRevert: (key) => this.#takeReverted(key) });
    this.#origins.mark(this.#fields);
    this.#tabs.push({ ...makeTab(ctx, 'origins', []), onShow: () => this.#origins.draw() });
    this.#tabs.at(-1)?.panel.replaceChildren(this.#origins.element);
    this.#save = h('button', { class: 'button primary', type: 'submit' }, ctx.t('action.save'));
    for (const field of this.#fields) this.#initial.set(field.spec.key, JSON.stringify(field.read()));
  }

  get #fields() {
    return this.#tabs.flatMap((tab) => tab.fields);
  }

  /** What the user changed, by field. */
  #changes() {
    const changed = this.#fields.filter((field) => JSON.stringify(field.read()) !== this.#initial.get(field.spec.key));
    return Object.fromEntries(changed.map((field) => [field.spec.key, field.read()]));
  }

  /** @param {string} first */
  async open(first) {
    const { t } = this.#ctx;
    const cancel = h('button', { class: 'button', type: 'button' }, t('action.cancel'));
    // What is on its way to the server can not be discarded.
    const guard = () =>
      !this.#isSaving &&
      (Object.keys(this.#changes()).length === 0 ||
        confirm(this.#ctx, { title: t('edit.discard.title'), text: t('edit.discard.text'),
          action: t('edit.discard.action'), danger: true }));
    this.#dialog = openDialog(this.#ctx, {
      title: t('edit.title'),
      width: 780,
      className: 'editor',
      content: [this.#tabs.map((tab) => tab.panel), suggestions(this.#choices)],
      footer: [cancel, this.#save],
      onSubmit: () => void this.#submit(),
      guard,
    });
    this.#dialog.form.querySelector('header')?.after(
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': t('edit.title') }, this.#tabs.map((tab) => tab.button)),
    );
    wireTabs(this.#tabs);
    askBeforeLeaving(() => Object.keys(this.#changes()).length > 0, this.#dialog.signal);
    cancel.addEventListener('click', async () => {
      if (await guard()) this.#dialog.close('');
    });
    const tab = this.#tabs.find((candidate) => candidate.name === first) ?? this.#tabs[0];
    if (tab) showTab(this.#tabs, tab);
    tab?.fields[0]?.control.focus();
    return (await this.#dialog.closed) === 'saved';
  }

  async #submit() {
    showFormFailure(this.#ctx, this.#dialog.form, null);
    for (const field of this.#fields) field.fail('');
    for (const tab of this.#tabs) tab.button.classList.remove('bad');
    const changes = this.#changes();
    setBusy(this.#save, true);
    this.#isSaving = true;
    try {
      if (!(await this.#adopt(changes))) return;
      if (await this.#send(changes)) this.#dialog.close('saved');
    } catch (error) {
      this.#refuse(error, Object.keys(changes));
    } finally {
      this.#isSaving = false;
      setBusy(this.#save, false);
    }
  }

  /**
   * Has pictures from elsewhere copied to an approved folder, and puts the copies in their place.
   *
   * @param {Record<string, App.FieldValue>} changes
   * @returns {Promise<boolean>} whether every picture could be taken; the first that could not is shown with the reason
   */
  async #adopt(changes) {
    const pictures = MEDIA.filter(({ content, field }) => content === 'picture' && field in changes);
    for (const { field: key } of pictures) {
      const field = this.#fields.find((candidate) => candidate.spec.key === key);
      const value = changes[key];
      try {
        const taken = Array.isArray(value)
          ? await Promise.all(value.map((path) => this.#take(path)))
          : await this.#take(String(value));
        changes[key] = taken;
        field?.write(taken);
      } catch (error) {
        if (!field || !(error instanceof ApiError) || error.status !== 400) throw error;
        field.fail(error.message);
        this.#reveal(field);
        return false;
      }
    }
    return true;
  }

  /** @param {string} path */
  async #take(path) {
    if (!path) return '';
    const taken = await this.#ctx.client.post('/api/media/adopt', { path });
    return taken.path;
  }

  /**
   * Saves over the newest record and tells whether it did. Where the same field was changed elsewhere the user is
   * asked; where somebody else was quicker by a moment in other words of the record, it begins anew with theirs.
   *
   * @param {Record<string, App.FieldValue>} changes
   * @returns {Promise<boolean>}
   */
  async #send(changes) {
    for (let left = ATTEMPTS;; left -= 1) {
      const [fresh] = await this.#ctx.catalog.refresh([this.#base.game_id]);
      if (!fresh) throw new ApiError(this.#ctx.t('edit.gone'), { status: 404, code: 'GAME_NOT_FOUND' });
      const conflicts = findConflicts(this.#base, fresh, changes);
      this.#takeOver(fresh, changes);
      if (conflicts.length > 0) {
        this.#showConflicts(fresh, conflicts);
        return false;
      }
      try {
        const { tags, ...fields } = postedChanges(fresh, changes);
        if (Object.keys(fields).length > 0) await this.#ctx.client.post('/api/game', saveBody(fresh, fields));
        if (tags) await this.#ctx.client.post('/api/tags', { ids: [fresh.game_id], tags });
        return true;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409 || left <= 1) throw error;
      }
    }
  }

  /**
   * Goes on from the newest record; fields that were not changed here show its values.
   *
   * @param {Api.Game} fresh
   * @param {Record<string, App.FieldValue>} changes
   */
  #takeOver(fresh, changes) {
    for (const field of this.#fields) {
      const { key } = field.spec;
      const value = valueOf(fresh, key);
      if (!(key in changes) && JSON.stringify(valueOf(this.#base, key)) !== JSON.stringify(value)) {
        field.write(value);
        this.#initial.set(key, JSON.stringify(field.read()));
      }
    }
    this.#base = fresh;
  }

  /**
   * A field shows the value it went back to, whatever was typed into it.
   *
   * @param {string} key
   */
  async #takeReverted(key) {
    const [fresh] = await this.#ctx.catalog.refresh([this.#base.game_id]);
    if (!fresh) return;
    const { [key]: typed, ...others } = this.#changes();
    this.#takeOver(fresh, others);
    const field = this.#fields.find(({ spec }) => spec.key === key);
    field?.write(valueOf(fresh, key));
    if (field) this.#initial.set(key, JSON.stringify(field.read()));
    this.#origins.mark(this.#fields);
  }

  /**
   * Shows both values of each field; saving again keeps what is written here.
   *
   * @param {Api.Game} fresh
   * @param {readonly string[]} keys
   */
  #showConflicts(fresh, keys) {
    const { t, tn } = this.#ctx;
    showFormFailure(this.#ctx, this.#dialog.form,
      new ApiError(tn('edit.conflict', keys.length), { code: 'EDIT_CONFLICT' }));
    for (const key of keys) {
      const field = this.#fields.find((candidate) => candidate.spec.key === key);
      if (!field) continue;
      const theirs = valueOf(fresh, key);
      field.element.querySelector('.conflict')?.remove();
      const take = () => {
        field.write(theirs);
        this.#initial.set(key, JSON.stringify(field.read()));
        notice.remove();
        field.control.focus();
      };
      const notice = h('div', { class: 'conflict' },
        h('span', null, t('edit.theirs', { value: describe(this.#ctx, theirs) })),
        h('button', { class: 'button', type: 'button', on: { click: take } }, t('edit.take')));
      field.element.append(notice);
      this.#reveal(field);
    }
  }

  /**
   * Shows a refusal beside its field, or above the buttons when it is about no single field.
   *
   * @param {unknown} error
   * @param {readonly string[]} changed
   */
  #refuse(error, changed) {
    const known = ApiError.from(error);
    const custom = changed.find((key) =>
      key.startsWith(CUSTOM) && known.message.startsWith(`${key.slice(CUSTOM.length)} `)
    );
    const key = known.status === 400 ? (custom ?? fieldOfMessage(known.message, changed)) : '';
    const field = this.#fields.find((candidate) => candidate.spec.key === key);
    if (!field) {
      showFormFailure(this.#ctx, this.#dialog.form, known);
      return;
    }
    field.fail(known.message);
    this.#reveal(field);
  }

  /** @param {App.Field} field */
  #reveal(field) {
    const tab = this.#tabs.find((candidate) => candidate.fields.includes(field));
    if (!tab) return;
    showTab(this.#tabs, tab);
    tab.button.classList.add('bad');
    field.control.focus();
  }
}

/**
 * Changes as the server takes them: own fields go as one object with those that stay.
 *
 * @param {Api.Game} record
 * @param {Record<string, App.FieldValue>} changes
 * @returns {Record<string, unknown>}
 */
export function postedChanges(record, changes) {
  const known = keys();
  const plain = Object.entries(changes).filter(([key]) => known.includes(key));
  const custom = Object.entries(changes).filter(([key]) => key.startsWith(CUSTOM)).map((
    [key, value],
  ) => [key.slice(CUSTOM.length), value]);
  const posted = Object.fromEntries(plain);
  return custom.length === 0
    ? posted
    : { ...posted,
      custom_fields: { .../** @type {object} */ (record['custom_fields'] ?? {}), ...Object.fromEntries(custom) } };
}

/**
 * @param {App.Context} ctx
 * @param {App.FieldValue} value
 * @returns {string}
 */
function describe(ctx, value) {
  if (typeof value === 'boolean') return ctx.t(value ? 'option.on' : 'option.off');
  return (Array.isArray(value) ? value.join(', ') : String(value)) || ctx.t('option.none');
}

/**
 * What the fields suggest. A list that cannot be had is empty: the dialog works without it.
 *
 * @param {App.Context} ctx
 * @returns {Promise<App.EditChoices>}
 */
async function loadChoices(ctx) {
  const { client } = ctx;
  const quietly = async (/** @type {Promise<unknown>} */ answer) => answer.catch(() => ({}));
  const [settings, tags, profiles, ...facets] = await Promise.all([
    quietly(client.get('/api/settings')),
    quietly(client.get('/api/tags')),
    quietly(client.get('/api/profiles')),
    ...FACETS.map((field) => quietly(client.get('/api/explorer/facets', { field }))),
  ]);
  const { custom_field_defs: custom, compositor_presets: presets } =
    /**
     * @type {{custom_field_defs?: {name: string, options?: string[]}[], compositor_presets?: [string, string][]}}
     */
    (settings);
  /** @type {Record<string, string[]>} */
  const lists = { platform: ctx.catalog.facets.platforms.map(([name]) => name).filter(Boolean),
    launch_profile: Object.keys(/** @type {Partial<Api.Profiles>} */ (profiles).profiles ?? {}) };
  FACETS.forEach((field, index) => {
    const { facets: values } = /** @type {{facets?: {value: string}[]}} */ (facets[index]);
    lists[field] = (values ?? []).map(({ value }) => value).filter((value) => value !== BLANK);
  });
  return {
    lists,
    tags: (/** @type {{tags?: Api.TagCount[]}} */ (tags).tags ?? []).map(({ tag }) => tag),
    custom: (custom ?? []).map(({ name, options }) => ({ name, options: options ?? [] })),
    compositors: (presets ?? []).map(([value, label]) => ({ value, label })),
  };
}

/** @param {App.EditChoices} choices */
function suggestions(choices) {
  const list = (/** @type {string} */ id, /** @type {readonly string[]} */ values) =>
    h('datalist', { id }, values.map((value) => h('option', { value })));
  return [...Object.entries(choices.lists).map(([key, values]) => list(`known-${key}`, values)),
    ...choices.custom.map(({ options }, index) => list(`known-custom-${index}`, options))];
}

/**
 * @param {App.Context} ctx
 * @param {string} name
 * @param {App.Field[]} fields
 * @returns {App.EditTab}
 */
function makeTab(ctx, name, fields) {
  const flags = fields.filter((field) => field.spec.kind === 'bool');
  const others = fields.filter((field) => field.spec.kind !== 'bool');
  const panel = h('div', { class: 'form-grid', role: 'tabpanel', id: `edit-${name}`,
    'aria-labelledby': `edit-${name}-tab` }, others.map((field) => field.element), flags.length > 0
    ? h('fieldset', { class: 'full' }, h('legend', { class: 'sr-only' }, ctx.t('edit.flags')),
      flags.map((field) => field.element))
    : null);
  const button = h('button', { type: 'button', role: 'tab', id: `edit-${name}-tab`, 'aria-controls': `edit-${name}` },
    ctx.t(`edit.tab.${name}`));
  return { name, fields, panel, button };
}

/** @param {readonly App.EditTab[]} tabs */
function wireTabs(tabs) {
  tabs.forEach((tab, index) => {
    tab.button.addEventListener('click', () => showTab(tabs, tab));
    tab.button.addEventListener('keydown', (event) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
      const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
      if (!next) return;
      event.preventDefault();
      showTab(tabs, next);
      next.button.focus();
    });
  });
}

/**
 * @param {readonly App.EditTab[]} tabs
 * @param {App.EditTab} shown
 */
function showTab(tabs, shown) {
  for (const tab of tabs) {
    tab.panel.hidden = tab !== shown;
    tab.button.setAttribute('aria-selected', String(tab === shown));
    tab.button.tabIndex = tab === shown ? 0 : -1;
  }
  shown.onShow?.();
}
