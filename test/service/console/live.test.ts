import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveEvents } from '../../../src/service/console/live.ts';
import { MAX_EXCHANGES } from '../../../src/service/exchange-log.ts';
import { Feed } from '../../../src/service/feed.ts';
import { startPages, TOKEN } from '../page-service.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'croupier-pages-'));
beforeAll(() => {
  for (const file of ['game.html', 'game.js', 'game.css', 'icon.svg', 'console.html', 'console.js', 'console.css']) {
    writeFileSync(path.join(dir, file), file);
  }
});
afterAll(() => rmSync(dir, { recursive: true }));

const LABEL = { direction: 'reverse', name: 'bet', extCID: 'acme', gsID: 'gs', roundID: 'r', notes: [] } as const;
const REQUEST = { method: 'POST', url: 'http://x/bet', headers: [], body: null } as const;

it('keeps only the latest exchanges for a console that does not read its events', async () => {
  const { parts } = await startPages(dir);
  const { body } = liveEvents(parts, undefined, new Feed<void>(), new AbortController().signal);
  const events = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  await events.next();
  for (let call = 0; call < 3 * MAX_EXCHANGES; call += 1) parts.log.begin(LABEL, REQUEST);
  const { value } = (await events.next()) as { value: string };
  await events.return?.();
  const rows = JSON.parse(/^event: exchanges\ndata: (.*)$/m.exec(value)?.[1] ?? '') as { readonly id: number }[];
  expect(rows).toHaveLength(MAX_EXCHANGES);
  expect(rows.at(-1)?.id).toBe(3 * MAX_EXCHANGES);
});

it('stops although consoles do not read their events', async () => {
  const service = await startPages(dir);
  const { hostname, port } = new URL(service.url);
  const sockets = await Promise.all(
    Array.from(
      { length: 20 },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(Number(port), hostname, () => {
            socket.write(
              `GET /console/api/events HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
            );
            socket.once('data', (head) => {
              expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
              socket.pause();
              resolve(socket);
            });
          });
        }),
    ),
  );
  // More than the system keeps for a connection whose reader does not read.
  const request = { ...REQUEST, url: `http://x/${'x'.repeat(60_000)}` };
  for (let piece = 0; piece < 10; piece += 1) {
    for (let call = 0; call < 200; call += 1) service.parts.log.begin(LABEL, request);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  await service.close(0);
  for (const socket of sockets) socket.destroy();
}, 60_000);
