// The protocol: what is a bad request, and how each operation answers; then the program itself.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Lines } from '../src/lines.js';
import { answer } from '../src/protocol.js';

const BAD = { error: 'bad_request', fact: 'request' };
const asked = (line) => JSON.parse(answer(Buffer.from(line)));

const BAD_REQUESTS = {
  'a blank line': '',
  'white space': ' \t\r',
  'no JSON': 'due',
  'a byte order mark': '\ufeff{"op":"due","text":"x"}',
  'NaN': '{"op":"due","text":NaN}',
  'not UTF-8': Buffer.from([...Buffer.from('{"op":"due","text":"'), 0xff, 0x22, 0x7d]),
  'a surrogate as UTF-8': Buffer.from([...Buffer.from('{"op":"digest","authored":{"a":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d, 0x7d]),
  'an array': '[{"op":"due","text":"x"}]',
  'a text': '"due"',
  'two objects': '{"op":"due","text":"x"}{"op":"due","text":"x"}',
  'no op': '{"text":"x"}',
  'an empty object': '{}',
  'an unknown op': '{"op":"dues","text":"x"}',
  'an op in capitals': '{"op":"DUE","text":"x"}',
  'an op that is no text': '{"op":["due"],"text":"x"}',
  'an op of every object': '{"op":"constructor","text":"x"}',
  'a missing member': '{"op":"due"}',
  'the member of another op': '{"op":"due","facts":{}}',
  'a member too many': '{"op":"due","text":"x","id":1}',
  'slots without count': '{"op":"slots","schedule":{},"after":"x"}',
  'fold with authored': '{"op":"fold","authored":{}}',
  'op twice': '{"op":"due","op":"due","text":"x"}',
  'a member twice': '{"op":"due","text":"x","te\\u0078t":"x"}',
  'authored twice': '{"op":"digest","authored":{},"authored":{}}',
  'a fact twice': '{"op":"key","facts":{"tenant":"a","tenant":"a"}}',
  'a name twice deep in a task': '{"op":"fold","task":{"payload":[{"a":{"b":1,"b":1}}]}}',
  'a name twice in a member of a task that is called authored': '{"op":"fold","task":{"authored":{"b":1,"b":1}}}',
  'a name twice in a schedule': '{"op":"slots","schedule":{"at":1,"at":1},"after":"x","count":1}',
  'a lone surrogate in a fact': '{"op":"key","facts":{"tenant":"\\ud800"}}',
  'a lone surrogate in the name of a fact': '{"op":"key","facts":{"\\udc00":1}}',
  'a lone surrogate in a due': '{"op":"due","text":"\\udfff"}',
  'a lone surrogate in a task': '{"op":"fold","task":{"name":"\\ud83d"}}',
  '101 levels': `{"op":"digest","authored":${'['.repeat(100)}${']'.repeat(100)}}`,
};
for (const [what, line] of Object.entries(BAD_REQUESTS)) {
  test(`bad request: ${what}`, () => assert.deepEqual(asked(line), BAD));
}

const ANSWERS = [
  ['{"op":"due","text":"2026-11-30 10:00:00.5+01"}', { due: '2026-11-30T09:00:00.500000Z' }],
  [' {\t"text" : "2026-11-30T09:00:00Z" , "\\u006fp":"due" } \r', { due: '2026-11-30T09:00:00.000000Z' }],
  ['{"op":"due","text":null}', { error: 'not_a_string', fact: 'due' }],
  ['{"op":"due","text":""}', { error: 'bad_timestamp', fact: 'due' }],
  ['{"op":"key","facts":[]}', { error: 'not_an_object', fact: 'facts' }],
  ['{"op":"key","facts":{}}', { error: 'missing', fact: 'tenant' }],
  ['{"op":"digest","authored":5}', { error: 'not_an_object', fact: 'authored' }],
  ['{"op":"digest","authored":{"a":{"b":1,"\\u0062":2}}}', { error: 'duplicate_member', fact: 'authored' }],
  ['{"op":"digest","authored":{"\\ud800":1}}', { error: 'bad_text', fact: 'authored' }],
  [`{"op":"digest","authored":{"a":${'['.repeat(98)}${']'.repeat(98)}}}`, { error: 'too_deep', fact: 'authored' }],
  ['{"op":"digest","authored":{}}', { canonical: '{}', digest: '4fb1ef59d7f250f899f07d569bdcf678697473ebeb25a22530e9c5901d054ab8' }],
  ['{"op":"slots","schedule":{"every_s":60},"after":"2026-01-01T00:00:00Z","count":1}', { error: 'not_implemented', fact: 'slots' }],
  [
    '{"op":"fold","task":{"schedule":{"every_s":6e1},"entrypoint":"report"}}',
    { authored: { entrypoint: 'report', schedule: { every_s: 60 } }, digest: '08443bf6666007d4629f2019764c862e71df6d20192fac46c9ed0115147ed446' },
  ],
];
for (const [line, expected] of ANSWERS) {
  test(`answer to ${line.slice(0, 60)}`, () => assert.deepEqual(asked(line), expected));
}

test('a refused task has its path, and a message', () => {
  const { message, ...rest } = asked('{"op":"fold","task":{"entrypoint":"x","schedule":{"any":[{"cron":"x"}]}}}');
  assert.deepEqual(rest, { error: 'bad_task', fact: 'schedule.any.0.cron' });
  assert.match(message, /5 fields/);
  assert.equal(asked('{"op":"fold","task":null}').fact, 'task');
  assert.equal(asked('{"op":"fold","task":{"payload":1e999}}').fact, 'task');
});

test('an answer is one line', () => {
  assert.ok(!answer(Buffer.from('{"op":"key","facts":{"a\\nb":1}}')).includes('\n'));
  assert.ok(!answer(Buffer.from('{"op":"digest","authored":{"a":"\\n"}}')).includes('\n'));
});

const split = (most, ...chunks) => {
  const lines = new Lines(most);
  const found = chunks.flatMap((chunk) => [...lines.push(Buffer.from(chunk))]);
  return [...found, ...lines.end()].map((line) => line?.toString() ?? null);
};
test('lines end at LF alone, across chunks; one that is too long is null', () => {
  assert.deepEqual(split(9, 'a\r\u2028b', '\x85\nc', '\n\n'), ['a\r\u2028b\x85', 'c', '']);
  assert.deepEqual(split(3, 'abc\nabcd\nab', 'c\nab', 'cd', 'efg\n\nx'), ['abc', null, 'abc', null, '', 'x']);
  assert.deepEqual(split(3, 'abcd'), [null]);
  assert.deepEqual(split(3), []);
});

const PROGRAM = fileURLToPath(new URL('../serve.mjs', import.meta.url));
/** The program, and its next answer. It ends with the test `t`, so that a failed test does not wait for it. */
function started(t) {
  const program = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => program.kill());
  const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  return { program, next };
}
const DUE = '{"op":"due","text":"2026-11-30T09:00:00Z"}';
const DUE_ANSWER = { due: '2026-11-30T09:00:00.000000Z' };

test('the program answers each line before the next one is sent, and ends with its input', async (t) => {
  const { program, next } = started(t);
  for (let n = 0; n < 20; n += 1) {
    program.stdin.write(n % 2 === 0 ? `${DUE}\n` : 'x\n');
    assert.deepEqual(await next(), n % 2 === 0 ? DUE_ANSWER : BAD);
  }
  program.stdin.end(DUE);
  assert.deepEqual(await next(), DUE_ANSWER);
  assert.deepEqual(await once(program, 'exit'), [0, null]);
});

test('a line of 1 MiB is read; one byte more is not', async (t) => {
  const { program, next } = started(t);
  program.stdin.write(`${DUE.padEnd(1_048_576)}\n${DUE.padEnd(1_048_577)}\n${DUE}\n`);
  assert.deepEqual([await next(), await next(), await next()], [DUE_ANSWER, BAD, DUE_ANSWER]);
  program.stdin.end();
  await once(program, 'exit');
});

test('an endless line costs no memory', { skip: process.platform !== 'linux' && 'memory is read from /proc' }, async (t) => {
  const { program, next } = started(t);
  program.stdin.write(`${DUE}\n`);
  await next();
  const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8'))[1]) / 1024;
  const before = peak();
  const mebibyte = Buffer.alloc(1024 * 1024, 'x');
  for (let n = 0; n < 256; n += 1) {
    if (!program.stdin.write(mebibyte)) await once(program.stdin, 'drain');
  }
  program.stdin.write(`\n${DUE}\n`);
  assert.deepEqual([await next(), await next()], [BAD, DUE_ANSWER]);
  const grown = peak() - before;
  assert.ok(grown < 100, `256 MiB went in, memory grew by ${grown} MiB`);
  program.stdin.end();
  await once(program, 'exit');
});

test('ten thousand requests at once are answered in their order', async (t) => {
  const { program, next } = started(t);
  const due = (n) => `2026-11-30T09:00:00.${String(n).padStart(6, '0')}Z`;
  program.stdin.end(Array.from({ length: 10_000 }, (_, n) => `{"op":"due","text":"${due(n)}"}\n`).join(''));
  for (let n = 0; n < 10_000; n += 1) assert.deepEqual(await next(), { due: due(n) });
  await once(program, 'exit');
});

test('a reader that goes away ends the program without noise', async (t) => {
  const { program, next } = started(t);
  program.stdin.on('error', () => {}); // the write below may meet a closed pipe
  program.stdin.write(`${DUE}\n`);
  await next();
  program.stdout.destroy();
  program.stdin.write(`${DUE}\n`.repeat(1000));
  assert.deepEqual(await once(program, 'exit'), [0, null]);
});
