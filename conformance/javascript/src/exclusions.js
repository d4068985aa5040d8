// What `exclude` takes away: whole local days, and spans of real time. Both are asked where they begin and end around an
// instant, so that a walk steps over them at once, however many slots lie within.

import { dateOf, modulo } from './calendar.js';
import { periodAt } from './periods.js';
import { readTimestamp } from './timestamp.js';

const MICROS = 1_000_000;
const DAY_S = 86_400;

const digits = (number, length) => String(number).padStart(length, '0');

export class Exclusions {
  /**
   * @param {Array} elements of a folded `exclude`, each a Map
   * @param {Array} periods of the schedule's zone
   */
  constructor(elements, periods) {
    this.days = new Set(elements.filter((element) => element.has('on')).map((element) => element.get('on')));
    this.spans = elements
      .filter((element) => element.has('from'))
      .map((element) => [readTimestamp(element.get('from')).micros, readTimestamp(element.get('to')).micros]);
    this.periods = periods;
  }

  /** The span `[from, to)` of an exclusion that holds an instant, all in microseconds, or undefined. */
  around(instant) {
    return this.spans.find(([from, to]) => instant >= from && instant < to) ?? this.dayAround(instant);
  }

  /** The same for a local day. Where the offset changes within the day, the part up to there is enough. */
  dayAround(instant) {
    if (this.days.size === 0) return undefined;
    const second = (instant - modulo(instant, MICROS)) / MICROS;
    const { start, end, offset } = this.periods[periodAt(this.periods, second)];
    const number = Math.floor((second + offset) / DAY_S);
    const [year, month, day] = dateOf(number);
    const inYear = `${digits(month, 2)}-${digits(day, 2)}`;
    if (!this.days.has(inYear) && !this.days.has(`${digits(year, 4)}-${inYear}`)) return undefined;
    const midnight = number * DAY_S - offset;
    return [Math.max(midnight, start) * MICROS, Math.min(midnight + DAY_S, end) * MICROS];
  }
}
