/**
 * The story of a game as a timeline: when it came, when it was first played, its longest session, the hours it
 * reached, how far it was brought, and moments that were kept.
 */

import { h, icon } from '../../core/dom.js';

/** The symbol of each kind of event. */
const SYMBOLS = Object.freeze(/** @type {Record<string, string>} */ ({
  added: 'plus',
  first_played: 'play',
  session: 'clock',
  milestone: 'star',
  progress: 'check',
  moment: 'picture',
}));

/** Events that make a story; a game that was only added has none. */
const LEAST = 2;

/**
 * @param {App.Context} ctx
 * @param {Reply.GameStory} story
 * @param {(at: string) => number | undefined} secondsOf how long the session was that began then, where it is known
 * @returns {HTMLElement | null}
 */
export function storySection(ctx, { events }, secondsOf) {
  const { t, format } = ctx;
  if (events.length < LEAST) return null;
  return h('section', { class: 'story', 'data-key': 'story' }, h('h2', { id: 'story-title' }, t('story.title')),
    h('ol', { 'aria-labelledby': 'story-title' }, events.map((event) => {
      const { title, detail } = wordsOf(ctx, event, secondsOf(event.at));
      return h('li', null, h('span', { class: 'glyph' }, icon(SYMBOLS[event.kind] ?? 'star', 'icon-s')),
        h('div', null, h('b', null, title), detail ? h('p', null, detail) : null,
          event.at ? h('time', { datetime: event.at }, format.date(event.at)) : null));
    })));
}

/**
 * What an event is called. Moments have words of their own; the others have those of the server in English.
 *
 * @param {App.Context} ctx
 * @param {Reply.StoryEvent} event
 * @param {number} [seconds] the length of its session; the server tells tenths of an hour
 * @returns {{title: string, detail: string}}
 */
function wordsOf({ t, format }, { kind, title, detail }, seconds) {
  const span = (/** @type {string} */ hours) => format.span(parseFloat(hours) * 3600);
  const length = seconds === undefined ? span(detail) : format.span(seconds);
  switch (kind) {
    case 'added':
      return { title: t('story.added'), detail };
    case 'first_played':
      return { title: t('story.first'), detail: length };
    case 'session':
      return { title: t('story.longest'), detail: length };
    case 'milestone':
      return { title: t('story.played', { time: span(title) }), detail };
    case 'progress':
      return { title: t(`progress.${title}`), detail };
    default:
      return { title, detail };
  }
}
