import assert from 'node:assert/strict';
import { test } from 'node:test';

import { scene } from '../support/scene.js';

const parts = scene({
  furnish: async (service, browser) => {
    await browser.page.goto(service.address);
    await browser.settle();
  },
});

/** @returns {Promise<typeof import('../../../static/core/dom.js')>} */
const dom = () => import(new URL('/core/dom.js', location.href).href);

/**
 * Runs in the page, which has the module and an empty element to draw into.
 *
 * @template T
 * @param {(dom: typeof import('../../../static/core/dom.js'), root: HTMLElement) => T} run
 * @returns {Promise<T>}
 */
function inPage(run) {
  return parts.browser.page.evaluate(`(async () => {
    const module = await (${dom})();
    const root = module.h('div', null);
    document.body.append(root);
    try { return (${run})(module, root); } finally { root.remove(); }
  })()`);
}

test('elements that stay are the same ones, and text and attributes follow', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    patch(root, h('p', { class: 'a', title: 'x' }, 'one'), h('b', null, 'two'));
    const [first, second] = root.children;
    patch(root, h('p', { class: 'b' }, 'three'), h('b', null, 'two'), h('i', null, 'new'));
    return [root.innerText.trim().split(/\s+/).join(' '), root.children[0] === first, root.children[1] === second,
      first?.className, first?.hasAttribute('title'), root.children.length];
  });
  assert.deepEqual(seen, ['three twonew', true, true, 'b', false, 3]);
});

test('rows meet by their key when the order changes, and the focus stays on its control', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    const list = (/** @type {string[]} */ ...keys) =>
      h('ul', null, keys.map((key) => h('li', { 'data-key': key }, h('button', { 'data-focus': key }, key))));
    patch(root, list('a', 'b', 'c'));
    const button = /** @type {HTMLElement} */ (root.querySelector('[data-focus="b"]'));
    button.focus();
    patch(root, list('c', 'b', 'd', 'a'));
    const isKept = document.activeElement === button;
    patch(root, list('b'));
    return [isKept, document.activeElement === button, root.textContent];
  });
  assert.deepEqual(seen, [true, true, 'b']);
});

test('listeners are those of the newest description, once', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    /** @type {string[]} */
    const heard = [];
    const draw = (/** @type {string} */ name) =>
      patch(root, h('button', { on: { click: () => heard.push(name) } }, 'x'));
    draw('old');
    draw('new');
    const button = /** @type {HTMLElement} */ (root.firstElementChild);
    button.click();
    patch(root, h('button', null, 'x'));
    button.click();
    return [heard, root.firstElementChild === button];
  });
  assert.deepEqual(seen, [['new'], true]);
});

test('what is typed and opened stays, and what a view added to an element', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    const draw = (/** @type {string} */ value) =>
      patch(root, h('input', { value, 'data-focus': 'a' }), h('input', { value, 'data-focus': 'b' }),
        h('details', null, h('summary', null, 's')), h('img', { class: 'p' }));
    draw('1');
    const [typed, other] = root.querySelectorAll('input');
    typed?.focus();
    if (typed) typed.value = 'typing';
    /** @type {HTMLDetailsElement} */ (root.querySelector('details')).open = true;
    root.querySelector('img')?.classList.add('shown');
    draw('2');
    return [typed?.value, other?.value, root.querySelector('details')?.open, root.querySelector('img')?.className];
  });
  assert.deepEqual(seen, ['typing', '2', true, 'p shown']);
});

test('a checkbox shows what is described, and a choice follows its list', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    const draw = (/** @type {boolean} */ checked, /** @type {string} */ chosen) =>
      patch(root, h('input', { type: 'checkbox', checked }), h('select', null, ['a', 'b'].map((value) =>
        h('option', { value, selected: value === chosen }, value)
      )));
    draw(true, 'a');
    /** @type {HTMLInputElement} */ (root.querySelector('input')).checked = true;
    draw(false, 'b');
    return [root.querySelector('input')?.checked, root.querySelector('select')?.value];
  });
  assert.deepEqual(seen, [false, 'b']);
});

test('when the focused control is gone, the focus goes to its row, to what follows, to what is before, to what comes', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    const list = (/** @type {string[]} */ ...keys) =>
      h('ul', null,
        keys.map((key) => h('li', null, [...key].map((name) => h('button', { 'data-focus': name }, name)))));
    const focused = () => document.activeElement?.textContent;
    patch(root, list('ab', 'cd', 'ef'));
    /** @type {HTMLElement} */ (root.querySelector('[data-focus="d"]')).focus();
    patch(root, list('ab', 'c', 'ef'));
    const steps = [focused()];
    patch(root, list('ab', 'ef'));
    steps.push(focused());
    patch(root, list('ab'));
    steps.push(focused());
    patch(root, h('a', { href: '#/' }, 'nothing'));
    return [...steps, focused()];
  });
  assert.deepEqual(seen, ['c', 'e', 'a', 'nothing']);
});

test('an element that a view keeps is not touched, and a control that works stays at work', async () => {
  const seen = await inPage(({ h, patch }, root) => {
    const own = h('div', { 'data-key': 'own' }, h('input', { 'data-focus': 'own' }));
    const draw = (/** @type {string} */ text) =>
      patch(root, h('div', null, text), own, h('button', { class: 'button' }, text));
    draw('1');
    const input = /** @type {HTMLInputElement} */ (own.firstElementChild);
    input.focus();
    let left = 0;
    input.addEventListener('blur', () => (left += 1));
    root.querySelector('button')?.classList.add('busy-button');
    draw('2');
    const isKept = document.activeElement === input && root.querySelector('button')?.className === 'button busy-button';
    patch(root, h('div', null, '3'));
    return [isKept, left, own.className, root.textContent];
  });
  assert.deepEqual(seen, [true, 1, '', '3']);
});
