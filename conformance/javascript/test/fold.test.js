// The task folded: every member of the table, what is left out, and the path of the first failing member.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../index.js';
import { folded, member, refusal } from './judge.js';

const BARE = { entrypoint: 'report', schedule: { every_s: 60 } };
const left = (members) => {
  const authored = folded(members);
  if (typeof authored === 'string') return authored;
  const { entrypoint, schedule, ...rest } = authored;
  return rest;
};
const path = (task) => refusal(() => fold(task)).replace('bad_task ', '');

test('the example of the specification', () => {
  const { digest, canonical } = fold({
    name: 'Weekly report',
    agent: 'agent:7',
    destination: 'team:11',
    delivery: 'http',
    entrypoint: 'https://reports.example/run',
    schedule: { cron: '0 9 * * MON', timezone: 'Europe/Paris' },
    retry: { attempts: 3 },
  });
  assert.equal(digest, '5721451d220db24aaff107a5343c7323ce96e61e8e411e53da396a70db703d9c');
  assert.equal(
    canonical,
    '{"agent":"agent:7","delivery":"http","destination":"team:11","entrypoint":"https://reports.example/run",' +
      '"name":"Weekly report","retry":{"attempts":3},"schedule":{"cron":"0 9 * * MON","timezone":"Europe/Paris"}}',
  );
});

test('a task of its defaults alone folds to what is required', () => {
  const task = {
    ...BARE,
    name: '',
    description: '',
    agent: 'default',
    destination: 'LOCAL:default',
    delivery: 'PYTHON',
    arguments: [],
    payload: null,
    overlap: 'skip',
    misfire: { catch_up: 'latest', grace_s: null, limit: 100 },
    timeout_s: 900.0,
    retry: { attempts: 0, on: ['timed_out', 'failed', 'failed'], backoff_s: 10, factor: 2, max_s: 3600 },
    failure_backoff: 'double',
    min_interval_s: null,
    max_interval_s: null,
    paused_until: null,
    pause_note: '',
    resume: 'next_slot',
    labels: {},
    display: null,
  };
  task.schedule = {
    dialect: 1,
    seconds: false,
    cron: null,
    every_s: 60,
    anchor: '1970-01-01 01:00:00.000+01',
    timezone: 'UTC',
    dst: { gap: 'shift', overlap: 'first' },
    exclude: [],
    spread_s: -0,
  };
  assert.deepEqual(fold(task), {
    authored: BARE,
    canonical: '{"entrypoint":"report","schedule":{"every_s":60}}',
    // By another BLAKE3, over the text above.
    digest: '08443bf6666007d4629f2019764c862e71df6d20192fac46c9ed0115147ed446',
  });
});

const text = (most, least = 0) => [
  ['x'.repeat(most), 'x'.repeat(most)],
  ['😀'.repeat(most), '😀'.repeat(most)],
  ['x'.repeat(most + 1), '!'],
  ['a\0b', '!'],
  [7, '!'],
  [' \n', ' \n'],
  ...(least === 0 ? [['', undefined]] : [['', '!']]),
];
const integer = (least, most, fallback) => [
  [least, least === fallback ? undefined : least],
  [most, most],
  [least - 1, '!'],
  [most + 1, '!'],
  [least + 0.5, '!'],
  [String(most), '!'],
  [true, '!'],
  [[most], '!'],
  ...(fallback === undefined ? [] : [[fallback, undefined]]),
];
const choice = (fallback, ...others) => [
  [fallback, undefined],
  ...others.map((name) => [name, name]),
  [others[0].toUpperCase(), '!'],
  [`${others[0]} `, '!'],
  ['', '!'],
  [0, '!'],
];
const stamp = [
  ['2026-11-30 10:00:00.5+01:00', '2026-11-30T09:00:00.500000Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
  ['1969-12-31T23:59:59Z', '!'],
  ['2026-11-30T10:00:00', '!'],
  ['2026-11-30', '!'],
  [1_796_000_000, '!'],
];
const deep = { a: [null, { b: null }], c: {}, d: 'a\0' };

// Member, then pairs of what is given and what is left: undefined for left out, `!` for refused there.
const MEMBERS = {
  name: text(200),
  description: text(10_000),
  pause_note: text(1_000),
  agent: [['agent:7', 'agent:7'], ['A', 'A'], ['default', undefined], ['', '!'], ['a b', '!'], ['x'.repeat(201), '!'], [7, '!']],
  destination: [
    ['Team:Team', 'team:Team'],
    ['Local:default', undefined],
    ['local:Default', 'local:Default'],
    ['team', '!'],
    ['', '!'],
    ['team:', '!'],
    ['1:1', '!'],
    [{}, '!'],
  ],
  delivery: [['CELERY', 'celery'], ['Pull', 'pull'], ['command', 'command'], ['Python', undefined], ['ftp', '!'], ['http ', '!'], ['', '!'], [1, '!']],
  entrypoint: [...text(2_000, 1), ['reports.weekly', 'reports.weekly']],
  payload: [[{}, {}], [0, 0], [false, false], ['', ''], [[], []], [deep, deep]],
  display: [[{}, {}], [0, 0], [deep, deep]],
  overlap: choice('skip', 'queue', 'allow', 'replace'),
  timeout_s: integer(1, 604_800, 900),
  failure_backoff: choice('double', 'none'),
  min_interval_s: integer(1, 31_622_400),
  max_interval_s: integer(1, 31_622_400),
  paused_until: stamp,
  resume: choice('next_slot', 'at_end'),
  labels: [
    [{}, undefined],
    [{ b: '', '': 'x' }, { b: '', '': 'x' }],
    [Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`n${n}`, 'x'])), 64],
    [Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`n${n}`, 'x'])), '!'],
    [{ a: null }, '!'],
    [{ a: 1 }, '!'],
    [{ a: 'x\0' }, '!'],
    [{ 'a\0': 'x' }, '!'],
    [[], '!'],
    ['a', '!'],
  ],
  misfire: [[{}, undefined], [{ grace_s: null }, undefined], [[], '!'], ['latest', '!'], [0, '!']],
  retry: [[{}, undefined], [{ on: null, attempts: 0 }, undefined], [3, '!']],
};
const show = (value) => JSON.stringify(value).slice(0, 40);
for (const [name, cases] of Object.entries(MEMBERS)) {
  const nothing = name === 'entrypoint' ? '! entrypoint' : undefined;
  test(`member ${name}: null is nothing`, () => assert.equal(member(name, null), nothing));
  for (const [given, expected] of cases) {
    test(`member ${name}: ${show(given)}`, () => {
      const answer = member(name, given);
      if (expected === '!') assert.equal(answer, `! ${name}`);
      else if (expected === 64) assert.equal(Object.keys(answer).length, 64);
      else assert.deepEqual(answer, expected);
    });
  }
}

const INNER = {
  'misfire.catch_up': choice('latest', 'all', 'none'),
  'misfire.grace_s': [...integer(0, 31_622_400), [60, 60]],
  'misfire.limit': integer(1, 1_000, 100),
  'retry.attempts': integer(0, 100, 0),
  'retry.backoff_s': integer(0, 86_400, 10),
  'retry.factor': integer(1, 10, 2),
  'retry.max_s': integer(1, 604_800, 3_600),
  'retry.on': [
    [['lost', 'failed', 'timed_out', 'lost'], ['failed', 'lost', 'timed_out']],
    [['timed_out', 'failed'], undefined],
    [[], []],
    [['failed'], ['failed']],
    [['failed', null], '!'],
    [['Failed'], '!'],
    ['failed', '!'],
    [{}, '!'],
  ],
};
for (const [dotted, cases] of Object.entries(INNER)) {
  const [outer, inner] = dotted.split('.');
  for (const [given, expected] of [...cases, [null, undefined]]) {
    test(`member ${dotted}: ${show(given)}`, () => {
      const answer = member(outer, { [inner]: given });
      if (expected === '!') assert.equal(answer, `! ${dotted}`);
      else assert.deepEqual(answer, expected === undefined ? undefined : { [inner]: expected });
    });
  }
}

test('http wants an address, and no other delivery does', () => {
  const entrypoint = (value, delivery = 'HTTP') => folded({ entrypoint: value, delivery }).entrypoint ?? folded({ entrypoint: value, delivery });
  for (const good of ['http://x', 'https://reports.example/run?a="b\\c"', 'http://~']) assert.equal(entrypoint(good), good);
  for (const bad of ['reports', 'http://', 'https://', 'HTTP://x', 'ftp://x', 'http://a b', 'http://é', 'http://x\n', ' http://x']) {
    assert.equal(entrypoint(bad), '! entrypoint');
    assert.equal(entrypoint(bad, 'pull'), bad);
  }
});

test('arguments go with command alone, where they are given', () => {
  assert.deepEqual(left({ delivery: 'Command', arguments: ['-v', ''] }), { delivery: 'command', arguments: ['-v', ''] });
  assert.deepEqual(left({ delivery: 'command', arguments: [] }), { delivery: 'command' });
  assert.deepEqual(left({ delivery: 'pull', arguments: [] }), { delivery: 'pull' });
  assert.equal(left({ arguments: ['-v'] }), '! arguments');
  for (const bad of [['a', null], ['a\0'], [1], 'a', {}]) assert.equal(left({ delivery: 'command', arguments: bad }), '! arguments');
});

test('min above max is refused at max', () => {
  assert.deepEqual(left({ min_interval_s: 5, max_interval_s: 5 }), { min_interval_s: 5, max_interval_s: 5 });
  assert.equal(left({ min_interval_s: 6, max_interval_s: 5 }), '! max_interval_s');
});

test('what has no effect is kept', () => {
  assert.deepEqual(left({ misfire: { limit: 7 }, retry: { factor: 3 } }), { misfire: { limit: 7 }, retry: { factor: 3 } });
});

test('missing members, at their own paths and in the order of the table', () => {
  assert.equal(path({}), 'entrypoint');
  assert.equal(path({ schedule: null, entrypoint: null }), 'entrypoint');
  assert.equal(path({ entrypoint: 'x' }), 'schedule');
  assert.equal(path({ entrypoint: 'x', schedule: null }), 'schedule');
  assert.equal(path({ entrypoint: 'x', schedule: [] }), 'schedule');
});

test('unknown members, null or not, in code-point order, before anything else of their object', () => {
  assert.equal(path({ nam: null, delivry: 1 }), 'delivry');
  assert.equal(path({ '😀': 1, '\ufb33': 1 }), '\ufb33');
  for (const name of ['enabled', 'tenant', 'task', '', '__proto__x', 'NAME']) assert.equal(path({ ...BARE, [name]: null }), name);
  assert.equal(path({ ...BARE, retry: { z: 1, y: null, attempts: -1 } }), 'retry.y');
  assert.equal(path({ ...BARE, name: 7, retry: { z: 1 } }), 'name');
  assert.equal(path({ ...BARE, timeout_s: 0, retry: { z: 1 } }), 'timeout_s');
  assert.equal(path({ ...BARE, retry: { z: 1 }, failure_backoff: 7 }), 'retry.z');
});

test('the message of an unknown member names the nearest', () => {
  assert.throws(() => fold({ ...BARE, timout_s: 3 }), /nearest is timeout_s/);
});

test('each pair of bad members: the one that stands above answers', () => {
  const bad = [
    ['name', 7], ['description', 7], ['agent', ''], ['destination', ''], ['delivery', ''], ['entrypoint', ''], ['arguments', 7],
    ['schedule', 7], ['overlap', ''], ['misfire', 7], ['timeout_s', 0], ['retry', 7], ['failure_backoff', ''], ['min_interval_s', 0],
    ['max_interval_s', 0], ['paused_until', ''], ['pause_note', 7], ['resume', ''], ['labels', 7],
  ];
  bad.forEach(([above, value], index) => {
    for (const [below, other] of bad.slice(index + 1)) assert.equal(path({ ...BARE, [below]: other, [above]: value }), above);
  });
});

test('the task as a whole comes first, wherever the fault is', () => {
  for (const task of [null, [], 'x', 7, true]) assert.equal(path(task), 'task');
  const arrays = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  assert.equal(path({ ...BARE, payload: { a: [2 ** 53] }, nope: 1 }), 'task');
  assert.equal(path({ nope: Infinity }), 'task');
  assert.equal(path({ ...BARE, nope: arrays(64) }), 'task');
  assert.equal(path({ ...BARE, payload: arrays(64) }), 'task');
  assert.equal(path({ ...BARE, payload: arrays(63) }), 'not refused');
  assert.equal(path({ ...BARE, payload: 2 ** 53 - 1 }), 'not refused');
});

test('too large comes last', () => {
  // {"entrypoint":"report","payload":"…","schedule":{"every_s":60}} is 62 bytes and its text.
  assert.equal(path({ ...BARE, payload: 'x'.repeat(65_536 - 62) }), 'not refused');
  assert.equal(path({ ...BARE, payload: 'x'.repeat(65_537 - 62) }), 'task');
  assert.equal(path({ ...BARE, payload: 'é'.repeat(32_800) }), 'task');
  assert.equal(path({ ...BARE, payload: 'x'.repeat(70_000), display: null, labels: 7 }), 'labels');
});

test('a member called __proto__ in an opaque value is kept', () => {
  const payload = JSON.parse('{"__proto__":{"a":1}}');
  const { canonical, authored } = fold({ ...BARE, payload });
  assert.ok(canonical.includes('"payload":{"__proto__":{"a":1}}'));
  assert.ok(Object.hasOwn(authored.payload, '__proto__'));
});
