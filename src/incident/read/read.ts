import type { SeenExchange, SeenPlace, Side, Sighting } from '../seen.ts';
import { readTextLine } from './access-log.ts';
import { BareReply } from './bare-reply.ts';
import type { ReadBeside } from './command.ts';
import { Correlation } from './correlated.ts';
import { beginsCommand, curlFailure, readCommand } from './curl.ts';
import { fromDocument } from './document.ts';
import { isFields, parsed } from './fields.ts';
import { shapeOf } from './file-shape.ts';
import { isHarEntry, readHarEntry } from './har.ts';
import { isJournalHead, JournalReading } from './journal.ts';
import { readJsonLine, readPlainText, readPrinted } from './json-line.ts';
import { type Line, linesOf } from './lines.ts';
import type { LogForm } from './log-form.ts';
import { plainBytes } from './plain-bytes.ts';
import { beginsMessage, MessageReading } from './raw-http.ts';
import { readW3cLine, w3cColumns } from './w3c-log.ts';
import { embeddedJson } from './wrapped.ts';

/** What browsers put before a request that is copied for PowerShell, and what stands beside the curl lines of a script. */
const SETTING = /^\s*(?:\$\w+(?:\.\w+)*\s*(?:=|\()|#|curl\(\))/;
/** What curl -v says beside the messages. */
const TRACE = /^[*{}] /;
const LONGEST_COMMAND_LINES = 500;

type Chunks = AsyncIterable<Uint8Array>;

/** What is read: its bytes, the name that is shown for it, and whose it is when somebody said so. */
export interface Source {
  readonly file: string;
  readonly side: Side | null;
  readonly form: LogForm;
  /** Left out: nothing that lies beside it is read. */
  readonly beside?: ReadBeside;
}

/**
 * Reads curl lines, raw HTTP, JSON lines and access logs (in any mixture), HARs, and journals, as a stream: what is kept does not grow
 * with the file. What can't be read is told with its line, and reading goes on.
 */
export async function* readSightings(chunks: Chunks, source: Source): AsyncGenerator<Sighting> {
  const { head, all, broken } = await plainBytes(chunks);
  const shape = shapeOf(head);
  let line = 1;
  for await (const sighting of shape.kind === 'lines'
    ? fromLines(all, source)
    : fromDocument(all, shape.list, source)) {
    line = sighting.kind === 'exchange' ? sighting.exchange.place.line : sighting.line;
    yield source.side === null || sighting.kind !== 'exchange'
      ? sighting
      : { ...sighting, exchange: { ...sighting.exchange, side: source.side } };
  }
  const why = broken();
  if (why !== null) yield { kind: 'unreadable', line, why };
}

async function* fromLines(chunks: Chunks, source: Source): AsyncGenerator<Sighting> {
  const reading = new LineByLine(source);
  for await (const line of linesOf(chunks)) yield* reading.take(line);
  yield* reading.end();
}

/** Knows what the line before was the beginning of. */
class LineByLine {
  readonly #source: Source;
  readonly #correlation: Correlation;
  #command: { readonly line: number; readonly lines: string[] } | null = null;
  #message: { readonly line: number; readonly reading: MessageReading } | null = null;
  #journal: JournalReading | null = null;
  /** A request that was read, and whose reply may follow. */
  #waiting: SeenExchange | null = null;
  #bare: BareReply | null = null;
  /** Of a log of IIS, which names them before its lines. */
  #columns: readonly string[] | null = null;

  constructor(source: Source) {
    this.#source = source;
    this.#correlation = new Correlation(source.form);
  }

  *take(line: Line): Generator<Sighting> {
    if (line.text === null) {
      yield { kind: 'unreadable', line: line.number, why: 'the line is longer than 16 MB' };
      return;
    }
    const text = line.text;
    if (this.#command) {
      if (!beginsCommand(text) && this.#command.lines.length < LONGEST_COMMAND_LINES) {
        this.#command.lines.push(text);
        yield* this.#tryCommand();
        return;
      }
      yield* this.#endCommand();
    }
    if (this.#message) {
      if (!beginsMessage(text) && !beginsCommand(text) && this.#message.reading.take(text)) return;
      yield* this.#endMessage();
    }
    if (!this.#takeBare(text, line)) yield* this.#begin(text, line);
  }

  /** A terminal shows the body of a reply alone, behind the command that asked for it. */
  #takeBare(text: string, { number }: Line): boolean {
    const asked = this.#waiting;
    if (asked?.answer.kind !== 'untold' || (!this.#bare && !text.startsWith('{'))) {
      this.#bare = null;
      return false;
    }
    const bare = this.#bare ?? new BareReply(number);
    const taken = bare.take(text, asked);
    this.#bare = taken === 'more' ? bare : null;
    if (taken !== 'more' && taken !== undefined) this.#waiting = taken;
    return taken !== undefined;
  }

  *end(): Generator<Sighting> {
    yield* this.#endCommand();
    yield* this.#endMessage();
    yield* this.#endWaiting();
    if (this.#journal) yield* this.#journal.end();
    yield* this.#correlation.end();
  }

  *#begin(text: string, { number, ended }: Line): Generator<Sighting> {
    if (text.trim() === '') return;
    if (beginsMessage(text)) {
      this.#message = { line: number, reading: new MessageReading(text) };
      return;
    }
    if (beginsCommand(text)) {
      yield* this.#endWaiting();
      this.#command = { line: number, lines: [text] };
      yield* this.#tryCommand();
      return;
    }
    const failure = curlFailure(text);
    if (failure && this.#waiting) {
      const exchange = this.#waiting;
      this.#waiting = null;
      yield { kind: 'exchange', exchange: { ...exchange, answer: failure } };
      return;
    }
    // What people write between a request and its reply parts them as little as what curl -v does.
    for (const sighting of this.#whole(text, number, ended)) {
      if (sighting.kind === 'exchange') yield* this.#endWaiting();
      yield sighting;
    }
  }

  *#whole(text: string, number: number, ended: boolean): Generator<Sighting> {
    const place: SeenPlace = { file: this.#source.file, line: number };
    if (text.trimStart().startsWith('{')) {
      const value = parsed(text);
      if (isFields(value)) {
        yield* this.#object(value, place);
        return;
      }
      yield { kind: 'unreadable', line: number, why: ended ? 'it is not JSON' : 'the file ends within this line' };
      return;
    }
    this.#columns = w3cColumns(text) ?? this.#columns;
    const logged = this.#columns && readW3cLine(text, this.#columns, this.#source.form, place);
    if (logged) {
      yield { kind: 'exchange', exchange: logged };
      return;
    }
    if (SETTING.test(text) || TRACE.test(text)) {
      yield { kind: 'other', line: number };
      return;
    }
    const exchange = readTextLine(text, this.#source.form, place);
    if (exchange) {
      yield { kind: 'exchange', exchange };
      return;
    }
    const printed = readPrinted(text, this.#source.form, place);
    if (printed) {
      yield { kind: 'exchange', exchange: printed };
      return;
    }
    const embedded = embeddedJson(text);
    const object = embedded && parsed(embedded.text);
    if (isFields(object)) {
      yield* this.#object(embedded?.time === undefined ? object : { timestamp: embedded.time, ...object }, place);
      return;
    }
    const wrapped = readPlainText(text, this.#source.form, place);
    if (wrapped) yield { kind: 'exchange', exchange: wrapped };
    else yield { kind: 'unreadable', line: number, why: 'its format is not known' };
  }

  *#object(value: Readonly<Record<string, unknown>>, place: SeenPlace): Generator<Sighting> {
    if (isJournalHead(value)) {
      if (this.#journal) yield* this.#journal.end();
      this.#journal = new JournalReading(place.file);
    }
    if (this.#journal) {
      const sighting = this.#journal.take(value, place.line);
      if (sighting) yield sighting;
    } else if (isHarEntry(value)) yield readHarEntry(value, place, 'service');
    else yield* this.#logged(value, place);
  }

  *#logged(value: Readonly<Record<string, unknown>>, place: SeenPlace): Generator<Sighting> {
    const exchange = readJsonLine(value, this.#source.form, place);
    const answered = exchange ? undefined : this.#correlation.reply(value);
    if (exchange) yield* this.#correlation.request(exchange, value);
    else yield answered ? { kind: 'exchange', exchange: answered } : { kind: 'other', line: place.line };
  }

  *#tryCommand(): Generator<Sighting> {
    if (!this.#command) return;
    const { line, lines } = this.#command;
    const reading = readCommand(lines.join('\n'), this.#source.beside);
    if (reading.kind === 'open') return;
    this.#command = null;
    if (reading.kind === 'unreadable') {
      yield { kind: 'unreadable', line, why: reading.why };
      return;
    }
    if (reading.missing !== null) {
      yield { kind: 'unreadable', line, why: `its body lies in ${reading.missing}, which is not beside what is read` };
    }
    this.#waiting = this.#unanswered(reading.request, line);
  }

  *#endCommand(): Generator<Sighting> {
    if (!this.#command) return;
    const { line } = this.#command;
    this.#command = null;
    yield { kind: 'unreadable', line, why: 'the command that begins here does not end: a quotation mark is missing' };
  }

  *#endMessage(): Generator<Sighting> {
    if (!this.#message) return;
    const { line, reading } = this.#message;
    this.#message = null;
    const message = reading.end();
    if (message.kind === 'request') {
      if (this.#waiting && reading.isTrace) return;
      yield* this.#endWaiting();
      this.#waiting = this.#unanswered(message.request, line);
      return;
    }
    if (!this.#waiting) {
      yield { kind: 'unreadable', line, why: 'it is a reply without its request' };
      return;
    }
    const exchange = this.#waiting;
    this.#waiting = null;
    const time = message.dateMs === null ? null : { ms: message.dateMs, precisionMs: 1000 };
    yield { kind: 'exchange', exchange: { ...exchange, answer: message.answer, time } };
  }

  *#endWaiting(): Generator<Sighting> {
    if (!this.#waiting) return;
    const exchange = this.#waiting;
    this.#waiting = null;
    yield { kind: 'exchange', exchange };
  }

  #unanswered(request: SeenExchange['request'], line: number): SeenExchange {
    return {
      place: { file: this.#source.file, line },
      side: 'service',
      time: null,
      tookMs: null,
      request,
      answer: { kind: 'untold' },
      told: {},
    };
  }
}
