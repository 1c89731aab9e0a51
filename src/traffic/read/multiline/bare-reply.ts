import { type Fields, isFields, parsed } from '../../json-fields.ts';
import { type LoggedExchange, textBody } from '../../logged-exchange.ts';

const MAX_LINES = 60;
/** Fields that occur only in logs. So an object with one of these fields is a log entry and not a reply. */
const LOGGED = [
  'url',
  'path',
  'method',
  'request',
  'event',
  'kind',
  'log',
  'level',
  'time',
  'timestamp',
  '@timestamp',
  'ts',
  'sessionID',
];

/**
 * Reads a reply without its status line and headers. curl prints replies in this way if it is called without `-i`. The status may
 * follow the body (`-w '%{http_code}'`).
 */
export class BareReply {
  readonly #lines: string[] = [];
  readonly line: number;

  constructor(line: number) {
    this.line = line;
  }

  /**
   * Adds a line. Returns the exchange with its reply if the reply is complete. Returns `more` if the reply may continue on the next
   * line, and undefined if the text is not a reply.
   */
  take(text: string, asked: LoggedExchange): LoggedExchange | 'more' | undefined {
    this.#lines.push(text);
    const whole = this.#lines.join('\n').trim();
    const end = whole.lastIndexOf('}') + 1;
    const [body, rest] = [whole.slice(0, end), whole.slice(end)];
    const object = body.startsWith('{') && !rest.includes('{') ? parsed(body) : undefined;
    if (!isFields(object)) return this.#mayGoOn(text) ? 'more' : undefined;
    if (LOGGED.some((name) => name in object)) return undefined;
    return answered(asked, body, object, /^\s*(\d{3})/.exec(rest)?.[1]);
  }

  #mayGoOn(text: string): boolean {
    return this.#lines.length < MAX_LINES && text.trim() !== '' && (this.#lines[0] ?? '').trim() === '{';
  }
}

/**
 * Adds the reply to an exchange. A reply without a status counts as a success only if it has a balance and no error
 * code.
 */
function answered(
  asked: LoggedExchange,
  body: string,
  object: Fields,
  status: string | undefined,
): LoggedExchange | undefined {
  const isSuccess = 'balance' in object && !('code' in object) && !('message' in object) && !('error' in object);
  if (status !== undefined || isSuccess) {
    const answer = { kind: 'reply', status: Number(status ?? 200), headers: null, body: textBody(body) } as const;
    return { ...asked, answer };
  }
  const code = typeof object.code === 'string' ? object.code : undefined;
  if (code === undefined && typeof object.message !== 'string') return undefined;
  return { ...asked, logged: { ...asked.logged, ...(code !== undefined && { code }) } };
}
