// The server for the measured rounds, in its own process. Usage: node round-server.ts operator|bare. It prints its
// address, and ends when its standard input ends.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signBody } from '../src/contract/signature.ts';
import { createOperator } from '../src/operator/operator.ts';
import { ROUND_KEY, ROUND_PLAYERS } from './round-players.ts';

async function startOperator(): Promise<string> {
  const sessions = ROUND_PLAYERS.map((player) => ({
    sessionID: `s-${player}`,
    player,
    currency: 'USD',
    gameID: 'catch',
    balance: '1000.00',
    state: 'active' as const,
  }));
  const client = { extCID: 'bench', integrationApiKey: ROUND_KEY, basePath: '', campaigns: [], sessions };
  return (await createOperator({ clients: [client] }).start()).url;
}

/** Starts a server that checks the signature of each body, and sends replies of the size that an operator sends. */
async function startBare(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const isRight = signBody(Buffer.concat(chunks), ROUND_KEY) === request.headers['x-request-sign'];
      const body = '{"txID":"1234567","balance":"1000.00"}';
      response.writeHead(isRight ? 200 : 401, { 'Content-Type': 'application/json' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

console.log(process.argv[2] === 'operator' ? await startOperator() : await startBare());
process.stdin.resume().once('end', () => process.exit());
