// Slots: walls that cron names, the walk over a zone of its own making, the other kinds, and the door.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Refusal, nextSlot, previousSlot, useTzdata } from '../index.js';
import { CronSeries, followsRealTime } from '../src/cron-series.js';
import { CronWalls } from '../src/cron-walls.js';
import { readCron } from '../src/cron.js';
import { periodsOf } from '../src/periods.js';
import { answer } from '../src/protocol.js';
import { refusal } from './judge.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const [zones] = globSync('.venv/lib/python3*/site-packages/tzdata/zones', { cwd: ROOT });
const skip = zones === undefined && 'tzdata is not installed here';
if (!skip) useTzdata(dirname(`${ROOT}/${zones}`));

const wall = (text) => Date.parse(`${text}Z`) / 1000;
const written = (seconds) => (Number.isFinite(seconds) ? new Date(seconds * 1000).toISOString().slice(0, 19) : String(seconds));

// A text, a wall time that need not fit, the next that does, and the one before.
const WALLS = [
  ['0 9 * * *', '2026-11-30T09:00:00', '2026-11-30T09:00:00', '2026-11-30T09:00:00'],
  ['0 9 * * *', '2026-11-30T09:00:01', '2026-12-01T09:00:00', '2026-11-30T09:00:00'],
  ['0 9 * * *', '2026-11-30T08:59:59', '2026-11-30T09:00:00', '2026-11-29T09:00:00'],
  ['*/7 10,12 * * *', '2026-11-30T10:57:00', '2026-11-30T12:00:00', '2026-11-30T10:56:00'],
  ['59 23 31 12 *', '2027-01-01T00:00:00', '2027-12-31T23:59:00', '2026-12-31T23:59:00'],
  ['0 0 29 2 *', '2096-03-01T00:00:00', '2104-02-29T00:00:00', '2096-02-29T00:00:00'],
  ['0 0 29 2 1', '2027-02-22T12:00:00', '2028-02-07T00:00:00', '2027-02-22T00:00:00'],
  ['0 0 L * *', '2028-02-15T00:00:00', '2028-02-29T00:00:00', '2028-01-31T00:00:00'],
  ['0 0 1 1 *', '1969-06-01T00:00:00', '1970-01-01T00:00:00', '1969-01-01T00:00:00'],
  ['0 0 31 12 5', '2200-12-31T00:00:01', 'Infinity', '2200-12-31T00:00:00'],
  ['0 0 1 1 *', '1799-01-01T00:00:00', '1799-01-01T00:00:00', '1799-01-01T00:00:00'],
  ['0 0 2 1 *', '1799-01-01T00:00:00', '1799-01-02T00:00:00', '-Infinity'],
];
for (const [text, at, next, previous] of WALLS) {
  test(`${text} around ${at}`, () => {
    const walls = new CronWalls(readCron(text, false));
    assert.deepEqual([written(walls.next(wall(at))), written(walls.previous(wall(at)))], [next, previous]);
  });
}

test('six fields name seconds', () => {
  const walls = new CronWalls(readCron('*/20 59 * * * *', true));
  assert.equal(written(walls.next(wall('2026-11-30T00:59:41'))), '2026-11-30T01:59:00');
  assert.equal(written(walls.previous(wall('2026-11-30T00:58:59'))), '2026-11-29T23:59:40');
});

test('which texts follow real time', () => {
  const real = (text, seconds = false) => followsRealTime(readCron(text, seconds));
  assert.deepEqual(['* * * * *', '5 * * * *', '* 5 * * *', '*/5 5 * * *', '5 *,1 * * *', '@HOURLY'].map((text) => real(text)), Array(6).fill(true));
  assert.deepEqual(['0 9 * * *', '0-59 0-23 * * *', '0 0,* * * *', '0/1 0/1 * * *', '@DAILY', '5 5 * * *'].map((text) => real(text)), Array(6).fill(false));
  assert.equal(real('0 0 9 * * *', true), true);
});

/** All instants of a text in a made-up zone within 1970-01-01, in seconds, walked forwards and backwards. */
function walked(text, zone, dst) {
  const series = new CronSeries(readCron(text, false), periodsOf(zone), { gap: 'shift', overlap: 'first', ...dst });
  const [from, to] = [-1e6, 86_400e6];
  const forwards = [];
  for (let at = series.next(from); at < to; at = series.next(at)) forwards.push(at / 1e6);
  const backwards = [];
  for (let at = series.previous(to); at > from; at = series.previous(at)) backwards.unshift(at / 1e6);
  assert.deepEqual(backwards, forwards);
  return forwards;
}

test('a time that is passed over, then shown after all, is where it is shown', () => {
  // At 4:00 forward an hour, at 4:10 UTC back again: 4:05 is never shown, 4:30 is shown at 4:30 UTC.
  const zone = { first: 0, transitions: [[4 * 3600, 3600], [4 * 3600 + 600, 0]], footer: '' };
  assert.deepEqual(walked('5 4 * * *', zone), [4 * 3600]);
  assert.deepEqual(walked('5 4 * * *', zone, { gap: 'skip' }), []);
  assert.deepEqual(walked('30 4 * * *', zone), [4 * 3600 + 1800]);
});

test('a time that three periods show', () => {
  // 4:20 is shown at 4:20, an hour later, and an hour later again.
  const zone = { first: 0, transitions: [[4 * 3600 + 1800, -3600], [5 * 3600 + 1800, -7200]], footer: '' };
  const at = 4 * 3600 + 1200;
  assert.deepEqual(walked('20 4 * * *', zone), [at]);
  assert.deepEqual(walked('20 4 * * *', zone, { overlap: 'last' }), [at + 7200]);
  assert.deepEqual(walked('20 4 * * *', zone, { overlap: 'both' }), [at, at + 3600, at + 7200]);
});

test('a gap of three hours is too long, a second less is not', () => {
  for (const [size, expected] of [[10_799, [14_400]], [10_800, []]]) {
    assert.deepEqual(walked('30 4 * * *', { first: 0, transitions: [[14_400, size]], footer: '' }), expected);
  }
});

test('changes in the middle of a minute', () => {
  const zone = { first: 0, transitions: [[3_630, 90]], footer: '' };
  // 1:00:30 becomes 1:02:00: one minute is passed over, and 1:02 is the first instant after it.
  assert.deepEqual(walked('0-3 1 * * *', zone), [3_600, 3_630, 3_690]);
  assert.deepEqual(walked('*/1 1 * * *', zone).slice(0, 3), [3_600, 3_630, 3_690]);
});

const FALL = { cron: '30 2 * * *', timezone: 'Europe/Paris', dst: { overlap: 'both' } };

test('slots by the door, there and back', { skip }, () => {
  assert.equal(nextSlot(FALL, '2026-10-25T00:30:00Z'), '2026-10-25T01:30:00.000000Z');
  assert.equal(previousSlot(FALL, '2026-10-25T01:30:00Z'), '2026-10-25T00:30:00.000000Z');
  assert.equal(nextSlot({ at: '2026-11-30T09:00:00Z' }, '2026-11-30T09:00:00Z'), null);
  assert.equal(previousSlot({ at: '2026-11-30T09:00:00Z' }, '2026-11-30T09:00:00Z'), null);
  assert.equal(previousSlot({ every_s: 60 }, '1800-01-01T00:00:30Z'), '1800-01-01T00:00:00.000000Z');
  assert.equal(previousSlot({ every_s: 60 }, '1800-01-01T00:00:00Z'), null);
  assert.equal(previousSlot({ every_s: 60 }, '9999-12-31T23:59:59Z'), '2199-12-31T23:59:00.000000Z');
  assert.equal(previousSlot({ cron: '0 9 * * *', starts_at: '2026-11-30T09:00:00Z' }, '2026-11-30T09:00:00Z'), null);
  assert.equal(previousSlot({ cron: '0 9 * * *', exclude: [{ on: '11-30' }] }, '2026-11-30T23:00:00Z'), '2026-11-29T09:00:00.000000Z');
});

test('what is refused at the door', { skip }, () => {
  assert.equal(refusal(() => nextSlot({ every_s: 0 }, 'x')), 'bad_schedule schedule');
  assert.equal(refusal(() => nextSlot({ every_s: 60 }, 'x')), 'bad_timestamp after');
  assert.equal(refusal(() => previousSlot({ every_s: 60 }, '1799-12-31T00:00:00Z')), 'out_of_range before');
  assert.equal(refusal(() => nextSlot({ every_s: 60 }, undefined)), 'not_a_string after');
  const rule = { rrule: 'RRULE:FREQ=DAILY', start: '2026-11-30T09:00:00' };
  assert.equal(refusal(() => nextSlot(rule, '2026-11-30T09:00:00Z')), 'not_implemented slots');
  assert.equal(refusal(() => nextSlot({ any: [{ every_s: 60 }, rule] }, '2026-11-30T09:00:00Z')), 'not_implemented slots');
  assert.throws(() => useTzdata('/nowhere/at/all'), /ENOENT/);
  assert.ok(!(new Error('x') instanceof Refusal));
});

test('a rule is refused for all else before it is lacking', { skip }, () => {
  const asked = (members) => JSON.parse(answer(Buffer.from(`{"op":"slots",${members}}`)));
  const rule = '"schedule":{"rrule":"RRULE:FREQ=DAILY","start":"2026-11-30T09:00:00"}';
  assert.deepEqual(asked(`${rule},"after":"x","count":1`), { error: 'bad_timestamp', fact: 'after' });
  assert.deepEqual(asked(`${rule},"after":"2026-11-30T09:00:00Z","count":0`), { error: 'bad_count', fact: 'count' });
  assert.deepEqual(asked(`${rule},"after":"2026-11-30T09:00:00Z","count":1`), { error: 'not_implemented', fact: 'slots' });
});

test('two hundred years are walked in jumps', { skip }, () => {
  // Second by second this would be six thousand million steps.
  const schedule = { every_s: 1, exclude: [{ from: '1970-01-01T00:00:00Z', to: '2199-12-31T23:59:59Z' }] };
  assert.equal(nextSlot(schedule, '2026-11-30T00:00:00Z'), '2199-12-31T23:59:59.000000Z');
  assert.equal(nextSlot({ cron: '* * * * * *', seconds: true, ...{ exclude: schedule.exclude } }, '1970-01-01T00:00:00Z'), '2199-12-31T23:59:59.000000Z');
  assert.equal(nextSlot({ cron: '0 0 29 2 *', exclude: [{ on: '02-29' }] }, '1970-01-01T00:00:00Z'), null);
});
