// The digest of an authored object, its refusals and their order. Hashes are another BLAKE3's, over
// canonical texts written here by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digest } from '../index.js';
import { digestOf } from '../src/digest.js';
import { readJson } from '../src/json-read.js';
import { refusal } from './judge.js';

const ofText = (text) => digestOf(readJson(text));
const refused = (text) => refusal(() => ofText(text));
const nested = (levels) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
// {"a":"…"} is eight bytes and its text.
const sized = (bytes) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

test('the example of the specification', () => {
  assert.deepEqual(ofText('{"name":"Zoë","timeout_s":6e1}'), {
    canonical: '{"name":"Zoë","timeout_s":60}',
    digest: '9a6314976939cc1ddcef9069a74c09df7b29f683d0c054e01f4bb80c304f505b',
  });
});

test('members sort by UTF-16 units', () => {
  assert.deepEqual(digest({ '\ufb33': 2, '😀': 1 }), {
    canonical: '{"😀":1,"\ufb33":2}',
    digest: '67ad2a3b1d44872942bb1e1a644435478685bc132a0396347a4679476a2921e2',
  });
});

test('the empty object', () => {
  assert.deepEqual(digest({}), {
    canonical: '{}',
    digest: '4fb1ef59d7f250f899f07d569bdcf678697473ebeb25a22530e9c5901d054ab8',
  });
});

test('key order and spelling of numbers change nothing; text is not normalised', () => {
  assert.equal(ofText('{"b":1.0,"a":-0}').digest, ofText('{"a":0,"b":1}').digest);
  assert.notEqual(ofText('{"a":"\\u00e9"}').digest, ofText('{"a":"e\\u0301"}').digest);
  assert.equal(ofText('{"a":1e-400}').canonical, '{"a":0}');
});

test('nothing is removed: inner nulls and what equals a default stay', () => {
  assert.equal(ofText('{"timeout_s":900,"retry":{"on":null},"x":[null]}').canonical, '{"retry":{"on":null},"timeout_s":900,"x":[null]}');
});

const REFUSED = [
  ['null', 'not_an_object'],
  ['[{"a":1,"a":2}]', 'not_an_object'],
  ['"x"', 'not_an_object'],
  ['{"a":1,"\\u0061":1}', 'duplicate_member'],
  ['{"x":[{"a":[{"b":1,"b":2}]}]}', 'duplicate_member'],
  ['{"x":["\\ud800"]}', 'bad_text'],
  ['{"x":{"\\udfff":1}}', 'bad_text'],
  ['{"x":9007199254740992}', 'bad_number'],
  ['{"x":-9007199254740992}', 'bad_number'],
  ['{"x":9007199254740993.0}', 'bad_number'],
  ['{"x":9007199254740991.5}', 'bad_number'],
  ['{"x":[1e30]}', 'bad_number'],
  ['{"x":1e400}', 'bad_number'],
  [nested(65), 'too_deep'],
  ['{"enabled":true}', 'not_authored'],
  ['{"tenant":"a"}', 'not_authored'],
  ['{"task":"a"}', 'not_authored'],
  ['{"name":null}', 'not_authored'],
  [sized(65537), 'too_large'],
];
for (const [text, code] of REFUSED) {
  test(`digest of ${text.slice(0, 40)} is ${code}`, () => assert.equal(refused(text), `${code} authored`));
}

test('what is just within: 64 levels, 65536 bytes, 2^53−1, a name and its twin in two objects', () => {
  for (const text of [nested(64), sized(65536), '{"x":-9007199254740991,"y":9007199254740991.4}', '{"a":{"a":1},"b":{"task":null}}']) {
    assert.equal(refused(text), 'not refused');
  }
});

test('the order of the refusals, each fault with all later ones', () => {
  const faults = [
    ['duplicate_member', '"d":{"a":1,"a":2}'],
    ['bad_text', '"t":["\\ud800"]'],
    ['bad_number', '"n":[1e999]'],
    ['too_deep', `"l":${'['.repeat(64)}${']'.repeat(64)}`],
    ['not_authored', '"enabled":null'],
    ['too_large', `"z":"${'x'.repeat(65536)}"`],
  ];
  faults.forEach(([code], index) => {
    // The later faults come first in the text, so that only the order of checks can decide.
    const members = faults.slice(index).map(([, member]) => member).reverse();
    assert.equal(refused(`{${members.join(',')}}`), `${code} authored`);
  });
});

test('plain values: what is no number of JSON, and what holds itself', () => {
  const knot = {};
  knot.knot = knot;
  assert.equal(refusal(() => digest({ x: NaN })), 'bad_number authored');
  assert.equal(refusal(() => digest({ x: '\ud800' })), 'bad_text authored');
  assert.equal(refusal(() => digest(knot)), 'too_deep authored');
  assert.throws(() => digest({ x: 1n }), TypeError);
});
