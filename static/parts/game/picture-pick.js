/**
 * Choosing a picture for a game among those that the sources have of it.
 */

import { openDialog, prepareDialog, showFormFailure } from '../dialog.js';
import { smallEmptyBox, waitBox } from '../state-box.js';
import { setBusy } from '../act.js';
import { ApiError } from '../../core/client.js';
import { coalesce } from '../../core/coalesce.js';
import { fill, h } from '../../core/dom.js';
import { creditText } from '../../data/credits.js';

/** Kinds that can be chosen, the usual ones first. */
const KINDS = Object.freeze(
  /** @type {const} */ (['cover', 'background', 'screenshots', 'clear_logo', 'banner', 'title_screen', 'box_back',
    'box_3d', 'cart_front', 'disc', 'fanart', 'icon', 'advertisement']),
);

/** The status of an answer before the database was downloaded. */
const NO_DATABASE = 409;

/** Pictures that are loaded at once: each waits for a host elsewhere. */
const AT_ONCE = 3;

/**
 * Opens the dialog. Resolves to whether a picture was taken.
 *
 * @param {App.Context} ctx
 * @param {string} id
 * @param {string} [first] the kind to begin with
 * @returns {Promise<boolean>}
 */
export async function pickPicture(ctx, id, first = 'cover') {
  const read = (/** @type {string} */ kind, provider = '') =>
    ctx.client.get('/api/v2/media/candidates', provider ? { game_id: id, kind, provider } : { game_id: id, kind });
  try {
    const begun = await prepareDialog(ctx, `picture ${id}`, () => read(first));
    return begun !== null && await new PicturePick(ctx, id, read, begun).open();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== NO_DATABASE) throw error;
    offerDatabase(ctx);
    return false;
  }
}

/**
 * Leads to the screen where the database is downloaded.
 *
 * @param {App.Context} ctx
 */
function offerDatabase(ctx) {
  const { t } = ctx;
  const link = h('a', { class: 'button primary', href: '#/fill', 'data-focus': 'fill' }, t('place.fill'));
  const dialog = openDialog(ctx, { title: t('pick.action'),
    content: smallEmptyBox(ctx, 'download', 'pick.database', link) });
  link.addEventListener('click', () => dialog.close(''));
  link.focus();
}

/** One open dialog. */
class PicturePick {
  #ctx;
  #id;
  #kind;
  #read;
  #answer;
  /** @type {App.DialogHandle} */
  #dialog = /** @type {App.DialogHandle} */ (/** @type {unknown} */ (null));
  #list = h('div', { class: 'picture-pick-list' });
  #credit = h('p', { class: 'hints' });
  #load = coalesce(() => this.#reload());
  /** Pictures that wait for their turn. */
  /** @type {(() => void)[]} */
  #waiting = [];
  /** Sources that are still to be asked. */
  #asked = 0;
  /** Pictures on their way. */
  #open = 0;

  /**
   * @param {App.Context} ctx
   * @param {string} id
   * @param {(kind: string, provider?: string) => Promise<Reply.PictureChoices>} read
   * @param {Reply.PictureChoices} answer
   */
  constructor(ctx, id, read, answer) {
    this.#ctx = ctx;
    this.#id = id;
    this.#read = read;
    this.#answer = answer;
    this.#kind = h('select', { class: 'input', 'data-focus': 'kind', 'aria-label': ctx.t('pick.kind'),
      on: { change: () => void this.#load() } },
      KINDS.map((kind) => h('option', { value: kind, selected: kind === answer.kind }, ctx.t(`choice.${kind}`))));
  }

  async open() {
    this.#dialog = openDialog(this.#ctx, {
      title: this.#ctx.t('pick.action'),
      width: 780,
      className: 'picture-pick',
      content: [this.#kind, this.#list, this.#credit],
    });
    this.#draw();
    void this.#ask(this.#answer);
    this.#kind.focus();
    return (await this.#dialog.closed) === 'chosen';
  }

  async #reload() {
    try {
      const answer = await this.#read(this.#kind.value);
      if (this.#dialog.signal.aborted || answer.kind !== this.#kind.value) return;
      this.#answer = answer;
      this.#draw();
      await this.#ask(answer);
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * Asks the other sources one after the other, and adds what each has. What one refuses leaves the others alone.
   *
   * @param {Reply.PictureChoices} answer
   */
  async #ask(answer) {
    this.#asked = answer.others.length;
    for (const provider of answer.others) {
      const more = await this.#read(answer.kind, provider).catch(() => null);
      if (this.#dialog.signal.aborted || this.#answer.kind !== answer.kind) return;
      this.#asked -= 1;
      if (!more || (more.choices.length === 0 && this.#asked > 0)) continue;
      const credit = [this.#answer.credit, more.choices.length > 0 ? more.credit : ''].filter(Boolean).join(' ');
      const before = this.#answer.choices;
      this.#answer = { ...this.#answer, choices: [...before, ...more.choices], credit };
      // What is there already keeps its place and the keyboard.
      const list = before.length > 0 ? this.#list.querySelector('ul') : null;
      if (!list) this.#draw();
      else {
        list.append(...more.choices.map((choice, at) => this.#choice(choice, before.length + at)));
        this.#credit.textContent = creditText(this.#ctx, credit);
      }
    }
    if (this.#answer.choices.length === 0) this.#draw();
  }

  #draw() {
    const { choices, credit } = this.#answer;
    showFormFailure(this.#ctx, this.#dialog.form, null);
    this.#waiting = [];
    this.#credit.textContent = choices.length > 0 ? creditText(this.#ctx, credit) : '';
    fill(this.#list, choices.length === 0
      ? this.#asked > 0 ? waitBox(this.#ctx) : smallEmptyBox(this.#ctx, 'picture', 'pick.none')
      : h('ul', { class: `choices ${this.#kind.value}`, 'aria-label': this.#ctx.t('pick.list') },
        choices.map((choice, at) => this.#choice(choice, at))));
  }

  /**
   * @param {Reply.PictureChoice} choice
   * @param {number} at
   */
  #choice(choice, at) {
    const { client, t } = this.#ctx;
    const words = [choice.type, choice.region].filter(Boolean).join(' · ');
    const image = h('img', { alt: '', decoding: 'async' });
    const button = h('button', { type: 'button', 'data-focus': `choice-${at}`,
      'aria-label': t('pick.take', { title: choice.title, what: words }) }, image);
    button.addEventListener('click', () => void this.#take(choice, button));
    const end = () => {
      this.#open -= 1;
      this.#next();
    };
    image.addEventListener('load', () => {
      image.classList.add('shown');
      end();
    });
    image.addEventListener('error', () => {
      button.classList.add('bad');
      end();
    });
    this.#waiting.push(() => {
      image.src = client.candidate(this.#id, this.#answer.kind, choice);
    });
    this.#next();
    return h('li', null, button, h('b', null, choice.title), h('small', null, words));
  }

  /** Has the next pictures loaded, as many as may be on their way. */
  #next() {
    while (this.#open < AT_ONCE && !this.#dialog.signal.aborted) {
      const begin = this.#waiting.shift();
      if (!begin) return;
      this.#open += 1;
      begin();
    }
  }

  /**
   * @param {Reply.PictureChoice} choice
   * @param {HTMLElement} button
   */
  async #take(choice, button) {
    const { client, t, toasts } = this.#ctx;
    if (button.getAttribute('aria-busy') === 'true') return;
    showFormFailure(this.#ctx, this.#dialog.form, null);
    setBusy(button, true);
    try {
      await client.post('/api/v2/media/choose', { game_id: this.#id, kind: this.#kind.value,
        ...(choice.database_id > 0 ? { database_id: choice.database_id } : { provider: choice.provider }),
        url: choice.url });
      this.#dialog.close('chosen');
      toasts.show({ text: t('pick.taken') });
    } catch (error) {
      this.#fail(error);
    } finally {
      setBusy(button, false);
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#dialog.signal.aborted) return;
    const known = ApiError.from(error);
    showFormFailure(this.#ctx, this.#dialog.form, known);
  }
}
