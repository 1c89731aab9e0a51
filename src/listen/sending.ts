import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Carriage, InterimStatus } from './carriage.ts';
import { type HeaderPairs, headerOf, type ListenReply } from './message.ts';

/** Writes a reply. `isLast`: the server is about to close, so that the connection takes no further request. */
export function sendReply(response: ServerResponse, reply: ListenReply, isLast: boolean): void {
  const { carriage = {} } = reply;
  if (carriage.withheld) {
    response.destroy();
    return;
  }
  for (const status of carriage.interim ?? []) sendInterim(response, status);
  if (carriage.lastOf) {
    void sendByHand(response, reply, carriage);
    return;
  }
  closeLater(response, carriage.closeAfterMs);
  response.writeHead(reply.status, headerLines(reply, carriage, isLast).flat());
  if (isWhole(reply.body) && !carriage.pieces && !carriage.lengthUnknown) response.end(reply.body);
  else void sendPieces(response, reply, carriage);
}

function headerLines(reply: ListenReply, carriage: Carriage, isLast: boolean): HeaderPairs {
  const { lengthUnknown, headerCase, lastOf } = carriage;
  const lines = [...reply.headers];
  if (isWhole(reply.body) && !lengthUnknown && headerOf(lines, 'content-length') === undefined) {
    lines.push(['Content-Length', String(Buffer.byteLength(reply.body))]);
  }
  if (isLast) lines.push(['Connection', 'close']);
  // Node adds a date by itself, in a letter case of its own, to what goes through its hands.
  if (headerCase || lastOf) lines.push(['Date', new Date().toUTCString()]);
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

/** What Node does not write: another version, or a body that ends with its connection. */
async function sendByHand(response: ServerResponse, reply: ListenReply, carriage: Carriage): Promise<void> {
  const { socket } = response;
  if (!socket) return;
  const lines = headerLines(reply, carriage, true).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `${carriage.lastOf} ${reply.status} ${STATUS_CODES[reply.status] ?? ''}\r\n${lines.join('')}\r\n`,
    'latin1',
  );
  await writePieces(socket, piecesOf(reply.body, carriage));
  socket.end(() => socket.destroy());
}

async function sendPieces(response: ServerResponse, reply: ListenReply, carriage: Carriage): Promise<void> {
  await writePieces(response, piecesOf(reply.body, carriage));
  response.end();
}

/** Stops when the caller has gone away. A caller that reads slowly is waited for, so that nothing piles up. */
async function writePieces(to: ServerResponse | Socket, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    if (to.destroyed) return;
    if (!to.write(piece)) await drained(to);
  }
}

/** Resolves once what was written has left, or never can. */
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

async function* piecesOf(body: ListenReply['body'], { pieces }: Carriage): AsyncGenerator<string | Uint8Array> {
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

/** A caller whose next request is on its way meets a closed connection, but none that has arrived is dropped. */
function closeLater(response: ServerResponse, ms: number | undefined): void {
  if (ms === undefined) return;
  response.once('finish', () => {
    const { socket } = response.req;
    const heard = socket.bytesRead;
    setTimeout(() => {
      if (socket.bytesRead === heard) socket.destroy();
    }, ms);
  });
}

function isWhole(body: ListenReply['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}
