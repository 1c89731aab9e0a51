import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { line, start } from './croupier.ts';

/** The reference operator in its own process, with its data on the disk. */
export interface DemoOperator {
  readonly url: string;
  /** The stored balance of every player of the first client. */
  books(): Readonly<Record<string, string>>;
  /** Changes the stored data without the operator. */
  change(sql: string): void;
  stop(): Promise<void>;
}

/** Starts `croupier serve operator` with its data in the folder, and writes a croupier.yaml there. */
export async function demoOperator(cwd: string): Promise<DemoOperator> {
  const args = ['serve', 'operator', '--data', 'data', '--write-config', 'croupier.yaml'];
  const child: ChildProcess = start(args, { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = (await line(child, 'operator ')).replace('operator ', '');
  const database = () => new DatabaseSync(path.join(cwd, 'data', 'operator.sqlite'));
  return {
    url,
    books: () => {
      const books = database();
      const rows = books.prepare("SELECT player, currency, balance FROM wallet WHERE extCID = 'demo-eu'").all();
      books.close();
      return Object.fromEntries(
        rows.map(({ player, currency, balance }) => [[player, currency].map(String).join(' '), String(balance)]),
      );
    },
    change: (sql) => {
      const books = database();
      books.exec(sql);
      books.close();
    },
    stop: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}

/** The action of a relay for a call: to forward it and its reply (with another status), to lose it, or to lose its reply. */
type Fate =
  | 'pass'
  | 'lose'
  | 'lose-reply'
  | { readonly as: number }
  | { readonly status: number; readonly code?: string };

export interface Relayed {
  readonly call: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Number of earlier calls of this kind. */
  readonly number: number;
}

export interface Relay {
  readonly url: string;
  readonly calls: Relayed[];
  /** Decides about the following calls. */
  decide(fate: (called: Relayed) => Fate): void;
}

/** A proxy between croupier and an operator, so that a test can act while a call is in flight. */
export async function relayTo(target: string): Promise<Relay> {
  const calls: Relayed[] = [];
  let decide: (called: Relayed) => Fate = () => 'pass';
  const server = http.createServer((request, response) => {
    void pass(request, response);
  });
  const pass = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const at = new URL(request.url ?? '', target);
    const call = at.pathname.slice(1);
    const fields = body.length > 0 ? (JSON.parse(body.toString()) as Record<string, string>) : {};
    const called = { call, fields, number: calls.filter((other) => other.call === call).length };
    calls.push(called);
    const fate = decide(called);
    if (fate === 'lose') return;
    if (typeof fate === 'object' && 'status' in fate) {
      response.writeHead(fate.status, { 'Content-Type': 'application/json' });
      response.end(
        JSON.stringify({ message: 'Please try again', ...(fate.code !== undefined && { code: fate.code }) }),
      );
      return;
    }
    const reply = await fetch(`${target}${at.pathname}${at.search}`, {
      method: request.method ?? 'GET',
      headers: {
        'Content-Type': 'application/json',
        'X-REQUEST-SIGN': String(request.headers['x-request-sign'] ?? ''),
      },
      ...(body.length > 0 && { body }),
    });
    const text = await reply.text();
    if (fate === 'lose-reply') return;
    response.writeHead(typeof fate === 'object' ? fate.as : reply.status, { 'Content-Type': 'application/json' });
    response.end(text);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    decide: (fate) => {
      decide = fate;
    },
  };
}
