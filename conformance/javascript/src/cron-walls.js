// The wall times that a cron text names, as seconds of a calendar without zones: the next one, and the one before. It
// goes by months and never tries a minute that does not fit.

import { dateOf, dayNumber, daysInMonth, weekdayOf } from './calendar.js';
import { fittingDays } from './cron-days.js';

const DAY_S = 86_400;
const FIRST_YEAR = 1799;
const LAST_YEAR = 2200;

/** For each number up to `most`, the least value of the field from there on, and the greatest up to there. */
function lookup(field, most) {
  const sorted = [...field.values].sort((a, b) => a - b);
  const numbers = Array.from({ length: most + 1 }, (_, number) => number);
  return {
    first: sorted[0],
    last: sorted.at(-1),
    from: numbers.map((number) => sorted.find((value) => value >= number)),
    upTo: numbers.map((number) => sorted.findLast((value) => value <= number)),
  };
}

const ON_THE_MINUTE = { values: new Set([0]) };

export class CronWalls {
  /** @param {Array} fields of `readCron`: five, or six with the seconds first */
  constructor(fields) {
    const [second, minute, hour, day, month, weekday] = fields.length === 6 ? fields : [ON_THE_MINUTE, ...fields];
    this.second = lookup(second, 59);
    this.minute = lookup(minute, 59);
    this.hour = lookup(hour, 23);
    this.month = month;
    this.bitsOf = (length, firstWeekday) => fittingDays(day, weekday, length, firstWeekday);
    this.known = new Map();
    this.asked = Infinity;
    this.answered = -Infinity;
    this.firstTime = this.hour.first * 3600 + this.minute.first * 60 + this.second.first;
    this.lastTime = this.hour.last * 3600 + this.minute.last * 60 + this.second.last;
  }

  /** The first wall time at or after `wall`, or Infinity. */
  next(wall) {
    // A rare text is asked again for each period of a zone on the way to its next time.
    if (wall < this.asked || wall > this.answered) {
      this.answered = this.find(wall);
      this.asked = wall;
    }
    return this.answered;
  }

  find(wall) {
    const day = Math.floor(wall / DAY_S);
    const time = this.fits(day) ? this.timeFrom(wall - day * DAY_S) : undefined;
    return time === undefined ? this.dayFrom(day + 1) * DAY_S + this.firstTime : day * DAY_S + time;
  }

  /** The last wall time at or before `wall`, or -Infinity. */
  previous(wall) {
    const day = Math.floor(wall / DAY_S);
    const time = this.fits(day) ? this.timeUpTo(wall - day * DAY_S) : undefined;
    return time === undefined ? this.dayUpTo(day - 1) * DAY_S + this.lastTime : day * DAY_S + time;
  }

  /** The days of a month that fit, as bits; there are no more than 28 kinds of months. */
  bits(year, month) {
    if (!this.month.values.has(month)) return 0;
    const length = daysInMonth(year, month);
    const firstWeekday = weekdayOf(dayNumber(year, month, 1));
    const kind = length * 7 + firstWeekday;
    if (!this.known.has(kind)) this.known.set(kind, this.bitsOf(length, firstWeekday));
    return this.known.get(kind);
  }

  fits(number) {
    const [year, month, day] = dateOf(number);
    return (this.bits(year, month) & (1 << (day - 1))) !== 0;
  }

  dayFrom(number) {
    let [year, month, day] = dateOf(number);
    while (year <= LAST_YEAR) {
      const bits = this.bits(year, month) & (-1 << (day - 1));
      if (bits !== 0) return dayNumber(year, month, 32 - Math.clz32(bits & -bits));
      [year, month, day] = month === 12 ? [year + 1, 1, 1] : [year, month + 1, 1];
    }
    return Infinity;
  }

  dayUpTo(number) {
    let [year, month, day] = dateOf(number);
    while (year >= FIRST_YEAR) {
      const bits = this.bits(year, month) & (-1 >>> (32 - day));
      if (bits !== 0) return dayNumber(year, month, 32 - Math.clz32(bits));
      [year, month, day] = month === 1 ? [year - 1, 12, 31] : [year, month - 1, 31];
    }
    return -Infinity;
  }

  /** The first time of a day at or after `time`, in seconds. */
  timeFrom(time) {
    const hour = Math.floor(time / 3600);
    const minute = Math.floor(time / 60) % 60;
    if (this.hour.from[hour] === hour) {
      const second = this.minute.from[minute] === minute ? this.second.from[time % 60] : undefined;
      if (second !== undefined) return hour * 3600 + minute * 60 + second;
      const later = this.minute.from[minute + 1];
      if (later !== undefined) return hour * 3600 + later * 60 + this.second.first;
    }
    const later = this.hour.from[hour + 1];
    return later === undefined ? undefined : later * 3600 + this.minute.first * 60 + this.second.first;
  }

  /** The last time of a day at or before `time`, in seconds. */
  timeUpTo(time) {
    const hour = Math.floor(time / 3600);
    const minute = Math.floor(time / 60) % 60;
    if (this.hour.upTo[hour] === hour) {
      const second = this.minute.upTo[minute] === minute ? this.second.upTo[time % 60] : undefined;
      if (second !== undefined) return hour * 3600 + minute * 60 + second;
      const earlier = this.minute.upTo[minute - 1];
      if (earlier !== undefined) return hour * 3600 + earlier * 60 + this.second.last;
    }
    const earlier = this.hour.upTo[hour - 1];
    return earlier === undefined ? undefined : earlier * 3600 + this.minute.last * 60 + this.second.last;
  }
}
