// RFC 8785, the JSON Canonicalization Scheme: no white space, members sorted by UTF-16 units,
// numbers as ECMAScript writes them, and only the escapes that JSON cannot do without.

import { Members } from './json-value.js';

const SHORT_ESCAPES = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

function escape(character) {
  return SHORT_ESCAPES.get(character) ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function quoted(text) {
  return `"${text.replace(/["\\\u0000-\u001f]/g, escape)}"`;
}

/** The canonical text of a JSON value; its UTF-8 is the canonical bytes. `-0` is written `0`. */
export function canonical(value) {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`JSON has no ${value}`);
    return String(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!(value instanceof Members)) throw new TypeError('not a JSON value of this package');
  // `<` on strings compares UTF-16 units, which is the order that RFC 8785 asks for.
  const sorted = value.pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([name, member]) => `${quoted(name)}:${canonical(member)}`).join(',')}}`;
}
