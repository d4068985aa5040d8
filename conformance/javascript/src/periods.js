// A zone as periods: spans of real time with one offset each. A wall time that several periods show exists more than
// once; one between two periods, that none shows, lies in a gap.

import { dateOf } from './calendar.js';
import { changesOf } from './posix-rule.js';

const DAY_S = 86_400;
// A year more than slots reach.
const LAST_YEAR = 2200;
// No two offsets of a zone are further apart than this.
const MOST_APART_S = 2 * DAY_S;

const yearOf = (instant) => dateOf(Math.floor(instant / DAY_S))[0];

/** All changes of offset: those of the file, and those of its footer behind them. */
function changes({ first, transitions, footer }) {
  const last = transitions.at(-1)?.[0] ?? -Infinity;
  const from = transitions.length > 0 ? yearOf(last) - 1 : 1799;
  const all = [...transitions, ...changesOf(footer, from, LAST_YEAR).filter(([instant]) => instant > last)];
  const kept = [];
  let offset = first;
  for (const [instant, next] of all) {
    // Some change only the name, or whether the time counts as summer.
    if (next !== offset) kept.push([instant, next]);
    offset = next;
  }
  return kept;
}

const meets = (from, to) => (other) => other.localStart < to && from < other.localEnd;
const range = ({ localStart, localEnd }) => [localStart, localEnd];

/** The periods around `period` that could show one of its wall times, those before and those behind it. */
function neighbours(periods, index) {
  const { start, end } = periods[index];
  let first = index;
  while (first > 0 && periods[first - 1].end > start - MOST_APART_S) first -= 1;
  let last = index;
  while (last < periods.length - 1 && periods[last + 1].start < end + MOST_APART_S) last += 1;
  return [periods.slice(first, index), periods.slice(index + 1, last + 1)];
}

/** What of a gap's wall times is shown by a period after all: only where changes come thick and fast. */
function gapBefore(periods, index) {
  const before = periods[index - 1];
  const { localStart } = periods[index];
  if (before === undefined || before.localEnd >= localStart) return null;
  const [behind, ahead] = neighbours(periods, index);
  const shown = [...behind, ...ahead].filter(meets(before.localEnd, localStart)).map(range);
  return { from: before.localEnd, to: localStart, shown };
}

/**
 * The periods of a zone, in order, out of what its file says. Each has `start` and `end` (Unix seconds; the first
 * starts at -Infinity, the last ends at Infinity) and `offset` (seconds east of UTC); `localStart` and `localEnd` are
 * the same on the wall clock. `before` and `after` are the ranges of wall times of earlier and later periods that meet
 * its own; `gap` is null, or the range of wall times that were passed over at its start.
 */
export function periodsOf(zone) {
  const all = changes(zone);
  const starts = [[-Infinity, zone.first], ...all];
  const periods = starts.map(([start, offset], index) => {
    const end = all[index]?.[0] ?? Infinity;
    return { start, end, offset, localStart: start + offset, localEnd: end + offset };
  });
  return periods.map((period, index) => {
    const [behind, ahead] = neighbours(periods, index).map((found) =>
      found.filter(meets(period.localStart, period.localEnd)).map(range),
    );
    return { ...period, before: behind, after: ahead, gap: gapBefore(periods, index) };
  });
}

/** The index of the period that an instant, in Unix seconds, lies in. */
export function periodAt(periods, instant) {
  let low = 0;
  let high = periods.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (periods[middle].start <= instant) low = middle;
    else high = middle - 1;
  }
  return low;
}
