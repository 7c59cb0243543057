import assert from 'node:assert/strict';
import { test } from 'node:test';

import { prepareDialog } from '../../../static/parts/dialog.js';

/** @param {string} [name] */
const screen = (
  name = 'backups',
) => /** @type {App.Context} */ (/** @type {unknown} */ ({ router: { current: { name, arg: '' } } }));

/** An answer that comes when the test says so. */
function late() {
  let answer = (/** @type {string} */ _text) => {};
  let refuse = (/** @type {Error} */ _error) => {};
  const promise = /** @type {Promise<string>} */ (new Promise((resolve, reject) => {
    [answer, refuse] = [resolve, reject];
  }));
  return { read: () => promise, answer, refuse };
}

test('a second press while the answer is on its way opens nothing', async () => {
  const server = late();
  const [first, second] = [prepareDialog(screen(), 'backup', server.read),
    prepareDialog(screen(), 'backup', server.read)];
  assert.equal(await second, null);
  server.answer('offered');
  assert.equal(await first, 'offered');
  assert.equal(await prepareDialog(screen(), 'backup', async () => 'again'), 'again');
});

test('of two dialogs that are wanted one after the other only the later one opens', async () => {
  const [slow, quick] = [late(), late()];
  const [first, second] = [prepareDialog(screen(), 'game a', slow.read), prepareDialog(screen(), 'game b', quick.read)];
  quick.answer('b');
  assert.equal(await second, 'b');
  slow.answer('a');
  assert.equal(await first, null);
});

test('whoever left the screen gets no dialog and no error of it', async () => {
  for (const end of /** @type {const} */ (['answer', 'refuse'])) {
    const server = late();
    const ctx = screen();
    const wanted = prepareDialog(ctx, 'backup', server.read);
    ctx.router.current.name = 'jobs';
    if (end === 'answer') server.answer('offered');
    else server.refuse(new Error('refused'));
    assert.equal(await wanted, null);
  }
});

test('a refusal is told, and the next press asks again', async () => {
  const server = late();
  const wanted = prepareDialog(screen(), 'backup', server.read);
  server.refuse(new Error('refused'));
  await assert.rejects(wanted, /refused/);
  assert.equal(await prepareDialog(screen(), 'backup', async () => 'there'), 'there');
});
