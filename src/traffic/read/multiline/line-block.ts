import { cutEntry } from '../../cut-body.ts';
import { type Fields, isFields, parsed } from '../../json-fields.ts';
import type { Side } from '../../logged-exchange.ts';
import { FaradayMessage } from './faraday.ts';
import { inspectedObject } from './inspected.ts';
import { LogbookMessage } from './logbook.ts';
import type { RequestPart } from './request-part.ts';
import { HttpLoggingEntry } from './split-request.ts';
import { SpringMessage } from './spring-interceptor.ts';
import { WireMessage } from './wire-log.ts';

/** Maximum number of lines of one entry, and of their characters. */
const MAX_LINES = 2000;
const MAX_CHARACTERS = 1024 * 1024;

/** Matches the first line that pino-pretty writes for an entry, such as `[13:03:07.165] INFO (1 on wallet): request completed`. */
const PINO = /^\[([\d:.,TZ +-]{8,40})\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)(?: ?\([^)]{0,200}\))?: ?(.*)$/s;
/** Matches the first line of a field. pino-pretty writes the fields of an entry under the first line of the entry. */
const FIELD = /^ {4}([\w$@.-]{1,100}):(?: (.*))?$/s;

/** An entry of several lines, joined to one object, to a part of a request, or to one line of text. */
export type BlockEntry =
  /** `side` is the side that wrote the entry, or null if the entry does not show it. */
  | { readonly kind: 'object'; readonly fields: Fields; readonly side: Side | null }
  | { readonly kind: 'part'; readonly part: RequestPart }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Joins the lines of one log entry. The entry is one of these:
 *
 * - a line of pino-pretty, and its fields below it
 * - an HTTP message of Logbook, OkHttp, Feign, Faraday, ASP.NET Core or an interceptor of Spring, with its body on one line or on several lines
 * - the first line of an entry of HttpClient of .NET, and its text on the next line
 * - the first line of an entry on the console of .NET, and its text on the next lines
 * - a line of text, and then an array that `print_r` of PHP printed
 * - a line of text, and then JSON on several lines; its first brace is at the end of the text, or alone on the next line
 */
export class LineBlock {
  readonly number: number;
  readonly #lines: string[];
  readonly #isPino: boolean;
  readonly #logbook: LogbookMessage | undefined;
  /** A message of a client that logs its own calls. */
  readonly #wire: WireMessage | SpringMessage | FaradayMessage | undefined;
  readonly #httpLogging: HttpLoggingEntry | undefined;
  readonly #isDotNet: boolean;
  readonly #isConsole: boolean;
  /** `open` while the array that PHP printed has not ended. Null if the entry has no such array. */
  #array: 'open' | 'ended' | null;
  #depth: number;
  #length: number;

  /** @param head the first line, which is no JSON */
  constructor(head: string, number: number) {
    this.number = number;
    this.#lines = [head];
    this.#isPino = PINO.test(head);
    this.#logbook = LogbookMessage.begin(head);
    this.#wire = WireMessage.begin(head) ?? SpringMessage.begin(head) ?? FaradayMessage.begin(head);
    this.#isDotNet = isOfDotNet(head);
    this.#httpLogging = HttpLoggingEntry.begin(head);
    this.#isConsole = CONSOLE.test(head) && !this.#isDotNet && !this.#httpLogging;
    this.#array = /(?:^|\s)Array$/.test(head.trimEnd()) ? 'open' : null;
    this.#depth = head.trimEnd().endsWith('{') ? 1 : 0;
    this.#length = head.length;
  }

  /** The number of the last line. */
  get last(): number {
    return this.number + this.#lines.length - 1;
  }

  /** The first line. */
  get head(): string {
    return this.#lines[0] ?? '';
  }

  /** True if the entry is a line of text, and the next line of text cannot belong to the same entry. */
  get isLineOfText(): boolean {
    if (this.#isConsole || this.#array) return false;
    return this.#depth === 0 && !this.#isPino && !this.#isDotNet && !(this.#logbook ?? this.#wire ?? this.#httpLogging);
  }

  /** Adds a line to the entry. Returns false if the line does not belong to this entry. */
  take(line: string): boolean {
    if (this.#lines.length >= MAX_LINES || this.#length + line.length > MAX_CHARACTERS) return false;
    const http = this.#logbook ?? this.#wire ?? this.#httpLogging;
    if (this.#isDotNet && this.#lines.length > 1 && !isScope(this.#lines.at(-1) ?? '')) return false;
    const isTaken = http
      ? http.take(line)
      : this.#isDotNet
        ? /^ {6}\S/.test(line)
        : this.#isConsole
          ? line.startsWith('      ')
          : this.#array
            ? this.#isOfArray(line)
            : this.#isPino
              ? this.#isUnderPino(line)
              : this.#isJson(line);
    if (!isTaken) return false;
    this.#lines.push(line);
    this.#length += line.length;
    return true;
  }

  #isUnderPino(line: string): boolean {
    return /^ {4}/.test(line) && (this.#lines.length > 1 || FIELD.test(line));
  }

  #isOfArray(line: string): boolean {
    const isTaken = this.#array === 'open' && /^(?:\(|\)|\s+\[\w+\] => .*|\s*)$/.test(line);
    if (line.startsWith(')')) this.#array = 'ended';
    return isTaken;
  }

  #isJson(line: string): boolean {
    const text = line.trim();
    // An object that Node.js has printed without a text before it is complete now.
    if (this.#depth === 0 && this.head.startsWith('{')) return false;
    if (this.#depth === 0 && text !== '{' && !isBody(text)) return false;
    // A line that is not indented begins the next entry. So the end of the JSON is missing.
    if (this.#depth > 0 && !/^[\s}\]]/.test(line)) return false;
    this.#depth += bracesOf(text);
    return true;
  }

  /** Returns the entry. If the entry has only its first line, returns this line unchanged. */
  entry(): BlockEntry {
    const [head = '', ...rest] = this.#lines;
    const logged = this.#logbook?.fields();
    if (logged) return { kind: 'object', fields: logged, side: this.#logbook?.side ?? null };
    // An HTTP client logs the calls that it sends.
    if (this.#wire) return { kind: 'object', fields: this.#wire.fields(), side: 'service' };
    if (this.#httpLogging && (rest.length > 0 || this.#httpLogging.isWhole))
      return { kind: 'part', part: this.#httpLogging.part() };
    if (rest.length === 0) return { kind: 'text', text: head };
    if (this.#isDotNet) return { kind: 'text', text: `${head.trimEnd()} ${(rest.at(-1) ?? '').trim()}` };
    if (this.#isConsole) return { kind: 'text', text: [head, ...rest].map((line) => line.trim()).join(' ') };
    if (this.#array) return { kind: 'text', text: withArray(head, rest) };
    if (!this.#isPino) {
      const isOpen = head.trimEnd().endsWith('{');
      const text = `${head.trimEnd()}${isOpen ? '' : ' '}${joined(rest)}`;
      const printed = isOpen && parsed(text.slice(head.trimEnd().length - 1)) === undefined;
      return { kind: 'text', text: (printed ? withInspected(head.trimEnd(), rest) : undefined) ?? text };
    }
    const [, time, msg] = PINO.exec(head) ?? [];
    return { kind: 'object', fields: { time, ...fieldsOf(rest), msg }, side: null };
  }
}

/**
 * Returns a line of text and the object after it as JSON, if Node.js has printed the object. Returns undefined for any other object.
 */
function withInspected(head: string, rest: readonly string[]): string | undefined {
  const object = inspectedObject(['{', ...rest].join('\n'));
  return object && `${head.slice(0, -1)}${JSON.stringify(object)}`;
}

/** Matches the first line that .NET writes on the console for an entry: its level, its category and its number. */
const CONSOLE = /(?:^|\s)(?:trce|dbug|info|warn|fail|crit): [\w.+`]{1,200}\[\d{1,9}\]\s*$/;

/** Returns a line of text and the array after it, which `print_r` of PHP printed, as JSON. */
function withArray(head: string, rest: readonly string[]): string {
  const fields = rest.flatMap((line) => {
    const [, name, value] = /^\s+\[(\w+)\] => (.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value] as const];
  });
  return `${head.trimEnd().replace(/Array$/, '')}${JSON.stringify(Object.fromEntries(fields))}`;
}

/** True for the first line that .NET writes for an entry of HttpClient. Its text is on the next line. */
function isOfDotNet(head: string): boolean {
  return head.includes('System.Net.Http.HttpClient.') && head.trimEnd().endsWith(']');
}

/** True for a line with the scopes of an entry of .NET. They come before its text. */
function isScope(line: string): boolean {
  return line.trimStart().startsWith('=> ');
}

/** The names of fields of log entries, which no body has. */
const OF_ENTRIES = [
  'url',
  'path',
  'method',
  'level',
  'time',
  'timestamp',
  '@timestamp',
  'ts',
  'event',
  'request',
  'log',
];

/** True for a line that is the body of a call and not an entry of a log. */
function isBody(text: string): boolean {
  if (!text.startsWith('{"') || !text.endsWith('}')) return false;
  const value = parsed(text);
  if (!isFields(value) || OF_ENTRIES.some((name) => name in value)) return false;
  return 'balance' in value || ('sessionID' in value && 'txID' in value) || ('code' in value && 'message' in value);
}

/**
 * Joins lines of JSON. Removes their indentation, so that the name of a field follows the brace directly, as in JSON on one line.
 */
function joined(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).join('');
}

/** Returns how many braces and brackets a line of JSON opens, minus those that it closes. */
function bracesOf(line: string): number {
  let open = 0;
  let isText = false;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (isText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isText = false;
    } else if (sign === '"') isText = true;
    else if (sign === '{' || sign === '[') open += 1;
    else if (sign === '}' || sign === ']') open -= 1;
  }
  return open;
}

function fieldsOf(lines: readonly string[]): Fields {
  const fields: Record<string, unknown> = {};
  let name = '';
  let value: string[] = [];
  const end = (): void => {
    if (name !== '') fields[name] = fieldValue(value);
  };
  for (const line of lines) {
    const found = FIELD.exec(line);
    if (found) {
      end();
      name = found[1] ?? '';
      value = [found[2] ?? ''];
    } else value.push(line);
  }
  end();
  return fields;
}

function fieldValue(lines: readonly string[]): unknown {
  const text = joined(withoutStack(lines));
  // The stack is now removed. If it was the last field of its object, a comma is directly before the brace. This comma is removed
  // too.
  return parsed(text) ?? parsed(text.replaceAll(/,(?=[}\]])/g, '')) ?? cutEntry(text) ?? text;
}

/** Removes the stack of an error, which pino-pretty writes without quotation marks. */
function withoutStack(lines: readonly string[]): readonly string[] {
  let indent: number | null = null;
  return lines.filter((line) => {
    const own = line.length - line.trimStart().length;
    if (indent !== null && own > indent) return false;
    indent = /^\s*"stack":\s*$/.test(line) ? own : null;
    return indent === null;
  });
}
