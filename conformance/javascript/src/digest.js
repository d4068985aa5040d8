// The digest of a task: BLAKE3 over the canonical bytes of its authored object, with every refusal
// in its order. It knows no default and leaves nothing out: that is the fold's part.

import { deriver, hex, utf8 } from './blake3.js';
import { Members, depth, holdsBadNumber, holdsLoneSurrogate, repeatsNames } from './json-value.js';
import { canonical } from './json-write.js';
import { Refusal } from './refusal.js';

export const MOST_LEVELS = 64;
export const MOST_BYTES = 65536;

const NOT_AUTHORED = new Set(['enabled', 'tenant', 'task']);
const digestOfBytes = deriver('occurrence-ledger 2026-11-30 task digest v1');

const isNotAuthored = ([name, member]) => NOT_AUTHORED.has(name) || member === null;

// The order is the specification's: the first that holds is the answer, wherever it holds.
const FAULTS = [
  ['not_an_object', (authored) => !(authored instanceof Members)],
  ['duplicate_member', repeatsNames],
  ['bad_text', holdsLoneSurrogate],
  ['bad_number', holdsBadNumber],
  ['too_deep', (authored) => depth(authored) > MOST_LEVELS],
  ['not_authored', (authored) => authored.pairs.some(isNotAuthored)],
];

/** The digest in hex and the canonical text of an authored object. Throws Refusal, fact `authored`. */
export function digestOf(authored) {
  for (const [code, holds] of FAULTS) {
    if (holds(authored)) throw new Refusal(code, 'authored');
  }
  const text = canonical(authored);
  const bytes = utf8(text);
  if (bytes.length > MOST_BYTES) throw new Refusal('too_large', 'authored');
  return { digest: hex(digestOfBytes(bytes)), canonical: text };
}
