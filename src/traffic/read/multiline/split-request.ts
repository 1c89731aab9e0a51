import { SIGNATURE_HEADER } from '../../../contract/signature.ts';
import { isFields, parsed } from '../../json-fields.ts';
import { idOf } from '../logs/printed.ts';
import { timeIn } from '../logs/wrapped.ts';
import { NOTHING, placed, type RequestPart } from './request-part.ts';

/** Matches the line on which Rails writes the parameters of a request as a hash of Ruby. */
const PARAMETERS = /^(.{0,300}?)\bParameters: (\{".*\})\s*$/;
/** Matches the last line that Rails writes of a request. */
const COMPLETED = /^(.{0,300}?)\bCompleted ([1-5]\d\d) [A-Z][\w' -]{0,60} in (\d{1,9}(?:\.\d{1,9})?)ms\b/;

/** Matches a line that Rails writes between these lines. */
const PROCESSING = /\bProcessing by [A-Z][\w:]{0,200}#\w{1,100} as \S{1,40}\s*$/;

/** A line without any of these words is skipped at once. Most lines of a log have none of them, so this saves time. */
const WORDS = ['Parameters: ', 'Completed ', 'Processing by '] as const;

/** Reads a line that Rails writes after the line `Started POST "/bet"`. Returns undefined for any other line. */
export function railsPart(line: string): RequestPart | undefined {
  if (!WORDS.some((word) => line.includes(word))) return undefined;
  const [, before = '', hash] = PARAMETERS.exec(line) ?? [];
  if (hash !== undefined) {
    const value = parsed(hash.replaceAll(/(?<!\\)" ?=> ?/g, '":').replaceAll(/":nil\b/g, '":null'));
    if (!isFields(value) || typeof value.sessionID !== 'string') return undefined;
    // Rails repeats the parameters in a hash that has the name of the controller. So this hash is left out.
    const body = Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each !== 'object'));
    return { kind: 'body', fields: { ...placed(before), requestBody: JSON.stringify(body) } };
  }
  if (PROCESSING.test(line)) return NOTHING;
  const [, prefix = '', status, took] = COMPLETED.exec(line) ?? [];
  return status === undefined ? undefined : { kind: 'fields', fields: { ...placed(prefix), status, durationMs: took } };
}

/**
 * Matches the first line that the HTTP logging of ASP.NET Core writes for a part of a request. The number on this line shows which
 * part it is.
 */
const ASP_NET = /\bHttpLogging(?:Middleware|\.HttpLogging)?\[(\d{1,2})\]\s*$/;
const FIELD = /^ {4,8}([\w-]{1,100}): ?(.*)$/;
const TITLE = /^ {4,8}(?:Request|Response|Request and Response):\s*$/;
const REPLY_BODY = '4';

/**
 * Matches the first line of the same parts in the text of Serilog: the time, the level, and the title of the part. A body and a
 * duration are on this line.
 */
const SERILOG =
  /^(?:\[[\d:.]{8,16} [A-Z]{3}\]|\d{4}-\d\d-\d\d[T ][\d:.]{8,18}(?: ?(?:Z|[+-]\d\d:\d\d))? \[[A-Z]{3}\]) (?:[^{}:]{1,200} )?(Request|Response|Request and Response|RequestBody|ResponseBody|Duration):(?: (.*))?$/;
/**
 * The ends of the titles. A line without any of them is skipped at once. Most lines of a log have none of them, so this saves time.
 */
const SERILOG_TITLES = ['Request:', 'Response:', 'Body:', 'Duration:'] as const;
const SERILOG_FIELD = /^([A-Za-z][\w-]{0,99}): ?(.*)$/;

/**
 * A part of a request, as the HTTP logging of ASP.NET Core writes it: the request, its body, the reply, or all of them in one
 * entry. The body of a reply is an entry without a status. It belongs to the reply only if it follows directly after the entry of
 * the reply.
 */
export class HttpLoggingEntry {
  readonly #head: string;
  readonly #isSerilog: boolean;
  readonly #fields = new Map<string, string>();

  private constructor(head: string, isSerilog: boolean) {
    this.#head = head;
    this.#isSerilog = isSerilog;
  }

  /** Returns undefined if the line is not the first line of such a part. */
  static begin(head: string): HttpLoggingEntry | undefined {
    if (ASP_NET.test(head)) return new HttpLoggingEntry(head, false);
    const [, title = '', value = ''] = (SERILOG_TITLES.some((end) => head.includes(end)) && SERILOG.exec(head)) || [];
    const isTitle = title.startsWith('Request') || title === 'Response';
    // An entry of another program may have the same first line. It has other lines after this line.
    if (!isTitle || (title === 'RequestBody' ? !value.startsWith('{') : value !== '')) return undefined;
    const entry = new HttpLoggingEntry(head, true);
    if (value !== '') entry.#fields.set(title.toLowerCase(), value.trim());
    return entry;
  }

  /** True if the first line is the whole part. */
  get isWhole(): boolean {
    return this.#fields.has('requestbody') && this.#fields.size === 1;
  }

  /** Adds a line. Returns false if the line does not belong to this part. */
  take(line: string): boolean {
    if (this.#isSerilog) return this.#takeSerilog(line);
    if (TITLE.test(line)) return true;
    if (ASP_NET.exec(line)?.[1] === REPLY_BODY)
      return this.#fields.has('statuscode') && !this.#fields.has('responsebody');
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    if (name === undefined) return false;
    this.#fields.set(name.toLowerCase(), value.trim());
    return true;
  }

  #takeSerilog(line: string): boolean {
    if (this.isWhole) return false;
    const [, title, body] = SERILOG.exec(line) ?? [];
    const isOfReply = title === 'ResponseBody' || title === 'Duration';
    if (title !== undefined && !(isOfReply && this.#fields.has('statuscode'))) return false;
    const [, name = title, value = body] = SERILOG_FIELD.exec(line) ?? [];
    if (name === undefined || this.#fields.has(name.toLowerCase())) return false;
    this.#fields.set(name.toLowerCase(), (value ?? '').trim());
    return true;
  }

  /** Returns the part as another logger would write it. */
  part(): RequestPart {
    const of = (name: string): string | undefined => this.#fields.get(name);
    const [path, sent] = [of('path'), of('requestbody')];
    const url = path === undefined ? undefined : `${of('pathbase') ?? ''}${path}${of('querystring') ?? ''}`;
    const took = of('duration')?.replace(/ ?ms$/, '');
    return {
      kind: url === undefined && sent !== undefined ? 'body' : 'fields',
      fields: {
        timestamp: timeIn(this.#head),
        trace_id: idOf(this.#head),
        method: of('method'),
        url,
        requestBody: sent,
        signature: of(SIGNATURE_HEADER.toLowerCase()),
        status: of('statuscode'),
        responseBody: of('responsebody'),
        durationMs: took,
      },
    };
  }
}
