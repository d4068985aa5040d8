// From facts to key: preimage, fingerprint, and a UUID of version 8 that sorts by due time.

import { deriver, hex, utf8 } from './blake3.js';
import { readFacts } from './facts.js';
import { canonical } from './json-write.js';
import { readTimestamp } from './timestamp.js';

const fingerprintOf = deriver('occurrence-ledger 2026-11-30 occurrence key v1');
const MILLIS_BYTES = 6;

function uuid(millis, f) {
  const time = millis.toString(16).padStart(2 * MILLIS_BYTES, '0');
  const tail = hex([0x80 | (f[0] & 0x0f), f[1], 0x80 | (f[2] & 0x3f), ...f.subarray(3, 10)]);
  const digits = time + tail;
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20, 32]].map(([from, to]) => digits.slice(from, to)).join('-');
}

/** The key, the fingerprint in hex and the preimage of a JSON value that holds the eight facts. Throws Refusal. */
export function keyOf(value) {
  const facts = readFacts(value);
  const preimage = canonical(['occurrence/1', ...facts.values()]);
  const fingerprint = fingerprintOf(utf8(preimage));
  const key = uuid(readTimestamp(facts.get('due')).millis, fingerprint);
  return { key, fingerprint: hex(fingerprint), preimage };
}
