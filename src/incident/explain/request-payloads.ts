import { type Made, wrong } from './construction.ts';
import { canonical, params } from './query-payloads.ts';
import { decodeQuery, queryOf } from './query-text.ts';
import type { SignedRequest } from './request.ts';

/** What may be signed of any request by mistake. */
export function anyRequest(
  { method, url }: SignedRequest,
  mend: 'raw-body' | 'query',
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
        ? 'Nothing was signed: a GET has no body, but its parameters are signed.'
        : 'Nothing was signed: the body had been read before, or was not there yet.',
      '',
    ],
    ['empty-object', 'An empty object was signed: the body had not been parsed, or a parser found nothing.', '{}'],
    ['empty-list', 'An empty list was signed: json_encode of nothing gives one.', '[]'],
    ['null', 'The text null was signed in place of the payload.', 'null'],
    ['empty-text', 'An empty JSON text ("") was signed in place of the payload.', '""'],
    ...(otherForm === undefined || otherForm === '{}'
      ? []
      : ([['other-form', 'The query was signed, as of a GET; of a POST it is the body.', otherForm]] as const)),
    ...(text === '' ? [] : ([['method-body', 'The method was signed before the body.', `${method}${text}`]] as const)),
    ...(url === ''
      ? []
      : ([
          ['url', 'The URL was signed in place of the payload.', url],
          [
            'url-without-query',
            'The URL without its query was signed in place of the payload.',
            url.split('?', 1)[0] ?? '',
          ],
          ['path', 'The path was signed in place of the payload.', bare],
          ['path-and-query', 'Path and query were signed in place of the payload.', path],
          ['method-and-path', 'Method and path were signed in place of the payload.', `${method} ${path}`],
          ['method-path-body', 'Method and path were signed before the body.', `${method}${bare}${text}`],
          ['method-path-body-lines', 'Method, path and body were signed as lines.', `${method}\n${bare}\n${text}`],
          ['path-body', 'The path was signed before the body.', `${bare}${text}`],
          ['path-body-line', 'The path was signed in a line before the body.', `${bare}\n${text}`],
          ['url-body', 'The URL was signed before the body.', `${url}${text}`],
          ['body-path', 'The path was signed behind the body.', `${text}${bare}`],
        ] as const)),
  ];
  return parts.map(([id, mistake, content]) => wrong(id, mistake, content, mend));
}

/** Path and query of a URL, or of a request target. */
function pathOf(url: string): string {
  const [, path = url] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(url) ?? [];
  return (path.split('#', 1)[0] ?? '').replace(/^(?!\/)/, '/');
}
