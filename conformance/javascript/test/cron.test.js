// Cron text, dialect 1: what is stored, what is refused, and which numbers a field names.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../index.js';
import { nearestWeekday } from '../src/cron-days.js';
import { foldCron, readCron } from '../src/cron.js';
import { schedule } from './judge.js';

const stored = (cron, seconds = false) => {
  const answer = schedule({ cron, seconds });
  return typeof answer === 'string' ? answer : answer.cron;
};

const STORED = [
  [' \t\r\n0 9 * * mon\r\n', '0 9 * * MON'],
  ['0  9\t*\t *   1-5', '0 9 * * 1-5'],
  ['@daily', '@DAILY'],
  ['\n@Hourly ', '@HOURLY'],
  ['0 0 ? * ?', '0 0 ? * ?'],
  ['00 007 01 01 7', '00 007 01 01 7'],
  ['0 0 l * ?', '0 0 L * ?'],
  ['0 0 15w,l,1 * *', '0 0 15W,L,1 * *'],
  ['0 0 * * fri#2,monl,7l', '0 0 * * FRI#2,MONL,7L'],
  ['0 0 ? feb MON#5', '0 0 ? FEB MON#5'],
  ['*/999 */24 * * *', '*/999 */24 * * *'],
  ['5/10,*,0-59/7 0,* 1/40 jan/2 sun/3', '5/10,*,0-59/7 0,* 1/40 JAN/2 SUN/3'],
  ['0 22-2 28-3 nov-feb fri-mon', '0 22-2 28-3 NOV-FEB FRI-MON'],
  ['0 0 * * 5-7/2', '0 0 * * 5-7/2'],
  ['0 0 * * MON-7', '0 0 * * MON-7'],
  ['0 0 29 2 *', '0 0 29 2 *'],
  ['0 0 29 2 */7', '0 0 29 2 */7'],
  ['0 0 30 2 mon', '0 0 30 2 MON'],
  ['0 0 30-1 2 *', '0 0 30-1 2 *'],
  ['0 0 29/2 2 *', '0 0 29/2 2 *'],
  [`0 0 * * ${'0,'.repeat(123)}00`, `0 0 * * ${'0,'.repeat(123)}00`],
  [`0${' '.repeat(1000)}0 * * *`, '0 0 * * *'],
];
for (const [given, expected] of STORED) {
  test(`cron ${JSON.stringify(given.slice(0, 40))} is stored`, () => assert.equal(stored(given), expected));
}

const REFUSED = [
  '', ' ', '*', '* * * *', '* * * * * *', '* * * * * * *', '@reboot', '@every 5m', '@', '@DAILY @DAILY', '@ daily',
  '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 32 * *', '* * * 0 *', '* * * 13 *', '* * * * 8', '-1 * * * *',
  '0000 * * * *', '*/0 * * * *', '*/000 * * * *', '*/1000 * * * *', '*/-1 * * * *', '*/ * * * *', '/5 * * * *', '** * * * *',
  '1,,2 * * * *', ',1 * * * *', '1, * * * *', '1- * * * *', '-2 * * * *', '1-2-3 * * * *', '1-* * * * *', '*-5 * * * *', '1/2/3 * * * *',
  '22-2/2 * * * *', '0 22-2/1 * * *', '0 0 * * FRI-MON/2', '0 0 * * FRI-SUN/2', '0 0 * * 6-0/1',
  '0 0 * MONDAY *', '0 0 * JA *', '0 0 JAN * *', '0 0 * MON *', '0 0 * * JAN', 'MON * * * *', '0 0 * * MO', '0 0 * * MONDAY',
  '? * * * *', '* ? * * *', '* * * ? *', '0 0 ?/2 * *', '0 0 ?,1 * *', '0 0 * * ?,MON', '0 0 1-? * *',
  '0 0 L * MON', '0 0 15W * 1', '0 0 L * */1', '0 0 L * *,*', '0 0 1 * FRI#2', '0 0 */2 * 5L', '0 0 L * 5L', '0 0 L/2 * *', '0 0 L-3 * *',
  '0 0 LW * *', '0 0 W * *', '0 0 0W * *', '0 0 29W * *', '0 0 1-5W * *', '0 0 15W/2 * *', '0 0 * * L', '0 0 * * 8L', '0 0 * * MON#0',
  '0 0 * * MON#6', '0 0 * * MON#', '0 0 * * #1', '0 0 * * 1-5#2', '0 0 * * 1-5L', '0 0 * * MON#1/2', '0 0 * L *', 'L * * * *', '0 0 * JULL *',
  '0 0 30 2 *', '0 0 30-31 2 *', '0 0 31 4,6,9,11 *', '0 0 30/99 2 *', '0 0 31 2 */2', '0 0 31 feb ?', '0 0 */30,*/31 13 *',
  'H * * * *', 'H/15 * * * *', 'R * * * *', '0~30 * * * *', 'CRON_TZ=UTC 0 9 * * *', 'TZ=UTC 0 9 * * *', '0 9 * * * 2027', '0 0 9 * * MON 2027',
  '0 9 *\n* *', '0 9 *\r\n* * *', '0 9\v* * *', '0\u00a09 * * *', '０ 9 * * *', '0 9 * * MON ſ', '\u00a00 9 * * *', '0 9 * * *\0', '+5 * * * *', '1.5 * * * *', '5-3x * * * *',
  `0 0 * * ${'0,'.repeat(124)}0`,
];
for (const given of REFUSED) {
  test(`cron ${JSON.stringify(given.slice(0, 40))} is refused`, () => assert.equal(stored(given), '! schedule.cron'));
}
test('cron that is no text is refused', () => {
  for (const given of [5, true, ['* * * * *'], {}]) assert.equal(stored(given), '! schedule.cron');
});

test('seconds: six fields, seconds first, no alias', () => {
  assert.equal(stored('*/5 0 9 * * mon', true), '*/5 0 9 * * MON');
  assert.equal(stored('59 59 23 L * ?', true), '59 59 23 L * ?');
  for (const bad of ['0 9 * * *', '@daily', '60 0 9 * * *', '0 0 9 * * * 2027', '0 60 9 * * *', '0 0 0 30 2 *']) {
    assert.equal(stored(bad, true), '! schedule.cron');
  }
});

test('what other dialects have is refused by name', () => {
  const NAMED = { 'H 9 * * *': /H, a hashed/, '@reboot': /@reboot/, '0 0 LW * *': /LW/, '0 0 L-3 * *': /L-n/, '1~5 * * * *': /~/, '* * * * * * *': /seven/, 'TZ=UTC * * * * *': /zone inside/ };
  for (const [cron, message] of Object.entries(NAMED)) {
    assert.throws(() => fold({ entrypoint: 'x', schedule: { cron } }), message);
  }
});

const field = (cron, index) => [...readCron(foldCron(cron), false)[index].values].sort((a, b) => a - b);
const VALUES = [
  ['22-2 * * * *', 0, [0, 1, 2, ...Array.from({ length: 38 }, (_, n) => 22 + n)]],
  ['5/20 * * * *', 0, [5, 25, 45]],
  ['10-30/7 * * * *', 0, [10, 17, 24]],
  ['7-7 * * * *', 0, [7]],
  ['0 22-2 * * *', 1, [0, 1, 2, 22, 23]],
  ['0 0 */10 * *', 2, [1, 11, 21, 31]],
  ['0 0 28-3 * *', 2, [1, 2, 3, 28, 29, 30, 31]],
  ['0 0 1 NOV-FEB *', 3, [1, 2, 11, 12]],
  ['0 0 1 2/5 *', 3, [2, 7, 12]],
  ['0 0 * * 7', 4, [0]],
  ['0 0 * * 7-7', 4, [0]],
  ['0 0 * * 5-7', 4, [0, 5, 6]],
  ['0 0 * * 0-7', 4, [0, 1, 2, 3, 4, 5, 6]],
  ['0 0 * * SUN-7', 4, [0, 1, 2, 3, 4, 5, 6]],
  ['0 0 * * 7-3', 4, [0, 1, 2, 3]],
  ['0 0 * * 7-3/2', 4, [0, 2]],
  ['0 0 * * FRI-SUN', 4, [0, 5, 6]],
  ['0 0 * * FRI-MON', 4, [0, 1, 5, 6]],
  ['0 0 * * 5-7/2', 4, [0, 5]],
  ['0 0 * * 1-7/3', 4, [0, 1, 4]],
  ['0 0 * * 1/2', 4, [1, 3, 5]],
  ['0 0 * * 7/3', 4, [0, 3, 6]],
  ['0 0 * * */2', 4, [0, 2, 4, 6]],
  ['0 0 * * ?', 4, [0, 1, 2, 3, 4, 5, 6]],
  ['@weekly', 4, [0]],
  ['@yearly', 3, [1]],
];
for (const [cron, index, expected] of VALUES) {
  test(`field ${index} of ${cron}`, () => assert.deepEqual(field(cron, index), expected));
}

// August 2026 begins on a Saturday; February 2027 ends on Sunday the 28th.
const NEAREST = [
  ['Saturday the 1st', 1, 31, 6, 3],
  ['Sunday the 2nd', 2, 31, 6, 3],
  ['Saturday the 8th', 8, 31, 6, 7],
  ['Sunday the 9th', 9, 31, 6, 10],
  ['Monday the 10th', 10, 31, 6, 10],
  ['Saturday the 27th of a February', 27, 28, 1, 26],
  ['Sunday the 28th that ends the month', 28, 28, 1, 26],
];
for (const [what, day, length, firstWeekday, expected] of NEAREST) {
  test(`nW for ${what} is day ${expected}`, () => {
    assert.equal(nearestWeekday(day, length, (date) => (firstWeekday + date - 1) % 7), expected);
  });
}
