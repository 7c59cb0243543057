/**
 * Working with the keys alone: presses, walks by Tab and arrows, and what the user who sees no pointer relies on: a focus that shows, and words that are spoken.
 */

import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';

/**
 * What a flow by keys notes in the page.
 *
 * @typedef {import('./browser.js').TestWindow & {heard: string[], pressed: number}} HandsWindow
 */

/** How long a walk may take on a busy machine, in milliseconds: it goes round until what it looks for is there. */
const PATIENCE = 60_000;

/**
 * @param {ReturnType<typeof import('./scene.js').scene>} parts of a file whose flows touch no mouse; made before this
 */
export function hands(parts) {
  const page = () => parts.browser.page;

  let isWatched = false;

  const watch = () =>
    page().addInitScript(() => {
      const notes = /** @type {HandsWindow} */ (/** @type {unknown} */ (window));
      notes.heard = [];
      notes.pressed = 0;
      addEventListener('pointerdown', (event) => {
        if (event.isTrusted) notes.pressed += 1;
      }, true);
      const hear = (/** @type {Node | null | undefined} */ spoken) => {
        const words = spoken?.textContent?.trim();
        if (words) notes.heard.push(words);
      };
      new MutationObserver((changes) => {
        for (const { target, addedNodes } of changes) {
          const region = (target instanceof Element ? target : target.parentElement)?.closest(
            '[role="status"], [role="alert"], [aria-live]',
          );
          // Words that others took the place of at once stand in no region any more.
          if (region) { for (const node of addedNodes) hear(node); }
          hear(region);
          for (const node of addedNodes)
            if (node instanceof Element) {
              for (const region of [node, ...node.querySelectorAll('*')])
                if (region.matches('[role="alert"]'))
                  hear(
                    region,
                  );
            }
        }
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });

  beforeEach(async () => {
    if (!isWatched) await watch();
    isWatched = true;
  });

  afterEach(async () => {
    assert.equal(await page().evaluate(() => /** @type {HandsWindow} */ (/** @type {unknown} */ (window)).pressed), 0,
      'the pointer was used');
  });

  /** @param {...string} keys */
  const press = async (...keys) => {
    for (const key of keys) await page().keyboard.press(key);
  };

  /** @param {string} text */
  const type = (text) => page().keyboard.type(text);

  /**
   * Replaces what stands in the focused field.
   *
   * @param {string} text
   */
  const write = async (text) => {
    await press('Control+a', 'Delete');
    await type(text);
  };

  /**
   * Waits until the focus is on a control with this name, and makes sure that it can be seen there.
   *
   * @param {RegExp} name
   */
  const focus = async (name) => {
    await page().waitForFunction(
      (source) =>
        new RegExp(source, 'u').test(/** @type {HandsWindow} */ (/** @type {unknown} */ (window)).focusedName()),
      name.source,
    )
      .catch(async () => assert.match(await parts.browser.focused(), name));
    await page().waitForFunction(() => {
      const { activeElement } = document;
      if (!activeElement || activeElement === document.body) return false;
      const box = activeElement.getBoundingClientRect();
      const isInside = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth &&
        box.width > 0;
      const isDrawn = (/** @type {Element | null} */ element) => {
        if (!element) return false;
        const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
      };
      // Tiles and cards show it on their picture, switches on their track.
      return isInside &&
        (isDrawn(activeElement) || isDrawn(activeElement.querySelector('.art')) ||
          isDrawn(activeElement.nextElementSibling));
    }).catch(async () => assert.fail(`the focus on "${await parts.browser.focused()}" cannot be seen`));
  };

  /**
   * Goes on with one key until the focus is on a control with this name.
   *
   * @param {string} key
   * @param {RegExp} name
   */
  const walk = async (key, name) => {
    /** @type {Set<string>} */
    const passed = new Set();
    const end = Date.now() + PATIENCE;
    for (let here = await parts.browser.focused(); !name.test(here); here = await parts.browser.focused()) {
      passed.add(here);
      assert.ok(Date.now() < end, `${key} does not lead to ${name}; it leads to ${[...passed].join(' | ')}`);
      await press(key);
    }
    await focus(name);
  };

  /** @param {RegExp} name */
  const tab = (name) => walk('Tab', name);

  /**
   * Goes to a control and presses it.
   *
   * @param {RegExp} name
   */
  const enter = async (name) => {
    await tab(name);
    await press('Enter');
  };

  /** @param {RegExp} name */
  const back = (name) => walk('Shift+Tab', name);

  /**
   * Waits until something was spoken since the last time this was asked, and forgets what was spoken up to it. What was said after it is kept for the next question:
   * it may come in the moment in which this is answered.
   *
   * @param {RegExp} words
   */
  const heard = async (words) => {
    const spoken = () => page().evaluate(() => /** @type {HandsWindow} */ (/** @type {unknown} */ (window)).heard);
    await page().waitForFunction((source) => {
      const { heard: said } = /** @type {HandsWindow} */ (/** @type {unknown} */ (window));
      const at = said.findLastIndex((each) => new RegExp(source, 'u').test(each));
      said.splice(0, at + 1);
      return at >= 0;
    }, words.source).catch(async () => assert.fail(`nobody said ${words}; said was ${(await spoken()).join(' | ')}`));
  };

  /**
   * Goes to a screen by the palette.
   *
   * @param {string} words
   */
  const goTo = async (words) => {
    await press('Control+k');
    await focus(/^Go to$/);
    await type(words);
    await page().waitForFunction(
      (wanted) => document.querySelector('#palette-list [aria-selected="true"] .name')?.textContent === wanted,
      words,
    );
    await press('Enter');
    await page().locator('dialog').waitFor({ state: 'detached' });
  };

  /**
   * Asks the server until what it says holds: a page may show a change before it is told that it was kept.
   *
   * @template T
   * @param {() => Promise<T>} ask
   * @param {(answer: T) => boolean} holds
   */
  const until = async (ask, holds) => {
    const end = Date.now() + PATIENCE;
    for (let answer = await ask(); !holds(answer); answer = await ask()) {
      assert.ok(Date.now() < end, `the server still says ${JSON.stringify(answer)?.slice(0, 400)}`);
      await page().evaluate(() =>
        new Promise((resolve) => {
          requestAnimationFrame(resolve);
        })
      );
    }
  };

  /**
   * Opens an address in a fresh page.
   *
   * @param {string} [hash]
   */
  const open = async (hash = '') => {
    await page().goto('about:blank');
    await page().goto(`${parts.service.address}${hash}`);
    // The first page of a cold browser takes long on a busy machine.
    await page().locator('#sidebar .place').first().waitFor({ timeout: 60_000 });
  };

  return { press, type, write, focus, walk, tab, enter, back, heard, goTo, until, open };
}
