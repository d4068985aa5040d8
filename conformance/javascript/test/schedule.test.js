// Schedules: kinds and what goes with them, the elements of `any` and `exclude`, zones.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schedule } from './judge.js';

const EVERY = { every_s: 60 };
const CRON = { cron: '0 9 * * *' };
const AT = { at: '2026-11-30T09:00:00Z' };
const RRULE = { rrule: 'RRULE:FREQ=DAILY', start: '2026-11-30T09:00:00' };
const ANY = { any: [{ every_s: 60 }] };
const KINDS = { cron: CRON, every_s: EVERY, at: AT, rrule: RRULE, any: ANY };

test('exactly one kind, else the schedule itself', () => {
  assert.equal(schedule({}), '! schedule');
  assert.equal(schedule({ timezone: 'UTC' }), '! schedule');
  assert.equal(schedule({ cron: null, every_s: null }), '! schedule');
  assert.equal(schedule({ ...EVERY, ...CRON }), '! schedule');
  assert.equal(schedule({ every_s: 0, cron: '' }), '! schedule');
  assert.deepEqual(schedule({ ...EVERY, cron: null }), EVERY);
  assert.equal(schedule({ every_s: 0, at: 7, zone: null }), '! schedule.zone');
});

const GOES = [
  ['seconds', true, ['cron']],
  ['anchor', '2026-01-01T00:00:00Z', ['every_s']],
  ['start', '2026-11-30T09:00:00', ['rrule']],
  ['dst', { gap: 'skip' }, ['cron', 'rrule']],
  ['timezone', 'Europe/Paris', Object.keys(KINDS)],
  ['starts_at', '2026-01-01T00:00:00Z', Object.keys(KINDS)],
  ['ends_at', '2026-01-01T00:00:00Z', Object.keys(KINDS)],
  ['exclude', [{ on: '12-25' }], Object.keys(KINDS)],
  ['spread_s', 1, Object.keys(KINDS)],
];
for (const [member, value, kinds] of GOES) {
  for (const [kind, base] of Object.entries(KINDS)) {
    const goes = kinds.includes(kind);
    test(`${member} ${goes ? 'goes' : 'does not go'} with ${kind}`, () => {
      const six = member === 'seconds' && goes ? { cron: '0 0 9 * * *' } : {};
      const answer = schedule({ ...base, ...six, [member]: value });
      if (goes) assert.ok(Object.hasOwn(answer, member));
      else assert.equal(answer, `! schedule.${member}`);
    });
  }
}

test('what equals its default is not given, and goes with any kind', () => {
  assert.deepEqual(schedule({ ...AT, seconds: false, anchor: '1970-01-01T00:00:00Z', dst: { gap: 'shift' } }), {
    at: '2026-11-30T09:00:00.000000Z',
  });
  assert.deepEqual(schedule({ ...AT, start: null, dst: {} }), { at: '2026-11-30T09:00:00.000000Z' });
});

test('a form fails before the kind does, and inside dst at its own path', () => {
  assert.equal(schedule({ ...EVERY, dst: { gap: 'jump' } }), '! schedule.dst.gap');
  assert.equal(schedule({ ...EVERY, dst: { gap: 'skip', z: 1 } }), '! schedule.dst.z');
  assert.equal(schedule({ ...EVERY, dst: { overlap: 'last' } }), '! schedule.dst');
  assert.equal(schedule({ ...EVERY, dst: 'skip' }), '! schedule.dst');
});

const MEMBERS = [
  [{ ...EVERY, dialect: 1.0 }, EVERY],
  [{ ...EVERY, dialect: 2 }, '! schedule.dialect'],
  [{ ...EVERY, dialect: true }, '! schedule.dialect'],
  [{ ...EVERY, dialect: '1' }, '! schedule.dialect'],
  [{ ...CRON, seconds: 1 }, '! schedule.seconds'],
  [{ every_s: 0 }, '! schedule.every_s'],
  [{ every_s: 31_622_401 }, '! schedule.every_s'],
  [{ every_s: '60' }, '! schedule.every_s'],
  [{ ...EVERY, anchor: '2026-01-01T00:00:00' }, '! schedule.anchor'],
  [{ at: '2026-11-30' }, '! schedule.at'],
  [{ at: '9999-12-31T23:59:59Z' }, { at: '9999-12-31T23:59:59.000000Z' }],
  [{ rrule: 'RRULE:FREQ=DAILY' }, '! schedule.start'],
  [{ rrule: 'RRULE:FREQ=DAILY', start: null }, '! schedule.start'],
  [{ rrule: 7, start: '2026-11-30T09:00:00' }, '! schedule.rrule'],
  [{ ...RRULE, start: '1970-01-01T00:00:00' }, { ...RRULE, start: '1970-01-01T00:00:00' }],
  [{ ...RRULE, start: '9998-12-31T23:59:59' }, { ...RRULE, start: '9998-12-31T23:59:59' }],
  [{ ...RRULE, start: '1969-12-31T23:59:59' }, '! schedule.start'],
  [{ ...RRULE, start: '9999-01-01T00:00:00' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-02-29T09:00:00' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30T24:00:00' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30T09:00:60' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30t09:00:00' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30 09:00:00' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30T09:00:00Z' }, '! schedule.start'],
  [{ ...RRULE, start: '2026-11-30T09:00:00.0' }, '! schedule.start'],
  [{ ...EVERY, timezone: 'Europe/Paris' }, { ...EVERY, timezone: 'Europe/Paris' }],
  [{ ...EVERY, timezone: 'US/Eastern' }, { ...EVERY, timezone: 'US/Eastern' }],
  [{ ...EVERY, timezone: 'Etc/UTC' }, { ...EVERY, timezone: 'Etc/UTC' }],
  [{ ...EVERY, timezone: 'europe/paris' }, '! schedule.timezone'],
  [{ ...EVERY, timezone: 'Europe/Paris\n' }, '! schedule.timezone'],
  [{ ...EVERY, timezone: '' }, '! schedule.timezone'],
  [{ ...EVERY, timezone: '+01:00' }, '! schedule.timezone'],
  [{ ...EVERY, timezone: 1 }, '! schedule.timezone'],
  [{ ...CRON, dst: { gap: 'skip', overlap: 'first' } }, { ...CRON, dst: { gap: 'skip' } }],
  [{ ...CRON, dst: { overlap: 'both' } }, { ...CRON, dst: { overlap: 'both' } }],
  [{ ...EVERY, starts_at: '2026-01-01T00:00:00Z', ends_at: '2026-01-01T01:00:00+01:00' }, '! schedule.ends_at'],
  [{ ...EVERY, starts_at: '2026-01-01T00:00:01Z', ends_at: '2026-01-01T00:00:00Z' }, '! schedule.ends_at'],
  [{ ...EVERY, starts_at: 'soon', ends_at: 'later' }, '! schedule.starts_at'],
  [
    { ...EVERY, starts_at: '2026-01-01T00:00:00Z', ends_at: '2026-01-01T00:00:00.000001Z' },
    { ...EVERY, starts_at: '2026-01-01T00:00:00.000000Z', ends_at: '2026-01-01T00:00:00.000001Z' },
  ],
  [{ ...EVERY, spread_s: 86_400 }, { ...EVERY, spread_s: 86_400 }],
  [{ ...EVERY, spread_s: 86_401 }, '! schedule.spread_s'],
  [{ ...EVERY, spread_s: -1 }, '! schedule.spread_s'],
];
for (const [given, expected] of MEMBERS) {
  test(`schedule ${JSON.stringify(given)}`, () => assert.deepEqual(schedule(given), expected));
}

const excluded = (...elements) => {
  const answer = schedule({ ...EVERY, exclude: elements });
  return typeof answer === 'string' ? answer.replace('! schedule.', '') : answer.exclude;
};
const FROM = '2026-12-24T00:00:00Z';
const TO = '2026-12-27T01:00:00+01:00';

test('exclude: order and repeats stay, nulls go, timestamps fold', () => {
  assert.deepEqual(excluded({ on: '12-25' }, { on: '02-29', from: null }, { on: '12-25' }, { to: TO, from: FROM }, { on: '0004-02-29' }), [
    { on: '12-25' },
    { on: '02-29' },
    { on: '12-25' },
    { from: '2026-12-24T00:00:00.000000Z', to: '2026-12-27T00:00:00.000000Z' },
    { on: '0004-02-29' },
  ]);
});

const NOT_EXCLUDED = [
  [{}, 'exclude.0'],
  [null, 'exclude.0'],
  ['12-25', 'exclude.0'],
  [{ on: null }, 'exclude.0'],
  [{ from: FROM }, 'exclude.0'],
  [{ to: TO }, 'exclude.0'],
  [{ on: '12-25', from: FROM, to: TO }, 'exclude.0'],
  [{ on: 7, until: null }, 'exclude.0.until'],
  [{ on: 7 }, 'exclude.0.on'],
  [{ on: '' }, 'exclude.0.on'],
  [{ on: '02-30' }, 'exclude.0.on'],
  [{ on: '13-01' }, 'exclude.0.on'],
  [{ on: '00-01' }, 'exclude.0.on'],
  [{ on: '2026-02-29' }, 'exclude.0.on'],
  [{ on: '0000-01-01' }, 'exclude.0.on'],
  [{ on: '12-25\n' }, 'exclude.0.on'],
  [{ on: '1-5' }, 'exclude.0.on'],
  [{ from: 'x', to: 'y' }, 'exclude.0.from'],
  [{ from: FROM, to: 'y' }, 'exclude.0.to'],
  [{ from: FROM, to: FROM }, 'exclude.0.to'],
  [{ from: TO, to: FROM }, 'exclude.0.to'],
];
for (const [element, path] of NOT_EXCLUDED) {
  test(`exclude refuses ${JSON.stringify(element)} at ${path}`, () => assert.equal(excluded(element), path));
}

test('exclude: the first failing element, 200 at most, and it must be an array', () => {
  assert.equal(excluded({ on: '12-25' }, { on: 'x' }, {}), 'exclude.1.on');
  assert.equal(excluded(...Array(200).fill({ on: '12-25' })).length, 200);
  assert.equal(excluded(...Array(201).fill({})), 'exclude');
  assert.equal(schedule({ ...EVERY, exclude: { on: '12-25' } }), '! schedule.exclude');
});

const union = (...elements) => {
  const answer = schedule({ any: elements });
  return typeof answer === 'string' ? answer.replace('! schedule.', '') : answer.any;
};

test('any: elements fold alike and stay in their order', () => {
  assert.deepEqual(
    union(
      { cron: ' 0 9 * * mon ', timezone: 'UTC', dst: { gap: 'shift' }, seconds: false },
      { ...RRULE, dst: { overlap: 'last', gap: null } },
      { at: '2026-11-30 10:00:00+01', every_s: null },
      { every_s: 60, anchor: '1970-01-01T00:00:00Z' },
      { every_s: 60 },
    ),
    [{ cron: '0 9 * * MON' }, { ...RRULE, dst: { overlap: 'last' } }, { at: '2026-11-30T09:00:00.000000Z' }, { every_s: 60 }, { every_s: 60 }],
  );
});

const NOT_ANY = [
  [null, 'any.0'],
  [7, 'any.0'],
  [[], 'any.0'],
  [{}, 'any.0'],
  [{ ...EVERY, ...CRON }, 'any.0'],
  [{ ...EVERY, dialect: 1 }, 'any.0.dialect'],
  [{ ...EVERY, spread_s: null }, 'any.0.spread_s'],
  [{ ...EVERY, starts_at: FROM }, 'any.0.starts_at'],
  [{ ...EVERY, ends_at: FROM }, 'any.0.ends_at'],
  [{ ...EVERY, exclude: [] }, 'any.0.exclude'],
  [{ any: [EVERY] }, 'any.0.any'],
  [{ cron: '* * * *' }, 'any.0.cron'],
  [{ ...EVERY, seconds: true }, 'any.0.seconds'],
  [{ rrule: 'RRULE:FREQ=DAILY' }, 'any.0.start'],
  [{ ...AT, dst: { gap: 'skip' } }, 'any.0.dst'],
  [{ ...CRON, dst: { gap: '' } }, 'any.0.dst.gap'],
  [{ ...CRON, timezone: 'Mars' }, 'any.0.timezone'],
];
for (const [element, path] of NOT_ANY) {
  test(`any refuses ${JSON.stringify(element)} at ${path}`, () => assert.equal(union(element), path));
}

test('any: 1 to 16 elements, the first failing one answers', () => {
  assert.equal(union(), 'any');
  assert.equal(union(...Array(16).fill(EVERY)).length, 16);
  assert.equal(union(...Array(17).fill(EVERY)), 'any');
  assert.equal(union(EVERY, { every_s: 0 }, {}), 'any.1.every_s');
  assert.equal(schedule({ any: EVERY }), '! schedule.any');
  assert.equal(schedule({ any: [{ every_s: 0 }], timezone: 'Mars' }), '! schedule.any.0.every_s');
});

test('each pair of bad members: the one that stands above answers', () => {
  const bad = [
    ['dialect', 2], ['seconds', 7], ['cron', ''], ['anchor', ''], ['start', ''], ['timezone', ''], ['dst', 7], ['starts_at', ''], ['ends_at', ''],
    ['exclude', 7], ['spread_s', -1],
  ];
  bad.forEach(([above, value], index) => {
    for (const [below, other] of bad.slice(index + 1)) {
      assert.equal(schedule({ ...CRON, [below]: other, [above]: value }), `! schedule.${above}`);
    }
  });
});
