import { JOURNAL_FORMAT, type JournalEvent } from './event.ts';
import { isLoadLine, LoadLines } from './load/lines.ts';

/** Thrown if this version of croupier cannot read a text as a journal. The message names the line and the problem. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Describes what is wrong with a value that must be an event. Returns null if the value is valid. */
export type EventCheck = (value: unknown) => string | null;

const FORMAT_NAME = /^croupier-journal\/(\d+)$/;
const NEWEST = formatNumber(JOURNAL_FORMAT) ?? 0;

/**
 * Reads a journal in pieces. If the run was killed, the last line may be incomplete. So a last line without a line end is left out
 * if it is not JSON.
 *
 * @param check validates every event. If it is left out, events are not validated. The journal of the current run needs no
 * validation.
 * @throws JournalError if the text is empty, is not a journal, has a newer format, or has a line that is not an event
 */
export async function* readJournal(
  chunks: AsyncIterable<string> | Iterable<string>,
  check: EventCheck = () => null,
): AsyncGenerator<JournalEvent> {
  let line = 0;
  let loadLines: LoadLines | undefined;
  for await (const { text, ended } of linesOf(chunks)) {
    line += 1;
    if (text.trim() === '') continue;
    const value = parse(text);
    if (value === undefined) {
      if (!ended && line > 1) return;
      throw new JournalError(line === 1 ? NOT_A_JOURNAL : `line ${line} of the journal is not JSON: ${excerpt(text)}`);
    }
    if (line === 1) checkHead(value);
    if (loadLines && isLoadLine(value)) {
      const event = loadLines.eventOf(value);
      if (event) yield event;
      continue;
    }
    const diagnostic = check(value);
    if (diagnostic !== null) throw new JournalError(`line ${line} of the journal is not an event: ${diagnostic}`);
    if (!isEvent(value)) throw new JournalError(`line ${line} of the journal is not an event: ${excerpt(text)}`);
    if (value.event === 'run-started' && value.source === 'load') loadLines = new LoadLines(value);
    yield value;
  }
  if (line === 0) throw new JournalError('the journal is empty, because the run ended before it wrote an event');
}

const NOT_A_JOURNAL = 'line 1: this is not a journal of croupier, which begins with a run-started event';

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEvent(value: unknown): value is JournalEvent {
  return isObject(value) && typeof value.event === 'string';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function formatNumber(format: unknown): number | null {
  const found = typeof format === 'string' ? FORMAT_NAME.exec(format) : null;
  return found ? Number(found[1]) : null;
}

function checkHead(value: unknown): void {
  if (!isObject(value) || value.event !== 'run-started') throw new JournalError(NOT_A_JOURNAL);
  const number = formatNumber(value.format);
  if (number === null)
    throw new JournalError(`line 1: the journal has the unknown format ${excerpt(JSON.stringify(value.format))}`);
  if (number > NEWEST) {
    const writer = typeof value.croupier === 'string' ? ` (croupier ${value.croupier} wrote it)` : '';
    throw new JournalError(
      `line 1: the journal is in the format croupier-journal/${number}${writer}; this croupier reads up to ${JOURNAL_FORMAT}. Use a newer croupier.`,
    );
  }
}

function excerpt(text: string | undefined): string {
  const shown = JSON.stringify((text ?? 'nothing').slice(0, 60));
  return (text?.length ?? 0) > 60 ? `${shown}…` : shown;
}

async function* linesOf(
  chunks: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<{ readonly text: string; readonly ended: boolean }> {
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const parts = chunk.split('\n');
    pieces.push(parts[0] ?? '');
    for (const part of parts.slice(1)) {
      yield { text: pieces.join(''), ended: true };
      pieces = [part];
    }
  }
  const rest = pieces.join('');
  if (rest !== '') yield { text: rest, ended: false };
}
