import type { LoggedRequest } from '../../logged-exchange.ts';

/** The result of reading a copied command. `open`: the command continues on the next line. */
export type CommandReading =
  /** `missing` is the name of the file with the body if that file could not be read, and null otherwise. */
  | { readonly kind: 'request'; readonly request: LoggedRequest; readonly missing: string | null }
  | { readonly kind: 'open' }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Reads a file that a command names, from the folder of the file with the command. Returns undefined if there is no
 * such file.
 */
export type ReadFileBeside = (name: string) => Uint8Array | undefined;

/** The standard input of a command. `missing` names the file that could not be read. */
export interface StandardInput {
  readonly bytes: Uint8Array | undefined;
  readonly missing: string | undefined;
}

/** Reads the value of an option: the next word, or the text after `=`. */
export function optionValue(words: readonly string[], at: number): { readonly value: string; readonly at: number } {
  const joined = /^--[^=]+=(.*)$/s.exec(words[at] ?? '')?.[1];
  return joined === undefined ? { value: words[at + 1] ?? '', at: at + 1 } : { value: joined, at };
}

/** Completes a URL without a scheme, and `:PORT` without a host name. */
export function withScheme(url: string, scheme = 'http'): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || url.startsWith('/')) return url;
  return `${scheme}://${/^:\d*(?:\/|$)/.test(url) ? 'localhost' : ''}${url}`;
}
