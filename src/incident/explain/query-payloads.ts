import { canonicalJson, NotCanonicalError } from '../../contract/canonical.ts';
import { queryPayload } from '../../contract/signature.ts';
import { type Made, wrong } from './construction.ts';
import { formText, plainForm } from './form-text.ts';
import { decodeQuery } from './query-text.ts';
import type { QueryParams } from './request.ts';

/** The other ways to decode a query, each then written canonically as it should be. */
export function decodings(query: string): readonly Made[] {
  const way = (id: string, mistake: string, read: () => QueryParams): readonly Made[] => {
    const decoded = params(read);
    const text = decoded && canonical(decoded);
    return text === undefined ? [] : [wrong(id, mistake, text, 'query')];
  };
  const twice = (decoding: 'form' | 'url') => () =>
    decodeQuery(query, decoding).map(
      ([name, value]) => [decodedAgain(name, decoding), decodedAgain(value, decoding)] as const,
    );
  return [
    ...way(
      'query-undecoded',
      'The parameters were not decoded: percent escapes were signed as they stand in the URL.',
      () => decodeQuery(query, 'none'),
    ),
    ...way('query-plus-kept', 'A plus in the query was taken for a plus; it stands for a blank.', () =>
      decodeQuery(query, 'url'),
    ),
    ...way('query-plus-only', 'Only the plus was decoded, the percent escapes were not.', () =>
      decodeQuery(query.replaceAll('+', ' '), 'none'),
    ),
    ...way('query-decoded-twice', 'The parameters were decoded twice.', twice('form')),
    ...way('query-decoded-twice-plus', 'The parameters were decoded twice, and a plus was kept.', twice('url')),
    ...way('query-latin1', 'The percent escapes were decoded as Latin-1; they are UTF-8.', () =>
      decodeQuery(query, 'none').map(([name, value]) => [latin1(name), latin1(value)] as const),
    ),
  ];
}

function decodedAgain(text: string, decoding: 'form' | 'url'): string {
  return decodeURIComponent(decoding === 'form' ? text.replaceAll('+', ' ') : text);
}

function latin1(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

/** The query as text, instead of the JSON object that it stands for. */
export function queryTexts(query: string): readonly Made[] {
  const pairs = decodeQuery(query, 'none').toSorted(([a], [b]) => (a < b ? -1 : 1));
  const plain = params(() => decodeQuery(query, 'form')) ?? [];
  return [
    wrong(
      'query-string',
      'The query string was signed; what is signed of a GET is the JSON object of its parameters.',
      query,
      'query',
    ),
    wrong(
      'query-string-mark',
      'The query string was signed with its question mark; what is signed of a GET is the JSON object of its parameters.',
      `?${query}`,
      'query',
    ),
    wrong(
      'query-string-sorted',
      'The sorted query string was signed; what is signed of a GET is the JSON object of its parameters.',
      plainForm(pairs),
      'query',
    ),
    wrong(
      'query-string-decoded',
      'The decoded query string was signed; what is signed of a GET is the JSON object of its parameters.',
      plainForm(plain),
      'query',
    ),
    wrong(
      'query-string-encoded-anew',
      'The query string was written anew and signed; what is signed of a GET is the JSON object of its parameters.',
      formText(plain),
      'query',
    ),
    wrong(
      'query-values',
      'The values of the parameters were joined and signed, without names.',
      plain.map(([, value]) => value).join(''),
      'query',
    ),
  ];
}

/** Other JSON shapes of the same parameters. */
export function shapes(form: QueryParams): readonly Made[] {
  const sorted = form.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lists = Object.fromEntries(sorted.map(([name, value]) => [name, [value]]));
  const session = form.filter(([name]) => name === 'sessionID');
  const onlySession = session.length === form.length ? undefined : canonical(session);
  return [
    wrong(
      'query-lists',
      'Each value was signed as a list (url.Values, getParameterMap and parse_qs give lists).',
      JSON.stringify(lists),
      'query',
    ),
    wrong('query-pairs', 'The parameters were signed as a list of pairs.', JSON.stringify(sorted), 'query'),
    wrong(
      'query-wrapped',
      'The parameters were signed within an object named query.',
      JSON.stringify({ query: Object.fromEntries(sorted) }),
      'query',
    ),
    ...(onlySession === undefined
      ? []
      : [
          wrong(
            'query-session-only',
            'Only the sessionID was signed; all parameters of the query are.',
            onlySession,
            'query',
          ),
        ]),
  ];
}

/** Parameters that are read, unless their escapes are no UTF-8. */
export function params(read: () => QueryParams): QueryParams | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** As it should be signed; where a name occurs twice, with the last value, as most programs have it. */
export function canonical(decoded: QueryParams): string | undefined {
  try {
    return queryPayload(decoded);
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(Object.fromEntries(decoded));
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}
