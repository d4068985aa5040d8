// The eight facts of an occurrence: their forms, what is folded, and the order of the refusals.

import { Members } from './json-value.js';
import { Misfit, Refusal } from './refusal.js';
import { codePoints, compareCodePoints, smallLetters } from './text.js';
import { readTimestamp } from './timestamp.js';

const IDENTIFIER = /^[\x21\x23-\x5b\x5d-\x7e]*$/; // printable ASCII but space, `"` and `\`
const TOKEN = /^[a-z][a-z0-9_.+-]{0,63}$/;
const RETRY_NUMBER = /^[1-9][0-9]{0,8}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** 1 to 200 characters of printable ASCII; nothing is folded. */
export function readIdentifier(text) {
  if (text === '') throw new Misfit('empty', 'an identifier is not empty');
  if (codePoints(text) > 200) throw new Misfit('too_long', 'an identifier has at most 200 characters');
  if (!IDENTIFIER.test(text)) throw new Misfit('bad_character', 'an identifier is printable ASCII without space, " and \\');
  return text;
}

/** A small letter and up to 63 more of `a-z 0-9 _ . + -`; capitals become small. */
export function readToken(text) {
  if (text === '') throw new Misfit('empty', 'a token is not empty');
  const folded = smallLetters(text);
  if (!TOKEN.test(folded)) throw new Misfit('bad_token', 'a token is a letter, then up to 63 of a-z 0-9 _ . + -');
  return folded;
}

/** A token, or `token:qualifier`. */
export function readWake(text) {
  const colon = text.indexOf(':');
  const token = readToken(colon < 0 ? text : text.slice(0, colon));
  const qualifier = colon < 0 ? undefined : readIdentifier(text.slice(colon + 1));
  if (token === 'retry' && !RETRY_NUMBER.test(qualifier ?? '')) {
    throw new Misfit('bad_retry', 'a retry has its number, 1 to 999999999, without leading zeros');
  }
  return qualifier === undefined ? token : `${token}:${qualifier}`;
}

/** `token:identifier`. */
export function readDestination(text) {
  const colon = text.indexOf(':');
  if (colon < 0) throw new Misfit('bad_destination', 'a destination is token:identifier');
  return `${readToken(text.slice(0, colon))}:${readIdentifier(text.slice(colon + 1))}`;
}

function readDigest(text) {
  const folded = smallLetters(text);
  if (!DIGEST.test(folded)) throw new Misfit('bad_digest', 'a digest is 64 hex digits');
  return folded;
}

// In the order of the preimage, which is also the order of every check.
const FORMS = new Map([
  ['tenant', readIdentifier],
  ['delivery', readToken],
  ['wake', readWake],
  ['agent', readIdentifier],
  ['destination', readDestination],
  ['task', readIdentifier],
  ['digest', readDigest],
  ['due', (text) => readTimestamp(text).text],
]);

function fit(fact, form, value) {
  try {
    return form(value);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new Refusal(error.code, fact, `${fact} is refused (${error.code}): ${error.message}`);
  }
}

/**
 * The canonical facts, by name and in the order of the preimage, from a JSON value. Throws Refusal:
 * not_an_object, missing, unknown, not_a_string, then the codes of the forms.
 */
export function readFacts(value) {
  if (!(value instanceof Members)) throw new Refusal('not_an_object', 'facts');
  const given = value.byName();
  const names = [...FORMS.keys()];
  const missing = names.find((name) => !given.has(name));
  if (missing !== undefined) throw new Refusal('missing', missing);
  const [unknown] = [...given.keys()].filter((name) => !FORMS.has(name)).sort(compareCodePoints);
  if (unknown !== undefined) throw new Refusal('unknown', unknown);
  const notText = names.find((name) => typeof given.get(name) !== 'string');
  if (notText !== undefined) throw new Refusal('not_a_string', notText);
  return new Map(names.map((name) => [name, fit(name, FORMS.get(name), given.get(name))]));
}

/** The canonical form of the fact `due` alone. Throws Refusal, not_a_string first. */
export function readDueFact(value) {
  if (typeof value !== 'string') throw new Refusal('not_a_string', 'due');
  return fit('due', FORMS.get('due'), value);
}
