import { once } from 'node:events';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message that another system received. */
interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly messages: ReceivedMessage[];
  close(): Promise<void>;
}

/** Another system behind a real socket. @param statusOf the status of the reply to the message with this number, from 0 */
export async function receiver(statusOf: (number: number) => number = () => 200, reply = ''): Promise<Receiver> {
  const messages: ReceivedMessage[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      messages.push({ path: url, headers, body: Buffer.concat(chunks).toString('utf8') });
      response.writeHead(statusOf(messages.length - 1), { Location: '/elsewhere' });
      response.end(reply);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
