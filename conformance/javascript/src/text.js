// Text by the specification's measure: letters A to Z alone fold, length is in code points, and
// names are ordered by code point. JavaScript's own strings count and compare UTF-16 units.

/** `A` to `Z` become small; no other character changes, in no locale. */
export function smallLetters(text) {
  return text.replace(/[A-Z]+/g, (run) => run.toLowerCase());
}

/** `a` to `z` become capitals; no other character changes, in no locale. */
export function capitalLetters(text) {
  return text.replace(/[a-z]+/g, (run) => run.toUpperCase());
}

/** The length in code points; a lone surrogate counts as one. */
export function codePoints(text) {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.codePointAt(at) > 0xffff) at += 1;
    count += 1;
  }
  return count;
}

/** Whether every surrogate has its partner, so that the text can be written as UTF-8. */
export function isUnicode(text) {
  return text.isWellFormed();
}

// Surrogates stand for code points above U+FFFF, yet as units they lie below U+E000. Lifting them
// over the rest of the plane makes an order of units an order of code points.
function weight(unit) {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Negative, zero or positive, as `a` sorts before, with or after `b` by code points. */
export function compareCodePoints(a, b) {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return weight(left) - weight(right);
  }
  return a.length - b.length;
}
