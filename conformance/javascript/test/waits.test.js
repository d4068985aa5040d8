// Spread and the wait of retries: derived, so the same everywhere.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryWaitMicros, spreadSeconds } from '../index.js';

test('spread: the first eight bytes of BLAKE3 over ["acme","weekly-report"] are 133c0efceb522c41', () => {
  // By another BLAKE3; the remainders by another arithmetic.
  const expected = [[0, 0], [1, 1], [59, 21], [3600, 2339], [86_400, 22_420]];
  for (const [spreadS, seconds] of expected) assert.equal(spreadSeconds('acme', 'weekly-report', spreadS), seconds);
});

const fingerprint = (head) => head.padEnd(64, 'f');
const PLAIN = { backoffS: 10, factor: 2, maxS: 3600 };
const WAITS = [
  ['half, for u = 0', '0'.repeat(16), 1, PLAIN, 5_000_000],
  ['three quarters, for u = 2^63', `8${'0'.repeat(15)}`, 1, PLAIN, 7_500_000],
  ['a microsecond short of the whole, for the largest u', 'f'.repeat(16), 1, PLAIN, 9_999_999],
  ['doubled for the second', '0'.repeat(16), 2, PLAIN, 10_000_000],
  ['10 × 2^8 for the ninth', '0'.repeat(16), 9, PLAIN, 1_280_000_000],
  ['no more than the most', '0'.repeat(16), 10, PLAIN, 1_800_000_000],
  ['no more than the most, however far', '0'.repeat(16), 999_999_999, PLAIN, 1_800_000_000],
  ['the most, where the first is longer', '0'.repeat(16), 1, { backoffS: 86_400, factor: 1, maxS: 60 }, 30_000_000],
  ['the same, for factor 1', '0'.repeat(16), 999_999_999, { backoffS: 3, factor: 1, maxS: 60 }, 1_500_000],
  ['none, for backoff 0', 'f'.repeat(16), 999_999_999, { backoffS: 0, factor: 10, maxS: 60 }, 0],
  ['rounded down: 1 s × (2^64 + 1) / 2^65', `${'0'.repeat(15)}1`, 1, { backoffS: 1, factor: 1, maxS: 60 }, 500_000],
];
for (const [what, head, n, backoff, micros] of WAITS) {
  test(`a retry waits ${what}`, () => assert.equal(retryWaitMicros(fingerprint(head), n, backoff), micros));
}
