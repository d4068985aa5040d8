// The instants of a cron text in a zone, forwards and backwards. It walks from period to period of the zone: within one
// the wall clock is plain, and what happens at its edges (gaps, wall times shown twice) is decided there alone.

import { modulo } from './calendar.js';
import { CronWalls } from './cron-walls.js';
import { periodAt } from './periods.js';

const MICROS = 1_000_000;
const SHORT_GAP_S = 3 * 3600;

/** Whether a job follows real time; all others name fixed wall times, and obey `dst`. */
export function followsRealTime(fields) {
  const [minute, hour] = fields;
  return fields.length === 6 || minute.text.startsWith('*') || hour.text.startsWith('*');
}

const holding = (ranges, wall) => ranges.find(([from, to]) => wall >= from && wall < to);

export class CronSeries {
  /**
   * @param {Array} fields of `readCron`
   * @param {Array} periods of the zone
   * @param {{gap: string, overlap: string}} dst
   */
  constructor(fields, periods, { gap, overlap }) {
    const real = followsRealTime(fields);
    this.walls = new CronWalls(fields);
    this.periods = periods;
    this.shifts = !real && gap === 'shift';
    this.overlap = real ? 'both' : overlap;
  }

  /** The first instant after `after`, in microseconds, or Infinity. */
  next(after) {
    const from = (after - modulo(after, MICROS)) / MICROS + 1;
    for (let index = periodAt(this.periods, from); index < this.periods.length; index += 1) {
      const found = this.firstIn(this.periods[index], from);
      if (found !== undefined) return found * MICROS;
    }
    return Infinity;
  }

  /** The last instant before `before`, in microseconds, or -Infinity. */
  previous(before) {
    const upTo = (before - 1 - modulo(before - 1, MICROS)) / MICROS;
    for (let index = periodAt(this.periods, upTo); index >= 0; index -= 1) {
      const found = this.lastIn(this.periods[index], upTo);
      if (found !== undefined) return found * MICROS;
    }
    return -Infinity;
  }

  firstIn(period, from) {
    if (period.start >= from && this.shiftedTo(period)) return period.start;
    let wall = this.walls.next(Math.max(from, period.start) + period.offset);
    while (wall < period.localEnd) {
      const elsewhere = this.leftTo(period, wall);
      if (elsewhere === undefined) return wall - period.offset;
      wall = this.walls.next(elsewhere[1]);
    }
    return undefined;
  }

  lastIn(period, upTo) {
    let wall = this.walls.previous(Math.min(upTo, period.end - 1) + period.offset);
    while (wall >= period.localStart && wall !== -Infinity) {
      const elsewhere = this.leftTo(period, wall);
      if (elsewhere === undefined) return wall - period.offset;
      wall = this.walls.previous(elsewhere[0] - 1);
    }
    return period.start <= upTo && this.shiftedTo(period) ? period.start : undefined;
  }

  /** The range of the period that has the wall time instead of this one, or undefined. */
  leftTo(period, wall) {
    if (this.overlap === 'both') return undefined;
    return holding(this.overlap === 'first' ? period.before : period.after, wall);
  }

  /** Whether a wall time of the gap before the period is moved to the period's start. */
  shiftedTo({ gap }) {
    if (!this.shifts || gap === null || gap.to - gap.from >= SHORT_GAP_S) return false;
    let wall = this.walls.next(gap.from);
    while (wall < gap.to) {
      const shown = holding(gap.shown, wall);
      if (shown === undefined) return true;
      wall = this.walls.next(shown[1]);
    }
    return false;
  }
}
