// The slots of a schedule: which series its kind is, what cuts it, and the walk over it in both directions. Instants are
// whole microseconds since 1970, exact in a double up to the year 2255; no slot lies so late.

import { modulo } from './calendar.js';
import { CronSeries } from './cron-series.js';
import { readCron } from './cron.js';
import { Exclusions } from './exclusions.js';
import { foldTask } from './fold.js';
import { Members } from './json-value.js';
import { Misfit, Refusal } from './refusal.js';
import { readTimestamp } from './timestamp.js';
import { periodsOfZone } from './zone-files.js';

const MICROS = 1_000_000;
/** No slot before this is looked for, and none lies at or after the other. */
const EARLIEST_MS = Date.UTC(1800, 0, 1);
const EARLIEST = EARLIEST_MS * 1000;
const END = Date.UTC(2200, 0, 1) * 1000;

const membersOf = (folded) => folded.byName();
const zoneOf = (members) => periodsOfZone(members.get('timezone') ?? 'UTC');

function cronSeries(members) {
  const fields = readCron(members.get('cron'), members.get('seconds') ?? false);
  const dst = members.get('dst')?.byName() ?? new Map();
  return new CronSeries(fields, zoneOf(members), {
    gap: dst.get('gap') ?? 'shift',
    overlap: dst.get('overlap') ?? 'first',
  });
}

/** anchor + k × step, for every whole k. A remainder is exact where a quotient would be rounded. */
function everySeries(members) {
  const step = members.get('every_s') * MICROS;
  const { millis, text } = readTimestamp(members.get('anchor') ?? '1970-01-01T00:00:00Z');
  // An anchor may lie too late for microseconds to be exact; its place within a step never does.
  const phase = modulo(millis, step / 1000) * 1000 + Number(text.slice(-4, -1));
  return {
    next: (after) => after - modulo(after - phase, step) + step,
    previous: (before) => before - (modulo(before - phase, step) || step),
  };
}

function atSeries(members) {
  const { micros } = readTimestamp(members.get('at'));
  return {
    next: (after) => (micros > after ? micros : Infinity),
    previous: (before) => (micros < before ? micros : -Infinity),
  };
}

function anySeries(members) {
  const all = members.get('any').map((element) => seriesOf(membersOf(element)));
  return {
    next: (after) => Math.min(...all.map((series) => series.next(after))),
    previous: (before) => Math.max(...all.map((series) => series.previous(before))),
  };
}

function seriesOf(members) {
  if (members.has('cron')) return cronSeries(members);
  if (members.has('every_s')) return everySeries(members);
  if (members.has('at')) return atSeries(members);
  if (members.has('any')) return anySeries(members);
  throw new Refusal('not_implemented', 'slots', 'the slots of rrule are not implemented here');
}

class Slots {
  constructor(members) {
    const time = (name, absent) => (members.has(name) ? readTimestamp(members.get(name)).micros : absent);
    this.series = seriesOf(members);
    this.starts = Math.max(time('starts_at', EARLIEST), EARLIEST);
    this.ends = Math.min(time('ends_at', END), END);
    this.exclusions = new Exclusions((members.get('exclude') ?? []).map(membersOf), zoneOf(members));
  }

  /** The first slot after `after`, or null. */
  next(after) {
    if (after >= this.ends) return null;
    let slot = this.series.next(Math.max(after, this.starts - 1));
    while (slot < this.ends) {
      const excluded = this.exclusions.around(slot);
      if (excluded === undefined) return slot;
      slot = excluded[1] < this.ends ? this.series.next(excluded[1] - 1) : Infinity;
    }
    return null;
  }

  /** The last slot before `before`, or null. */
  previous(before) {
    let slot = this.series.previous(Math.min(before, this.ends));
    while (slot >= this.starts) {
      const excluded = this.exclusions.around(slot);
      if (excluded === undefined) return slot;
      slot = this.series.previous(excluded[0]);
    }
    return null;
  }
}

/** The schedule as it is stored. Throws Refusal `bad_schedule` where no task with it is taken. */
export function foldSchedule(schedule) {
  try {
    const { folded } = foldTask(new Members([['entrypoint', 'e'], ['schedule', schedule]]));
    return folded.byName().get('schedule');
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal('bad_schedule', 'schedule', error.message);
    throw error;
  }
}

/** The slots of a folded schedule, to be walked. Throws Refusal `not_implemented` for `rrule`, in `any` too. */
export function slotsOf(folded) {
  return new Slots(folded.byName());
}

/** The microseconds of a timestamp from 1800 on. Throws Refusal with the codes of `due`, its fact `name`. */
export function instantOf(name, value) {
  if (typeof value !== 'string') throw new Refusal('not_a_string', name);
  try {
    return readTimestamp(value, EARLIEST_MS).micros;
  } catch (error) {
    if (error instanceof Misfit) throw new Refusal(error.code, name);
    throw error;
  }
}

/** The first `count` slots after `after`; fewer where the series ends. */
export function firstSlots(slots, after, count) {
  const found = [];
  let slot = after;
  while (found.length < count) {
    slot = slots.next(slot);
    if (slot === null) break;
    found.push(slot);
  }
  return found;
}
