import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { idOf } from '../logs/printed.ts';
import { timeIn } from '../logs/wrapped.ts';
import { NOTHING, placed, type RequestPart } from './request-part.ts';

/** Matches the first line that Phoenix (Elixir) writes of a request. Only a request line ends directly after its path. */
const REQUEST = /^(.{0,300}?\[(?:info|debug)\]) +(GET|POST) (\/[^\s?]{0,1000})\s*$/;
const PROCESSING = /\[(?:info|debug)\] +Processing with [A-Z][\w.]{0,200}\.\w{1,100}\/2\s*$/;
const PARAMETERS = /^ +Parameters: %(\{.{0,100000}\})\s*$/s;
const PIPELINES = /^ +Pipelines: \[[^\]]{0,500}\]\s*$/;
/** The levels of these lines. A line without any of them is skipped at once. Most logs have none of them, so this saves time. */
const LEVELS = ['[info] ', '[debug] '] as const;
const SENT = /^(.{0,300}?\[(?:info|debug)\]) +(?:Sent|Chunked) ([1-5]\d\d) in (\d{1,9})(ms|µs)\s*$/;

/**
 * Reads the lines that Phoenix writes of a request. The lines with the parameters have no id, but Phoenix writes them together with
 * the line before them.
 */
export class PhoenixLog {
  /** The time and the id of the last line, if the parameters may follow it. */
  #own: Fields | null = null;

  /** Returns undefined for any other line. */
  part(line: string): RequestPart | undefined {
    if (line.startsWith(' ')) return this.#own === null ? undefined : this.#indented(line, this.#own);
    this.#own = null;
    if (!LEVELS.some((level) => line.includes(level))) return undefined;
    const [, before = '', method, url] = REQUEST.exec(line) ?? [];
    if (url !== undefined) return { kind: 'request', fields: { ...placed(before), method, url } };
    if (PROCESSING.test(line)) {
      this.#own = { timestamp: timeIn(line), trace_id: idOf(line) };
      return NOTHING;
    }
    const [, prefix = '', status, took, unit] = SENT.exec(line) ?? [];
    if (status === undefined) return undefined;
    return { kind: 'fields', fields: { ...placed(prefix), status, took: `${took}${unit}` } };
  }

  #indented(line: string, own: Fields): RequestPart | undefined {
    if (PIPELINES.test(line)) return NOTHING;
    const map = PARAMETERS.exec(line)?.[1];
    const value = map === undefined ? undefined : parsed(asJson(map));
    if (!isFields(value) || typeof value.sessionID !== 'string') return map === undefined ? undefined : NOTHING;
    const body = Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each !== 'object'));
    // A balance call has its session in the query, and Phoenix writes the query among the parameters.
    return { kind: 'body', fields: { ...own, requestBody: JSON.stringify(body), session: value.sessionID } };
  }
}

/** Writes a map of Elixir as JSON. */
function asJson(map: string): string {
  return map
    .replaceAll(/(?<!\\)" ?=> ?/g, '":')
    .replaceAll(/":nil\b/g, '":null')
    .replaceAll('%{', '{');
}
