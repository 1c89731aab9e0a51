import path from 'node:path';
import type { HeaderPairs, ListenReply } from '../listen/message.ts';

/** What a page may do: run its own script and style, talk to its own server, and nothing else. No inline code. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Whether other sites may show a page within theirs. */
export type Framing = 'by-anybody' | 'by-nobody';

/** Gives the built file of that name. Throws when there is none. */
export type ReadPage = (name: string) => Uint8Array;

/**
 * One of the built files of the pages, as a reply.
 *
 * @throws Error when it isn't there, with what to do
 */
export function pageFile(readPage: ReadPage, name: string, framing: Framing): ListenReply {
  const type = TYPES[path.extname(name)];
  if (type === undefined) throw new RangeError(`pages have no files like ${name}`);
  return { status: 200, headers: [['Content-Type', type], ...guardHeaders(framing)], body: read(readPage, name) };
}

/** What every reply to a page carries, so that no browser takes it for something else or tells others where it was. */
export function guardHeaders(framing: Framing): HeaderPairs {
  const alone: HeaderPairs = [
    ['X-Frame-Options', 'DENY'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
  ];
  return [
    ['Content-Security-Policy', framing === 'by-nobody' ? `${POLICY}; frame-ancestors 'none'` : POLICY],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cache-Control', 'no-cache'],
    ...(framing === 'by-nobody' ? alone : []),
  ];
}

function read(readPage: ReadPage, name: string): Uint8Array {
  try {
    return readPage(name);
  } catch (error) {
    throw new Error(`the page file ${name} is not there: build croupier first (npm run build)`, { cause: error });
  }
}
