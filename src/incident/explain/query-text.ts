import type { JsonTree } from './json-tree.ts';
import type { QueryParams } from './request.ts';

/** How a query is decoded: as forms are (a plus is a space), as URLs are (a plus is a plus), or not at all. */
export type QueryDecoding = 'form' | 'url' | 'none';

/** The part after the question mark, of a URL or of a query that is given alone. */
export function queryOf(text: string): string {
  const withoutFragment = text.split('#', 1)[0] ?? '';
  const mark = withoutFragment.indexOf('?');
  if (mark >= 0) return withoutFragment.slice(mark + 1);
  return /^[a-z][a-z0-9+.-]*:\/\/|^\//i.test(withoutFragment) ? '' : withoutFragment;
}

/**
 * The parameters of a query, or of a URL, in their order.
 *
 * @throws URIError when an escape is no UTF-8
 */
export function decodeQuery(text: string, decoding: QueryDecoding): QueryParams {
  return queryOf(text)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [decode(name, decoding), decode(value, decoding)] as const;
    });
}

function decode(text: string, decoding: QueryDecoding): string {
  switch (decoding) {
    case 'none':
      return text;
    case 'url':
      return unescaped(text);
    case 'form':
      return unescaped(text.replaceAll('+', ' '));
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new URIError(`${JSON.stringify(text)} has a percent sign that begins no escape in UTF-8`);
  }
}

/** Parameters as a JSON object of texts. */
export function formTree(form: QueryParams): JsonTree {
  return { kind: 'object', members: form.map(([name, value]) => [name, { kind: 'text', text: value }]) };
}
