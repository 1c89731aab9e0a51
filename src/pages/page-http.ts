import path from 'node:path';
import type { z } from 'zod';
import { type HeaderPairs, headerOf, type ListenReply, type ListenRequest } from '../listen/message.ts';

/**
 * The content policy of the pages. A page may load its own scripts and styles, and call its own server. Inline code
 * does not run.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Says whether pages of other sites may show a page in a frame. */
export type Framing = 'allowed' | 'forbidden';

/** Reads one of the built files of the pages by its name. Throws when there is no such file. */
export type ReadPage = (name: string) => Uint8Array;

/**
 * Returns one of the built files of the pages as a reply.
 *
 * @throws Error when the file is missing; the message says how to build it
 */
export function pageFile(readPage: ReadPage, name: string, framing: Framing): ListenReply {
  const type = TYPES[path.extname(name)];
  if (type === undefined) throw new RangeError(`${name} has a file type that the pages of croupier do not use`);
  return { status: 200, headers: [['Content-Type', type], ...securityHeaders(framing)], body: read(readPage, name) };
}

/** Returns the security headers of every reply to a page, such as its content policy and whether a frame may show it. */
export function securityHeaders(framing: Framing): HeaderPairs {
  const alone: HeaderPairs = [
    ['X-Frame-Options', 'DENY'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
  ];
  return [
    ['Content-Security-Policy', framing === 'forbidden' ? `${POLICY}; frame-ancestors 'none'` : POLICY],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cache-Control', 'no-cache'],
    ...(framing === 'forbidden' ? alone : []),
  ];
}

function read(readPage: ReadPage, name: string): Uint8Array {
  try {
    return readPage(name);
  } catch (error) {
    throw new Error(`the page file ${name} is missing; build croupier first (npm run build)`, { cause: error });
  }
}

/** The JSON of a page's request, or the status and message of the error reply. */
export type PageRequest<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'wrong'; readonly status: 400 | 415; readonly message: string };

/**
 * Reads the JSON that a page sends. The content type must be JSON, because this protects against pages of other sites: before
 * such a page may send JSON, the browser asks the server for permission (CORS), and croupier never gives this permission.
 */
export function readPageJson<T>({ headers, body }: ListenRequest, schema: z.ZodType<T>): PageRequest<T> {
  const type = headerOf(headers, 'content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    return {
      kind: 'wrong',
      status: 415,
      message: 'The body must be JSON. Send it with the header Content-Type: application/json.',
    };
  }
  const parsed = schema.safeParse(parse(body));
  if (parsed.success) return { kind: 'read', value: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'the body';
  return {
    kind: 'wrong',
    status: 400,
    message: `The request is invalid: ${place}: ${issue?.message ?? 'unexpected value'}.`,
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
