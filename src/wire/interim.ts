const CONTINUE = Buffer.from('100', 'latin1');
const LINE_START = Buffer.from('HTTP/1.', 'latin1');
const STATUS_AT = 'HTTP/1.1 '.length;
const DIGIT_TWO = 0x32;

/**
 * Makes an unasked `100 Continue` at the start of what came back harmless. RFC 9110 §15.2 lets a client ignore any 1xx
 * that it did not expect; undici does, except for 100, at which it breaks the connection. So 100 becomes 102, in place.
 */
export function passInterim(chunk: Buffer): void {
  let start = 0;
  while (
    chunk.length >= start + STATUS_AT + CONTINUE.length &&
    chunk[start] === LINE_START[0] &&
    chunk.compare(LINE_START, 0, LINE_START.length, start, start + LINE_START.length) === 0 &&
    chunk.compare(CONTINUE, 0, CONTINUE.length, start + STATUS_AT, start + STATUS_AT + CONTINUE.length) === 0
  ) {
    chunk[start + STATUS_AT + 2] = DIGIT_TWO;
    const end = chunk.indexOf('\r\n\r\n', start, 'latin1');
    if (end < 0) return;
    start = end + 4;
  }
}
