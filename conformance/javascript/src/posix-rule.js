// The footer of a TZif file: a TZ text of POSIX with the extensions of RFC 8536, and the changes of offset that it
// makes year by year. `EST5EDT,M3.2.0,M11.1.0`; signs count westwards there, and eastwards everywhere else here.

import { dayNumber, daysInMonth, isLeapYear, modulo, weekdayOf } from './calendar.js';

const NAME = '(?:<[A-Za-z0-9+-]+>|[A-Za-z]+)';
const TIME = '[+-]?[0-9]{1,3}(?::[0-9]{2}){0,2}';
const DAY = '(?:J[0-9]{1,3}|[0-9]{1,3}|M[0-9]{1,2}\\.[1-5]\\.[0-6])';
const FORM = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DAY})(?:/(${TIME}))?,(${DAY})(?:/(${TIME}))?)?$`);

/** `-1:30` as seconds. */
function seconds(text) {
  const [hours, minutes = 0, rest = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const size = hours * 3600 + minutes * 60 + rest;
  return text.startsWith('-') ? -size : size;
}

/** A function from a year to the day number on which a rule's day falls. */
function dayReader(text) {
  if (text.startsWith('J')) {
    // 1 to 365, and the 29th of February is never counted.
    const day = Number(text.slice(1));
    return (year) => dayNumber(year, 1, day) + (isLeapYear(year) && day > 59 ? 1 : 0);
  }
  if (!text.startsWith('M')) return (year) => dayNumber(year, 1, 1) + Number(text);
  const [month, week, weekday] = text.slice(1).split('.').map(Number);
  return (year) => {
    const first = dayNumber(year, month, 1);
    const day = first + modulo(weekday - weekdayOf(first), 7) + 7 * (week - 1);
    return day < first + daysInMonth(year, month) ? day : day - 7; // week 5 is the last, even of four
  };
}

function changeReader(day, time, before, after) {
  const dayIn = dayReader(day);
  const wall = seconds(time ?? '2');
  return (year) => [dayIn(year) * 86_400 + wall - before, after];
}

/**
 * The changes that a footer makes in the years from `from` to `to`: pairs of the Unix second and the offset from
 * then on, in order. None if it keeps one offset, or says nothing. Throws Error for a text of another form.
 */
export function changesOf(footer, from, to) {
  if (footer === '') return [];
  const found = FORM.exec(footer);
  if (found === null) throw new Error(`not a TZ text: ${footer}`);
  const [, west, summerWest, begins, beginsAt, ends, endsAt] = found;
  if (begins === undefined) return [];
  const standard = -seconds(west);
  const summer = summerWest === undefined ? standard + 3600 : -seconds(summerWest);
  const readers = [changeReader(begins, beginsAt, standard, summer), changeReader(ends, endsAt, summer, standard)];
  const changes = [];
  for (let year = from; year <= to; year += 1) changes.push(...readers.map((read) => read(year)));
  return changes.sort(([one], [other]) => one - other);
}
