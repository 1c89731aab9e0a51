import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { demoOperator } from '../src/operator/demo.ts';
import { CROUPIER } from './command.ts';

const KEY = 'a-key-that-only-this-measurement-knows';

/** A reference operator that runs in another process, and the facts that are needed to call its first client. */
export interface ServedOperator {
  readonly extCID: string;
  readonly baseUrl: string;
  readonly key: string;
  /** A session of a player who has enough money for the measured scenarios. */
  readonly session: { readonly sessionID: string; readonly player: string; readonly currency: string };
}

/** Starts a reference operator, calls `use` with it, and ends the operator. */
export async function withOperator<T>(use: (operator: ServedOperator) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, [CROUPIER, 'serve', 'operator'], {
    env: { ...process.env, CROUPIER_KEY: KEY },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  try {
    const [client] = demoOperator({ first: KEY, second: 'unused' }).clients;
    const session = client.sessions.find(({ currency }) => currency === 'USD');
    if (!session) throw new Error('the demonstration has no session in USD');
    return await use({ extCID: client.extCID, baseUrl: await address(child.stdout), key: KEY, session });
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function address(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const [, url] = /^operator (\S+)$/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('croupier serve operator ended before it said where it listens');
}
