/** In which order parameters stand in the URL. It never matters to the signature. */
export type QueryOrder = 'sorted' | 'reversed' | 'as-given';

/** How parameters are percent-encoded. All mean the same once decoded. */
export type QueryEncoding =
  | 'standard' // as encodeURIComponent
  | 'all' // every byte
  | 'letters' // also the first letter of each value
  | 'minimal' // leaves what a query may hold as it is: `:`, `@`, `/`, `?`, `$`, `,`, and `=` in values
  | 'plus'; // a space is a plus

export type QueryParam = readonly [name: string, value: string];

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}

function everyByte(text: string): string {
  return Array.from(Buffer.from(text), percent).join('');
}

function firstLetter(text: string): string {
  const at = text.search(/[A-Za-z]/);
  if (at < 0) return encodeURIComponent(text);
  return encodeURIComponent(text.slice(0, at)) + percent(text.charCodeAt(at)) + encodeURIComponent(text.slice(at + 1));
}

/** RFC 3986 §3.4 lets these stand in a query. */
function minimal(text: string, legal: RegExp): string {
  return encodeURIComponent(text).replace(legal, decodeURIComponent);
}

function encode([name, value]: QueryParam, encoding: QueryEncoding): string {
  switch (encoding) {
    case 'standard':
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    case 'all':
      return `${everyByte(name)}=${everyByte(value)}`;
    case 'letters':
      return `${encodeURIComponent(name)}=${firstLetter(value)}`;
    case 'minimal':
      return `${minimal(name, /%(?:3A|40|2F|3F|24|2C)/g)}=${minimal(value, /%(?:3A|40|2F|3F|24|2C|3D)/g)}`;
    case 'plus':
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`.replaceAll('%20', '+');
  }
}

function ordered(params: readonly QueryParam[], order: QueryOrder): readonly QueryParam[] {
  if (order === 'as-given') return params;
  const sorted = params.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return order === 'sorted' ? sorted : sorted.reverse();
}

/**
 * The text of a query, without the question mark.
 *
 * @throws URIError when a name or value holds half of a surrogate pair
 */
export function queryText(params: readonly QueryParam[], order: QueryOrder, encoding: QueryEncoding): string {
  return ordered(params, order)
    .map((param) => encode(param, encoding))
    .join('&');
}
