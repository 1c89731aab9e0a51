import { mkdtempSync, rmSync } from 'node:fs';
import type net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../src/library/run.ts';
import { onRequests, rawServer } from '../wire/raw-server.ts';
import { REPLIES, type UnusualReply } from './replies.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function send({ parts }: UnusualReply, socket: net.Socket): Promise<void> {
  for (const part of parts) {
    if (socket.destroyed) return;
    if (typeof part === 'number') await sleep(part, undefined, { ref: false });
    else if (typeof part === 'string') socket.write(Buffer.from(part, 'latin1'));
    else if (part instanceof Uint8Array) socket.write(part);
    else if (part.end === 'close') socket.end();
    else socket.resetAndDestroy();
  }
}

/** croupier decides nothing about a deadline while its own process is late. So a busy machine may need another try. */
const TRIES = { retry: 2 };

describe('an unusual reply', () => {
  it('is in the list once', () => {
    const names = REPLIES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(400);
  });

  it.each(REPLIES)('gets the right verdict: $name', TRIES, async (reply) => {
    const port = await rawServer((socket) => onRequests(socket, () => void send(reply, socket)));
    const { verdict, rules, text } = await run({
      cwd,
      config: {
        deadline: '600ms',
        linger: '10ms',
        clients: [
          {
            extCID: 'acme',
            integratorBaseUrl: `http://127.0.0.1:${port}`,
            integrationApiKey: 'a-key-of-this-test-only',
            sessions: [{ sessionID: 's1', player: 'p1', currency: 'USD' }],
          },
        ],
      },
      select: ['balance/read'],
      allowSkipped: true,
    });
    const reported = rules.filter((rule) => rule.verdict === 'fail' || rule.verdict === 'warn').map(({ id }) => id);
    const { expected } = reply;
    if (typeof expected === 'string') {
      expect(verdict, text).toBe(expected);
      expect(reported, text).toEqual([]);
    } else expect(reported, text).toEqual(expect.arrayContaining([...expected]));
  });
});
