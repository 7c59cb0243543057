/**
 * Keys in flows that also use the pointer, and waiting for what is true a moment later. Everything is waited for by time: how many presses a slow
 * machine needs until something has happened says nothing.
 */

import assert from 'node:assert/strict';

/** How long something may take on a busy machine, in milliseconds. */
const PATIENCE = 60_000;

/** A list of choices forgets the letters typed into it after a second; then they are typed once more. */
const FORGETS = 1500;

/** How often a choice is typed. */
const TYPINGS = 3;

/**
 * @param {ReturnType<typeof import('./scene.js').scene>} parts
 */
export function keysOf(parts) {
  const page = () => parts.browser.page;

  /** @param {...string} keys */
  const press = async (...keys) => {
    for (const key of keys) await page().keyboard.press(key);
  };

  /** @param {string} text */
  const type = (text) => page().keyboard.type(text);

  /**
   * Asks until the answer holds: a page shows a change before it is told that it was kept, and draws what it was told a moment later.
   *
   * @template T
   * @param {() => Promise<T>} ask
   * @param {(answer: T) => boolean} holds
   */
  const until = async (ask, holds) => {
    const end = Date.now() + PATIENCE;
    for (let answer = await ask(); !holds(answer); answer = await ask()) {
      assert.ok(Date.now() < end, `it is still ${JSON.stringify(answer)?.slice(0, 400)}`);
      await page().evaluate(() =>
        new Promise((resolve) => {
          requestAnimationFrame(resolve);
        })
      );
    }
  };

  /**
   * Waits until the focus is on a control with this name.
   *
   * @param {RegExp} name
   */
  const focus = (name) => until(() => parts.browser.focused(), (now) => name.test(now));

  /**
   * Waits until there are so many.
   *
   * @param {import('playwright-core').Locator} items
   * @param {number} count
   */
  const counted = (items, count) => until(() => items.count(), (now) => now === count);

  /**
   * Goes on with one key until the focus is on a control with this name.
   *
   * @param {RegExp} name
   * @param {string} [key]
   */
  const tabTo = async (name, key = 'Tab') => {
    const end = Date.now() + PATIENCE;
    /** @type {Set<string>} */
    const passed = new Set();
    for (let here = await parts.browser.focused(); !name.test(here); here = await parts.browser.focused()) {
      passed.add(here);
      assert.ok(Date.now() < end, `${key} does not lead to ${name}; it leads to ${[...passed].join(' | ')}`);
      await press(key);
    }
  };

  /**
   * Chooses from the focused list by typing. Letters that come too slowly are not taken together, however often they are typed: then the arrows lead there.
   *
   * @param {string} words of the choice
   */
  const pick = async (words) => {
    const isChosen = (/** @type {number} */ patience) =>
      page().waitForFunction((wanted) => {
        const { activeElement: list } = document;
        return list instanceof HTMLSelectElement && list.selectedOptions[0]?.textContent === wanted;
      }, words, { timeout: patience }).then(() => true, () => false);
    for (let attempt = 0; attempt < TYPINGS; attempt += 1) {
      await type(words);
      if (await isChosen(FORGETS)) return;
    }
    const names = await page().evaluate(
      () => (document.activeElement instanceof HTMLSelectElement
        ? [...document.activeElement.options].map((option) => option.textContent)
        : []),
    );
    assert.ok(names.includes(words), `${words} cannot be chosen; there is ${names.join(' | ')}`);
    await press('Home', ...Array.from({ length: names.indexOf(words) }, () => 'ArrowDown'));
    assert.ok(await isChosen(PATIENCE), `${words} cannot be chosen`);
  };

  return { press, type, until, focus, counted, tabTo, pick };
}
