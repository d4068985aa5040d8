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

const DAYS_OF_400_YEARS = 146_097;
const DAYS_TO_1970 = 719_468; // from the 1st of March of the year 0

/** The remainder of a whole division, never negative; exact for whole numbers up to 2^53. */
export function modulo(number, by) {
  const rest = number % by;
  return rest < 0 ? rest + by : rest + 0; // + 0 turns -0 into 0
}

/** Days from 1970-01-01 to a date, negative before. */
export function dayNumber(year, month, day) {
  // Counted in years that begin in March, so that a leap day is the last of its year.
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const yearDays = 365 * marchYear + Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return yearDays + dayOfYear - DAYS_TO_1970;
}

/** The date of a day number: `[year, month, day]`. */
export function dateOf(number) {
  const since = number + DAYS_TO_1970;
  const era = Math.floor(since / DAYS_OF_400_YEARS);
  const dayOfEra = since - era * DAYS_OF_400_YEARS;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return [yearOfEra + era * 400 + (month > 2 ? 0 : 1), month, day];
}

/** The weekday of a day number, Sunday being 0. */
export function weekdayOf(number) {
  return modulo(number + 4, 7); // 1970-01-01 was a Thursday
}

/** Milliseconds since 1970 of midnight UTC of a date that exists. */
export function midnight(year, month, day) {
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day);
}
