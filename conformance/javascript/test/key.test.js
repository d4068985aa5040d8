// The eight facts: forms, folding, each refusal, the order of the checks, and the key itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveKey, readDue } from '../index.js';
import { deriver, hex, utf8 } from '../src/blake3.js';
import { refusal } from './judge.js';

const EXAMPLE = {
  tenant: 'acme',
  delivery: 'HTTP',
  wake: 'schedule',
  agent: 'agent:7',
  destination: 'Team:11',
  task: 'weekly-report',
  digest: 'ab'.repeat(32),
  due: '2026-11-30 10:00:00.5+01:00',
};
const refused = (changes) => refusal(() => deriveKey({ ...EXAMPLE, ...changes }));
const preimageFact = (name, value) => {
  const facts = JSON.parse(deriveKey({ ...EXAMPLE, [name]: value }).preimage);
  return facts[1 + Object.keys(EXAMPLE).indexOf(name)];
};

test('BLAKE3 derives as its own published vector says', () => {
  const derive = deriver('BLAKE3 2019-12-27 16:29:52 test vectors context');
  assert.equal(hex(derive(utf8(''))), '2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d');
});

test('the worked example of the specification, byte for byte', () => {
  assert.deepEqual(deriveKey(EXAMPLE), {
    key: '01a22bae-b874-8366-8570-3952923f32b0',
    fingerprint: '036605703952923f32b0ab5d57d4a92930abfeaf1ab40338b4db35b78b684959',
    preimage: `["occurrence/1","acme","http","schedule","agent:7","team:11","weekly-report","${'ab'.repeat(32)}","2026-11-30T09:00:00.500000Z"]`,
  });
});

test('the last instant, and characters that other writers escape', () => {
  // Fingerprint by another BLAKE3 over the preimage as it stands here; key put together by hand.
  const preimage = `["occurrence/1","t</&>","pull","retry:999999999","a","x:y:z","~","${'0'.repeat(64)}","9999-12-31T23:59:59.999999Z"]`;
  const derived = deriveKey({
    tenant: 't</&>',
    delivery: 'PULL',
    wake: 'RETRY:999999999',
    agent: 'a',
    destination: 'X:y:z',
    task: '~',
    digest: '0'.repeat(64),
    due: '9999-12-31T18:59:59.999999000-05',
  });
  assert.equal(derived.preimage, preimage);
  assert.equal(derived.fingerprint, 'd9183ba0a25e9e1c4500267bd64dd98128496ff74b99cad77e7c5ddf498358e1');
  assert.equal(derived.key, 'e677d21f-dbff-8918-bba0-a25e9e1c4500');
});

test('the key begins with whole milliseconds, rounded down', () => {
  const head = (due) => deriveKey({ ...EXAMPLE, due }).key.slice(0, 15);
  assert.equal(head('1970-01-01T00:00:00Z'), '00000000-0000-8');
  assert.equal(head('1970-01-01T00:00:00.000999Z'), '00000000-0000-8');
  assert.equal(head('1970-01-01T00:00:00.001Z'), '00000000-0001-8');
  assert.equal(head('1970-01-01T00:01:05.536Z'), '00000001-0000-8');
});

test('every key is of version 8 and of the RFC variant', () => {
  for (let n = 1; n <= 200; n += 1) {
    const { key, fingerprint } = deriveKey({ ...EXAMPLE, wake: `retry:${n}` });
    assert.match(key, /^01a22bae-b874-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(key.slice(15, 18), fingerprint.slice(1, 4));
    assert.equal(key.slice(21, 23) + key.slice(24), fingerprint.slice(6, 20));
  }
});

const FOLDED = [
  ['delivery', 'Python3.X_a+b-C', 'python3.x_a+b-c'],
  ['delivery', `A${'9'.repeat(63)}`, `a${'9'.repeat(63)}`],
  ['wake', 'Schedule', 'schedule'],
  ['wake', 'Manual:REQ:7', 'manual:REQ:7'],
  ['wake', 'rerun:1:manual:X', 'rerun:1:manual:X'],
  ['wake', 'Retry:1', 'retry:1'],
  ['wake', 'retry2', 'retry2'],
  ['destination', 'Team:Team:11', 'team:Team:11'],
  ['destination', 'team:011', 'team:011'],
  ['tenant', 'ACME', 'ACME'],
  ['tenant', "!#[]~'", "!#[]~'"],
  ['agent', 'x'.repeat(200), 'x'.repeat(200)],
  ['digest', 'AbCdEf01'.repeat(8), 'abcdef01'.repeat(8)],
];
for (const [fact, given, expected] of FOLDED) {
  test(`${fact} ${given.slice(0, 30)} becomes ${expected.slice(0, 30)}`, () => assert.equal(preimageFact(fact, given), expected));
}

const REFUSED = [
  ['tenant', '', 'empty'],
  ['tenant', 'x'.repeat(201), 'too_long'],
  ['tenant', ' '.repeat(201), 'too_long'],
  ['tenant', '😀'.repeat(101), 'bad_character'],
  ['tenant', '😀'.repeat(201), 'too_long'],
  ['tenant', 'a b', 'bad_character'],
  ['tenant', 'a"b', 'bad_character'],
  ['tenant', 'a\\b', 'bad_character'],
  ['tenant', 'a\x7f', 'bad_character'],
  ['tenant', 'acme\n', 'bad_character'],
  ['tenant', 'é', 'bad_character'],
  ['task', '', 'empty'],
  ['agent', 'a\tb', 'bad_character'],
  ['delivery', '', 'empty'],
  ['delivery', '1http', 'bad_token'],
  ['delivery', 'http\n', 'bad_token'],
  ['delivery', ' http', 'bad_token'],
  ['delivery', 'a'.repeat(65), 'bad_token'],
  ['delivery', 'a:b', 'bad_token'],
  ['delivery', '\u212a', 'bad_token'], // the Kelvin sign becomes k under Unicode's folding
  ['delivery', '\u0130', 'bad_token'],
  ['wake', '', 'empty'],
  ['wake', ':x', 'empty'],
  ['wake', 'manual:', 'empty'],
  ['wake', 'retry:', 'empty'],
  ['wake', '2:', 'bad_token'],
  ['wake', `manual:${'x'.repeat(201)}`, 'too_long'],
  ['wake', 'manual:a b', 'bad_character'],
  ['wake', 'retry', 'bad_retry'],
  ['wake', 'RETRY', 'bad_retry'],
  ['wake', 'retry:0', 'bad_retry'],
  ['wake', 'retry:01', 'bad_retry'],
  ['wake', 'retry:+1', 'bad_retry'],
  ['wake', 'retry:1000000000', 'bad_retry'],
  ['wake', 'retry:1:2', 'bad_retry'],
  ['wake', 'retry:\u0661', 'bad_character'],
  ['destination', '', 'bad_destination'],
  ['destination', 'team', 'bad_destination'],
  ['destination', '1', 'bad_destination'],
  ['destination', ':11', 'empty'],
  ['destination', 'team:', 'empty'],
  ['destination', '1:', 'bad_token'],
  ['destination', `team:${'x'.repeat(201)}`, 'too_long'],
  ['destination', 'team:1 1', 'bad_character'],
  ['digest', '', 'bad_digest'],
  ['digest', 'a'.repeat(63), 'bad_digest'],
  ['digest', 'a'.repeat(65), 'bad_digest'],
  ['digest', 'g'.repeat(64), 'bad_digest'],
  ['digest', `${'a'.repeat(64)}\n`, 'bad_digest'],
];
for (const [fact, given, code] of REFUSED) {
  test(`${fact} ${JSON.stringify(given.slice(0, 20))} of ${given.length} is ${code}`, () => {
    assert.equal(refused({ [fact]: given }), `${code} ${fact}`);
  });
}

test('facts that are no object', () => {
  for (const facts of [null, undefined, 'acme', 7, true, [], [EXAMPLE]]) {
    assert.equal(refusal(() => deriveKey(facts)), 'not_an_object facts');
  }
});

test('the order of checks: missing, unknown, not_a_string, forms', () => {
  assert.equal(refusal(() => deriveKey({})), 'missing tenant');
  assert.equal(refused({ task: undefined, digest: undefined, zzz: 1, tenant: null }), 'missing task');
  assert.equal(refused({ zzz: 1, aaa: 1, tenant: null, due: '' }), 'unknown aaa');
  assert.equal(refused({ '😀': 1, '\ufb33': 1 }), 'unknown \ufb33');
  assert.equal(refused({ '': 1, '!': 1 }), 'unknown ');
  assert.equal(refused({ due: null, wake: 7, tenant: '' }), 'not_a_string wake');
  assert.equal(refused({ due: '', digest: '', task: '' }), 'empty task');
  assert.equal(refused({ wake: 'retry', destination: '' }), 'bad_retry wake');
});

test('each pair of faults of two facts: the earlier fact answers', () => {
  const names = Object.keys(EXAMPLE);
  names.forEach((earlier, index) => {
    for (const later of names.slice(index + 1)) {
      const answer = refused({ [earlier]: ' ', [later]: ' ' });
      assert.equal(answer.split(' ')[1], earlier);
    }
  });
});

const DUE = [
  ['2026-11-30T09:00:00Z', '2026-11-30T09:00:00.000000Z'],
  ['2026-11-30t09:00:00z', '2026-11-30T09:00:00.000000Z'],
  ['2026-11-30 09:00:00.1Z', '2026-11-30T09:00:00.100000Z'],
  ['2026-11-30T09:00:00.123456000000Z', '2026-11-30T09:00:00.123456Z'],
  ['2026-11-30T09:00:00.0000000Z', '2026-11-30T09:00:00.000000Z'],
  ['2026-11-30T09:00:00+05:30', '2026-11-30T03:30:00.000000Z'],
  ['2026-11-30T09:00:00+0530', '2026-11-30T03:30:00.000000Z'],
  ['2026-11-30T09:00:00-11', '2026-11-30T20:00:00.000000Z'],
  ['2026-11-30T09:00:00-00:00', '2026-11-30T09:00:00.000000Z'],
  ['2026-12-31T23:30:00-23:59', '2027-01-01T23:29:00.000000Z'],
  ['2024-03-01T00:00:00+23:59', '2024-02-29T00:01:00.000000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000000Z'],
  ['1969-12-31T23:00:00-01:00', '1970-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
];
for (const [given, expected] of DUE) {
  test(`due ${given}`, () => assert.equal(readDue(given), expected));
}

const NOT_DUE = [
  ['', 'bad_timestamp'],
  ['2026-11-30', 'bad_timestamp'],
  ['2026-11-30T09:00Z', 'bad_timestamp'],
  ['2026-11-30  09:00:00Z', 'bad_timestamp'],
  ['2026-11-30_09:00:00Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00.Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00,5Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00 Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00Z\n', 'bad_timestamp'],
  ['2026-11-30T09:00:00\n', 'bad_timestamp'],
  [' 2026-11-30T09:00:00Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00+1', 'bad_timestamp'],
  ['2026-11-30T09:00:00+01:0', 'bad_timestamp'],
  ['2026-11-30T09:00:00+010', 'bad_timestamp'],
  ['2026-11-30T09:00:00+01:00:00', 'bad_timestamp'],
  ['2026-11-30T09:00:00\u221201:00', 'bad_timestamp'],
  ['\u0662026-11-30T09:00:00Z', 'bad_timestamp'],
  ['+2026-11-30T09:00:00Z', 'bad_timestamp'],
  ['20261130T090000Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00', 'no_offset'],
  ['2026-11-30T09:00:00.1234567', 'no_offset'],
  ['2026-99-99T99:99:99', 'no_offset'],
  ['2026-11-30T09:00:00.0000001Z', 'too_precise'],
  ['2026-13-30T09:00:00.0000001Z', 'too_precise'],
  ['0001-01-01T00:00:00.12345678Z', 'too_precise'],
  ['0000-01-01T00:00:00Z', 'bad_timestamp'],
  ['2026-00-01T00:00:00Z', 'bad_timestamp'],
  ['2026-13-01T00:00:00Z', 'bad_timestamp'],
  ['2026-11-00T00:00:00Z', 'bad_timestamp'],
  ['2026-11-31T00:00:00Z', 'bad_timestamp'],
  ['2026-02-29T00:00:00Z', 'bad_timestamp'],
  ['1900-02-29T00:00:00Z', 'bad_timestamp'],
  ['2026-11-30T24:00:00Z', 'bad_timestamp'],
  ['2026-11-30T09:60:00Z', 'bad_timestamp'],
  ['2026-12-31T23:59:60Z', 'bad_timestamp'],
  ['2026-11-30T09:00:00+24:00', 'bad_timestamp'],
  ['2026-11-30T09:00:00+00:60', 'bad_timestamp'],
  ['0001-01-01T00:00:00Z', 'out_of_range'],
  ['1969-12-31T23:59:59.999999Z', 'out_of_range'],
  ['1970-01-01T00:00:00+00:01', 'out_of_range'],
  ['9999-12-31T23:59:59-00:01', 'out_of_range'],
];
for (const [given, code] of NOT_DUE) {
  test(`due ${JSON.stringify(given)} is ${code}`, () => assert.equal(refusal(() => readDue(given)), `${code} due`));
}

test('a due that is no text', () => {
  for (const value of [null, 1, {}, undefined]) assert.equal(refusal(() => readDue(value)), 'not_a_string due');
});
