/**
 * What people do with a game, from wherever they do it: play, favourite, edit, remove, set progress. Each action brings
 * the catalog up to date and shows a refusal as a notice.
 */

import { confirm } from './dialog.js';
import { openEditor, saveBody } from './game/edit.js';
import { openMenu } from './menu.js';
import { choosePlaylist } from './library/playlists.js';
import { readAgain, setPlatform } from './library/read-again.js';
import { orderItems } from './library/reorder.js';
import { chooseFiles } from './game/picture-add.js';
import { pickPicture } from './game/picture-pick.js';
import { openPlaytime } from './game/playtime.js';
import { ApiError } from '../core/client.js';
import { h } from '../core/dom.js';
import { fillGame } from '../data/filling.js';
import { FLAG, isMissing } from '../data/game.js';
import { Pending } from '../core/pending.js';
import { pictureChanges, sendPicture } from '../data/upload.js';

/** The actions, bound to the parts they need. */
export class Actions {
  #ctx;
  /** @type {Set<string>} */
  #launching = new Set();

  /**
   * Games that are becoming favourites, or favourites no more.
   *
   * @type {Set<string>}
   */
  #turning = new Set();
  #pending = new Pending();

  /** @param {App.Context} ctx */
  constructor(ctx) {
    this.#ctx = ctx;
  }

  /**
   * Starts a game, after a question when the game asks for one.
   *
   * @param {string} id
   */
  async launch(id) {
    const { t } = this.#ctx;
    const row = this.#ctx.catalog.find(id);
    if (!row || this.#launching.has(id)) return;
    if (this.#ctx.sessions.of(id)) {
      this.#ctx.toasts.show({ text: t('launch.already', { name: row.name }) });
      return;
    }
    if (row.flags & FLAG.confirm) {
      const isSure = await confirm(this.#ctx, { title: t('launch.confirm.title', { name: row.name }),
        text: t('launch.confirm.text'), action: t('action.play') });
      if (!isSure) return;
    }
    this.#launching.add(id);
    await this.#try('action.play', async () => {
      await this.#ctx.client.post('/api/launch', { game_id: id });
      await this.#ctx.sessions.refresh();
      await this.#refresh([id]);
    }, [{ label: t('action.edit'), run: () => void this.edit(id) }, { label: t('launch.commands'),
      run: () => this.#ctx.router.go('/settings/commands') }]);
    this.#launching.delete(id);
  }

  /**
   * Has a game get what it lacks from every source that is on. Without any the way to them is shown.
   *
   * @param {string} id
   */
  async fill(id) {
    const { t, toasts, router } = this.#ctx;
    await this.#try('fill.game', async () => {
      await fillGame(this.#ctx, id);
      toasts.show({ text: t('fill.game.begun') });
    }, [{ label: t('place.sources'), run: () => router.go('/sources') }]);
  }

  /**
   * Starts a game from where it was left. A state that went stale meanwhile is named, and can be tried all the same.
   *
   * @param {string} id
   * @param {boolean} [isStale] whether a state of another emulator is tried
   */
  async resume(id, isStale = false) {
    const { t, resumes, sessions } = this.#ctx;
    if (this.#launching.has(id) || sessions.of(id)) return;
    this.#launching.add(id);
    await this.#try('resume.continue', async () => {
      await resumes.go(id, isStale);
      await sessions.refresh();
      await this.#refresh([id]);
    }, [{ label: t('resume.anew'), run: () => void this.launch(id) }]);
    this.#launching.delete(id);
    if (!sessions.of(id)) void resumes.read(id);
  }

  /**
   * Deletes the kept state of a game after a question.
   *
   * @param {string} id
   */
  async discardState(id) {
    const { t, resumes } = this.#ctx;
    const isSure = await confirm(this.#ctx, { title: t('resume.discard.title', { name: this.#name(id) }),
      text: t('resume.discard.text'), action: t('resume.discard'), danger: true });
    if (!isSure) return;
    await this.#try('resume.discard', async () => {
      await resumes.discard(id);
      this.#ctx.announce(t('resume.discarded'));
    });
  }

  /**
   * @param {string} launchId
   * @param {string} action
   */
  async control(launchId, action) {
    await this.#try(`action.${action}`, () => this.#ctx.sessions.control(launchId, action));
  }

  /** @param {string} launchId */
  async forget(launchId) {
    await this.#try('action.dismiss', () => this.#ctx.sessions.forget(launchId));
  }

  /**
   * Makes a game a favourite, or one no more. That shows at once; presses while it is on its way do nothing.
   *
   * @param {string} id
   */
  async toggleFavorite(id) {
    const { t, kiosk, catalog, client, announce } = this.#ctx;
    if (kiosk.isLocked || this.#turning.has(id)) return;
    this.#turning.add(id);
    const before = catalog.find(id);
    if (before) catalog.expect(id, before.flags ^ FLAG.favorite);
    const isKept = await this.#try('action.favorite', async () => {
      const { favorite } = await client.post('/api/favorite', { game_id: id }).finally(() => this.#turning.delete(id));
      announce(t(favorite ? 'announce.favorite' : 'announce.unfavorite', { name: this.#name(id) }));
      await this.#refresh([id]);
    });
    const now = catalog.find(id);
    if (!isKept && before && now)
      catalog.expect(id, (now.flags & ~FLAG.favorite) | (before.flags & FLAG.favorite));
  }

  /**
   * @param {string} id
   * @param {string} progress
   */
  async setProgress(id, progress) {
    await this.#send(id, '/api/v2/library/progress/set', 'progress', progress);
  }

  /**
   * @param {string} id
   * @param {number} stars 0 to 5; 0 clears them
   */
  async setStars(id, stars) {
    await this.#send(id, '/api/v2/library/rating/set', 'user_rating', stars);
  }

  /**
   * What the user says about a game, also while it is on its way to the server.
   *
   * @template {string | number} T
   * @param {string} id
   * @param {'progress' | 'user_rating'} field
   * @param {T} known what the record says
   * @returns {T}
   */
  pending(id, field, known) {
    return this.#pending.get(`${field} ${id}`, known);
  }

  /** @param {string} id */
  async playtime(id) {
    await this.#try('playtime.title', () => openPlaytime(this.#ctx, id));
  }

  /**
   * Brings a game up to date after a change made elsewhere on the page.
   *
   * @param {string} id
   */
  async reload(id) {
    await this.#try('', () => this.#refresh([id]));
  }

  /**
   * @param {string} id
   * @param {boolean} hidden
   */
  async setHidden(id, hidden) {
    const { t } = this.#ctx;
    const name = this.#name(id);
    if (!(await this.#change(id, { hidden }))) return;
    this.#ctx.toasts.show({
      text: t(hidden ? 'notice.hidden' : 'notice.shown', { name }),
      actions: [{ label: t('action.undo'), run: () => void this.#change(id, { hidden: !hidden }) }],
    });
  }

  /**
   * Sends pictures of this machine to the server and gives them to a game.
   *
   * @param {string} id
   * @param {readonly {kind: string, file: Blob}[]} pictures `kind` is the field of the game
   * @throws when one is refused; then the game is as it was
   */
  async addPictures(id, pictures) {
    const { client, catalog, toasts, t, tn } = this.#ctx;
    const sent = [];
    for (const { kind, file } of pictures) sent.push({ kind, path: await sendPicture(client, file) });
    const [record] = await catalog.refresh([id]);
    if (!record) return;
    const { changes, before } = pictureChanges(record, sent);
    await client.post('/api/game', saveBody(record, changes));
    await this.#refresh([id]);
    toasts.show({ kind: 'good', text: tn('picture.added', sent.length),
      actions: [{ label: t('action.undo'), run: () => void this.#change(id, before) }] });
  }

  /**
   * Puts a game into the play queue.
   *
   * @param {string} id
   * @param {{next?: boolean}} [options]
   */
  async enqueue(id, options) {
    const { t, queue, toasts, router } = this.#ctx;
    await this.#try('action.enqueue', async () => {
      await queue.add([id], options);
      const text = t(options?.next ? 'queue.addedNext' : 'queue.added', { name: this.#name(id) });
      toasts.show({ kind: 'good', text, actions: [{ label: t('action.show'), run: () => router.go('/play') }] });
    });
  }

  /**
   * @param {string} id
   * @param {string} [tab] the tab of the dialog to begin with
   */
  async edit(id, tab) {
    if (this.#ctx.kiosk.isLocked) return;
    await this.#try('action.edit', async () => {
      if (await openEditor(this.#ctx, id, tab)) await this.#refresh([id]);
    });
  }

  /**
   * Moves a game to the trash after a question; the notice offers to bring it back. Its own file stays.
   *
   * @param {string} id
   */
  async remove(id) {
    const { t, kiosk } = this.#ctx;
    const row = this.#ctx.catalog.find(id);
    if (!row || kiosk.isLocked) return;
    const media = h('input', { type: 'checkbox' });
    const extra = h('label', { class: 'check', style: { 'margin-block-start': '12px' } }, media, t('remove.media'));
    const isSure = await confirm(this.#ctx, { title: t('remove.title', { name: row.name }), text: t('remove.text'),
      action: t('action.remove'), danger: true, extra });
    if (!isSure) return;
    await this.#try('action.remove', async () => {
      const { trash_id } = /** @type {Reply.GameTrashed} */ (await this.#ctx.client.post('/api/v2/library/trash', {
        game_id: id,
        delete_media: media.checked,
      }));
      this.#ctx.catalog.remove([id]);
      this.#ctx.bus.emit('removed', { id });
      this.#ctx.toasts.show({ kind: 'good', text: t('notice.removed', { name: row.name }),
        actions: [{ label: t('action.undo'), run: () => void this.restore(trash_id) }] });
    });
  }

  /**
   * Brings a game back from the trash.
   *
   * @param {string} trashId
   * @returns {Promise<boolean>}
   */
  restore(trashId) {
    return this.#try('action.undo', async () => {
      const { game_id, name } = await this.#ctx.client.post('/api/v2/library/trash/restore', { trash_id: trashId });
      await this.#refresh([game_id]);
      this.#ctx.toasts.show({ kind: 'good', text: this.#ctx.t('notice.restored', { name }),
        actions: [{ label: this.#ctx.t('action.openPage'),
          run: () => this.#ctx.router.go(`/game/${encodeURIComponent(game_id)}`) }] });
    });
  }

  /** Opens the page of a game that chance chooses. */
  async openRandom() {
    await this.#try('keys.random', async () => {
      const found = await this.#ctx.client.get('/api/discovery');
      const [pick] = found.random_picks;
      const game = pick === undefined ? undefined : (await this.#ctx.catalog.rowsAt([pick])).get(pick);
      if (game) this.#ctx.router.go(`/game/${encodeURIComponent(game.id)}`);
    });
  }

  /**
   * The menu of a game.
   *
   * @param {string} id
   * @param {{x: number, y: number}} at
   */
  menu(id, at) {
    const { t } = this.#ctx;
    const row = this.#ctx.catalog.find(id);
    if (!row) return;
    const canResume = this.#ctx.resumes.of(id).state === 'ready' && !this.#ctx.sessions.of(id);
    openMenu(this.#ctx, [
      canResume ? { icon: 'save', label: t('resume.continue'), run: () => void this.resume(id) } : null,
      isMissing(row) || this.#ctx.sessions.of(id)
        ? null
        : { icon: 'play', label: t(canResume ? 'resume.anew' : 'action.play'), run: () => void this.launch(id) },
      { icon: 'open', label: t('action.openPage'), run: () => this.#ctx.router.go(`/game/${encodeURIComponent(id)}`) },
      ...(this.#ctx.kiosk.isLocked ? [] : this.#changes(row, at)),
    ].filter((item, index, all) => item !== null || (index > 0 && all[index - 1] !== null)), at, row.name);
  }

  /**
   * What the menu of a game changes; visitors of a kiosk do not have it.
   *
   * @param {App.Row} row
   * @param {{x: number, y: number}} at
   * @returns {(App.MenuItem | null)[]}
   */
  #changes(row, at) {
    const { t } = this.#ctx;
    const { id } = row;
    const isFavorite = (row.flags & FLAG.favorite) !== 0;
    const isHidden = (row.flags & FLAG.hidden) !== 0;
    return [
      null,
      { icon: 'queue', label: t('action.enqueue'), run: () => void this.enqueue(id) },
      { icon: 'up', label: t('action.enqueueNext'), run: () => void this.enqueue(id, { next: true }) },
      ...(this.#ctx.preferences.offersPlaylists
        ? [{ icon: 'playlist', label: t('bulk.playlist'),
          run: () => choosePlaylist(this.#ctx, [id], at, this.#ctx.router.current.query['playlist']) }]
        : []),
      ...orderItems(this.#ctx, id),
      { icon: isFavorite ? 'heart-full' : 'heart', label: t(isFavorite ? 'action.unfavorite' : 'action.favorite'),
        run: () => void this.toggleFavorite(id) },
      null,
      { icon: 'edit', label: t('action.edit'), run: () => void this.edit(id) },
      { icon: 'picture', label: t('pick.action'), run: () => void pickPicture(this.#ctx, id).catch(this.#ctx.fail) },
      { icon: 'plus', label: t('picture.add.action'), run: () => chooseFiles(this.#ctx, id) },
      { icon: 'spark', label: t('fill.game'), run: () => void this.fill(id) },
      { icon: 'platform', label: t('bulk.platform'),
        run: () => void setPlatform(this.#ctx, [id]).catch(this.#ctx.fail) },
      { icon: 'refresh', label: t('bulk.readAgain'), run: () => void readAgain(this.#ctx, [id]).catch(this.#ctx.fail) },
      { icon: 'history', label: t('action.changes'), run: () => this.#ctx.router.go('/history/journal', { game: id }) },
      { icon: 'hidden', label: t(isHidden ? 'action.unhide' : 'action.hide'),
        run: () => void this.setHidden(id, !isHidden) },
      null,
      { icon: 'trash', label: t('action.remove'), danger: true, run: () => void this.remove(id) },
    ];
  }

  /**
   * The menu of a running game: the harder ways to end it.
   *
   * @param {App.Session} session
   * @param {HTMLElement} anchor
   */
  sessionMenu(session, anchor) {
    const { t } = this.#ctx;
    const box = anchor.getBoundingClientRect();
    const force = async () => {
      const isSure = await confirm(this.#ctx, { title: t('kill.title', { name: session.name }), text: t('kill.text'),
        action: t('action.kill'), danger: true });
      if (isSure) await this.control(session.launchId, 'kill');
    };
    openMenu(this.#ctx, [
      { icon: 'refresh', label: t('action.restart'), run: () => void this.control(session.launchId, 'restart') },
      { icon: 'close', label: t('action.kill'), danger: true, run: () => void force() },
    ], { x: box.right - 200, y: box.top - 100 }, session.name);
  }

  /**
   * Sends what the player says about a game. After a refusal the page shows again what is kept.
   *
   * @param {string} id
   * @param {string} path
   * @param {'progress' | 'user_rating'} field
   * @param {string | number} value
   */
  #send(id, path, field, value) {
    return this.#pending.add(`${field} ${id}`, value, async () => {
      const isKept = await this.#try(field === 'progress' ? 'field.progress' : 'stars.label', async () => {
        await this.#ctx.client.post(path, { game_id: id, [field]: value });
        await this.#refresh([id]);
      });
      if (!isKept) this.#ctx.bus.emit('game', { ids: [id] });
    });
  }

  /**
   * Saves a few fields of a game.
   *
   * @param {string} id
   * @param {Record<string, App.FieldValue>} changes
   * @returns {Promise<boolean>}
   */
  #change(id, changes) {
    return this.#try('action.save', async () => {
      const [record] = await this.#ctx.catalog.refresh([id]);
      if (!record) return;
      await this.#ctx.client.post('/api/game', saveBody(record, changes));
      await this.#refresh([id]);
    });
  }

  /** @param {string[]} ids */
  async #refresh(ids) {
    await this.#ctx.catalog.refresh(ids);
    this.#ctx.bus.emit('game', { ids });
  }

  /** @param {string} id */
  #name(id) {
    return this.#ctx.catalog.find(id)?.name ?? '';
  }

  /**
   * @param {string} label of what is done, for failures that do not speak of it
   * @param {() => Promise<unknown>} work
   * @param {App.NoticeAction[]} [actions] offered beside the refusal
   * @returns {Promise<boolean>}
   */
  async #try(label, work, actions) {
    try {
      await work();
      return true;
    } catch (error) {
      this.#ctx.fail(this.#named(error, label), actions);
      return false;
    }
  }

  /**
   * Names the action in a failure that says nothing of it: one inside the service, and an action that got no answer.
   *
   * @param {unknown} error
   * @param {string} label
   */
  #named(error, label) {
    const { t } = this.#ctx;
    if (!label || !(error instanceof ApiError) || (error.status < 500 && !error.isChange)) return error;
    return new ApiError(t('error.action', { action: t(label), reason: error.message }), error);
  }
}
