// The proleptic Gregorian calendar, years 1 to 9999, and which fields make a date or a time.

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isLeapYear(year) {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The days of a month, January being 1. */
export function daysInMonth(year, month) {
  return month === 2 && isLeapYear(year) ? 29 : DAYS[month - 1];
}

export function isDate(year, month, day) {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** No leap second and no 24:00. */
export function isTime(hour, minute, second) {
  return hour <= 23 && minute <= 59 && second <= 59;
}

/** Milliseconds since 1970 of midnight UTC of a date that exists. */
export function midnight(year, month, day) {
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
