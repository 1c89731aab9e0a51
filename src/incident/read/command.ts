import type { SeenRequest } from '../seen.ts';

/** What a copied command comes to. `open`: its next line belongs to it. */
export type CommandReading =
  /** `missing`: the file that the body lies in, which could not be read; null: nothing is missing. */
  | { readonly kind: 'request'; readonly request: SeenRequest; readonly missing: string | null }
  | { readonly kind: 'open' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads a file that lies beside what is read, by the name that stands there; undefined when there is none. */
export type ReadBeside = (name: string) => Uint8Array | undefined;

/** What a command is given on its standard input; `missing` names what could not be read. */
export interface Piped {
  readonly bytes: Uint8Array | undefined;
  readonly missing: string | undefined;
}

/** The value of an option, whether it stands behind it or is joined to it with `=`. */
export function optionValue(words: readonly string[], at: number): { readonly value: string; readonly at: number } {
  const joined = /^--[^=]+=(.*)$/s.exec(words[at] ?? '')?.[1];
  return joined === undefined ? { value: words[at + 1] ?? '', at: at + 1 } : { value: joined, at };
}

/** A URL as a command may leave out the beginning of it. */
export function withScheme(url: string, scheme = 'http'): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || url.startsWith('/')) return url;
  return `${scheme}://${/^:\d*(?:\/|$)/.test(url) ? 'localhost' : ''}${url}`;
}
