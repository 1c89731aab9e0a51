import { type SeenExchange, textBody } from '../seen.ts';
import { type Fields, isFields, parsed } from './fields.ts';

const MOST_LINES = 60;
/** What belongs to a log and to no reply. */
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

/** A reply of which a terminal shows the body alone, as curl prints it without -i; behind it may stand its status (`-w '%{http_code}'`). */
export class BareReply {
  readonly #lines: string[] = [];
  readonly line: number;

  constructor(line: number) {
    this.line = line;
  }

  /** @returns the exchange with its reply; `more`: it goes on; undefined: it is none */
  take(text: string, asked: SeenExchange): SeenExchange | 'more' | undefined {
    this.#lines.push(text);
    const [, body = '', status] = /^(\{.*\})\s*(\d{3})?[^{}]*$/s.exec(this.#lines.join('\n').trim()) ?? [];
    const object = parsed(body);
    if (!isFields(object)) return this.#mayGoOn(text) ? 'more' : undefined;
    if (LOGGED.some((name) => name in object)) return undefined;
    return answered(asked, body, object, status);
  }

  #mayGoOn(text: string): boolean {
    return this.#lines.length < MOST_LINES && text.trim() !== '' && (this.#lines[0] ?? '').trim() === '{';
  }
}

/** Only a reply of success has a balance and no code; without its status nothing else is known. */
function answered(
  asked: SeenExchange,
  body: string,
  object: Fields,
  status: string | undefined,
): SeenExchange | undefined {
  const isSuccess = 'balance' in object && !('code' in object) && !('message' in object) && !('error' in object);
  if (status !== undefined || isSuccess) {
    const answer = { kind: 'reply', status: Number(status ?? 200), headers: null, body: textBody(body) } as const;
    return { ...asked, answer };
  }
  const code = typeof object.code === 'string' ? object.code : undefined;
  if (code === undefined && typeof object.message !== 'string') return undefined;
  return { ...asked, told: { ...asked.told, ...(code !== undefined && { code }) } };
}
