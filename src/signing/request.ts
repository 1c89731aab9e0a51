import { queryOf } from '../contract/query.ts';
import { type Made, wrong } from './construction.ts';
import { canonical, decodeQuery, params } from './query-payloads.ts';

/** The parts of a request that its signature may depend on. */
export interface SignedRequest {
  readonly method: string;
  /** A whole URL, or a path with its query. Empty if it is unknown. */
  readonly url: string;
  /** The bytes of the body; null if the request has no body. */
  readonly body: Uint8Array | null;
  /** The value of the signature header; undefined if the request does not have this header. */
  readonly signature: string | undefined;
  /** The other headers of the request; undefined if they are unknown. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** True if the body was given by itself. An editor or a shell may have added a line break at its end. */
  readonly isBodyAlone?: boolean;
}

/**
 * True for a call from the operator to the Core API, recognised by its path. croupier assumes that the operator signs
 * the canonical JSON of the body with the API key.
 */
export function isToCoreApi(url: string): boolean {
  return /\/(?:create-new-game|games|free-rounds)(?:[?#]|$)/.test(url);
}

/** Returns payloads that programs sign by mistake for any kind of request, such as the URL or an empty object. */
export function anyRequest(
  { method, url }: SignedRequest,
  fix: 'raw-body' | 'query',
  body: Buffer | null,
): readonly Made[] {
  const path = pathOf(url);
  const bare = path.split('?', 1)[0] ?? '';
  const text = body?.toString('utf8') ?? '';
  const query = queryOf(url);
  // Raw HTTP does not show the scheme of the URL.
  const otherScheme = url.replace(/^http(s?):/, (_scheme, secure: string) => (secure === '' ? 'https:' : 'http:'));
  const decoded = params(() => decodeQuery(query, 'form'));
  const otherForm = body === null || !decoded ? undefined : canonical(decoded);
  const parts: readonly (readonly [id: string, mistake: string, content: string])[] = [
    [
      'empty',
      body === null
        ? 'An empty payload was signed. A GET has no body, so the parameters of its query must be signed.'
        : 'An empty payload was signed. The body had already been read, or had not arrived yet.',
      '',
    ],
    [
      'empty-object',
      'An empty object was signed. The body was not parsed before signing, or the parser found no fields.',
      '{}',
    ],
    ['empty-list', 'An empty list was signed. In PHP, json_encode of an empty array gives an empty list.', '[]'],
    ['null', 'The text "null" was signed instead of the payload.', 'null'],
    [
      'undefined',
      'The text "undefined" was signed instead of the payload, because a variable had no value.',
      'undefined',
    ],
    ['empty-text', 'An empty JSON text ("") was signed instead of the payload.', '""'],
    ...(otherForm === undefined || otherForm === '{}'
      ? []
      : ([['other-form', 'The query was signed, as for a GET. For a POST, sign the body.', otherForm]] as const)),
    ...(text === ''
      ? []
      : ([
          [
            'method-body',
            'The method was written before the body, and both were signed together. Sign only the body.',
            `${method}${text}`,
          ],
        ] as const)),
    ...(url === ''
      ? []
      : ([
          ['url', 'The URL was signed instead of the payload.', url],
          ['url', 'The URL was signed instead of the payload.', otherScheme],
          [
            'url-without-query',
            'The URL without its query was signed instead of the payload.',
            url.split('?', 1)[0] ?? '',
          ],
          ['path', 'The path was signed instead of the payload.', bare],
          ['path-and-query', 'The path and the query were signed instead of the payload.', path],
          ...['\n', ' ', '', '|', ':'].map(
            (mark) =>
              [
                'method-and-path',
                'The method and the path were signed instead of the payload.',
                `${method}${mark}${path}`,
              ] as const,
          ),
          [
            'method-path-query-lines',
            'The method, the path and the query were signed on separate lines instead of the payload.',
            `${method}\n${bare}\n${queryOf(url)}`,
          ],
          [
            'method-path-body',
            'The method and the path were signed together with the body. Sign only the body.',
            `${method}${bare}${text}`,
          ],
          [
            'method-path-body-lines',
            'The method, the path and the body were signed on separate lines. Sign only the body.',
            `${method}\n${bare}\n${text}`,
          ],
          [
            'path-body',
            'The path was written before the body, and both were signed together. Sign only the body.',
            `${bare}${text}`,
          ],
          [
            'path-body-line',
            'The path was written on a line before the body, and both were signed together. Sign only the body.',
            `${bare}\n${text}`,
          ],
          [
            'url-body',
            'The URL was written before the body, and both were signed together. Sign only the body.',
            `${url}${text}`,
          ],
          [
            'url-body',
            'The URL was written before the body, and both were signed together. Sign only the body.',
            `${otherScheme}${text}`,
          ],
          [
            'method-path-query-body-lines',
            'The method, the path, the query and the body were signed on separate lines. Sign only the body.',
            `${method}\n${bare}\n${query}\n${text}`,
          ],
          [
            'method-path-body-line',
            'The method and the path were written on a line before the body, and both were signed together. Sign only the body.',
            `${method}${bare}\n${text}`,
          ],
          [
            'body-path',
            'The path was written after the body, and both were signed together. Sign only the body.',
            `${text}${bare}`,
          ],
        ] as const)),
  ];
  return parts.map(([id, mistake, content]) => wrong(id, mistake, content, fix));
}

/** Returns the path and the query of a URL or of a request target. */
export function pathOf(url: string): string {
  const [, path = url] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*((?:[/?#].*)?)$/is.exec(url) ?? [];
  return (path.split('#', 1)[0] ?? '').replace(/^(?!\/)/, '/');
}
