// Which dates the day fields of a cron text fit. A field is `{text, values, special}`, see cron.js.

import { daysInMonth, midnight } from './calendar.js';

const FIRST_YEAR = 2000;
const LAST_YEAR = 2199;
const SATURDAY = 6;
const SUNDAY = 0;

/** The weekday (Monday to Friday) nearest to `day` in its month of `length` days; never in another month. */
export function nearestWeekday(day, length, weekdayOf) {
  if (weekdayOf(day) === SATURDAY) return day === 1 ? 3 : day - 1;
  if (weekdayOf(day) === SUNDAY) return day === length ? day - 2 : day + 1;
  return day;
}

function dayFits(field, day, length, weekdayOf) {
  if (field.values.has(day)) return true;
  return field.special.some((item) => day === (item.last ? length : nearestWeekday(item.nearestTo, length, weekdayOf)));
}

function weekdayFits(field, day, length, weekdayOf) {
  const weekday = weekdayOf(day);
  if (field.values.has(weekday)) return true;
  return field.special.some((item) => {
    if (item.weekday !== weekday) return false;
    return item.last ? day + 7 > length : Math.ceil(day / 7) === item.nth;
  });
}

const narrows = ({ text }) => text.startsWith('*') || text === '?';

/** Whether some day of the month fits; Vixie's rule: both fields where either starts with `*`, else either. */
function monthFits(day, weekday, year, month) {
  const firstWeekday = (midnight(year, month, 1) / 86_400_000 + 4) % 7; // 1970-01-01 was a Thursday
  const length = daysInMonth(year, month);
  const weekdayOf = (date) => (firstWeekday + date - 1) % 7;
  const both = narrows(day) || narrows(weekday);
  for (let date = 1; date <= length; date += 1) {
    const fits = [dayFits(day, date, length, weekdayOf), weekdayFits(weekday, date, length, weekdayOf)];
    if (both ? fits.every(Boolean) : fits.some(Boolean)) return true;
  }
  return false;
}

/** Whether a date of the years 2000 to 2199 fits. */
export function someDateFits(day, month, weekday) {
  for (let year = FIRST_YEAR; year <= LAST_YEAR; year += 1) {
    for (const number of month.values) {
      if (monthFits(day, weekday, year, number)) return true;
    }
  }
  return false;
}
