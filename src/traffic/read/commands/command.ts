import type { LoggedRequest } from '../../logged-exchange.ts';

/** The result of reading a copied command. The kind `open` means that the command continues on the next line. */
export type CommandReading =
  /** If the file that contains the body could not be read, `missing` is the name of this file. Otherwise it is null. */
  | {
      readonly kind: 'request';
      readonly request: LoggedRequest;
      readonly missing: string | null;
      /** The body has the fields that were sent, but perhaps not the same bytes. */
      readonly isBodyRewritten?: true;
    }
  | { readonly kind: 'open' }
  /** The statement sets a variable, which a later command may use. */
  | { readonly kind: 'assignment' }
  | { readonly kind: 'unreadable'; readonly why: string };

/**
 * Reads a file that a command names, from the folder of the file that contains the command. Returns undefined if the
 * file does not exist.
 */
export type ReadFileBeside = (name: string) => Uint8Array | undefined;

/**
 * The standard input of a command. `bytes` is undefined if the input is not known. `missing` names the file that could
 * not be read.
 */
export interface StandardInput {
  readonly bytes: Uint8Array | undefined;
  readonly missing: string | undefined;
}

/**
 * Reads the value of the option at position `at`: the text after `=`, or else the next word. Also returns the position of the last
 * word that belongs to the option.
 */
export function optionValue(words: readonly string[], at: number): { readonly value: string; readonly at: number } {
  const joined = /^--[^=]+=(.*)$/s.exec(words[at] ?? '')?.[1];
  return joined === undefined ? { value: words[at + 1] ?? '', at: at + 1 } : { value: joined, at };
}

/** Adds a scheme to a URL that has none, and `localhost` to a URL that begins with `:PORT`. */
export function withScheme(url: string, scheme = 'http'): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || url.startsWith('/')) return url;
  return `${scheme}://${/^:\d*(?:\/|$)/.test(url) ? 'localhost' : ''}${url}`;
}
