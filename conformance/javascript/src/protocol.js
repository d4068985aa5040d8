// The protocol of the conformance runner: one line in, one line out. What a request is, what makes
// it a bad one, and how an answer is written. `serve.mjs` only moves the bytes.

import { digestOf } from './digest.js';
import { readDueFact } from './facts.js';
import { foldTask } from './fold.js';
import { Members, holdsLoneSurrogate, repeatsNames } from './json-value.js';
import { readJson } from './json-read.js';
import { canonical } from './json-write.js';
import { keyOf } from './key.js';
import { Misfit, Refusal } from './refusal.js';
import { firstSlots, foldSchedule, instantOf, slotsOf } from './slots.js';
import { writeTimestamp } from './timestamp.js';
import { hasTzdata } from './zone-files.js';

/** The longest line that is read, in bytes, its LF not counted. */
export const MOST_LINE_BYTES = 1024 * 1024;

const MOST_LEVELS = 100;
const MOST_SLOTS = 1000;
const WITH_MESSAGE = new Set(['bad_task', 'bad_schedule']);

// `parts` are the members beside `op`; `answer` gives the members of the answer, as canonical texts.
const OPERATIONS = new Map([
  ['key', { parts: ['facts'], answer: ([facts]) => texts(keyOf(facts)) }],
  ['digest', { parts: ['authored'], answer: ([authored]) => texts(digestOf(authored)) }],
  ['due', { parts: ['text'], answer: ([text]) => texts({ due: readDueFact(text) }) }],
  ['slots', { parts: ['schedule', 'after', 'count'], answer: slotsAnswer }],
  ['fold', { parts: ['task'], answer: ([task]) => foldAnswer(task) }],
]);

function texts(strings) {
  return Object.entries(strings).map(([name, text]) => [name, canonical(text)]);
}

function foldAnswer(task) {
  const { canonical: authored, digest } = foldTask(task);
  return [['authored', authored], ['digest', canonical(digest)]];
}

/** The refusals in their order; what this program lacks comes last, so that bad requests are told apart. */
function slotsAnswer([schedule, after, count]) {
  const folded = foldSchedule(schedule);
  const from = instantOf('after', after);
  if (!Number.isInteger(count) || count < 1 || count > MOST_SLOTS) refuse('bad_count', 'count');
  if (!hasTzdata()) refuse('not_implemented', 'slots');
  const found = firstSlots(slotsOf(folded), from, count);
  return [['slots', canonical(found.map(writeTimestamp))], ['ended', String(found.length < count)]];
}

function refuse(code, fact) {
  throw new Refusal(code, fact);
}

function badRequest() {
  refuse('bad_request', 'request');
}

/** The operation of a line and the values of its parts, in their order. Throws Refusal bad_request. */
function readRequest(line) {
  const request = readJson(line, MOST_LEVELS);
  if (!(request instanceof Members) || request.repeatsName()) badRequest();
  const members = request.byName();
  const operation = OPERATIONS.get(members.get('op'));
  if (operation === undefined || members.size !== operation.parts.length + 1) badRequest();
  if (!operation.parts.every((part) => members.has(part))) badRequest();
  for (const [name, value] of members) {
    // The digest has refusals of its own for what its object repeats or cannot write.
    if (name !== 'authored' && (repeatsNames(value) || holdsLoneSurrogate(value))) badRequest();
  }
  return { operation, values: operation.parts.map((part) => members.get(part)) };
}

function errorAnswer(error) {
  const { code, fact } = error;
  const message = WITH_MESSAGE.has(code) ? [['message', error.message]] : [];
  return Object.entries({ error: code, fact, ...Object.fromEntries(message) }).map(([name, text]) => [name, canonical(text)]);
}

function answerTo(line) {
  try {
    const { operation, values } = readRequest(line);
    return operation.answer(values);
  } catch (error) {
    if (error instanceof Refusal) return errorAnswer(error);
    if (error instanceof Misfit) return errorAnswer(new Refusal('bad_request', 'request'));
    // A fault of this program. It must not end it, nor pass for a verdict on the request.
    console.error(error);
    return errorAnswer(new Refusal('internal_error', 'request'));
  }
}

/** The answer to one line, without its LF; `null` stands for a line that was too long to keep. */
export function answer(line) {
  const members = line === null ? errorAnswer(new Refusal('bad_request', 'request')) : answerTo(line);
  return `{${members.map(([name, text]) => `${canonical(name)}:${text}`).join(',')}}`;
}
