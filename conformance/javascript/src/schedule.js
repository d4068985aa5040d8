// A schedule: its table, which members go with which kind, and the elements of `any` and `exclude`.

import { isDate, isTime } from './calendar.js';
import { foldCron, readCron } from './cron.js';
import { foldObject, pathOf } from './fold-object.js';
import { boolean, choice, fromText, integer, list, misfit, text, timestamp } from './forms.js';
import { readRule } from './rrule.js';
import { readZone } from './zones.js';

const KINDS = ['cron', 'every_s', 'at', 'rrule', 'any'];

function kindOf(given) {
  const kinds = KINDS.filter((kind) => given.has(kind));
  if (kinds.length !== 1) misfit(`exactly one of ${KINDS.join(', ')} is needed, not ${kinds.length}`);
  return kinds[0];
}

/** A rule: the member goes with these kinds of schedule alone. */
function goesWith(...kinds) {
  return (_, { given }) => {
    const kind = kindOf(given);
    if (!kinds.includes(kind)) misfit(`it goes with ${kinds.join(' and ')}, not with ${kind}`);
  };
}

/** A rule: the timestamp is later than the one that `name` holds. Canonical texts sort as instants. */
function laterThan(name) {
  return (value, { folded }) => {
    if (folded.has(name) && value <= folded.get(name)) misfit(`it is not later than ${name}`);
  };
}

function cron(value, folded) {
  const seconds = folded.get('seconds') ?? false;
  const made = foldCron(value);
  readCron(made, seconds);
  return made;
}

const LOCAL = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})$/;

function localTime(value) {
  const found = LOCAL.exec(value);
  if (found === null) misfit('a local time is YYYY-MM-DDTHH:MM:SS, without an offset');
  const [year, month, day, ...time] = found.slice(1).map(Number);
  if (!isDate(year, month, day) || !isTime(...time)) misfit('no such date or time');
  if (year < 1970 || year > 9998) misfit('a local time lies in the years 1970 to 9998');
  return value;
}

const DAY = /^(?:([0-9]{4})-)?([0-9]{2})-([0-9]{2})$/;
const SOME_LEAP_YEAR = '2000';

function excludedDay(value) {
  const found = DAY.exec(value);
  if (found === null) misfit('a day is YYYY-MM-DD or MM-DD');
  if (!isDate(...[found[1] ?? SOME_LEAP_YEAR, found[2], found[3]].map(Number))) misfit('no such day');
  return value;
}

const EXCLUSION = {
  members: [
    { name: 'on', form: fromText(excludedDay) },
    { name: 'from', form: timestamp },
    { name: 'to', form: timestamp, rule: laterThan('from') },
  ],
  shape(given) {
    const names = [...given.keys()].sort().join();
    if (names !== 'on' && names !== 'from,to') misfit('an exclusion has either "on", or "from" and "to"');
  },
};

/** An array of objects of one table, in their order; each element has a path of its own. */
function elementsOf(table, least, most) {
  return (value, path) =>
    list(value, least, most).map((element, index) => foldObject(element, pathOf(path, String(index)), table()));
}

const DST = {
  members: [
    { name: 'gap', form: choice('shift', 'skip'), fallback: '"shift"' },
    { name: 'overlap', form: choice('first', 'last', 'both'), fallback: '"first"' },
  ],
};

const ANY = { name: 'any', elements: elementsOf(() => ELEMENT, 1, 16) };
const RULES = [
  { name: 'seconds', form: boolean, fallback: 'false', rule: goesWith('cron') },
  { name: 'cron', form: (value, folded) => fromText((written) => cron(written, folded))(value) },
  { name: 'every_s', form: integer(1, 31_622_400) },
  { name: 'anchor', form: timestamp, fallback: '"1970-01-01T00:00:00.000000Z"', rule: goesWith('every_s') },
  { name: 'at', form: timestamp },
  { name: 'rrule', form: fromText((value) => readRule(text(0, 4_096)(value))) },
  {
    name: 'start',
    form: fromText(localTime),
    needed: (given) => given.has('rrule'),
    rule: goesWith('rrule'),
  },
  ANY,
  { name: 'timezone', form: fromText(readZone), fallback: '"UTC"' },
  { name: 'dst', object: DST, rule: goesWith('cron', 'rrule') },
];

const ELEMENT = { members: RULES.filter((member) => member !== ANY), shape: kindOf };

/** The table of a task's schedule. */
export const SCHEDULE = {
  members: [
    { name: 'dialect', form: integer(1, 1), fallback: '1' },
    ...RULES,
    { name: 'starts_at', form: timestamp },
    { name: 'ends_at', form: timestamp, rule: laterThan('starts_at') },
    { name: 'exclude', elements: elementsOf(() => EXCLUSION, 0, 200), fallback: '[]' },
    { name: 'spread_s', form: integer(0, 86_400), fallback: '0' },
  ],
  shape: kindOf,
};
