// TZif files and their footers: bytes made by hand, rules reckoned by hand, and periods.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, dayNumber, weekdayOf } from '../src/calendar.js';
import { periodAt, periodsOf } from '../src/periods.js';
import { changesOf } from '../src/posix-rule.js';
import { readTzif } from '../src/tzif.js';

const stamp = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** A TZif file: transitions `[instant, type]`, types as offsets, and a footer. */
function file(transitions, offsets, footer, version = '2') {
  const header = (times, types) => {
    const bytes = Buffer.alloc(44);
    bytes.write(`TZif${version}`);
    bytes.writeUInt32BE(times, 32);
    bytes.writeUInt32BE(types, 36);
    bytes.writeUInt32BE(4, 40);
    return bytes;
  };
  const types = Buffer.concat(
    offsets.map((offset) => {
      const bytes = Buffer.alloc(6);
      bytes.writeInt32BE(offset);
      return bytes;
    }),
  );
  const instants = Buffer.alloc(8 * transitions.length);
  transitions.forEach(([instant], index) => instants.writeBigInt64BE(BigInt(instant), 8 * index));
  // The first block has one type and no transition; its type must not be taken for those of the second.
  const old = Buffer.concat([header(0, 1), Buffer.from([0, 0, 0xff, 0xff, 0, 0]), Buffer.from('old\0')]);
  const indexes = Buffer.from(transitions.map(([, type]) => type));
  return Buffer.concat([old, header(transitions.length, offsets.length), instants, indexes, types, Buffer.from(`abc\0\n${footer}\n`)]);
}

test('a file of version 2: its second block and its footer', () => {
  const read = readTzif(file([[-5_000_000_000, 1], [1_000, 2]], [-17_762, -18_000, -14_400], 'EST5EDT,M3.2.0,M11.1.0'));
  assert.deepEqual(read, {
    first: -17_762,
    transitions: [[-5_000_000_000, -18_000], [1_000, -14_400]],
    footer: 'EST5EDT,M3.2.0,M11.1.0',
  });
  assert.equal(readTzif(file([], [0], '')).footer, '');
});

test('what is no such file', () => {
  assert.throws(() => readTzif(Buffer.from('nonsense')), /not a TZif file/);
  assert.throws(() => readTzif(Buffer.alloc(100)), /not a TZif file/);
  assert.throws(() => readTzif(file([], [0], '', '\0')), /version 1/);
});

// Each: the footer, a year, and its changes in order.
const RULES = [
  ['EST5EDT,M3.2.0,M11.1.0', 2027, '2027-03-14T07:00:00 -4', '2027-11-07T06:00:00 -5'],
  ['CET-1CEST,M3.5.0,M10.5.0/3', 2027, '2027-03-28T01:00:00 2', '2027-10-31T01:00:00 1'],
  ['IST-1GMT0,M10.5.0,M3.5.0/1', 2027, '2027-03-28T01:00:00 1', '2027-10-31T01:00:00 0'],
  ['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 2027, '2027-04-03T15:00:00 10.5', '2027-10-02T15:30:00 11'],
  ['<+00>0<+02>-2,M3.5.0/1,M10.5.0/3', 2027, '2027-03-28T01:00:00 2', '2027-10-31T01:00:00 0'],
  ['EET-2EEST,M3.4.4/50,M10.4.4/50', 2027, '2027-03-27T00:00:00 3', '2027-10-29T23:00:00 2'],
  ['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', 2027, '2027-03-28T01:00:00 -1', '2027-10-31T01:00:00 -2'],
  ['<-04>4<-03>,M9.1.6/24,M4.1.6/24', 2027, '2027-04-04T03:00:00 -4', '2027-09-05T04:00:00 -3'],
  ['XST3XDT,J60,J300/1:30:30', 2028, '2028-03-01T05:00:00 -2', '2028-10-27T03:30:30 -3'],
  ['XST3XDT,59,299', 2028, '2028-02-29T05:00:00 -2', '2028-10-26T04:00:00 -3'],
  ['XST3XDT,J60,299', 2027, '2027-03-01T05:00:00 -2', '2027-10-27T04:00:00 -3'],
];
for (const [footer, year, ...expected] of RULES) {
  test(`${footer} in ${year}`, () => {
    assert.deepEqual(changesOf(footer, year, year).map(([at, offset]) => `${stamp(at)} ${offset / 3600}`), expected);
  });
}

test('footers that change nothing, and texts that are none', () => {
  assert.deepEqual(changesOf('', 2027, 2030), []);
  assert.deepEqual(changesOf('<+0545>-5:45', 2027, 2030), []);
  for (const text of ['EST', 'EST5EDT', '5EDT', 'EST5EDT,M3.6.0,M11.1.0', 'EST5EDT,M3.2.0', 'EST5 ']) {
    assert.throws(() => changesOf(text, 2027, 2027), /not a TZ text/, text);
  }
});

test('periods: the first has no start, the last no end, and a change of the name alone is none', () => {
  const periods = periodsOf({ first: 100, transitions: [[1_000, 100], [2_000, 3_700], [9_000, 3_700]], footer: '' });
  assert.deepEqual(periods.map(({ start, end, offset }) => [start, end, offset]), [[-Infinity, 2_000, 100], [2_000, Infinity, 3_700]]);
  assert.deepEqual(periods[1].gap, { from: 2_100, to: 5_700, shown: [] });
  assert.deepEqual([0, 1_999, 2_000, 10 ** 10].map((instant) => periodAt(periods, instant)), [0, 0, 1, 1]);
});

test('periods: an overlap is known to both sides', () => {
  const [before, after] = periodsOf({ first: 3_600, transitions: [[10_000, 0]], footer: '' });
  assert.deepEqual([before.after, after.before, after.gap], [[[10_000, Infinity]], [[-Infinity, 13_600]], null]);
});

test('periods: a gap that is shown again soon after is no gap there', () => {
  // Forward an hour at 10,000, and back an hour ten minutes later: 10,000 to 13,600 on the wall was passed over, but
  // the last 3,000 of that are shown from 10,600 on.
  const [, short, last] = periodsOf({ first: 0, transitions: [[10_000, 3_600], [10_600, 0]], footer: '' });
  assert.deepEqual(short.gap, { from: 10_000, to: 13_600, shown: [[10_600, Infinity]] });
  assert.deepEqual(last.before, [[13_600, 14_200]]);
});

test('the calendar: every day from 1799 to 2201, there and back', () => {
  const first = Date.UTC(1799, 0, 1) / 86_400_000;
  const last = Date.UTC(2201, 0, 1) / 86_400_000;
  for (let number = first; number <= last; number += 1) {
    const date = new Date(number * 86_400_000);
    const expected = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const right = String(dateOf(number)) === String(expected) && dayNumber(...expected) === number;
    // An assertion a day would take longer than all other tests.
    if (!right || weekdayOf(number) !== date.getUTCDay()) assert.fail(`${expected} is not ${dateOf(number)}`);
  }
});
