import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HeaderPairs, headerOf, type InterimStatus, type ListenReply, type Transfer } from './message.ts';

/**
 * Writes a reply.
 *
 * @param isLast true if the server is about to close, so that the connection accepts no further request
 */
export function sendReply(response: ServerResponse, reply: ListenReply, isLast: boolean): void {
  const { transfer = {} } = reply;
  if (transfer.withheld) {
    response.destroy();
    return;
  }
  for (const status of transfer.interim ?? []) sendInterim(response, status);
  if (transfer.closeWithVersion) {
    void sendRaw(response, reply, transfer);
    return;
  }
  closeLater(response, transfer.closeAfterMs);
  response.writeHead(reply.status, headerLines(reply, transfer, isLast).flat());
  if (isWhole(reply.body) && !transfer.pieces && !transfer.lengthUnknown) response.end(reply.body);
  else void sendPieces(response, reply, transfer);
}

function headerLines(reply: ListenReply, transfer: Transfer, isLast: boolean): HeaderPairs {
  const { lengthUnknown, headerCase, closeWithVersion } = transfer;
  const lines = [...reply.headers];
  if (isWhole(reply.body) && !lengthUnknown && headerOf(lines, 'content-length') === undefined) {
    lines.push(['Content-Length', String(Buffer.byteLength(reply.body))]);
  }
  if (isLast) lines.push(['Connection', 'close']);
  // The Date header is added here. Node would add it in a letter case that this code can't choose.
  if (headerCase || closeWithVersion) lines.push(['Date', new Date().toUTCString()]);
  if (!headerCase) return lines;
  return lines.map(([name, value]) => [headerCase === 'lower' ? name.toLowerCase() : name.toUpperCase(), value]);
}

function sendInterim(response: ServerResponse, status: InterimStatus): void {
  switch (status) {
    case 100:
      response.writeContinue();
      break;
    case 102:
      response.writeProcessing();
      break;
    case 103:
      response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
      break;
  }
}

/**
 * Writes a reply that Node's `ServerResponse` can't write: one with another HTTP version, or whose body ends with the
 * connection.
 */
async function sendRaw(response: ServerResponse, reply: ListenReply, transfer: Transfer): Promise<void> {
  const { socket } = response;
  if (!socket) return;
  const lines = headerLines(reply, transfer, true).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${transfer.closeWithVersion} ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
  await writePieces(socket, piecesOf(reply.body, transfer));
  socket.end(() => socket.destroy());
}

async function sendPieces(response: ServerResponse, reply: ListenReply, transfer: Transfer): Promise<void> {
  await writePieces(response, piecesOf(reply.body, transfer));
  response.end();
}

/**
 * Writes the pieces of a body, and stops if the caller closes the connection. It waits for a slow reader, so that
 * unsent pieces do not fill the memory.
 */
async function writePieces(to: ServerResponse | Socket, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    if (to.destroyed) return;
    if (!to.write(piece)) await drained(to);
  }
}

/** Resolves when all written bytes are sent, or when the connection is closed. */
function drained(to: ServerResponse | Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      to.off('drain', done);
      to.off('close', done);
      resolve();
    };
    to.on('drain', done);
    to.on('close', done);
    if (to.destroyed) done();
  });
}

async function* piecesOf(body: ListenReply['body'], { pieces }: Transfer): AsyncGenerator<string | Uint8Array> {
  if (!isWhole(body)) {
    yield* body;
    return;
  }
  const bytes = Buffer.from(body);
  const { count, gapMs } = pieces ?? { count: 1, gapMs: 0 };
  const size = Math.max(1, Math.ceil(bytes.length / count));
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await sleep(gapMs);
    yield bytes.subarray(at, at + size);
  }
}

/** Closes the connection after a time, unless bytes of a further request have arrived by then. */
function closeLater(response: ServerResponse, ms: number | undefined): void {
  if (ms === undefined) return;
  response.once('finish', () => {
    const { socket } = response.req;
    const bytesBefore = socket.bytesRead;
    setTimeout(() => {
      if (socket.bytesRead === bytesBefore) socket.destroy();
    }, ms);
  });
}

function isWhole(body: ListenReply['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}
