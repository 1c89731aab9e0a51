import type { TransactionCall } from '../../contract/call-name.ts';
import type { NoReplyReason } from '../exchange.ts';

/** Number of bytes for which there is space at first. One turn of the event loop rarely writes more. */
const FIRST_BYTES = 65_536;
/** Maximum number of bytes of a line without its texts. */
const MAX_REST = 128;
/** Maximum number of bytes of a character in JSON, which may write it as `\u0000`. */
const MAX_ESCAPED = 6;
/** The largest number whose digits are computed with 32 bits. */
const MAX_INT32 = 0x7f_ff_ff_ff;
const ZERO = 0x30;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TILDE = 0x7e;

/**
 * Writes the lines of the journal of a load test (see `LoadLine`) as bytes. A load test writes thousands of lines a second. To join
 * each line from texts, and to copy these texts into a buffer later, would need several times as long.
 */
export class LineWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  /**
   * Writes the line of a bet, win or refund. croupier itself makes the txIDs, the roundID and the amount, so they need no escapes in
   * JSON.
   */
  sending(
    number: number,
    at: number,
    session: number,
    call: TransactionCall,
    txID: string,
    roundID: string,
    amount: string,
    origTxID: string | null,
    frID: string | null,
  ): void {
    const own = txID.length + roundID.length + amount.length + (origTxID?.length ?? 0);
    this.#reserve(own + (frID?.length ?? 0) * MAX_ESCAPED);
    this.#ascii('["s",');
    this.#number(number);
    this.#byte(COMMA);
    this.#number(at);
    this.#byte(COMMA);
    this.#number(session);
    this.#ascii(',"');
    this.#ascii(call);
    this.#ascii('","');
    this.#ascii(txID);
    this.#ascii('","');
    this.#ascii(roundID);
    this.#ascii('","');
    this.#ascii(amount);
    this.#ascii('",');
    this.#quoted(origTxID);
    this.#byte(COMMA);
    this.#quoted(frID);
    this.#ascii(']\n');
  }

  /** Writes the line of a call that is sent again. */
  copy(number: number, at: number, of: number): void {
    this.#numbers('["c",', number, at, of);
    this.#ascii(']\n');
  }

  /** Writes the line of a balance call. */
  read(number: number, at: number, session: number): void {
    this.#numbers('["r",', number, at, session);
    this.#ascii(']\n');
  }

  /** Writes the line of a reply. The balance and the txID are text of the operator, which must not contain secrets. */
  reply(number: number, at: number, status: number, balance: string | null, txID: string | null): void {
    this.#reserve(((balance?.length ?? 0) + (txID?.length ?? 0)) * MAX_ESCAPED);
    this.#numbers('["a",', number, at, status);
    this.#byte(COMMA);
    this.#quoted(balance);
    this.#byte(COMMA);
    this.#quoted(txID);
    this.#ascii(']\n');
  }

  /** Writes the line of a call that got no reply. */
  noReply(number: number, at: number, reason: NoReplyReason): void {
    this.#reserve(0);
    this.#ascii('["x",');
    this.#number(number);
    this.#byte(COMMA);
    this.#number(at);
    this.#ascii(',"');
    this.#ascii(reason);
    this.#ascii('"]\n');
  }

  /** Returns the bytes of all lines since the last call. They are valid until the next line is written. */
  take(): Buffer {
    const lines = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return lines;
  }

  /** Makes space for one line. @param length the maximum number of bytes of its texts */
  #reserve(length: number): void {
    const end = this.#length + MAX_REST + length;
    if (end <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * end);
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }

  /** Writes the beginning of a line: its kind and three numbers. */
  #numbers(kind: string, first: number, second: number, third: number): void {
    this.#reserve(0);
    this.#ascii(kind);
    this.#number(first);
    this.#byte(COMMA);
    this.#number(second);
    this.#byte(COMMA);
    this.#number(third);
  }

  #byte(code: number): void {
    this.#bytes[this.#length] = code;
    this.#length += 1;
  }

  #ascii(text: string): void {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let at = 0; at < text.length; at += 1) bytes[start + at] = text.charCodeAt(at);
    this.#length = start + text.length;
  }

  /** Writes a whole number that is not negative. */
  #number(value: number): void {
    if (value > MAX_INT32) {
      this.#ascii(value.toString());
      return;
    }
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits += 1;
    const bytes = this.#bytes;
    const end = this.#length + digits;
    let rest = value | 0;
    for (let at = end - 1; at >= this.#length; at -= 1) {
      const tenth = (rest / 10) | 0;
      bytes[at] = ZERO + rest - 10 * tenth;
      rest = tenth;
    }
    this.#length = end;
  }

  /** Writes a text as `JSON.stringify` writes it. */
  #quoted(text: string | null): void {
    if (text === null) {
      this.#ascii('null');
      return;
    }
    const bytes = this.#bytes;
    const start = this.#length + 1;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code < SPACE || code === QUOTE || code === BACKSLASH || code > TILDE) {
        this.#length += bytes.write(JSON.stringify(text), this.#length);
        return;
      }
      bytes[start + at] = code;
    }
    bytes[start - 1] = QUOTE;
    bytes[start + text.length] = QUOTE;
    this.#length = start + text.length + 1;
  }
}
