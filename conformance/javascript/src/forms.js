// The forms that a member of the authored object can have. A form is a function from the value that
// was given to its folded value; it throws Misfit where the value does not fit.

import { readIdentifier } from './facts.js';
import { Members } from './json-value.js';
import { nearest } from './nearest.js';
import { Misfit } from './refusal.js';
import { codePoints, isUnicode } from './text.js';
import { readTimestamp } from './timestamp.js';

export function misfit(message) {
  throw new Misfit('bad_task', message);
}

/** A form that takes a string as the next form reads it. */
export function fromText(read) {
  return (value) => (typeof value === 'string' ? read(value) : misfit('a text is needed'));
}

/** Unicode without U+0000, kept as it is, `least` to `most` code points. */
export function text(least, most) {
  return fromText((value) => {
    if (!isUnicode(value) || value.includes('\0')) misfit('a text is Unicode without U+0000');
    const length = codePoints(value);
    if (length < least || length > most) misfit(`a text of ${least} to ${most} characters is needed, not ${length}`);
    return value;
  });
}

/** A JSON number whose double is whole, `least` to `most`. */
export function integer(least, most) {
  return (value) => {
    if (!Number.isInteger(value) || value < least || value > most) {
      misfit(`a whole number from ${least} to ${most} is needed`);
    }
    return value;
  };
}

/** One of the names, exactly. */
export function choice(...names) {
  return fromText((value) => {
    if (!names.includes(value)) misfit(`one of ${names.join(', ')} is needed; the nearest is ${nearest(value, names)}`);
    return value;
  });
}

export function boolean(value) {
  return typeof value === 'boolean' ? value : misfit('true or false is needed');
}

/** Any JSON value, kept whole. */
export function opaque(value) {
  return value;
}

export const identifier = fromText(readIdentifier);

export const timestamp = fromText((value) => readTimestamp(value).text);

/** An array of `least` to `most` values of one form; it fails whole, by whichever element. */
export function arrayOf(form, least = 0, most = Infinity) {
  return (value) => list(value, least, most).map((element) => form(element));
}

/** The value, if it is an array of `least` to `most` elements. */
export function list(value, least, most) {
  if (!Array.isArray(value)) misfit('an array is needed');
  if (value.length < least || value.length > most) misfit(`${least} to ${most} elements are needed, not ${value.length}`);
  return value;
}

/** An object of text to text, kept whole. */
export function labels(most) {
  const label = text(0, Infinity);
  return (value) => {
    if (!(value instanceof Members)) misfit('an object of text to text is needed');
    if (value.pairs.length > most) misfit(`at most ${most} members, not ${value.pairs.length}`);
    for (const [name, member] of value.pairs) {
      label(name);
      label(member);
    }
    return value;
  };
}
