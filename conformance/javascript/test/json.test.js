// The reader is strict where JSON.parse forgives, and the writer is RFC 8785.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Members, depth, fromPlain, holdsLoneSurrogate, repeatsNames } from '../src/json-value.js';
import { readJson } from '../src/json-read.js';
import { canonical } from '../src/json-write.js';
import { Misfit } from '../src/refusal.js';
import { codePoints, compareCodePoints } from '../src/text.js';

const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));

const REFUSED = {
  'nothing': '',
  'white space alone': ' \t\r\n',
  'two values': '1 2',
  'NaN': 'NaN',
  'Infinity': '-Infinity',
  'a plus sign': '+1',
  'a leading zero': '01',
  'a minus and a leading zero': '-01',
  'a minus alone': '-',
  'no digit before the point': '.5',
  'no digit after the point': '1.',
  'no digit in the exponent': '1e',
  'a hexadecimal number': '0x10',
  'a trailing comma in an array': '[1,]',
  'a trailing comma in an object': '{"a":1,}',
  'a leading comma': '[,1]',
  'a missing colon': '{"a" 1}',
  'a name without quotes': '{a:1}',
  'single quotes': "'a'",
  'a comment': '1//x',
  'an open array': '[1',
  'an open object': '{"a":1',
  'an open text': '"a',
  'a bare control character': '"a\u001fb"',
  'a bare line feed in a text': '"a\nb"',
  'an unknown escape': '"\\x41"',
  'a short escape': '"\\u12"',
  'an escape of wrong digits': '"\\u12g4"',
  'a capital literal': 'True',
  'a longer literal': 'nulls',
  'a form feed as space': '\f1',
  'a no-break space': '\u00a01',
  'a byte order mark': '\ufeff1',
};
for (const [what, text] of Object.entries(REFUSED)) {
  test(`reader refuses ${what}`, () => assert.throws(() => readJson(bytes(text)), Misfit));
}

const NOT_UTF8 = {
  'a lone continuation': [0x80],
  'an overlong form': [0xc0, 0x80],
  'a surrogate': [0xed, 0xa0, 0x80],
  'beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'a cut character': [0xe2, 0x82],
};
for (const [what, raw] of Object.entries(NOT_UTF8)) {
  test(`reader refuses bytes that are not UTF-8: ${what}`, () => {
    assert.throws(() => readJson(bytes('"', raw, '"')), Misfit);
  });
}

test('reader takes the whole of JSON', () => {
  const value = readJson(' {"a":[true,false,null,-0.5e+1,"\\u00e9\\n\\/\\ud83d\\ude00"],"":{}}\r');
  assert.deepEqual(value, new Members([['a', [true, false, null, -5, 'é\n/😀']], ['', new Members()]]));
});

test('reader keeps every member, repeated and odd names too', () => {
  const value = readJson('{"__proto__":1,"a":2,"\\u0061":3}');
  assert.deepEqual(value.pairs, [['__proto__', 1], ['a', 2], ['a', 3]]);
  assert.ok(repeatsNames([value]));
});

test('reader keeps a byte order mark inside a text, DEL and U+FFFE', () => {
  assert.equal(readJson(bytes('"\ufeff\u007f\ufffe"')), '\ufeff\u007f\ufffe');
});

test('a number is the nearest double, however spelled', () => {
  assert.equal(readJson('9007199254740993.0'), 9007199254740992);
  assert.equal(readJson('1e-400'), 0);
  assert.equal(readJson('1e400'), Infinity);
  assert.equal(readJson('0e999999999999999999'), 0);
  assert.equal(readJson(`1${'0'.repeat(4000)}e-4000`), 1);
});

test('levels are counted from the value itself', () => {
  assert.equal(depth(readJson(`${'['.repeat(100)}${']'.repeat(100)}`)), 100);
  assert.throws(() => readJson(`${'['.repeat(101)}${']'.repeat(101)}`), Misfit);
  assert.throws(() => readJson('['.repeat(1_000_000)), Misfit);
});

test('surrogates: a pair is a character, one alone is found, in names too', () => {
  assert.equal(holdsLoneSurrogate(readJson('["\\ud83d\\ude00"]')), false);
  assert.equal(holdsLoneSurrogate(readJson('["\\ud83d"]')), true);
  assert.equal(holdsLoneSurrogate(readJson('["\\ude00\\ud83d"]')), true);
  assert.equal(holdsLoneSurrogate(readJson('{"\\udead":1}')), true);
});

const WRITTEN = {
  '{"b":1,"a":{"d":[],"c":{}}}': '{"a":{"c":{},"d":[]},"b":1}',
  '[1.0,1e2,-0,-0.0,1E21,1e20,0.000001,1e-7,5e-324]': '[1,100,0,0,1e+21,100000000000000000000,0.000001,1e-7,5e-324]',
  '"\\u0000\\u001F\\b\\t\\n\\f\\r\\"\\\\\\/\\u007f\\u2028<&"': '"\\u0000\\u001f\\b\\t\\n\\f\\r\\"\\\\/\u007f\u2028<&"',
  // U+1F600 begins with the unit D83D, below FB33: UTF-16 order is not code-point order.
  '{"\\ufb33":2,"\\ud83d\\ude00":1}': '{"😀":1,"\ufb33":2}',
  '{"10":1,"9":2,"":3,"a":4,"A":5}': '{"":3,"10":1,"9":2,"A":5,"a":4}',
};
for (const [source, expected] of Object.entries(WRITTEN)) {
  test(`writer: ${source}`, () => assert.equal(canonical(readJson(source)), expected));
}

test('code points: order and count', () => {
  assert.ok(compareCodePoints('\ufb33', '😀') < 0);
  assert.ok(compareCodePoints('a', 'ab') < 0);
  assert.ok(compareCodePoints('b', 'ab') > 0);
  assert.equal(compareCodePoints('😀', '😀'), 0);
  assert.equal(codePoints('a😀é'), 3);
});

test('plain values: undefined members are not there, what is no JSON is an error of the caller', () => {
  assert.deepEqual(fromPlain({ a: undefined, b: [1] }), new Members([['b', [1]]]));
  for (const value of [undefined, () => 1, 1n, new Date(), new Map(), [undefined]]) {
    assert.throws(() => fromPlain(value), TypeError);
  }
});
