/**
 * A text that stands somewhere in the bytes of a line, in UTF-8. It becomes a string only where a string is needed, because making
 * strings of all ids and amounts takes most of the time for a large log.
 *
 * The owner of the bytes may use this object again for the next line. So nobody keeps it.
 */
export class ByteText {
  bytes: Buffer = NOTHING;
  from = 0;
  to = 0;

  /** @param text a text without a half of a surrogate pair, because UTF-8 can't contain it */
  static of(text: string): ByteText {
    const bytes = Buffer.from(text);
    return new ByteText().set(bytes, 0, bytes.length);
  }

  set(bytes: Buffer, from: number, to: number): this {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    return this;
  }

  get length(): number {
    return this.to - this.from;
  }

  /** Returns the byte at a position of the text. Returns 0 after the end. */
  at(index: number): number {
    const at = this.from + index;
    return at < this.to ? (this.bytes[at] ?? 0) : 0;
  }

  equals(text: string): boolean {
    const { bytes, from, length } = this;
    // In UTF-8, only a text with other characters than ASCII has more bytes than the string has units.
    if (length !== text.length) return length > text.length && this.toString() === text;
    for (let index = 0; index < length; index += 1) if (bytes[from + index] !== text.charCodeAt(index)) return false;
    return true;
  }

  /** True if the text has exactly these bytes. */
  hasBytes(others: Uint8Array): boolean {
    const { bytes, from, length } = this;
    if (length !== others.length) return false;
    for (let index = 0; index < length; index += 1) if (bytes[from + index] !== others[index]) return false;
    return true;
  }

  /** Returns a copy of the bytes. */
  copy(): Uint8Array {
    return new Uint8Array(this.bytes.subarray(this.from, this.to));
  }

  /** Returns a number with 32 bits. Equal texts have the same number, and most other texts have another one. */
  hash(): number {
    const { bytes, to } = this;
    let hash = 0x1b873593;
    for (let at = this.from; at < to; at += 4) {
      hash = Math.imul(hash ^ fourBytes(bytes, at, to), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  /** Returns the text as a string, which does not keep the bytes in memory. */
  toString(): string {
    return this.bytes.toString('utf8', this.from, this.to);
  }
}

/** Returns four bytes of a text as one number, for a hash. 0xff, which is never in UTF-8, stands for each byte after the end. */
export function fourBytes(bytes: Uint8Array, at: number, to: number): number {
  if (at + 4 <= to)
    return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
  let four = -1;
  for (let index = to - 1; index >= at; index -= 1) four = (four << 8) | (bytes[index] ?? 0);
  return four;
}

const NOTHING = Buffer.alloc(0);
