// A TZif file, RFC 8536: the instants at which a zone's offset changes, and the rule for all time after them.

const HEADER_BYTES = 44;
const MAGIC = 0x545a6966; // TZif

/** The six counts of a header at `at`, and where its data end if instants take `wide` bytes. */
function readHeader(view, at, wide) {
  if (view.byteLength < at + HEADER_BYTES || view.getUint32(at) !== MAGIC) throw new Error('not a TZif file');
  const names = ['isUtc', 'isStandard', 'leaps', 'times', 'types', 'letters'];
  const counts = Object.fromEntries(names.map((name, index) => [name, view.getUint32(at + 20 + 4 * index)]));
  const { isUtc, isStandard, leaps, times, types, letters } = counts;
  const size = times * (wide + 1) + types * 6 + letters + leaps * (wide + 4) + isStandard + isUtc;
  return { ...counts, version: view.getUint8(at + 4), data: at + HEADER_BYTES, end: at + HEADER_BYTES + size };
}

/**
 * What a file of version 2 or later says: `first`, the offset before all transitions, in seconds east of UTC;
 * `transitions`, pairs of the Unix second and the offset from then on; `footer`, the rule after the last of them.
 * Throws Error for another file.
 */
export function readTzif(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The first block is for readers of 32 bits; it is stepped over.
  const old = readHeader(view, 0, 4);
  if (old.version < 0x32) throw new Error('a TZif file of version 1');
  const block = readHeader(view, old.end, 8);
  if (block.leaps !== 0) throw new Error('a TZif file with leap seconds');
  const { data, times } = block;
  const types = data + times * 9;
  const offsetOf = (type) => view.getInt32(types + 6 * type);
  const transitions = Array.from({ length: times }, (_, index) => [
    Number(view.getBigInt64(data + 8 * index)),
    offsetOf(view.getUint8(data + 8 * times + index)),
  ]);
  const [, footer] = new TextDecoder('latin1').decode(bytes.subarray(block.end)).split('\n');
  return { first: offsetOf(0), transitions, footer };
}
