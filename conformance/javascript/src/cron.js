// Cron text, dialect 1: how it is folded, its grammar, and whether any date fits it.

import { someDateFits } from './cron-days.js';
import { misfit } from './forms.js';
import { Misfit } from './refusal.js';
import { capitalLetters } from './text.js';

const MOST = 256;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const named = (names, first) => new Map(names.map((name, index) => [name, first + index]));

const SECOND = { called: 'second', low: 0, high: 59 };
const MINUTE = { called: 'minute', low: 0, high: 59 };
const HOUR = { called: 'hour', low: 0, high: 23 };
const DAY = { called: 'day of month', low: 1, high: 31, special: dayItem };
const MONTH = { called: 'month', low: 1, high: 12, names: named(MONTHS, 1) };
const WEEKDAY = { called: 'day of week', low: 0, high: 6, sevenIsSunday: true, names: named(WEEKDAYS, 0), special: weekdayItem };
const FIVE = [MINUTE, HOUR, DAY, MONTH, WEEKDAY];

const ALIASES = new Map([
  ['@YEARLY', '0 0 1 1 *'],
  ['@ANNUALLY', '0 0 1 1 *'],
  ['@MONTHLY', '0 0 1 * *'],
  ['@WEEKLY', '0 0 * * 0'],
  ['@DAILY', '0 0 * * *'],
  ['@MIDNIGHT', '0 0 * * *'],
  ['@HOURLY', '0 * * * *'],
]);

// What other dialects have and this one refuses, so that the message can say so. Judged by the grammar, not by this list.
const FOREIGN = [
  [/^@REBOOT$/, '@reboot names no time'],
  [/^(?:CRON_)?TZ=/, 'a zone inside the text; use the member timezone'],
  [/\bH\b/, 'H, a hashed time; use spread_s'],
  [/\bR\b/, 'R, a random time; use spread_s'],
  [/~/, '~, a random range; use spread_s'],
  [/\bLW\b/, 'LW, the last weekday'],
  [/\bL-[0-9]/, 'L-n, days before the last'],
  [/^(?:[^ ]+ ){6}[^ ]+$/, 'seven fields; there is no field of years'],
];

function explain(folded, message) {
  const foreign = FOREIGN.find(([pattern]) => pattern.test(folded));
  return foreign === undefined ? message : `${message} (not in dialect 1: ${foreign[1]})`;
}

/** The text that is stored: ends trimmed, inner runs of spaces and tabs one space, capitals. */
export function foldCron(text) {
  // By hand: an expression for the end would look at every run of space inside again and again.
  let from = 0;
  let to = text.length;
  while (from < to && ' \t\r\n'.includes(text[from])) from += 1;
  while (to > from && ' \t\r\n'.includes(text[to - 1])) to -= 1;
  const folded = capitalLetters(text.slice(from, to).replace(/[ \t]+/g, ' '));
  if (/[^\x00-\x7f]/.test(folded)) misfit('cron text is ASCII');
  if (folded.length > MOST) misfit(`cron text has at most ${MOST} characters`);
  return folded;
}

function number(field, text) {
  if (field.names?.has(text)) return field.names.get(text);
  const value = /^[0-9]{1,3}$/.test(text) ? Number(text) : NaN;
  const high = field.sevenIsSunday ? 7 : field.high;
  if (!(value >= field.low && value <= high)) misfit(`${text} is no ${field.called}`);
  return value;
}

/** `a` and `b` of a range as numbers, 7 read as Sunday except where a week written upwards ends. */
function ends(field, a, b) {
  const first = number(field, a);
  const last = number(field, b);
  if (!field.sevenIsSunday) return [first, last];
  return [first % 7, last === 7 && first < 7 ? 7 : last % 7];
}

function upTo(first, last, step) {
  const values = [];
  for (let value = first; value <= last; value += step) values.push(value);
  return values;
}

const ITEM = /^(?:\*|([0-9]+|[A-Z]+)(?:-([0-9]+|[A-Z]+))?)(?:\/([0-9]{1,3}))?$/;

function plainItem(field, item) {
  const found = ITEM.exec(item);
  if (found === null) misfit(`${JSON.stringify(item)} is no item of the ${field.called}`);
  const [, a, b, every] = found;
  const step = every === undefined ? 1 : Number(every);
  if (step === 0) misfit('a step is at least 1');
  if (a === undefined) return upTo(field.low, field.high, step);
  if (b === undefined) {
    const [first] = ends(field, a, a);
    return upTo(first, every === undefined ? first : field.high, step);
  }
  const [first, last] = ends(field, a, b);
  if (first <= last) return upTo(first, last, step);
  if (every !== undefined) misfit(`${item}: a range that wraps has no step`);
  return [...upTo(first, field.high, 1), ...upTo(field.low, last, 1)];
}

function dayItem(item) {
  if (item === 'L') return { last: true };
  const found = /^([0-9]{1,3})W$/.exec(item);
  if (found === null) return undefined;
  const day = Number(found[1]);
  if (day < 1 || day > 28) misfit(`${item}: nW takes the days 1 to 28`);
  return { nearestTo: day };
}

function weekdayItem(item) {
  const found = /^([0-9]{1,3}|[A-Z]{3})(?:L|#([0-9]{1,3}))$/.exec(item);
  if (found === null) return undefined;
  const weekday = number(WEEKDAY, found[1]) % 7;
  if (found[2] === undefined) return { weekday, last: true };
  const nth = Number(found[2]);
  if (nth < 1 || nth > 5) misfit(`${item}: d#n takes 1 to 5`);
  return { weekday, nth };
}

/** One field: `values` it names, and `special` items such as `L`. */
function readField(field, text) {
  if (text === '?' && field.special) return { text, values: new Set(plainItem(field, '*')), special: [] };
  const values = new Set();
  const special = [];
  for (const item of text.split(',')) {
    const made = field.special?.(item);
    if (made !== undefined) special.push(made);
    // 7 is left at the end of a range such as 5-7.
    else for (const value of plainItem(field, item)) values.add(field.sevenIsSunday ? value % 7 : value);
  }
  return { text, values, special };
}

const isOpen = ({ text }) => text === '*' || text === '?';

function readFields(folded, seconds) {
  const fields = seconds ? [SECOND, ...FIVE] : FIVE;
  const texts = folded.split(' ');
  if (texts.length !== fields.length) {
    misfit(`${fields.length} fields are needed${seconds ? '' : ', or an alias'}, not ${texts.length}`);
  }
  const read = fields.map((field, index) => readField(field, texts[index]));
  const [day, month, weekday] = read.slice(-3);
  if (day.special.length > 0 && !isOpen(weekday)) misfit('L and nW go where the day of week is * or ?');
  if (weekday.special.length > 0 && !isOpen(day)) misfit('d#n and dL go where the day of month is * or ?');
  if (!someDateFits(day, month, weekday)) misfit('no date of 2000 to 2199 fits');
  return read;
}

/**
 * The fields of a folded text, in their order: each `{text, values, special}`, where `values` are
 * the numbers that it names and `special` its items such as `L`. An alias reads as its five fields.
 * Throws Misfit unless the text is cron of dialect 1 that some date fits.
 */
export function readCron(folded, seconds) {
  const written = seconds ? folded : ALIASES.get(folded) ?? folded;
  try {
    return readFields(written, seconds);
  } catch (error) {
    if (error instanceof Misfit) misfit(explain(folded, error.message));
    throw error;
  }
}
