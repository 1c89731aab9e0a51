import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import type { JsonObject } from '../../src/contract/json.ts';
import { queryPayload, signBody, signQuery } from '../../src/contract/signature.ts';
import { run } from '../../src/engine/run/run.ts';
import type { RunnableScenario, RunOptions, SessionUnderTest } from '../../src/engine/run-options.ts';
import type { JournalEvent, RunEnded, ScenarioEnded } from '../../src/journal/event.ts';
import type { Finding, Verdict } from '../../src/journal/finding.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { loadScenario } from '../../src/scenario/load.ts';
import { planScenario } from '../../src/scenario/plan/planner.ts';
import { type ToyReply, type ToyRequest, ToyWallet } from '../judge/toy-wallet.ts';

export const KEY = 'test-key';

export const P1: SessionUnderTest = { sessionID: 's1', player: 'p1', currency: 'USD', gameID: 'catch' };
export const P2: SessionUnderTest = { sessionID: 's2', player: 'p2', currency: 'USD', gameID: 'swipe' };

/** A call, with the means to misbehave on its connection. */
interface Called extends ToyRequest {
  /** Number of calls before it. */
  readonly number: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Behaviour = (
  called: Called,
  tell: () => ToyReply,
  wallet: ToyWallet,
) => ToyReply | Promise<ToyReply> | null;

export interface OperatorServer {
  readonly url: string;
  readonly wallet: ToyWallet;
  readonly calls: readonly Called[];
}

/** A wallet behind a real socket. A lie that returns null has answered the call itself. */
export async function operatorServer(
  lie: Behaviour = (_called, tell) => tell(),
  { balance = '100.00', sessions = [P1] }: { balance?: string; sessions?: readonly SessionUnderTest[] } = {},
): Promise<OperatorServer> {
  const players = new Map(sessions.map(({ sessionID, player }) => [sessionID, player ?? sessionID]));
  const wallet = new ToyWallet({ balance, players, expired: false });
  const calls: Called[] = [];
  const server = http.createServer((request, response) => {
    void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://operator.test');
    const call = pathname.slice(1) as CallName;
    const body = Buffer.concat(chunks);
    const params = [...searchParams];
    const expected = call === 'balance' ? signQuery(params, KEY) : signBody(body, KEY);
    const fields =
      call === 'balance'
        ? (JSON.parse(queryPayload(params)) as JsonObject)
        : (JSON.parse(body.toString()) as JsonObject);
    const signedRight = request.headers['x-request-sign'] === expected;
    const called: Called = { key: '', call, fields, signedRight, number: calls.length, request, response };
    calls.push(called);
    const told = await lie(called, () => wallet.answer(called), wallet);
    if (!told) return;
    response.writeHead(told.status, { 'Content-Type': told.type ?? 'application/json' });
    response.end(typeof told.body === 'string' ? told.body : JSON.stringify(told.body));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, wallet, calls };
}

/** A scenario by its YAML, without the title. */
export function scenarioOf(id: string, yaml: string, uuid: () => string = () => crypto.randomUUID()): RunnableScenario {
  const { scenario, diagnostics } = loadScenario(`title: ${id}\n${yaml}`, `${id}.yaml`, {
    id,
    readFragment: () => undefined,
  });
  if (!scenario) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const { place, tags, last, rules } = scenario;
  return {
    id,
    title: id,
    place,
    tags,
    last,
    quick: false,
    builtIn: true,
    rules: rules.map((rule) => rule.id),
    plan: () => planScenario(scenario, scenario.boundScenarios[0]?.caseId, { uuid }),
  };
}

/** The result of a run. */
export interface Ran {
  readonly events: readonly JournalEvent[];
  readonly ended: RunEnded;
  readonly fold: Fold;
  /** The verdict of a scenario, in the attempt that counts. */
  scenario(id: string): ScenarioEnded;
  findings(rule?: string): readonly Finding[];
  readonly verdict: (rule: string) => Verdict | undefined;
}

/** Runs scenarios against an operator, with a deadline of 150 ms and a settle time of 50 ms. */
export async function ran(
  url: string,
  scenarios: readonly RunnableScenario[],
  options: Partial<RunOptions> = {},
  sessions: readonly SessionUnderTest[] = [P1],
): Promise<Ran> {
  const events: JournalEvent[] = [];
  const { client, record, ...others } = options;
  await run({
    croupier: '0.0.0',
    client: {
      extCID: 'acme',
      integratorBaseUrl: url,
      integrationApiKey: KEY,
      paths: {},
      headers: {},
      sessions,
      wire: {},
      ...client,
    },
    scenarios,
    selection: [],
    whole: false,
    seed: 'seed',
    strict: false,
    stakes: {},
    decimals: {},
    campaign: null,
    largeAmounts: false,
    deadlineMs: 150,
    lingerMs: 50,
    workers: 4,
    bail: null,
    ratePerSecond: null,
    maxAtOnce: 64,
    record: (event) => {
      events.push(event);
      record?.(event);
    },
    signal: new AbortController().signal,
    uuid: () => crypto.randomUUID(),
    now: () => performance.now(),
    ...others,
  });
  const fold = await foldJournal(events);
  const findings = (rule?: string): Finding[] =>
    events.flatMap((event) =>
      event.event === 'finding' && (rule === undefined || event.finding.rule === rule) ? [event.finding] : [],
    );
  return {
    events,
    fold,
    ended: only(events.filter((event) => event.event === 'run-ended')),
    scenario: (id) =>
      only(
        events
          .filter((event) => event.event === 'scenario-ended' && event.scenario === id)
          .slice(-1) as ScenarioEnded[],
      ),
    findings,
    verdict: (rule) => fold.rules.find((one) => one.rule.id === rule)?.verdict,
  };
}

function only<T>(values: readonly T[]): T {
  const [first] = values;
  if (first === undefined || values.length !== 1) throw new Error(`there are ${values.length} of them`);
  return first;
}
