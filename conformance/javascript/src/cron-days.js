// Which dates the day fields of a cron text fit. A field is `{text, values, special}`, see cron.js.

import { dayNumber, daysInMonth, weekdayOf } from './calendar.js';

const FIRST_YEAR = 2000;
const LAST_YEAR = 2199;
const SATURDAY = 6;
const SUNDAY = 0;

/** The weekday (Monday to Friday) nearest to `day` in its month of `length` days; never in another month. */
export function nearestWeekday(day, length, onWeekday) {
  if (onWeekday(day) === SATURDAY) return day === 1 ? 3 : day - 1;
  if (onWeekday(day) === SUNDAY) return day === length ? day - 2 : day + 1;
  return day;
}

function dayFits(field, day, length, onWeekday) {
  if (field.values.has(day)) return true;
  return field.special.some((item) => day === (item.last ? length : nearestWeekday(item.nearestTo, length, onWeekday)));
}

function weekdayFits(field, day, length, onWeekday) {
  const weekday = onWeekday(day);
  if (field.values.has(weekday)) return true;
  return field.special.some((item) => {
    if (item.weekday !== weekday) return false;
    return item.last ? day + 7 > length : Math.ceil(day / 7) === item.nth;
  });
}

const narrows = ({ text }) => text.startsWith('*') || text === '?';

/**
 * The days that fit in a month of `length` days whose first is a `firstWeekday`: bit n - 1 stands for day n.
 * Vixie's rule: both fields must fit where either starts with `*`, else one.
 */
export function fittingDays(day, weekday, length, firstWeekday) {
  const onWeekday = (date) => (firstWeekday + date - 1) % 7;
  const both = narrows(day) || narrows(weekday);
  let bits = 0;
  for (let date = 1; date <= length; date += 1) {
    const fits = [dayFits(day, date, length, onWeekday), weekdayFits(weekday, date, length, onWeekday)];
    if (both ? fits.every(Boolean) : fits.some(Boolean)) bits |= 1 << (date - 1);
  }
  return bits;
}

/** Whether a date of the years 2000 to 2199 fits. */
export function someDateFits(day, month, weekday) {
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year += 1) {
    for (const number of month.values) {
      if (fittingDays(day, weekday, daysInMonth(year, number), weekdayOf(dayNumber(year, number, 1))) !== 0) return true;
    }
  }
  return false;
}
