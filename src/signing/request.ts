import { queryOf } from '../contract/query.ts';
import { type Made, wrong } from './construction.ts';
import { canonical, decodeQuery, params } from './query-payloads.ts';

/** The parts of a request on which its signature can depend. */
export interface SignedRequest {
  readonly method: string;
  /** A whole URL, or a path with its query; empty if unknown. */
  readonly url: string;
  /** null: no body. */
  readonly body: Uint8Array | null;
  /** The value of the signature header; undefined: no such header. */
  readonly signature: string | undefined;
}

/** True for a call of the operator to the Core API, which is signed with the API key over canonical JSON (position). */
export function isToCoreApi(url: string): boolean {
  return /\/(?:create-new-game|games|free-rounds)(?:[?#]|$)/.test(url);
}

/** Payloads from method, URL and body that may be signed by mistake, for any request. */
export function anyRequest(
  { method, url }: SignedRequest,
  fix: 'raw-body' | 'query',
  body: Buffer | null,
): readonly Made[] {
  const path = pathOf(url);
  const bare = path.split('?', 1)[0] ?? '';
  const text = body?.toString('utf8') ?? '';
  const query = queryOf(url);
  const decoded = params(() => decodeQuery(query, 'form'));
  const otherForm = body === null || !decoded ? undefined : canonical(decoded);
  const parts: readonly (readonly [id: string, mistake: string, content: string])[] = [
    [
      'empty',
      body === null
        ? 'Nothing was signed: a GET has no body, but its parameters must be signed.'
        : 'Nothing was signed: the body had been read before, or had not arrived yet.',
      '',
    ],
    ['empty-object', 'An empty object was signed: the body had not been parsed, or a parser found nothing.', '{}'],
    ['empty-list', 'An empty list was signed: json_encode of an empty array gives one.', '[]'],
    ['null', 'The text null was signed instead of the payload.', 'null'],
    ['empty-text', 'An empty JSON text ("") was signed instead of the payload.', '""'],
    ...(otherForm === undefined || otherForm === '{}'
      ? []
      : ([
          ['other-form', 'The query was signed, as for a GET; for a POST, the body must be signed.', otherForm],
        ] as const)),
    ...(text === '' ? [] : ([['method-body', 'The method was signed before the body.', `${method}${text}`]] as const)),
    ...(url === ''
      ? []
      : ([
          ['url', 'The URL was signed instead of the payload.', url],
          [
            'url-without-query',
            'The URL without its query was signed instead of the payload.',
            url.split('?', 1)[0] ?? '',
          ],
          ['path', 'The path was signed instead of the payload.', bare],
          ['path-and-query', 'Path and query were signed instead of the payload.', path],
          ['method-and-path', 'Method and path were signed instead of the payload.', `${method} ${path}`],
          ['method-path-body', 'Method and path were signed before the body.', `${method}${bare}${text}`],
          ['method-path-body-lines', 'Method, path and body were signed as lines.', `${method}\n${bare}\n${text}`],
          ['path-body', 'The path was signed before the body.', `${bare}${text}`],
          ['path-body-line', 'The path was signed on a line before the body.', `${bare}\n${text}`],
          ['url-body', 'The URL was signed before the body.', `${url}${text}`],
          ['body-path', 'The path was signed after the body.', `${text}${bare}`],
        ] as const)),
  ];
  return parts.map(([id, mistake, content]) => wrong(id, mistake, content, fix));
}

/** Path and query of a URL, or of a request target. */
function pathOf(url: string): string {
  const [, path = url] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(url) ?? [];
  return (path.split('#', 1)[0] ?? '').replace(/^(?!\/)/, '/');
}
