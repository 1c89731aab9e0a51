import { randomFillSync } from 'node:crypto';

const UUID_BYTES = 16;
/** Random bytes are taken from the system in portions, because each request to the system takes a long time. */
const RANDOM = Buffer.allocUnsafeSlow(UUID_BYTES * 256);
const WRITTEN = Buffer.alloc(36, '-');
const DIGITS = Buffer.from('0123456789abcdef');
/** The position of the two digits of each byte in the text of a UUID. */
const POSITIONS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
let next = RANDOM.length;

/**
 * Returns a random UUID (RFC 9562, version 4).
 *
 * `crypto.randomUUID` joins its text from 20 pieces. V8 keeps these pieces as long as the text, and needs twenty times as much
 * memory for it. A load test keeps thousands of these texts.
 */
export function loadUuid(): string {
  if (next === RANDOM.length) {
    randomFillSync(RANDOM);
    next = 0;
  }
  for (let at = 0; at < UUID_BYTES; at += 1) {
    let byte = RANDOM[next + at] as number;
    if (at === 6) byte = (byte & 0x0f) | 0x40;
    else if (at === 8) byte = (byte & 0x3f) | 0x80;
    const position = POSITIONS[at] as number;
    WRITTEN[position] = DIGITS[byte >> 4] as number;
    WRITTEN[position + 1] = DIGITS[byte & 0x0f] as number;
  }
  next += UUID_BYTES;
  return WRITTEN.toString('latin1');
}
