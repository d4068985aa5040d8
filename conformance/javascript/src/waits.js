// The two times that are derived and not drawn: how far a task's start is spread, and how long a
// retry waits. The same facts give the same time on every machine.

import { deriver, firstEight, utf8 } from './blake3.js';
import { canonical } from './json-write.js';

const spreadOf = deriver('occurrence-ledger 2026-11-30 spread v1');

/** Whole seconds between a task's due and its `run_at`, 0 to `spreadS`. */
export function spreadSeconds(tenant, task, spreadS) {
  return Number(firstEight(spreadOf(utf8(canonical([tenant, task])))) % BigInt(spreadS + 1));
}

/** min(maxS, backoffS × factor^(n−1)), without ever computing a power that is larger than it need be. */
function unjittered(n, { backoffS, factor, maxS }) {
  let wait = backoffS;
  if (factor === 1 || wait === 0) return Math.min(maxS, wait);
  for (let k = 1; k < n && wait < maxS; k += 1) wait *= factor;
  return Math.min(maxS, wait);
}

/**
 * The wait of retry `n` (from 1) in whole microseconds: between half and the whole of the backoff,
 * by the retry's own fingerprint (64 hex digits).
 */
export function retryWaitMicros(fingerprint, n, backoff) {
  const u = BigInt(`0x${fingerprint.slice(0, 16)}`);
  const wait = BigInt(unjittered(n, backoff));
  return Number((wait * 1_000_000n * (2n ** 64n + u)) / 2n ** 65n);
}
