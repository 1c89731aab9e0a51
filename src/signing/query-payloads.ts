import { canonicalJson, NotCanonicalError } from '../contract/canonical.ts';
import { decodeEscapes, type QueryParams, queryOf, readQuery } from '../contract/query.ts';
import { queryPayload } from '../contract/signature.ts';
import { type Made, rarely, wrong } from './construction.ts';
import type { JsonTree } from './json-tree.ts';

/** The decoding of a query: `form` decodes a plus as a space, `url` keeps a plus, and `none` decodes nothing. */
type QueryDecoding = 'form' | 'url' | 'none';

/**
 * Returns the parameters of a query or of a URL, in their order.
 *
 * @throws URIError if a percent escape is not UTF-8
 */
export function decodeQuery(text: string, decoding: QueryDecoding): QueryParams {
  const query = queryOf(text);
  switch (decoding) {
    case 'form':
      return readQuery(query);
    case 'url':
      return readQuery(query, decodeEscapes);
    case 'none':
      return readQuery(query, (part) => part);
  }
}

/** Returns the parameters as a JSON object of strings. */
export function formTree(form: QueryParams): JsonTree {
  return { kind: 'object', members: form.map(([name, value]) => [name, { kind: 'text', text: value }]) };
}

/** Writes the pairs in the encoding of HTML forms. */
export function formText(pairs: QueryParams): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

/** Writes the pairs as `name=value` joined by `&`, without any encoding. */
export function plainForm(pairs: QueryParams): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

/**
 * Returns the payloads that result from each wrong way to decode a query. After the decoding, the parameters are
 * written as correct canonical JSON.
 */
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
      'The parameters were not decoded. Percent escapes were signed as they are in the URL.',
      () => decodeQuery(query, 'none'),
    ),
    ...way('query-plus-kept', 'A plus sign in the query was not decoded. It stands for a space.', () =>
      decodeQuery(query, 'url'),
    ),
    ...way('query-plus-only', 'Plus signs in the query were decoded, but percent escapes were not.', () =>
      decodeQuery(query.replaceAll('+', ' '), 'none'),
    ),
    ...way('query-decoded-twice', 'The parameters were decoded twice.', twice('form')),
    ...way(
      'query-decoded-twice-plus',
      'The parameters were decoded twice, and plus signs were not decoded as spaces.',
      twice('url'),
    ),
    ...way('query-latin1', 'The percent escapes were decoded as Latin-1. Decode them as UTF-8.', () =>
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

/** Returns payloads that are text made from the query, instead of the JSON object of its parameters. */
export function queryTexts(query: string): readonly Made[] {
  const pairs = decodeQuery(query, 'none').toSorted(([a], [b]) => (a < b ? -1 : 1));
  const plain = params(() => decodeQuery(query, 'form')) ?? [];
  return [
    wrong(
      'query-string',
      'The query string was signed. For a GET, sign the JSON object of the parameters.',
      query,
      'query',
    ),
    wrong(
      'query-string-mark',
      'The query string was signed with its question mark. For a GET, sign the JSON object of the parameters.',
      `?${query}`,
      'query',
    ),
    wrong(
      'query-string-sorted',
      'The sorted query string was signed. For a GET, sign the JSON object of the parameters.',
      plainForm(pairs),
      'query',
    ),
    wrong(
      'query-string-decoded',
      'The decoded query string was signed. For a GET, sign the JSON object of the parameters.',
      plainForm(plain),
      'query',
    ),
    wrong(
      'query-string-encoded-anew',
      'The query string was decoded, encoded again and signed. For a GET, sign the JSON object of the parameters.',
      formText(plain),
      'query',
    ),
    wrong(
      'query-string-encoded-anew-sorted',
      'The query string was decoded, sorted, encoded again and signed, as url.Values.Encode of Go does. For a GET, sign the JSON object of the parameters.',
      formText(plain.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      'query',
    ),
    ...[plain, plain.toSorted(([a], [b]) => (a < b ? -1 : 1))].map((each) =>
      rarely(
        'query-string-encoded-rfc3986',
        'The query string was decoded, encoded again with %20 for each space, and signed. For a GET, sign the JSON object of the parameters.',
        formText(each).replaceAll('+', '%20'),
        'query',
      ),
    ),
    rarely(
      'query-string-end',
      'The query string was signed with an ampersand at its end. For a GET, sign the JSON object of the parameters.',
      `${query}&`,
      'query',
    ),
  ];
}

/** Returns payloads that have the correct parameters in a wrong JSON structure. */
export function shapes(form: QueryParams): readonly Made[] {
  const sorted = form.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lists = Object.fromEntries(sorted.map(([name, value]) => [name, [value]]));
  const spaced = (pairs: QueryParams): string =>
    `{${pairs.map(([name, value]) => `${JSON.stringify(name)}: [${JSON.stringify(value)}]`).join(', ')}}`;
  const session = form.filter(([name]) => name === 'sessionID');
  const onlySession = session.length === form.length ? undefined : canonical(session);
  return [
    wrong(
      'query-lists',
      'Each value was signed as a list (url.Values, getParameterMap and parse_qs give lists).',
      JSON.stringify(lists),
      'query',
    ),
    ...[form, sorted].map((pairs) =>
      wrong(
        'query-lists',
        'Each value was signed as a list, in JSON with spaces (json.dumps of parse_qs in Python writes this).',
        spaced(pairs),
        'query',
      ),
    ),
    wrong('query-pairs', 'The parameters were signed as a list of pairs.', JSON.stringify(sorted), 'query'),
    wrong(
      'query-wrapped',
      'The parameters were signed inside an object named query.',
      JSON.stringify({ query: Object.fromEntries(sorted) }),
      'query',
    ),
    ...(onlySession === undefined
      ? []
      : [
          wrong(
            'query-session-only',
            'Only the sessionID was signed. Sign all parameters of the query.',
            onlySession,
            'query',
          ),
        ]),
  ];
}

/** Reads parameters. Returns undefined if a percent escape is not UTF-8. */
export function params(read: () => QueryParams): QueryParams | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Returns the correct payload for decoded parameters. If a name occurs twice, its last value is used, as in most
 * programs.
 */
export function canonical(decoded: QueryParams): string | undefined {
  try {
    return queryPayload(decoded);
  } catch (error) {
    if (error instanceof RangeError) return canonicalJson(Object.fromEntries(decoded));
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}
