// Timestamps: what is accepted, in which order it is refused, and the one canonical form.

import { isDate, isTime, midnight, modulo } from './calendar.js';
import { Misfit } from './refusal.js';

const FORM =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:([Zz])|([+-])([0-9]{2})(?::?([0-9]{2}))?)?$/;
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * The instant that a text names: `text` in the canonical form, `millis` in whole Unix milliseconds,
 * rounded down, `micros` in microseconds (exact up to the year 2255). `earliest`, in milliseconds, is the first
 * that is taken. Throws Misfit: bad_timestamp, no_offset, too_precise, out_of_range.
 */
export function readTimestamp(source, earliest = 0) {
  const found = FORM.exec(source);
  if (found === null) throw new Misfit('bad_timestamp', 'not YYYY-MM-DDTHH:MM:SS with an offset');
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number);
  const [fraction = '', zulu, sign] = found.slice(7, 10);
  if (zulu === undefined && sign === undefined) throw new Misfit('no_offset', 'a timestamp needs Z or an offset');
  if (/[1-9]/.test(fraction.slice(6))) throw new Misfit('too_precise', 'more than microseconds');

  const offsetHours = Number(found[10] ?? 0);
  const offsetMinutes = Number(found[11] ?? 0);
  if (!isDate(year, month, day) || !isTime(hour, minute, second) || !isTime(offsetHours, offsetMinutes, 0)) {
    throw new Misfit('bad_timestamp', 'no such date, time or offset');
  }
  const local = midnight(year, month, day) + (hour * 3600 + minute * 60 + second) * 1000;
  const ahead = (offsetHours * 3600 + offsetMinutes * 60) * 1000;
  const seconds = sign === '-' ? local + ahead : local - ahead;
  if (seconds < earliest || seconds > LATEST) throw new Misfit('out_of_range', 'too early, or after 9999, in UTC');

  const micros = fraction.slice(0, 6).padEnd(6, '0');
  return {
    text: `${new Date(seconds).toISOString().slice(0, 19)}.${micros}Z`,
    millis: seconds + Number(micros.slice(0, 3)),
    micros: seconds * 1000 + Number(micros),
  };
}

/** The canonical form of an instant in microseconds, of the years 1 to 2255. */
export function writeTimestamp(micros) {
  const fraction = modulo(micros, 1_000_000);
  const seconds = new Date((micros - fraction) / 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}
