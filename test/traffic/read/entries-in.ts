import type { LogEntry, LoggedExchange } from '../../../src/traffic/logged-exchange.ts';
import { type LogForm, logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { readEntries } from '../../../src/traffic/read/read-entries.ts';

/** A stream of pieces of this size. Each piece is valid only until the next one is read, as with a file. */
export async function* inPieces(content: string | Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; at += size) {
    const piece = Buffer.from(bytes.subarray(at, at + size));
    yield piece;
    piece.fill('!');
  }
}

/** Reads the entries of a file, in pieces that split lines and characters. */
export async function entriesIn(content: string | Uint8Array, form: LogForm = logForm()): Promise<readonly LogEntry[]> {
  const found: LogEntry[] = [];
  for await (const entry of readEntries(inPieces(content, 97), { file: 'f', side: null, form })) found.push(entry);
  return found;
}

/** Reads the exchanges of a file. */
export async function exchangesIn(content: string | Uint8Array, form?: LogForm): Promise<readonly LoggedExchange[]> {
  const all = await entriesIn(content, form);
  return all.flatMap((entry) => (entry.kind === 'exchange' ? [entry.exchange] : []));
}
