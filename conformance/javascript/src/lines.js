// Lines out of a stream of bytes. A line ends at LF alone; one that is too long is not kept, so
// memory stays bounded however long a line goes on.

const LF = 0x0a;

export class Lines {
  /** @param {number} most bytes of a line, its LF not counted */
  constructor(most) {
    this.most = most;
    this.kept = [];
    this.length = 0;
  }

  /** The lines that `chunk` completes, as bytes; `null` for one that was too long. */
  *push(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      this.keep(chunk.subarray(from, end));
      yield this.take();
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
  }

  /** The last line, where the stream ended without its LF. */
  *end() {
    if (this.length > 0) yield this.take();
  }

  keep(part) {
    this.length += part.length;
    if (this.length > this.most) this.kept = [];
    else this.kept.push(part);
  }

  take() {
    const line = this.length > this.most ? null : Buffer.concat(this.kept);
    this.kept = [];
    this.length = 0;
    return line;
  }
}
