// The one door to BLAKE3, in its derive-key mode alone: each use has its own context string.

import { blake3 } from '@noble/hashes/blake3.js';

const UTF8 = new TextEncoder();

/** A function from bytes to the 32 bytes that BLAKE3 derives from them under `context`. */
export function deriver(context) {
  const contextBytes = UTF8.encode(context);
  return (bytes) => blake3(bytes, { context: contextBytes });
}

export function utf8(text) {
  return UTF8.encode(text);
}

/** Small hex digits, two a byte. */
export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The first eight bytes, big-endian, as an unsigned integer. */
export function firstEight(bytes) {
  return BigInt(`0x${hex(bytes.subarray(0, 8))}`);
}
