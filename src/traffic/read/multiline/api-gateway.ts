import type { Fields } from '../../json-fields.ts';
import { timeIn } from '../logs/wrapped.ts';
import { NOTHING, type RequestPart } from './request-part.ts';

/** Matches a line of the execution log of AWS API Gateway: a time, perhaps, and the id of the request in parentheses. */
const LINE = /^(.{0,60}?)\(([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\) ([A-Z][\w -]{3,60}(?:: ?|$).{0,8000000})$/s;
const TARGET = /^HTTP Method: ([A-Z]{3,7}), Resource Path: (\/\S{0,2000})$/;
/** The method and the path of the API come before the query, so this line is read only for its URL, which has the query. */
const QUERY = /^Method request query string: \{(.*)\}$/;
const BODY = /^Method request body before transformations: (.*)$/s;
const REPLY_BODY = /^Method response body after transformations: (.*)$/s;
const STATUS = /^Method completed with status: ([1-5]\d\d)$/;

/** API Gateway cuts a text that is longer than 1024 bytes. */
const CUT = / \[TRUNCATED\]$/;

/**
 * Reads a line of the execution log of AWS API Gateway, which has many lines for one request. The gateway stands in front of the
 * operator. Returns undefined for any other line.
 */
export class ApiGatewayLog {
  /** The methods and the paths of the requests whose query has not been read yet. */
  readonly #targets = new Map<string, Fields>();

  part(line: string): RequestPart | undefined {
    if (!line.includes(') ')) return undefined;
    const [, before = '', id = '', text = ''] = LINE.exec(line) ?? [];
    if (text === '') return undefined;
    const own = { timestamp: timeIn(before), trace_id: id };
    const [, method, path] = TARGET.exec(text) ?? [];
    if (method !== undefined) {
      this.#targets.set(id, { ...own, method, url: path });
      const [oldest] = this.#targets.keys();
      if (this.#targets.size > MAX_TARGETS && oldest !== undefined) this.#targets.delete(oldest);
      return NOTHING;
    }
    const query = QUERY.exec(text)?.[1];
    const target = query === undefined ? undefined : this.#targets.get(id);
    if (target) {
      this.#targets.delete(id);
      const url = query === '' ? target.url : `${String(target.url)}?${(query ?? '').replaceAll(', ', '&')}`;
      return { kind: 'request', fields: { ...target, url } };
    }
    const sent = BODY.exec(text)?.[1];
    if (sent !== undefined && sent !== '') return { kind: 'body', fields: { ...own, requestBody: withMark(sent) } };
    const reply = REPLY_BODY.exec(text)?.[1];
    if (reply !== undefined && reply !== '')
      return { kind: 'fields', fields: { ...own, responseBody: withMark(reply) } };
    const status = STATUS.exec(text)?.[1];
    return status === undefined ? NOTHING : { kind: 'fields', fields: { ...own, status } };
  }
}

/** Maximum number of requests of which only the first line was read. */
const MAX_TARGETS = 1000;

/** Writes the mark of a cut text as other loggers do. */
function withMark(text: string): string {
  return text.replace(CUT, '…');
}
