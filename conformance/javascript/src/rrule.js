// The grammar of `rrule`: one line, RRULE: and its parts, of which dialect 1 takes these.

import { isDate, isTime } from './calendar.js';
import { misfit } from './forms.js';

const PREFIX = 'RRULE:';
const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'];
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** A test: a decimal without plus sign or leading zero, `least` to `most`. */
function count(least, most) {
  return (text) => /^(?:0|[1-9][0-9]{0,5})$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** A test: the same with or without a minus sign, from 1. */
function signed(most) {
  const within = count(1, most);
  return (text) => within(text.startsWith('-') ? text.slice(1) : text);
}

function isLocalTime(text) {
  const found = /^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})$/.exec(text);
  if (found === null) return false;
  const [year, month, day, ...time] = found.slice(1).map(Number);
  return year >= 1970 && year <= 9998 && isDate(year, month, day) && isTime(...time);
}

const isWeekday = (text) => WEEKDAYS.includes(text);
const isNth = signed(53);

function isDay(text, { FREQ }) {
  if (isWeekday(text)) return true;
  const numbered = FREQ === 'MONTHLY' || FREQ === 'YEARLY';
  return numbered && isWeekday(text.slice(-2)) && isNth(text.slice(0, -2));
}

const some = (test) => (text, parts) => text.split(',').every((item) => test(item, parts));

// Each part's test, and the frequencies that it goes with where not all.
const PARTS = new Map([
  ['FREQ', { test: (text) => FREQUENCIES.includes(text) }],
  ['INTERVAL', { test: count(1, 9_999) }],
  ['COUNT', { test: count(1, 100_000) }],
  ['UNTIL', { test: isLocalTime }],
  ['WKST', { test: isWeekday }],
  ['BYMONTH', { test: some(count(1, 12)) }],
  ['BYMONTHDAY', { test: some(signed(31)), under: ['YEARLY', 'MONTHLY', 'DAILY'] }],
  ['BYYEARDAY', { test: some(signed(366)), under: ['YEARLY'] }],
  ['BYDAY', { test: some(isDay) }],
  ['BYHOUR', { test: some(count(0, 23)) }],
  ['BYMINUTE', { test: some(count(0, 59)) }],
  ['BYSECOND', { test: some(count(0, 59)) }],
  ['BYSETPOS', { test: some(signed(366)) }],
]);

function readParts(text) {
  const parts = {};
  for (const part of text.split(';')) {
    const [name, ...value] = part.split('=');
    if (!PARTS.has(name) || value.length !== 1) misfit(`${JSON.stringify(part)} is no part of a rule here`);
    if (Object.hasOwn(parts, name)) misfit(`${name} is given twice`);
    [parts[name]] = value;
  }
  return parts;
}

/** The text itself, if it is a rule. */
export function readRule(text) {
  if (!text.startsWith(PREFIX)) misfit(`a rule starts with ${PREFIX}`);
  const parts = readParts(text.slice(PREFIX.length));
  if (parts.FREQ === undefined) misfit('a rule needs FREQ');
  for (const [name, value] of Object.entries(parts)) {
    const { test, under } = PARTS.get(name);
    if (!test(value, parts)) misfit(`${name} does not take ${JSON.stringify(value)}`);
    if (under !== undefined && !under.includes(parts.FREQ)) misfit(`${name} does not go with ${parts.FREQ}`);
  }
  if (parts.COUNT !== undefined && parts.UNTIL !== undefined) misfit('either COUNT or UNTIL');
  const others = Object.keys(parts).filter((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (parts.BYSETPOS !== undefined && others.length === 0) misfit('BYSETPOS needs another BY');
  return text;
}
