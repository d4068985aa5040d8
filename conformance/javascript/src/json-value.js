// JSON as it was written. A plain JavaScript object would lose what the specification asks about:
// repeated names, and a member called `__proto__`. So an object here is the list of its members.
// Arrays, strings, numbers, booleans and null are JavaScript's own; a number may be infinite, which
// is how `1e999` arrives before it is refused.

import { isUnicode } from './text.js';
import { Misfit } from './refusal.js';

/** A JSON object: `[name, value]` pairs in the order they were written. */
export class Members {
  constructor(pairs = []) {
    this.pairs = pairs;
  }

  /** The members by name; of a repeated name, the last. */
  byName() {
    return new Map(this.pairs);
  }

  repeatsName() {
    return new Set(this.pairs.map(([name]) => name)).size < this.pairs.length;
  }
}

/**
 * The same value as `Members`, from plain JavaScript. A member that is `undefined` is not there.
 * Throws TypeError for what no JSON can say (functions, dates, big integers, ...), and Misfit
 * `too_deep` beyond `levels`, so that an object that holds itself comes to an end.
 */
export function fromPlain(value, levels = 100) {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
  if (typeof value !== 'object') throw new TypeError(`a ${typeof value} is not a JSON value`);
  if (levels === 0) throw new Misfit('too_deep');
  if (Array.isArray(value)) return Array.from(value, (element) => fromPlain(element, levels - 1));
  const made = Object.getPrototypeOf(value);
  if (made !== null && Object.getPrototypeOf(made) !== null) {
    throw new TypeError(`a ${made.constructor?.name} is not a JSON value`);
  }
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return new Members(given.map(([name, member]) => [name, fromPlain(member, levels - 1)]));
}

/** Whether `test` holds for the value or anything in it, names of members apart. */
export function someValue(value, test) {
  if (test(value)) return true;
  if (Array.isArray(value)) return value.some((element) => someValue(element, test));
  if (value instanceof Members) return value.pairs.some(([, member]) => someValue(member, test));
  return false;
}

export function repeatsNames(value) {
  return someValue(value, (part) => part instanceof Members && part.repeatsName());
}

/** Whether a text in the value, or a name, holds a surrogate without its partner. */
export function holdsLoneSurrogate(value) {
  return someValue(value, (part) => {
    if (typeof part === 'string') return !isUnicode(part);
    return part instanceof Members && part.pairs.some(([name]) => !isUnicode(name));
  });
}

/** Whether a number in the value is not finite or lies beyond what a double counts exactly. */
export function holdsBadNumber(value) {
  return someValue(
    value,
    (part) => typeof part === 'number' && !(Math.abs(part) <= Number.MAX_SAFE_INTEGER),
  );
}

/** The levels of objects and arrays, the value itself the first; 0 for a value that is neither. */
export function depth(value) {
  let parts;
  if (Array.isArray(value)) parts = value;
  else if (value instanceof Members) parts = value.pairs.map(([, member]) => member);
  else return 0;
  return 1 + parts.reduce((deepest, part) => Math.max(deepest, depth(part)), 0);
}
