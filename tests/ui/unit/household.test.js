import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hueOf, memberId, membersOf } from '../../../static/data/household.js';

/**
 * @param {string} id
 * @param {string} name
 * @param {Partial<Api.HouseholdRecord>} [more]
 * @returns {Api.HouseholdRecord}
 */
const record = (id, name, more = {}) => ({ kind: 'member', event_id: id, sync_key: 'member:a', parents: [],
  created_at: '1', payload: { member_id: 'a', display_name: name, avatar_color: 'blue', stats_shared: true },
  ...more });

test('the newest record of a member counts, and one that follows another always', () => {
  assert.deepEqual(membersOf([record('1', 'Old', { created_at: '9' }), record('2', 'New', { parents: ['1'] })]).map((
    { display_name: name },
  ) => name), ['New']);
  assert.deepEqual(membersOf([record('1', 'A'), record('2', 'B', { created_at: '2' })])[0]?.display_name, 'B');
});

test('other kinds and members who left are not listed', () => {
  assert.deepEqual(
    membersOf([record('1', 'X', { kind: 'challenge' }),
      record('2', 'Y', { payload: { ...record('2', 'Y').payload, deleted: true } })]),
    [],
  );
});

test('a member gets an id of the name, and a number where it is taken', () => {
  const members = membersOf([record('1', 'Anna', { payload: { ...record('1', 'x').payload, member_id: 'anna' } })]);
  assert.equal(memberId('Zoë Groß', members), 'zoe-groß');
  assert.equal(memberId('Anna!', members), 'anna-2');
  assert.equal(memberId('  ', members), 'member');
});

test('every colour has a hue', () => {
  assert.equal(hueOf('blue'), 265);
  assert.ok(hueOf('#ff00aa') >= 0 && hueOf('#ff00aa') < 360);
});
