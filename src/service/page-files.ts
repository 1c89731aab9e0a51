import path from 'node:path';
import type { HeaderPairs, ListenReply } from '../listen/message.ts';

/** A page may load its own scripts and styles, and call its own server. It has no inline code. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Whether other sites may show a page in a frame. */
export type Framing = 'by-anybody' | 'by-nobody';

/** Reads a built file by its name. Throws when there is none. */
export type ReadPage = (name: string) => Uint8Array;

/**
 * One of the built files of the pages, as a reply.
 *
 * @throws Error when the file is missing; the message says what to do
 */
export function pageFile(readPage: ReadPage, name: string, framing: Framing): ListenReply {
  const type = TYPES[path.extname(name)];
  if (type === undefined) throw new RangeError(`pages have no files like ${name}`);
  return { status: 200, headers: [['Content-Type', type], ...guardHeaders(framing)], body: read(readPage, name) };
}

/** The headers of every reply to a page: content policy, no sniffing of types, no referrer, framing. */
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
