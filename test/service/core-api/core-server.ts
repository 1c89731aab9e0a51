import { createHmac, randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { canonicalJson } from '../../../src/contract/canonical.ts';
import type { JsonObject } from '../../../src/contract/json.ts';
import { CONTRACT_VERSION } from '../../../src/contract/versions.ts';
import { routeTable } from '../../../src/listen/routes.ts';
import { listen } from '../../../src/listen/server.ts';
import { Campaigns } from '../../../src/service/campaigns.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import type { CoreApiContext, LaunchSeen } from '../../../src/service/core-api/context.ts';
import { coreApiRoutes } from '../../../src/service/core-api/core-api.ts';
import { DemoBalances } from '../../../src/service/demo-balances.ts';
import { GameSessions } from '../../../src/service/game-sessions.ts';
import { GAMES } from '../../../src/service/games.ts';
import { openServiceDatabase } from '../../../src/service/service-database.ts';

export const EU: ServiceClient = {
  cID: '3f0c6a52-0d5e-4a57-9f5e-0d6f1d6f2b11',
  extCID: 'acme-eu',
  apiKey: 'api-key-of-acme-eu',
  integrationApiKey: 'integration-key-of-acme-eu',
  integratorBaseUrl: 'http://127.0.0.1:1/eu',
};

/** Another client of the same operator, with fewer rights. */
export const ASIA: ServiceClient = {
  ...EU,
  extCID: 'acme-asia',
  apiKey: 'api-key-of-acme-asia',
  games: ['swipe', 'comet'],
  currencies: ['JPY', 'USD', 'BTC', 'FUN'],
  blockedUsers: ['mallory'],
};

export const BLOCKED: ServiceClient = { ...EU, cID: 'other', extCID: 'blocked', blocked: true };

/** The current time in the tests: 1 January 2026. */
export const NOW = Date.UTC(2026, 0, 1);

export interface CoreServer {
  readonly url: string;
  readonly context: CoreApiContext;
  readonly seen: readonly LaunchSeen[];
}

export async function startCore(changes: Partial<CoreApiContext> = {}): Promise<CoreServer> {
  const faults: unknown[] = [];
  const database = openServiceDatabase();
  const now = changes.now ?? (() => NOW);
  const context: CoreApiContext = {
    version: CONTRACT_VERSION,
    clients: [EU, ASIA, BLOCKED],
    games: GAMES,
    sessions: new GameSessions({ database, now }),
    campaigns: new Campaigns(database),
    demoBalances: new DemoBalances(database),
    sessionLifeMs: 1000,
    now,
    newID: randomUUID,
    publicUrl: () => 'http://games.example',
    catalogueReady: async () => {},
    onCancelled: () => {},
    onFault: (error) => faults.push(error),
    ...changes,
  };
  const seen: LaunchSeen[] = [];
  const routes = coreApiRoutes(context, '/api/v1', () => (one) => seen.push(one));
  const server = await listen(routeTable(routes), { onFault: (error) => faults.push(error) });
  onTestFinished(async () => {
    await server.close();
    if (faults.length > 0) throw faults[0];
  });
  return { url: `${server.url}/api/v1`, context, seen };
}

export function signed(text: string, key = EU.apiKey): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

export interface Answer {
  readonly status: number;
  /** Has the type any, because the tests read bodies of all kinds. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly headers: Headers;
}

export interface Sending {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body to send instead of the JSON of the fields. */
  readonly raw?: string | Uint8Array;
  /** The signature to send instead of the right one; undefined to send none. */
  readonly signature?: string | undefined;
}

export async function send(url: string, method: string, fields: JsonObject, sending: Sending = {}): Promise<Answer> {
  const signature = 'signature' in sending ? sending.signature : signed(canonicalJson(fields), sending.key);
  const response = await fetch(url, {
    method,
    headers: {
      ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
      ...(signature !== undefined && { 'X-REQUEST-SIGN': signature }),
      ...sending.headers,
    },
    ...(method !== 'GET' && { body: sending.raw ?? JSON.stringify(fields) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

export function get(url: string, fields: Readonly<Record<string, string>>, sending: Sending = {}): Promise<Answer> {
  return send(`${url}?${String(new URLSearchParams(fields))}`, 'GET', fields, sending);
}

/** Returns the fields of a valid launch, in an order that is not canonical. */
export function launch(changes: JsonObject = {}, client = EU): JsonObject {
  const { cID, extCID } = client;
  return { sessionID: 's-1', user: { id: 'anna' }, cID, extCID, locale: 'en_us', currency: 'USD', ...changes };
}

/** Returns a copy of an object without some of its fields. */
export function without(fields: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
