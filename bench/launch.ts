import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { signBody } from '../src/contract/signature.ts';
import { createService } from '../src/service/service.ts';
import { withFolder } from './folder.ts';
import { inTurn, type Measurement, median } from './measurement.ts';

const LAUNCHES = 2000;
const AT_ONCE = 16;
const ROUNDS = 5;
const KEY = 'key-of-the-bench';

/**
 * Measures how many games the service can launch in a second. The service stores every session and logs every exchange.
 * It is compared with a bare server that only reads the bodies, checks their signatures and sends replies of the same
 * size.
 */
export async function measureLaunch(): Promise<Measurement> {
  const [bare = [], service = []] = await withFolder((folder) =>
    withBareServer((bareUrl) =>
      withService(folder, (baseUrl) => inTurn(ROUNDS, [() => launchAll(bareUrl), () => launchAll(baseUrl)])),
    ),
  );
  const perSecond = (times: readonly number[]) => `${((LAUNCHES / median(times)) * 1000).toFixed(0)}/s`;
  return {
    what: 'launching games',
    detail: `${perSecond(service)}, a bare server that checks signatures ${perSecond(bare)}`,
    value: median(service) / median(bare),
    unit: 'times',
    limit: 4,
  };
}

async function withService<T>(dataDir: string, use: (baseUrl: string) => Promise<T>): Promise<T> {
  const client = {
    cID: 'bench',
    extCID: 'bench-eu',
    apiKey: KEY,
    integrationApiKey: 'not-used-here',
    integratorBaseUrl: 'http://127.0.0.1:1',
  };
  const served = await createService({ clients: [client], dataDir }).start();
  try {
    return await use(served.baseUrl);
  } finally {
    await served.close();
  }
}

async function withBareServer<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const isRight = signBody(Buffer.concat(chunks), KEY) === request.headers['x-request-sign'];
      const gsID = randomUUID();
      const body = JSON.stringify({ gameURL: `http://127.0.0.1/game?gsID=${gsID}`, gsID });
      response.writeHead(isRight ? 200 : 401, { 'Content-Type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Launches all games. @returns the time in milliseconds */
async function launchAll(baseUrl: string): Promise<number> {
  const bodies = Array.from({ length: LAUNCHES }, (_, index) => bodyOf(index));
  const { origin, pathname } = new URL(baseUrl);
  const path = `${pathname.replace(/\/$/, '')}/create-new-game`;
  const pool = new Pool(origin, { connections: AT_ONCE, pipelining: 1, allowH2: false });
  const launch = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const headers = { 'content-type': 'application/json', 'x-request-sign': signBody(Buffer.from(body), KEY) };
      const reply = await pool.request({ path, method: 'POST', headers, body });
      const text = await reply.body.text();
      if (reply.statusCode !== 200) throw new Error(`a launch was answered ${reply.statusCode}: ${text}`);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, launch));
  const took = performance.now() - started;
  await pool.close();
  return took;
}

/** Returns a request body that is already canonical JSON, because the bare server does not convert it. */
function bodyOf(index: number): string {
  return `{"cID":"bench","currency":"USD","extCID":"bench-eu","locale":"en_us","sessionID":"s-${index}","user":{"id":"p-${index}"}}`;
}
