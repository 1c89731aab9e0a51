import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { headerOf, type ListenRequest } from '../../listen/message.ts';
import type { Behaviour } from '../behaviour.ts';
import { delivering, transferring, withHeaders } from '../rewriting.ts';
import type { Variant } from '../variation.ts';

/** True if the caller accepts a coding. A caller without Accept-Encoding accepts every coding (RFC 9110, 12.5.3). */
function accepts({ headers }: ListenRequest, coding: string): boolean {
  const given = headerOf(headers, 'accept-encoding');
  if (given === undefined) return true;
  const [named, any] = [coding, '*'].map((wanted) =>
    given
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(';')
          .map((piece) => piece.trim()),
      )
      .find(([name]) => name === wanted),
  );
  const found = named ?? any;
  return found !== undefined && !found.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}

function compressing(right: Behaviour, coding: string, compress: (bytes: Uint8Array) => Uint8Array) {
  return delivering(right, (reply, request) => {
    const { body } = reply;
    if (!(typeof body === 'string' || body instanceof Uint8Array) || !accepts(request, coding)) return reply;
    const bytes = Buffer.from(body);
    if (bytes.length === 0) return reply;
    const headers = [
      ['Content-Encoding', coding],
      ['Vary', 'Accept-Encoding'],
    ] as const;
    return withHeaders({ ...reply, body: compress(bytes) }, headers);
  });
}

/** Correct variants that send replies in other ways, as frameworks, proxies and load balancers do. */
export const TRANSPORT_VARIANTS: readonly Variant[] = [
  {
    name: 'gzip',
    description: 'Replies are compressed with gzip, unless the caller refuses it.',
    change: (right) => compressing(right, 'gzip', (bytes) => gzipSync(bytes)),
  },
  {
    name: 'deflate',
    description: 'Replies are compressed with deflate, unless the caller refuses it.',
    change: (right) => compressing(right, 'deflate', (bytes) => deflateSync(bytes)),
  },
  {
    name: 'brotli',
    description: 'Replies are compressed with Brotli, unless the caller refuses it.',
    change: (right) => compressing(right, 'br', (bytes) => brotliCompressSync(bytes)),
  },
  {
    name: 'zstd',
    description: 'Replies are compressed with Zstandard, unless the caller refuses it.',
    change: (right) => compressing(right, 'zstd', (bytes) => zstdCompressSync(bytes)),
  },
  {
    name: 'chunked',
    description: 'Replies are sent in chunks, without a Content-Length.',
    change: (right) => transferring(right, { lengthUnknown: true, pieces: { count: 3, gapMs: 0 } }),
  },
  {
    name: 'flushed-in-pieces',
    description: 'Replies have a Content-Length, and are sent in five pieces with pauses between them.',
    change: (right) => transferring(right, { pieces: { count: 5, gapMs: 2 } }),
  },
  {
    name: 'http-1.0',
    description: 'Replies are HTTP/1.0, and the connection is closed after each reply.',
    change: (right) => transferring(right, { closeWithVersion: 'HTTP/1.0' }),
  },
  {
    name: 'body-until-close',
    description: 'Replies have neither a Content-Length nor chunks: the body ends with the connection.',
    change: (right) => transferring(right, { closeWithVersion: 'HTTP/1.1', lengthUnknown: true }),
  },
  {
    name: 'connection-close',
    description: 'Each reply has the header Connection: close.',
    change: (right) => delivering(right, (reply) => withHeaders(reply, [['Connection', 'close']])),
  },
  {
    name: 'keep-alive-short',
    description: 'Replies announce keep-alive, but a connection is closed after some idle milliseconds.',
    change: (right) => closing(right, 5),
  },
  {
    name: 'keep-alive-closed-at-once',
    description:
      'Replies announce keep-alive, but the wallet closes the connection directly after the reply, while the next call is being sent.',
    change: (right) => closing(right, 0),
  },
  {
    name: 'interim-replies',
    description:
      'Before each reply, the operator sends the interim replies 100, 102 and 103, although the caller did not ask for them.',
    change: (right) => transferring(right, { interim: [100, 102, 103] }),
  },
  {
    name: 'headers-in-lower-case',
    description: 'Header names are in lower case.',
    change: (right) => transferring(right, { headerCase: 'lower' }),
  },
  {
    name: 'headers-in-upper-case',
    description: 'Header names are in upper case.',
    change: (right) => transferring(right, { headerCase: 'upper' }),
  },
  {
    name: 'gateway-headers',
    description: 'Replies have headers of gateways: for cookies, tracing, security and caches, some of them twice.',
    change: (right) =>
      delivering(right, (reply) => ({
        ...reply,
        headers: [
          ['Server', 'gateway/2.3'],
          ['Via', '1.1 edge-7, 1.1 cache-2'],
          ['Set-Cookie', 'node=a1; Path=/; HttpOnly'],
          ['Set-Cookie', 'lang=en; Path=/'],
          ['Cache-Control', 'no-store'],
          ['Strict-Transport-Security', 'max-age=31536000'],
          ['X-Request-Id', 'f3b1c2d4-5a6e-4f70-8b91-a2b3c4d5e6f7'],
          ['X-Padding', 'x'.repeat(4000)],
          ...reply.headers,
        ],
      })),
  },
  {
    name: 'content-type-bare',
    description: 'The Content-Type is application/json, without a charset.',
    change: (right) => delivering(right, (reply) => withHeaders(reply, [['Content-Type', 'application/json']])),
  },
  {
    name: 'content-type-quoted',
    description: 'The Content-Type has capitals, a quoted charset and a further parameter.',
    change: (right) =>
      delivering(right, (reply) =>
        withHeaders(reply, [['content-type', 'Application/JSON ; profile=wallet;charset="UTF-8"']]),
      ),
  },
  {
    name: 'content-type-suffix',
    description:
      'The Content-Type is a media type that only this operator uses, and ends with +json. Errors have application/problem+json.',
    change: (right) =>
      delivering(right, (reply) =>
        withHeaders(reply, [
          ['Content-Type', reply.status === 200 ? 'application/vnd.acme.wallet+json' : 'application/problem+json'],
        ]),
      ),
  },
];

function closing(right: Behaviour, closeAfterMs: number) {
  // If the header Connection is set here, Node adds no Keep-Alive header. That header would tell the client how long the connection
  // stays open.
  return delivering(right, (reply) =>
    withHeaders({ ...reply, transfer: { ...reply.transfer, closeAfterMs } }, [['Connection', 'keep-alive']]),
  );
}
