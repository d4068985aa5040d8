// What a platform uses: keys, digests and folded tasks from plain JavaScript values. The same as
// serve.mjs answers, without the protocol. Types are in index.d.ts.

import { digestOf } from './src/digest.js';
import { readDueFact } from './src/facts.js';
import { foldTask } from './src/fold.js';
import { Members, fromPlain } from './src/json-value.js';
import { keyOf } from './src/key.js';
import { Misfit, Refusal } from './src/refusal.js';
import { foldSchedule, instantOf, slotsOf } from './src/slots.js';
import { writeTimestamp } from './src/timestamp.js';

export { Refusal } from './src/refusal.js';
export { retryWaitMicros, spreadSeconds } from './src/waits.js';
export { useTzdata } from './src/zone-files.js';

/** The value as JSON. What nests without end is refused as too deep, before anything else is looked at. */
function jsonOf(value, code, fact) {
  try {
    return fromPlain(value);
  } catch (error) {
    if (error instanceof Misfit) throw new Refusal(code, fact, `${fact} is refused: it nests too deep`);
    throw error;
  }
}

export function deriveKey(facts) {
  // Facts are strings, so there is nothing below the members that would have to be turned into JSON.
  if (facts === null || typeof facts !== 'object' || Array.isArray(facts)) return keyOf(facts);
  return keyOf(new Members(Object.entries(facts).filter(([, fact]) => fact !== undefined)));
}

export function digest(authored) {
  return digestOf(jsonOf(authored, 'too_deep', 'authored'));
}

export function readDue(text) {
  return readDueFact(text);
}

export function fold(task) {
  const { digest: digestHex, canonical } = foldTask(jsonOf(task, 'bad_task', 'task'));
  // JSON.parse, unlike assignment, makes a member of its own of `__proto__`.
  return { authored: JSON.parse(canonical), digest: digestHex, canonical };
}

function walk(schedule, name, value, step) {
  const folded = foldSchedule(jsonOf(schedule, 'bad_schedule', 'schedule'));
  const instant = instantOf(name, value);
  const slot = step(slotsOf(folded), instant);
  return slot === null ? null : writeTimestamp(slot);
}

export function nextSlot(schedule, after) {
  return walk(schedule, 'after', after, (slots, instant) => slots.next(instant));
}

export function previousSlot(schedule, before) {
  return walk(schedule, 'before', before, (slots, instant) => slots.previous(instant));
}
