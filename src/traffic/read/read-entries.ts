import { cutEntry, cutObject } from '../cut-body.ts';
import { type Fields, isFields, parsed } from '../json-fields.ts';
import type { LogEntry, LoggedExchange, LogPlace, LogTime, Side } from '../logged-exchange.ts';
import { CallBeginnings } from './call-beginnings.ts';
import type { ReadFileBeside } from './commands/command.ts';
import { curlFailure } from './commands/curl.ts';
import { httpieFailure } from './commands/httpie.ts';
import { InvokeOutput, invokeFailure } from './commands/invoke-output.ts';
import { PowerShellVariables } from './commands/powershell-variables.ts';
import { beginsCommand, readCommand } from './commands/read-command.ts';
import { type WgetLine, WgetOutput } from './commands/wget-output.ts';
import { isHarEntry, readHarEntry } from './documents/har.ts';
import { isJournalHead, isLaterEvent, JournalReader } from './documents/journal.ts';
import { fromDocument, shapeOf } from './documents/json-document.ts';
import { type Line, linesOf, plainBytes } from './file-bytes.ts';
import { LastKeys } from './last-keys.ts';
import { readTextLine, readW3cLine, w3cColumns } from './logs/access-log.ts';
import { CollectorPrefix } from './logs/collector-prefix.ts';
import { type CsvHeader, csvColumns, isOpenRow, readCsvRow } from './logs/csv.ts';
import { hasCutCall, hasId, printedExchange, readJsonLine, readPlainText } from './logs/json-line.ts';
import { type LogForm, logForm } from './logs/log-form.ts';
import { ADJACENT, asJson, idOf, printedBodies } from './logs/printed.ts';
import { ReplyCorrelation } from './logs/reply-correlation.ts';
import { sentIn } from './logs/sent-body.ts';
import { readTime } from './logs/time.ts';
import { isTransportError } from './logs/transport-error.ts';
import { isUnrelated } from './logs/unrelated.ts';
import { embeddedJson, namedPairs, parsedLine, timeIn } from './logs/wrapped.ts';
import { ApiGatewayLog } from './multiline/api-gateway.ts';
import { BareReply } from './multiline/bare-reply.ts';
import { clientPart } from './multiline/client-lines.ts';
import { type DumpedMessage, dumpedMessage } from './multiline/dumped-message.ts';
import { InterleavedMessages, type WholeMessage } from './multiline/interleaved.ts';
import { LineBlock } from './multiline/line-block.ts';
import { PhoenixLog } from './multiline/phoenix.ts';
import { PythonDebug } from './multiline/python-debug.ts';
import { beginsMessage, MessageReader } from './multiline/raw-http.ts';
import { NOTHING, type RequestPart } from './multiline/request-part.ts';
import { railsPart } from './multiline/split-request.ts';
import { isIisLine, lineFormat, unreadableFormat } from './unknown-format.ts';

/**
 * Matches a line that is neither a request nor a reply: a comment, or a setting. Browsers add such settings to a request that is
 * copied for PowerShell.
 */
const SETTING = /^\s*(?:\$\w+(?:\.\w+)*\s*(?:=|\()|#|curl\(\))/;
/** Matches a line that `curl -v` prints about the connection, between the request and the reply. */
const TRACE = /^[*{}] /;
const MAX_COMMAND_LINES = 500;
/** Maximum number of lines that are kept together with the prefix that a log collector put before them. */
const MAX_COLLECTED = 2000;
/**
 * The number of lines at the beginning of a file that are never skipped when the file is read again, because they may show the
 * format of the file.
 */
const FIRST_LINES = 50;
const UNKNOWN_FORMAT = 'its format is unknown';
/**
 * Maximum number of characters that are kept of a line that can't be read. These characters show whether the line may be a call.
 */
const MAX_SHOWN = 4096;
const UNKNOWN = { kind: 'unknown' } as const;
const CUT = 'the logger has cut its JSON';
const ENDS_WITHIN_LINE = 'the file ends within this line';
const BEGINS_WITHIN_LINE = 'the file begins within this line';
/** Matches the colours that loggers print for a terminal. */
const COLOUR = /\u001B\[[\d;]{0,20}m/g;

/** Matches the prompt of cmd and PowerShell before a command. */
const PROMPT = /^(?:PS )?[A-Za-z]:\\[^<>|"]{0,200}> ?(?=[\w$])/;

type Chunks = AsyncIterable<Uint8Array>;

/**
 * The settings for reading a file: its name in messages, the side that wrote it (null if it is not configured), and the form of its
 * logs.
 */
export interface Source {
  readonly file: string;
  readonly side: Side | null;
  readonly form: LogForm;
  /** Reads another file that a command in this file names. If this function is absent, no other file is read. */
  readonly beside?: ReadFileBeside;
  /**
   * Returns false for a JSON line that certainly contains no selected call. croupier does not parse such a line, which saves most
   * of the time for a large log. If this function is absent, croupier parses each line.
   */
  readonly mayMatter?: ((line: Line) => boolean) | undefined;
  /**
   * Says which player a line belongs to. Lines of players who are not wanted are not read. In logs with requests and replies on
   * separate lines, a reply is read only if its request was read. If this function is absent, croupier reads each line.
   */
  readonly ownerOf?: ((line: Line) => LineOwner) | undefined;
  /**
   * Returns false for a line that croupier need not read again: an earlier reading found that it is like an earlier line, and its
   * call is not needed now. The argument is the number of the line.
   */
  readonly isNeeded?: ((line: number) => boolean) | undefined;
  /**
   * Receives the first and the last line of each group of lines that describes one call and nothing else, and the line of this
   * call. A later reading may leave out these lines together ({@link isNeeded}), because they change nothing about the lines after
   * them.
   */
  readonly ofOneCall?: ((from: number, to: number, call: number) => void) | undefined;
  /**
   * Takes the calls on JSON lines that are like an earlier line. This needs much less time than parsing the JSON. No entry is
   * yielded for such a call. If this is absent, the JSON of each line is parsed.
   */
  readonly alike?: AlikeLines | undefined;
}

/** Says whether a line has a wanted session, the session of another player, or no session. */
export type LineOwner = 'wanted' | 'other' | 'unknown';

/** Reads JSON lines that are like an earlier line: they have the same fields with other values. */
export interface AlikeLines {
  /** Reads a line. Returns false if it is not like an earlier line. Such a line is never a part of an entry of several lines. */
  isLike(line: Line): boolean;
  /** Takes the call of the line that was read last. */
  take(line: number): void;
  /** Keeps a line as an example. `exchange` is the only entry that was read from this line. */
  learn(text: string, exchange: LoggedExchange): void;
}

/**
 * Reads the exchanges of a file: curl lines, raw HTTP, JSON lines and access logs (mixed in any way), a HAR or a
 * journal. The file is read as a stream, with limited memory. An entry that cannot be read is reported with its line,
 * and reading continues.
 */
export async function* readEntries(chunks: Chunks, source: Source): AsyncGenerator<LogEntry> {
  for await (const entries of readBatches(chunks, source)) yield* entries;
}

/** Does the same as {@link readEntries}, but yields the entries of many lines together, which needs less time. */
export async function* readBatches(chunks: Chunks, source: Source): AsyncGenerator<readonly LogEntry[]> {
  const { head, all, first, broken } = await plainBytes(chunks);
  const binary = unreadableFormat(first);
  if (binary !== undefined) {
    yield [{ kind: 'unreadable', line: 1, why: binary }];
    return;
  }
  const shape = shapeOf(head);
  let line = 1;
  for await (const entries of shape.kind === 'lines'
    ? fromLines(all, source)
    : oneByOne(fromDocument(all, shape.list, source))) {
    const last = entries.at(-1);
    if (last) line = last.kind === 'exchange' ? last.exchange.place.line : last.line;
    yield source.side === null ? entries : entries.map((entry) => withSide(entry, source));
  }
  const why = broken();
  if (why !== null) yield [{ kind: 'unreadable', line, why }];
}

async function* oneByOne(entries: AsyncIterable<LogEntry>): AsyncGenerator<readonly LogEntry[]> {
  for await (const entry of entries) yield [entry];
}

/** Sets the side of a call to the configured one. */
function withSide(entry: LogEntry, { side }: Source): LogEntry {
  return side === null || entry.kind !== 'exchange' ? entry : { ...entry, exchange: { ...entry.exchange, side } };
}

async function* fromLines(chunks: Chunks, source: Source): AsyncGenerator<readonly LogEntry[]> {
  const reading = new FilteredReader(source);
  for await (const lines of linesOf(chunks, undefined, source.isNeeded)) {
    for (let next = 0; next < lines.length; ) {
      next = reading.read(lines, next);
      const entries = reading.entries();
      if (entries.length > 0) yield entries;
    }
  }
  const rest = reading.end();
  if (rest.length > 0) yield rest;
}

/**
 * Reads the wanted lines of a file, and leaves out the others. The work for one line is divided into small methods. V8 would compile
 * one large loop again for each new kind of line, and this would take longer than reading the lines.
 */
class FilteredReader {
  readonly #source: Source;
  readonly #reading: LineReader;
  #found: LogEntry[] = [];
  #skipped = 0;

  constructor(source: Source) {
    this.#source = source;
    this.#reading = new LineReader(source);
  }

  /**
   * Reads the lines from an index on. Stops early at a line if the entries before it must be processed first.
   *
   * @returns the index of the next line to read
   */
  read(lines: readonly Line[], from: number): number {
    for (let index = from; index < lines.length; index += 1) {
      const line = lines[index];
      if (!line) continue;
      if (this.#isUnwanted(line)) this.#reading.leaveOut(line.number);
      else if (this.#isAlike(line)) {
        if (this.#found.length > 0) return index;
        this.#source.alike?.take(line.number);
        this.#reading.leaveOut(line.number);
      } else this.#readWhole(line);
    }
    if (this.#skipped > 0) this.#found.push({ kind: 'skipped', line: lines[0]?.number ?? 1, count: this.#skipped });
    this.#skipped = 0;
    return lines.length;
  }

  /** Returns the entries that are complete, and forgets them. */
  entries(): readonly LogEntry[] {
    const found = this.#found;
    if (found.length > 0) this.#found = [];
    return found;
  }

  /** Returns the entries that the end of the file completes. */
  end(): readonly LogEntry[] {
    return this.#reading.end();
  }

  #isUnwanted(line: Line): boolean {
    const { mayMatter, ownerOf } = this.#source;
    if (mayMatter && isLog(line) && this.#reading.isBetweenEntries && !mayMatter(line)) {
      this.#skipped += 1;
      return true;
    }
    const owner = ownerOf === undefined || line.number === 1 ? 'wanted' : ownerOf(line);
    if (owner === 'wanted') return false;
    // If the newest line comes first, a reply comes before its request. The first lines show whether this is so.
    const mayBeReply = owner === 'unknown' && line.number <= FIRST_LINES;
    if (mayBeReply || !this.#reading.maySkip(line, owner)) return false;
    if (owner === 'other') this.#skipped += 1;
    return true;
  }

  #isAlike(line: Line): boolean {
    const { alike } = this.#source;
    return alike !== undefined && line.number > 1 && this.#reading.isIdle && alike.isLike(line);
  }

  #readWhole(line: Line): void {
    const { alike, side } = this.#source;
    const isAlone = alike !== undefined && this.#reading.isIdle && isLog(line);
    const before = this.#found.length;
    for (const entry of this.#reading.take(line))
      this.#found.push(line.text === null ? entry : shownWith(entry, line.number, line.text));
    const one = this.#found[before];
    if (isAlone && one?.kind === 'exchange' && this.#found.length === before + 1 && this.#reading.isIdle)
      alike.learn(line.text ?? '', { ...one.exchange, side: side ?? one.exchange.side });
  }
}

/** True for a line of JSON that is not a part of an entry of several lines. */
function isLog(line: Line): boolean {
  const { bytes, from, to, number } = line;
  if (bytes === null || number <= 1 || from >= to || bytes[from] !== OPEN_BRACE) return false;
  // The first letters show for most lines that they match no `MAY_CONTINUE`, so these lines are not decoded.
  const [first, second] = [bytes[from + 2], bytes[from + 3]];
  const mayContinue = (first === LOWER_L && second === LOWER_O) || (first === LOWER_E && second === LOWER_V);
  return !(mayContinue && MAY_CONTINUE.test(line.text ?? ''));
}

const [OPEN_BRACE, LOWER_E, LOWER_L, LOWER_O, LOWER_V] = [0x7b, 0x65, 0x6c, 0x6f, 0x76];

/** If an entry can't be read, adds the beginning of its line. Returns every other entry unchanged. */
function shownWith(entry: LogEntry, line: number, text: string): LogEntry {
  return entry.kind === 'unreadable' && entry.line === line && entry.text === undefined
    ? { ...entry, text: text.slice(0, MAX_SHOWN) }
    : entry;
}

/**
 * Reads a file line by line. Keeps an incomplete command, message or request until the lines that complete it are read.
 */
class LineReader {
  readonly #source: Source;
  readonly #beginnings = new CallBeginnings();
  readonly #correlation: ReplyCorrelation;
  /** Joins lines of text. The fields of these lines have croupier's own names, even if other names are configured for JSON. */
  readonly #textCorrelation: ReplyCorrelation;
  #command: { readonly line: number; readonly lines: string[] } | null = null;
  /** A message of raw HTTP that is being read. `time` is the time before it, if a program has written one. */
  #message: { readonly line: number; readonly reading: MessageReader; readonly time: LogTime | null } | null = null;
  #journal: JournalReader | null = null;
  /** The last request, whose reply may follow. Null if there is none. */
  #waiting: LoggedExchange | null = null;
  /** True if the last request is the one of a command. */
  #isOfCommand = false;
  #bare: BareReply | null = null;
  readonly #wget = new WgetOutput();
  readonly #variables = new PowerShellVariables();
  /** The output of the last command, if it is one of PowerShell. Otherwise null. */
  #invoked: InvokeOutput | null = null;
  readonly #collector = new CollectorPrefix();
  readonly #interleaved = new InterleavedMessages();
  readonly #phoenix = new PhoenixLog();
  readonly #python = new PythonDebug();
  readonly #apiGateway = new ApiGatewayLog();
  /** The last lines that had a prefix of a log collector, each with the time in its prefix. The key is the number of the line. */
  readonly #collected = new Map<number, { readonly line: string; readonly time: string | undefined }>();
  readonly #lastCollected = new LastKeys<number>(MAX_COLLECTED);
  /** The names of the columns of an IIS log. Null until the header line that names them. */
  #columns: readonly string[] | null = null;
  /** True while the lines begin with the mark `> ` of a quotation in a message or a ticket. */
  #isQuoted = false;
  /** The header of a CSV. Null if the file does not begin with such a header. */
  #csv: CsvHeader | null = null;
  /** A line of text whose entry may continue on the next line. */
  #block: { readonly lines: LineBlock; readonly ended: boolean } | null = null;
  /** The lines since the last line after which nothing was open, with the calls on them. */
  readonly #group = { from: 1, calls: 0, call: 0 };
  /** The line of the last call of a complete group. */
  #lastCall = 0;
  /** The number of the line that was read last. */
  #lastLine = 0;
  /** The entries that the last line has completed. A list needs less time than generators within generators. */
  #out: LogEntry[] = [];
  /** The beginning of a row of a CSV whose quoted field continues on the next line. */
  #row: { readonly line: number; readonly text: string } | null = null;

  constructor(source: Source) {
    this.#source = source;
    this.#correlation = new ReplyCorrelation(source.form);
    this.#textCorrelation = new ReplyCorrelation(logForm({ zone: source.form.zone }));
  }

  /** True if no entry is open, so that the next line begins a new entry. Always false in a journal and in a CSV. */
  get isBetweenEntries(): boolean {
    return !(
      this.#command ??
      this.#message ??
      this.#waiting ??
      this.#bare ??
      this.#csv ??
      this.#journal ??
      this.#block
    );
  }

  /** True if the next line is a complete entry that does not depend on earlier lines. */
  get isIdle(): boolean {
    return this.isBetweenEntries && this.#row === null && this.#interleaved.isEmpty && this.#correlation.isEmpty;
  }

  /**
   * True for a line without a wanted session that can be left out without any effect on other lines. A line of text can be left out
   * only if it shows the id of its request. Without such an id, the order of the lines says which lines belong together.
   *
   * @param owner `unknown` if the line shows no session; it may be the reply to a request with a wanted session
   */
  maySkip(line: Line, owner: 'other' | 'unknown'): boolean {
    if (this.#command ?? this.#message ?? this.#waiting ?? this.#bare ?? this.#csv ?? this.#journal ?? this.#columns)
      return false;
    if (!this.#interleaved.isEmpty || (this.#block && !this.#block.lines.isLineOfText)) return false;
    if (owner === 'unknown' && (this.#correlation.hasJoinedEarly || this.#textCorrelation.hasJoinedEarly)) return false;
    if (owner === 'other' && isLog(line)) return !this.#block;
    const text = line.text ?? '';
    if (text.startsWith('{'))
      return (
        !this.#block &&
        !MAY_CONTINUE.test(text) &&
        (owner === 'other' || !(JSON_TARGET.test(text) || this.#correlation.isWaitingFor(text)))
      );
    if (this.#source.form.pattern || /^\s/.test(text)) return false;
    const json = text.indexOf('{"');
    const before = json < 0 ? text : text.slice(0, json);
    const id = idOf(before);
    if (id === ADJACENT) return false;
    if (owner === 'other') return true;
    const isOfLast = this.#block?.lines.head.includes(id.replace(/^thread /, '')) === true;
    return !(isOfLast || TARGET.test(before) || this.#textCorrelation.isWaitingFor(text));
  }

  /** Reads a line. Returns the entries that are complete now. */
  take(line: Line): readonly LogEntry[] {
    this.#out = [];
    if (line.number !== this.#lastLine + 1) this.#afterGap(line.number);
    this.#lastLine = line.number;
    const before = this.#out.length;
    this.#takeLine(line);
    this.#addCollectors(before);
    return this.#out;
  }

  /** Does {@link #withCollector} for the entries from a position on. */
  #addCollectors(from: number): void {
    if (this.#collected.size === 0) return;
    this.#out = this.#out.map((entry, index) => (index < from ? entry : this.#withCollector(entry)));
  }

  /** Leaves out a line. Nothing that is open ends with this line. */
  leaveOut(line: number): void {
    this.#lastLine = line;
    if (this.#group.calls === 0) this.#group.from = line + 1;
  }

  /** Some lines were left out by their numbers. Ends the entries that these lines would have ended. */
  #afterGap(next: number): void {
    this.#endBlock();
    this.#addCollectors(0);
    this.#interleaved.forget();
    this.#correlation.forget();
    this.#textCorrelation.forget();
    Object.assign(this.#group, { from: next, calls: 0 });
    this.#lastCall = 0;
  }

  /**
   * Adds what was read from lines up to the line `to`, and notes its calls. A comment or a line of `curl -v` between a request and its
   * reply does not end the request.
   */
  #add(entries: readonly LogEntry[], to: number): void {
    for (const entry of entries) {
      if (entry.kind === 'exchange') {
        this.#group.calls += 1;
        this.#group.call = entry.exchange.place.line;
        this.#endWaiting();
      }
      this.#out.push(entry);
    }
    this.#endGroup(to);
  }

  /** If no entry is open, ends the group of lines, and reports it if it is about one call. */
  #endGroup(to: number): void {
    const { from, calls, call } = this.#group;
    const isOpen =
      this.#command ?? this.#message ?? this.#waiting ?? this.#bare ?? this.#csv ?? this.#journal ?? this.#columns;
    if (
      isOpen ||
      this.#isQuoted ||
      !this.#interleaved.isEmpty ||
      !this.#correlation.isSettled ||
      !this.#textCorrelation.isSettled
    )
      return;
    const isRepeat = [this.#correlation, this.#textCorrelation].some((each) => each.hasRepeated());
    const of = calls === 1 ? call : calls === 0 && isRepeat ? this.#lastCall : 0;
    // The first lines are always read, because they show the format of the file.
    if (of > 0 && from > FIRST_LINES) this.#source.ofOneCall?.(from, to, of);
    this.#lastCall = of;
    Object.assign(this.#group, { from: to + 1, calls: 0 });
  }

  /** Removes the prefix of a log collector, and keeps its time. */
  #uncollected(line: string, number: number): string {
    const found = this.#collector.take(line);
    if (!found) return line;
    this.#collected.set(number, { line: line.slice(0, MAX_SHOWN), time: found.time });
    const oldest = this.#lastCollected.add(number);
    if (oldest !== undefined) this.#collected.delete(oldest);
    return found.text;
  }

  /**
   * If a call has no time of its own, gives it the time of the log collector. For a line that can't be read, names the collector.
   */
  #withCollector(entry: LogEntry): LogEntry {
    if (this.#collected.size === 0) return entry;
    if (entry.kind === 'unreadable' && entry.why === UNKNOWN_FORMAT) {
      const line = this.#collected.get(entry.line)?.line;
      return { ...entry, why: (line === undefined ? undefined : lineFormat(line)) ?? UNKNOWN_FORMAT };
    }
    if (entry.kind !== 'exchange' || entry.exchange.time !== null) return entry;
    const time = readTime(this.#collected.get(entry.exchange.place.line)?.time ?? '', this.#source.form.zone);
    return time ? { ...entry, exchange: { ...entry.exchange, time: { ...time, mayBeEnd: true } } } : entry;
  }

  #takeLine(line: Line): void {
    if (line.text === null) {
      this.#out.push({ kind: 'unreadable', line: line.number, why: 'the line is longer than 16 MB' });
      return;
    }
    const plain = line.text.includes('\u001B') ? line.text.replaceAll(COLOUR, '') : line.text;
    const text = this.#pasted(this.#csv ? plain : this.#uncollected(plain, line.number));
    const dumped = this.#csv || this.#journal ? undefined : dumpedMessage(text);
    if (dumped) {
      this.#dumped(dumped, line);
      return;
    }
    const printed = this.#csv || this.#journal ? undefined : this.#python.take(text);
    if (printed === 'mixed') {
      this.#endMessage();
      this.#endWaiting();
      this.#out.push({ kind: 'other', line: line.number });
      return;
    }
    if (printed && (this.#message ?? beginsMessage(printed[0] ?? ''))) {
      for (const each of printed) this.#takeText(each, line);
      return;
    }
    const ofLoad = this.#journal?.takeLoadLine(text, line.number);
    if (ofLoad) {
      if (ofLoad.entry) this.#out.push(ofLoad.entry);
      return;
    }
    if (this.#csv) {
      this.#takeRow(text, line.number);
      return;
    }
    if (line.number === 1) this.#csv = csvColumns(text) ?? null;
    if (this.#csv) {
      this.#out.push({ kind: 'other', line: line.number });
      return;
    }
    if (this.#command) {
      if (!beginsCommand(text) && this.#command.lines.length < MAX_COMMAND_LINES) {
        this.#command.lines.push(text);
        this.#tryCommand();
        return;
      }
      this.#endCommand();
    }
    if (beginsCommand(text)) this.#wget.end();
    const ofWget = this.#wget.take(
      text,
      !this.#waiting ? 'nothing' : this.#waiting.request.method === null ? 'url' : 'all',
    );
    if (ofWget) this.#printedByWget(ofWget, text, line);
    else this.#takeText(text, line);
  }

  #printedByWget(printed: WgetLine, text: string, line: Line): void {
    this.#endBlock();
    switch (printed.kind) {
      case 'lines':
        for (const each of printed.lines) this.#takeText(each, line);
        break;
      case 'attempt':
        this.#endMessage();
        this.#attempt(printed, line);
        break;
      case 'done':
        this.#endMessage();
        break;
      case 'connected':
      case 'failure':
        if (this.#waiting === null) this.#takeText(text, line);
        else this.#waiting = { ...this.#waiting, answer: printed.kind === 'failure' ? printed.answer : UNKNOWN };
    }
  }

  /**
   * Begins an attempt of wget. The attempt may be the first one of a command, a repetition of the same request, or an attempt whose
   * command was not copied.
   */
  #attempt({ time, url }: { readonly time: string; readonly url: string }, { number }: Line): void {
    const asked = this.#waiting;
    const isFirst = asked?.time === null && asked.answer.kind === 'unknown';
    const isSame = asked !== null && asked.request.url === url;
    if (!isFirst || !isSame) this.#endWaiting();
    const request = isSame ? asked.request : { method: null, url, headers: null, body: 'unknown' as const };
    this.#waiting = {
      ...(isFirst && isSame ? asked : this.#unanswered(request, number)),
      time: readTime(time, this.#source.form.zone) ?? null,
    };
  }

  /** Begins a message that a program of Go has dumped into its log. */
  #dumped({ time, lines, isWhole }: DumpedMessage, line: Line): void {
    for (const each of lines) this.#takeText(each, line);
    if (this.#message) this.#message = { ...this.#message, time: readTime(time ?? '', this.#source.form.zone) ?? null };
    if (isWhole) this.#endMessage();
  }

  #takeText(text: string, line: Line): void {
    const messages = this.#message || text.startsWith('{') ? undefined : this.#interleaved.take(text, line.number);
    if (messages) {
      this.#wholeMessages(messages, line.number);
      return;
    }
    if (this.#message) {
      if (!beginsMessage(text) && !beginsCommand(text) && this.#message.reading.take(text)) return;
      this.#endMessage();
    }
    if (this.#block?.lines.take(text)) return;
    this.#endBlock();
    if (!this.#takeBare(text, line)) this.#begin(text, line);
  }

  #wholeMessages(messages: readonly WholeMessage[], last: number): void {
    for (const { fields, number } of messages) {
      const place: LogPlace = { file: this.#source.file, line: number };
      this.#add(this.#textFields(fields, place), last);
    }
  }

  /** Reads a request or a reply that an HTTP client has logged as text. */
  #textFields(fields: Fields, place: LogPlace): readonly LogEntry[] {
    const kind = fields.url === undefined ? 'fields' : 'request';
    return this.#textPart({ kind, fields }, place, 'service');
  }

  /** Reads an entry of several lines. */
  #endBlock(): void {
    if (!this.#block) return;
    const { lines, ended } = this.#block;
    this.#block = null;
    const entry = lines.entry();
    const place: LogPlace = { file: this.#source.file, line: lines.number };
    const sightings =
      entry.kind === 'object'
        ? this.#logged(entry.fields, place, entry.side)
        : entry.kind === 'part'
          ? this.#part(entry.part, place)
          : this.#line(entry.text, lines.number, ended);
    const text = entry.kind === 'text' ? entry.text : '';
    this.#add(
      sightings.map((sighting) => shownWith(sighting, lines.number, text)),
      lines.last,
    );
  }

  /** Reads a reply of which the terminal shows only the body, under the command. Returns true if the line belongs to this reply. */
  #takeBare(text: string, { number }: Line): boolean {
    const asked = this.#waiting;
    if (asked?.answer.kind !== 'unknown' || (!this.#bare && !text.startsWith('{'))) {
      this.#bare = null;
      return false;
    }
    const bare = this.#bare ?? new BareReply(number);
    const taken = bare.take(text, asked);
    this.#bare = taken === 'more' ? bare : null;
    if (taken !== 'more' && taken !== undefined) this.#waiting = taken;
    return taken !== undefined;
  }

  /** Removes the text that a terminal, a message or a text program added to the lines of a command and of its output. */
  #pasted(line: string): string {
    const text = this.#unquoted(line);
    return this.#invoked && this.#isOfCommand && !this.#command && !beginsCommand(text)
      ? this.#invoked.line(text)
      : text;
  }

  #unquoted(line: string): string {
    const quoted = line.startsWith('>') ? line.slice(line.startsWith('> ') ? 2 : 1) : undefined;
    // `curl -v` also begins lines with `>`. So lines with `>` count as quoted only if the first of these lines begins a command.
    this.#isQuoted = quoted !== undefined && (this.#isQuoted || beginsCommand(quoted.trimStart()));
    const unquoted = this.#isQuoted ? (quoted ?? line) : line;
    // PowerShell shows `>> ` before each further line of a command.
    const continued = this.#command && unquoted.startsWith('>>') ? unquoted.replace(/^>> ?/, '') : unquoted;
    const text = continued.includes(':\\') ? continued.replace(PROMPT, '') : continued;
    const isCommand = this.#command !== null || beginsCommand(text);
    // A text program replaces all quotation marks of a command by typographic ones. So a command that contains a straight quotation
    // mark is not changed.
    return isCommand && !/["']/.test(text)
      ? text
          .replaceAll(/[“”„]/g, '"')
          .replaceAll(/[‘’‚]/g, "'")
          .replaceAll(/(?<=\s)[—–](?=\w)/g, '--')
      : text;
  }

  #takeRow(text: string, number: number): void {
    const row = this.#row ? { line: this.#row.line, text: `${this.#row.text}\n${text}` } : { line: number, text };
    if (isOpenRow(row.text) && number - row.line < MAX_COMMAND_LINES) {
      this.#row = row;
      return;
    }
    this.#row = null;
    if (row.text.trim() === '') return;
    const object = this.#csv && readCsvRow(row.text, this.#csv);
    if (object) this.#out.push(...this.#logged(object, { file: this.#source.file, line: row.line }));
    else
      this.#out.push({
        kind: 'unreadable',
        line: row.line,
        why: 'the row has another number of columns than the header',
        ...(this.#beginnings.isLike(row.text) && { isCutCall: true }),
      });
    if (object) this.#beginnings.learn(row.text);
  }

  /** Returns the entries that the end of the file completes. */
  end(): readonly LogEntry[] {
    this.#out = [];
    this.#end();
    this.#addCollectors(0);
    return this.#out;
  }

  #end(): void {
    this.#endBlock();
    this.#wholeMessages(this.#interleaved.end(), this.#lastLine);
    if (this.#row) this.#out.push({ kind: 'unreadable', line: this.#row.line, why: 'the file ends within this row' });
    this.#endCommand();
    this.#endMessage();
    this.#endWaiting();
    if (this.#journal) for (const entry of this.#journal.end()) this.#out.push(entry);
    for (const correlation of [this.#correlation, this.#textCorrelation])
      for (const entry of correlation.end()) this.#out.push(entry);
  }

  #begin(text: string, line: Line): void {
    const { number, ended } = line;
    if (text.trim() === '') return;
    if (number === 1 && beginsWithinJson(text)) {
      this.#out.push({ kind: 'unreadable', line: number, why: BEGINS_WITHIN_LINE });
      return;
    }
    if (beginsMessage(text)) {
      this.#message = { line: number, reading: new MessageReader(text), time: null };
      return;
    }
    if (beginsCommand(text)) {
      this.#endWaiting();
      this.#command = { line: number, lines: [text] };
      this.#tryCommand();
      return;
    }
    const failure = curlFailure(text) ?? httpieFailure(text) ?? invokeFailure(text);
    if (failure && this.#waiting) {
      const exchange = this.#waiting;
      this.#waiting = null;
      this.#out.push({ kind: 'exchange', exchange: { ...exchange, answer: failure } });
      return;
    }
    // JSON on several lines may also be the reply of a command.
    if (!this.#waiting && !this.#journal && (!/^[\s{]/.test(text) || text.trimEnd() === '{')) {
      this.#block = { lines: new LineBlock(text, number), ended };
      return;
    }
    this.#add(this.#line(text, number, ended), number);
  }

  #line(text: string, number: number, ended: boolean): readonly LogEntry[] {
    const entries = this.#entriesOf(text, number, ended);
    if (entries.every(({ kind }) => kind === 'exchange')) this.#beginnings.learn(text);
    else if (!ended && this.#beginnings.isLike(text))
      return entries.map((entry) =>
        entry.kind === 'unreadable' ? { ...entry, why: ENDS_WITHIN_LINE, isCutCall: true } : entry,
      );
    return entries;
  }

  #entriesOf(text: string, number: number, ended: boolean): readonly LogEntry[] {
    const place: LogPlace = { file: this.#source.file, line: number };
    if (text.trimStart().startsWith('{')) {
      const value = parsedLine(text);
      if (isFields(value)) {
        return this.#object(value, place);
      }
      // The fields before the cut may show which call the entry describes. The fields after the cut count as not logged.
      const fields = cutEntry(text);
      if (fields && readJsonLine(fields, this.#source.form, place)) {
        return this.#logged(fields, place);
      }
      const why = !ended ? ENDS_WITHIN_LINE : cutObject(text) ? CUT : 'it is not valid JSON';
      return [{ kind: 'unreadable', line: number, why }];
    }
    this.#columns = w3cColumns(text) ?? this.#columns;
    const logged = this.#columns && readW3cLine(text, this.#columns, this.#source.form, place);
    if (logged) {
      return [{ kind: 'exchange', exchange: logged }];
    }
    if (SETTING.test(text) || TRACE.test(text)) {
      return [{ kind: 'other', line: number }];
    }
    const part = railsPart(text) ?? this.#phoenix.part(text) ?? this.#apiGateway.part(text);
    const ofClient = part ? undefined : clientPart(text);
    if (part ?? ofClient) {
      return this.#textPart(part ?? ofClient ?? NOTHING, place, ofClient ? 'service' : null);
    }
    if (!this.#source.form.pattern && isUnrelated(text)) {
      if (this.#isFailure(text)) return [{ kind: 'other', line: number }];
      return [{ kind: 'unreadable', line: number, why: lineFormat(text) ?? UNKNOWN_FORMAT }];
    }
    const exchange = readTextLine(text, this.#source.form, place);
    if (exchange) {
      return [{ kind: 'exchange', exchange }];
    }
    // An error may name the URL of its request, as in `I/O error on POST request for "https://…/bet": Read timed out`.
    if (!text.includes('{') && this.#isFailure(text)) {
      return [{ kind: 'other', line: number }];
    }
    const fields = isIisLine(text) ? undefined : printedBodies(text);
    if (fields) {
      return this.#printed(fields, text, place);
    }
    const embedded = embeddedJson(asJson(text));
    const object = embedded && parsed(embedded.text);
    if (isFields(object)) {
      return this.#object({ ...joining(text, object, embedded?.time), ...object }, place);
    }
    const start = text.indexOf('{"');
    const cut = start < 0 ? undefined : cutEntry(text.slice(start));
    if (cut && readJsonLine(cut, this.#source.form, place)) {
      return this.#object({ ...joining(text, cut, timeIn(text.slice(0, start))), ...cut }, place);
    }
    const wrapped = isIisLine(text) ? undefined : readPlainText(text, this.#source.form, place);
    const pairs = wrapped && { trace_id: idOf(text), ...namedPairs(text) };
    if (wrapped && pairs) return this.#textCorrelation.request(wrapped, pairs);
    const reply = namedPairs(text);
    const answered = reply && this.#textCorrelation.reply({ trace_id: idOf(text), ...reply });
    if (answered) return [{ kind: 'exchange', exchange: answered }];
    if (this.#isFailure(text)) return [{ kind: 'other', line: number }];
    return [{ kind: 'unreadable', line: number, why: cut ? CUT : (lineFormat(text) ?? UNKNOWN_FORMAT) }];
  }

  /**
   * True for a line of text with the reason why a call has no reply. Only the program that sent the call can log such a reason, so
   * in the operator's log the line is about something else.
   */
  #isFailure(text: string): boolean {
    if ((this.#source.form.side ?? this.#source.side) !== 'service' || !isTransportError(text)) return false;
    const time = readTime(timeIn(text) ?? '', this.#source.form.zone);
    return this.#textCorrelation.failure(idOf(text), { text, time, call: printedBodies(text)?.call });
  }

  #object(value: Readonly<Record<string, unknown>>, place: LogPlace): readonly LogEntry[] {
    let ended: readonly LogEntry[] = [];
    if (isJournalHead(value)) {
      if (this.#journal) ended = [...this.#journal.end()];
      this.#journal = new JournalReader(place.file);
    }
    if (this.#journal) {
      const sighting = this.#journal.take(value, place.line);
      return sighting ? [...ended, sighting] : ended;
    }
    if (isLaterEvent(value))
      return [{ kind: 'unreadable', line: place.line, why: 'it is an event of a journal whose first line is missing' }];
    if (isHarEntry(value)) return [readHarEntry(value, place, 'service')];
    return this.#logged(value, place);
  }

  #logged(value: Readonly<Record<string, unknown>>, place: LogPlace, side: Side | null = null): readonly LogEntry[] {
    const found = readJsonLine(value, this.#source.form, place);
    const exchange = found && side !== null && this.#source.form.side === null ? { ...found, side } : found;
    // The request of a reply that an HTTP client has logged may be a line of text.
    const answered = exchange
      ? undefined
      : (this.#correlation.reply(value) ?? (side === null ? undefined : this.#textCorrelation.reply(value)));
    if (exchange) return this.#correlation.request(exchange, value);
    if (answered) return [{ kind: 'exchange', exchange: answered }];
    if (hasCutCall(value)) return [{ kind: 'unreadable', line: place.line, why: CUT }];
    return [{ kind: 'other', line: place.line, sent: sentIn(value) }];
  }

  #part({ kind, fields }: RequestPart, place: LogPlace): readonly LogEntry[] {
    if (kind === 'body') return this.#correlation.body(fields, place.line);
    return this.#logged(fields, place);
  }

  /** Reads a part of a request that is one line of text. */
  #textPart({ kind, fields }: RequestPart, place: LogPlace, side: Side | null): readonly LogEntry[] {
    if (kind === 'body') {
      return this.#textCorrelation.body(fields, place.line);
    }
    const asked = kind === 'request' ? printedExchange(fields, this.#source.form, place) : undefined;
    if (asked) {
      const isDefault = side === null || this.#source.form.side !== null;
      return this.#textCorrelation.request(isDefault ? asked : { ...asked, side }, fields);
    }
    const answered = kind === 'fields' ? this.#textCorrelation.reply(fields) : undefined;
    return [answered ? { kind: 'exchange', exchange: answered } : { kind: 'other', line: place.line }];
  }

  #printed(fields: Readonly<Record<string, unknown>>, text: string, place: LogPlace): readonly LogEntry[] {
    const { form } = this.#source;
    const exchange =
      (text.includes('{') ? printedExchange(fields, form, place) : undefined) ??
      (namesTarget(text, fields) ? readPlainText(text, form, place) : undefined);
    const answered = exchange ? undefined : this.#textCorrelation.reply(fields);
    if (exchange) return this.#textCorrelation.request(exchange, fields);
    if (answered) return [{ kind: 'exchange', exchange: answered }];
    return [{ kind: 'other', line: place.line, sent: sentIn(fields) }];
  }

  #tryCommand(): void {
    if (!this.#command) return;
    const { line, lines } = this.#command;
    const reading = readCommand(lines.join('\n'), this.#source.beside, undefined, this.#variables);
    if (reading.kind === 'open') return;
    this.#command = null;
    if (reading.kind === 'assignment') {
      this.#out.push({ kind: 'other', line });
      return;
    }
    if (reading.kind === 'unreadable') {
      this.#out.push({ kind: 'unreadable', line, why: reading.why });
      return;
    }
    if (reading.missing !== null) {
      this.#out.push({
        kind: 'unreadable',
        line,
        why: `its body is in ${reading.missing}, which is not in the folder of the file`,
      });
    }
    const { isBodyRewritten } = reading;
    this.#waiting = { ...this.#unanswered(reading.request, line), ...(isBodyRewritten && { isBodyRewritten }) };
    this.#isOfCommand = true;
    this.#invoked = /\b(?:invoke-|iwr|irm)/i.test(lines.join(' ')) ? new InvokeOutput() : null;
  }

  #endCommand(): void {
    if (!this.#command) return;
    const { line } = this.#command;
    this.#command = null;
    this.#out.push({
      kind: 'unreadable',
      line,
      why: 'the command that begins here does not end: a closing quotation mark is missing',
    });
  }

  #endMessage(): void {
    if (!this.#message) return;
    const { line, reading, time: logged } = this.#message;
    this.#message = null;
    const message = reading.end();
    if (message.kind === 'request') {
      if (this.#waiting && reading.isTrace) return;
      const printed = this.#waiting && this.#isOfCommand ? printedBy(this.#waiting, message.request) : undefined;
      if (printed) {
        this.#waiting = printed;
        return;
      }
      // wget has printed the URL and the time before the request.
      const ofWget = this.#waiting?.request.method === null ? this.#waiting.time : null;
      if (ofWget === null) this.#endWaiting();
      this.#isOfCommand = false;
      this.#waiting = {
        ...this.#unanswered(message.request, line),
        time: ofWget ?? logged,
        ...(reading.isIndented && { isBodyRewritten: true }),
      };
      return;
    }
    if (!this.#waiting) {
      this.#out.push({ kind: 'unreadable', line, why: 'it is a reply without its request' });
      return;
    }
    const exchange = this.#waiting;
    this.#waiting = null;
    // The times of a program may be in another zone than those of its headers. So all times are taken from the program.
    const isDated = message.dateMs !== null && (logged === null || exchange.time === null);
    const time = isDated ? { ms: message.dateMs, precisionMs: 1000 } : exchange.time;
    this.#out.push({ kind: 'exchange', exchange: { ...exchange, answer: message.answer, time } });
  }

  #endWaiting(): void {
    if (!this.#waiting) return;
    const exchange = this.#waiting;
    this.#waiting = null;
    this.#out.push({ kind: 'exchange', exchange });
  }

  #unanswered(request: LoggedExchange['request'], line: number): LoggedExchange {
    return {
      place: { file: this.#source.file, line },
      side: 'service',
      time: null,
      tookMs: null,
      request,
      answer: UNKNOWN,
      logged: {},
    };
  }
}

/**
 * Adds what a program has printed of the request of its command: `http -v` prints the whole request. Returns undefined if the printed
 * request is another one.
 */
function printedBy(asked: LoggedExchange, printed: LoggedExchange['request']): LoggedExchange | undefined {
  const { method, url, body } = asked.request;
  const [own, other] = [url, printed.url].map((each) =>
    each === null ? null : URL.parse(each, 'http://unknown.invalid'),
  );
  const isSame = method === printed.method && own?.pathname === other?.pathname && own?.search === other?.search;
  if (!isSame || asked.answer.kind !== 'unknown') return undefined;
  const request = { ...asked.request, headers: printed.headers, body: body === 'unknown' ? printed.body : body };
  return { ...asked, request };
}

/**
 * True for the rest of a line of JSON whose beginning is missing: it closes more braces and brackets than it opened, or begins with the
 * comma before an object. Such a rest can be a whole document with many calls, so its fields say nothing about one call.
 */
function beginsWithinJson(text: string): boolean {
  if (/^\s*,\s*(?:\{|$)/.test(text)) return true;
  let depth = 0;
  for (const sign of text) {
    if (sign === '{' || sign === '[') depth += 1;
    else if (sign === '}' || sign === ']') depth -= 1;
    if (depth < 0) return !isFields(parsedLine(text));
  }
  return false;
}

/** Matches what a line of text must have outside its JSON if it describes a request: a path, a URL or the name of a call. */
const TARGET = /\/|balance|bet|win|refund/i;

/**
 * Like `TARGET`, for a line of JSON: matches a slash, or the name of a call in quotation marks, unless it is the name of a field,
 * such as `"balance": 5`.
 */
const JSON_TARGET = /\/|"(?:balance|bet|win|refund)\\{0,4}"(?!\s*:)/i;

/** Matches a line of Docker, which may be a part of an entry that has several lines, and an event of a journal. */
const MAY_CONTINUE = /^\{"(?:log":"|event")/;

/** False for a line that can describe only a reply, because it certainly has no URL and no name of a call outside its JSON. */
function namesTarget(text: string, { requestBody, responseBody }: Readonly<Record<string, unknown>>): boolean {
  let outside = text;
  for (const body of [requestBody, responseBody]) if (typeof body === 'string') outside = outside.replace(body, '');
  return TARGET.test(outside);
}

/**
 * Returns the time that is before the JSON of a line. If the JSON contains no id, also returns the id that joins the line with
 * other lines.
 */
function joining(
  text: string,
  object: Readonly<Record<string, unknown>>,
  time: string | undefined,
): Readonly<Record<string, unknown>> {
  return {
    ...(time !== undefined && { timestamp: time }),
    ...(!hasId(object) && { trace_id: idOf(text.slice(0, text.indexOf('{'))) }),
  };
}
