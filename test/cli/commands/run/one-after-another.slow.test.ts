import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { croupier } from '../../croupier.ts';
import { demoOperator } from '../../demo-operator.ts';

/** A proxy that forwards one call after another, and works for some time on each call. */
async function queueBefore(target: string, eachMs: number): Promise<string> {
  let before: Promise<unknown> = Promise.resolve();
  const forward = async (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse): Promise<void> => {
    await sleep(eachMs);
    const { pathname, search } = new URL(request.url ?? '', target);
    const onward = http.request(new URL(pathname + search, target), {
      method: request.method,
      headers: request.headers,
    });
    onward.end(body);
    const [reply] = (await once(onward, 'response')) as [http.IncomingMessage];
    const chunks = (await reply.toArray()) as Buffer[];
    response.writeHead(reply.statusCode ?? 500, reply.headers).end(Buffer.concat(chunks));
  };
  const server = http.createServer((request, response) => {
    const whole = request.toArray() as Promise<Buffer[]>;
    // croupier breaks some connections on purpose. Such a request never becomes whole.
    whole.then(
      (chunks) => {
        before = before.then(() => forward(request, Buffer.concat(chunks), response)).catch(() => response.destroy());
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return new URL(new URL(target).pathname, `http://127.0.0.1:${port}`).href;
}

it('an operator that answers calls one after another is judged with fewer calls at once, and breaks no rule', async () => {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const url = await queueBefore((await demoOperator(cwd)).url, 120);
  const flags = ['--client', 'demo-eu', '--base-url', url, '--deadline', '900ms', '--linger', '50ms'];
  const { status, out } = await croupier(['run', '--quick', ...flags], { cwd });
  expect(out).toMatch(/^CONFORMING/);
  expect(out.replaceAll(/\s+/g, ' ')).toContain('seems to answer calls one after another');
  expect(status).toBe(0);
}, 300_000);
