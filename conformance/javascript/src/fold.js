// The task folded: the table of its members, the checks before and after it, and its digest.

import { MOST_BYTES, MOST_LEVELS, digestOf } from './digest.js';
import { readDestination } from './facts.js';
import { foldObject, refuse } from './fold-object.js';
import { arrayOf, choice, fromText, identifier, integer, labels, misfit, opaque, text, timestamp } from './forms.js';
import { Members, depth, holdsBadNumber, holdsLoneSurrogate } from './json-value.js';
import { canonical } from './json-write.js';
import { SCHEDULE } from './schedule.js';
import { smallLetters } from './text.js';
import { utf8 } from './blake3.js';

const YEAR_S = 31_622_400; // of 366 days
const always = () => true;

const DELIVERIES = choice('python', 'http', 'celery', 'command', 'pull');
const HTTP_ADDRESS = /^https?:\/\/[\x21-\x7e]+$/;
const ENDINGS = choice('failed', 'timed_out', 'lost');

const deliveryOf = (folded) => folded.get('delivery') ?? 'python';

function entrypointGoes(value, { folded }) {
  if (deliveryOf(folded) === 'http' && !HTTP_ADDRESS.test(value)) {
    misfit('http needs http:// or https://, then printable ASCII without a space');
  }
}

function argumentsGo(_, { folded }) {
  if (deliveryOf(folded) !== 'command') misfit(`they go with the delivery command, not ${deliveryOf(folded)}`);
}

function notBelowMin(value, { folded }) {
  const least = folded.get('min_interval_s');
  if (least > value) misfit(`it is below min_interval_s, ${least}`);
}

const MISFIRE = {
  members: [
    { name: 'catch_up', form: choice('latest', 'all', 'none'), fallback: '"latest"' },
    { name: 'grace_s', form: integer(0, YEAR_S) },
    { name: 'limit', form: integer(1, 1000), fallback: '100' },
  ],
};

const RETRY = {
  members: [
    { name: 'attempts', form: integer(0, 100), fallback: '0' },
    {
      name: 'on',
      form: (value) => [...new Set(arrayOf(ENDINGS)(value))].sort(),
      fallback: '["failed","timed_out"]',
    },
    { name: 'backoff_s', form: integer(0, 86_400), fallback: '10' },
    { name: 'factor', form: integer(1, 10), fallback: '2' },
    { name: 'max_s', form: integer(1, 604_800), fallback: '3600' },
  ],
};

const TASK = {
  members: [
    { name: 'name', form: text(0, 200), fallback: '""' },
    { name: 'description', form: text(0, 10_000), fallback: '""' },
    { name: 'agent', form: identifier, fallback: '"default"' },
    { name: 'destination', form: fromText(readDestination), fallback: '"local:default"' },
    { name: 'delivery', form: fromText((value) => DELIVERIES(smallLetters(value))), fallback: '"python"' },
    { name: 'entrypoint', form: text(1, 2_000), needed: always, rule: entrypointGoes },
    { name: 'arguments', form: arrayOf(text(0, Infinity)), fallback: '[]', rule: argumentsGo },
    { name: 'payload', form: opaque },
    { name: 'schedule', object: SCHEDULE, needed: always },
    { name: 'overlap', form: choice('skip', 'queue', 'allow', 'replace'), fallback: '"skip"' },
    { name: 'misfire', object: MISFIRE },
    { name: 'timeout_s', form: integer(1, 604_800), fallback: '900' },
    { name: 'retry', object: RETRY },
    { name: 'failure_backoff', form: choice('double', 'none'), fallback: '"double"' },
    { name: 'min_interval_s', form: integer(1, YEAR_S) },
    { name: 'max_interval_s', form: integer(1, YEAR_S), rule: notBelowMin },
    { name: 'paused_until', form: timestamp },
    { name: 'pause_note', form: text(0, 1_000), fallback: '""' },
    { name: 'resume', form: choice('next_slot', 'at_end'), fallback: '"next_slot"' },
    { name: 'labels', form: labels(64), fallback: '{}' },
    { name: 'display', form: opaque },
  ],
};

/**
 * A task's authored object, its canonical text, and its digest in hex. Throws Refusal `bad_task`
 * with the path of the first failing member, or `task` for the task as a whole.
 */
export function foldTask(task) {
  if (!(task instanceof Members)) refuse('task', 'an object is needed');
  if (holdsLoneSurrogate(task)) refuse('task', 'a text holds a lone surrogate');
  if (holdsBadNumber(task)) refuse('task', 'a number is not finite or beyond ±(2^53−1)');
  if (depth(task) > MOST_LEVELS) refuse('task', `more than ${MOST_LEVELS} levels`);
  const authored = foldObject(task, '', TASK);
  if (utf8(canonical(authored)).length > MOST_BYTES) refuse('task', `more than ${MOST_BYTES} canonical bytes`);
  return { folded: authored, ...digestOf(authored) };
}
