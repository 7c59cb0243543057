/**
 * What a press on the big screen is answered with: a soft tone, made here, and a short rumble of the controller. Both
 * are off until the settings turn them on.
 */

import { DIRECTIONS } from '../../core/spatial.js';

/**
 * Tones by what a press did: frequency in hertz, and when the tone begins and how long it lasts in milliseconds.
 *
 * @type {Readonly<Record<App.Feedback, readonly {pitch: number, at: number, length: number}[]>>}
 */
const TONES = Object.freeze({
  move: [{ pitch: 620, at: 0, length: 45 }],
  edge: [{ pitch: 190, at: 0, length: 70 }],
  choose: [{ pitch: 520, at: 0, length: 70 }, { pitch: 780, at: 60, length: 110 }],
  back: [{ pitch: 440, at: 0, length: 60 }, { pitch: 330, at: 50, length: 90 }],
});

/** Loudness of a tone at full volume; music is louder. */
const LOUDEST = 0.25;

/** How long the controller shakes, in milliseconds, and how hard. */
const RUMBLE = Object.freeze(
  /** @type {Partial<Record<App.Feedback, {duration: number, strength: number}>>} */ ({
    edge: { duration: 60, strength: 0.3 },
    choose: { duration: 120, strength: 0.5 },
  }),
);

/** Keys with the meaning of a button. */
const KEYS = Object.freeze(
  /** @type {Record<string, string>} */ ({ Enter: 'play', Escape: 'back', Backspace: 'back', ArrowUp: 'up',
    ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right', PageUp: 'page_left', PageDown: 'page_right' }),
);

/** Actions that lead somewhere else on the screen. */
const MOVES = Object.freeze([...DIRECTIONS, 'page_left', 'page_right', 'first', 'last', 'random']);

/**
 * What a press did.
 *
 * @param {string} action
 * @param {boolean} hasMoved whether something else has the focus now
 * @returns {App.Feedback | null} `null` for nothing to answer
 */
export function feedbackOf(action, hasMoved) {
  if (MOVES.includes(action)) return hasMoved ? 'move' : 'edge';
  if (action === 'play' || action === 'details' || action === 'menu') return 'choose';
  return action === 'back' ? 'back' : null;
}

/** Plays tones. The browser lets nothing be heard before the first press, so the first press opens the sound. */
class Tones {
  /** @type {AudioContext | null} */
  #audio = null;

  /**
   * @param {App.Feedback} kind
   * @param {number} volume from 0 to 1
   */
  play(kind, volume) {
    this.#audio ??= new AudioContext({ latencyHint: 'interactive' });
    const audio = this.#audio;
    if (audio.state === 'suspended') void audio.resume().catch(() => undefined);
    for (const { pitch, at, length } of TONES[kind]) {
      const begin = audio.currentTime + at / 1000;
      const end = begin + length / 1000;
      const tone = new OscillatorNode(audio, { type: 'sine', frequency: pitch });
      const loudness = new GainNode(audio, { gain: 0 });
      // A tone that begins or ends at once clicks.
      loudness.gain.setValueAtTime(0, begin);
      loudness.gain.linearRampToValueAtTime(volume * LOUDEST, begin + 0.008);
      loudness.gain.linearRampToValueAtTime(0, end);
      tone.connect(loudness).connect(audio.destination);
      tone.start(begin);
      tone.stop(end);
    }
  }

  close() {
    void this.#audio?.close().catch(() => undefined);
    this.#audio = null;
  }
}

/**
 * Answers presses for as long as the signal lasts.
 *
 * @param {App.Context} ctx
 * @param {() => string} place what is in front: changes when a press leads elsewhere
 * @param {AbortSignal} signal
 */
export function bigFeedback(ctx, place, signal) {
  const tones = new Tones();
  const answer = (/** @type {string} */ action, /** @type {boolean} */ isByPad) => {
    const { volume, rumbles } = ctx.preferences.big;
    if ((volume === 0 && !rumbles) || document.hidden || ctx.sessions.list.some(({ paused }) => !paused)) return;
    const before = [document.activeElement, place()];
    // What the press does is done in this turn.
    setTimeout(() => {
      if (signal.aborted) return;
      const kind = feedbackOf(action, document.activeElement !== before[0] || place() !== before[1]);
      if (!kind) return;
      if (volume > 0) tones.play(kind, volume);
      const { duration, strength } = RUMBLE[kind] ?? { duration: 0, strength: 0 };
      if (rumbles && isByPad && duration > 0) ctx.pads.rumble(duration, strength);
    });
  };
  ctx.bus.on('steer', ({ action }) => answer(action, true), signal);
  addEventListener('keydown', (event) => {
    const action = KEYS[event.key];
    const isTyping = event.target instanceof HTMLInputElement && !event.key.startsWith('Arrow');
    if (event.isTrusted && action && !isTyping) answer(action, false);
  }, { capture: true, signal });
  signal.addEventListener('abort', () => tones.close());
}
