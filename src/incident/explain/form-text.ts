import type { QueryParams } from './request.ts';

/** As forms are sent. */
export function formText(pairs: QueryParams): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

/** Without any encoding. */
export function plainForm(pairs: QueryParams): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}
