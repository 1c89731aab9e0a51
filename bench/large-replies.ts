import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { type Measurement, median } from './measurement.ts';

const ROUNDS = 2;
const LARGE = 1_000_000;
const KEY = 'a-key-that-only-this-measurement-knows';

/** Compares a run against an operator whose replies have 1 MB with a run against the same operator with small replies. */
export async function measureLargeReplies(): Promise<Measurement> {
  const small: number[] = [];
  const large: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    small.push(await timeOfRun(0));
    large.push(await timeOfRun(LARGE));
  }
  const seconds = (times: readonly number[]) => `${(median(times) / 1000).toFixed(1)} s`;
  return {
    what: 'a run with replies of 1 MB',
    detail: `${seconds(large)}, with small replies ${seconds(small)}`,
    value: median(large) / median(small),
    unit: 'times',
    limit: 5,
  };
}

/** Measures a run against an operator that answers every call with the same balance, in milliseconds. */
async function timeOfRun(padding: number): Promise<number> {
  let calls = 0;
  const server = net.createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (;;) {
        const head = text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, Math.max(head, 0)))?.[1] ?? 0);
        if (head < 0 || text.length < head + 4 + length) return;
        text = text.slice(head + 4 + length);
        calls += 1;
        const body = `{"balance":"1000.00","txID":"op-${calls}"${' '.repeat(padding)}}`;
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = ['--base-url', `http://127.0.0.1:${address.port}`, '--ext-cid', 'acme', '--linger', '50ms'];
  try {
    return await withFolder(async (folder) => {
      const started = performance.now();
      const args = [CROUPIER, 'run', ...client, '--session', 's1,player=p1,currency=USD'];
      const child = spawn(process.execPath, args, {
        cwd: folder,
        env: { ...process.env, CROUPIER_KEY: KEY },
        stdio: 'ignore',
      });
      const [status] = await once(child, 'exit');
      if (status !== 1) throw new Error(`the run against an operator that moves no money ended with status ${status}`);
      return performance.now() - started;
    });
  } finally {
    server.close();
  }
}
