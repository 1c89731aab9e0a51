/** The decoded parameters of a query, in their order. */
export type QueryParams = readonly (readonly [name: string, value: string])[];

/**
 * Returns the query of a URL or a request target, without the question mark. If the text is only a query, it is returned unchanged.
 */
export function queryOf(text: string): string {
  const withoutFragment = text.split('#', 1)[0] ?? '';
  const mark = withoutFragment.indexOf('?');
  if (mark >= 0) return withoutFragment.slice(mark + 1);
  return /^[a-z][a-z0-9+.-]*:\/\/|^\//i.test(withoutFragment) ? '' : withoutFragment;
}

/**
 * Returns the parameters of a query (without its question mark). Names and values are decoded as HTML forms are (contract,
 * Authentication 3): `%2B` is a plus sign, `+` and `%20` are spaces.
 *
 * @param decode another function that decodes a name or value
 * @throws URIError for a percent sign that is not part of a UTF-8 escape
 */
export function readQuery(query: string, decode: (text: string) => string = decodeForm): QueryParams {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [decode(name), decode(value)] as const;
    });
}

function decodeForm(text: string): string {
  return decodeEscapes(text.replaceAll('+', ' '));
}

/**
 * Decodes percent escapes only, so a plus sign stays a plus sign.
 *
 * @throws URIError for a percent sign that is not part of a UTF-8 escape
 */
export function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new URIError(`${JSON.stringify(text)} has a percent sign that is not part of a UTF-8 escape`);
  }
}
