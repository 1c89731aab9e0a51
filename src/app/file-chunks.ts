import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Files are read in larger parts than Node.js reads by default, because this takes less time. */
const CHUNK_BYTES = 256 * 1024;
/** After this number of parts, other work of the process has its turn, such as the handling of signals. */
const PARTS_AT_ONCE = 16;

/**
 * Reads a file in parts. All parts of a regular file are in the same memory, so a part is valid only until the next part is read. If
 * each part had memory of its own, collecting this memory would take more time than reading the file.
 */
export function fileChunks(file: string): AsyncIterable<Uint8Array> {
  // Reading a pipe could wait for another program.
  return statSync(file).isFile() ? partsOf(file) : createReadStream(file, { highWaterMark: CHUNK_BYTES });
}

async function* partsOf(file: string): AsyncGenerator<Uint8Array> {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (let part = 1; ; part += 1) {
      const length = readSync(descriptor, bytes);
      if (length === 0) return;
      yield bytes.subarray(0, length);
      if (part % PARTS_AT_ONCE === 0) await setImmediate();
    }
  } finally {
    closeSync(descriptor);
  }
}
