import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';
import { demoOperator } from '../src/operator/demo.ts';
import { buildRequest } from '../src/wire/request.ts';
import { CROUPIER } from './command.ts';
import { withFolder } from './folder.ts';
import { type Measurement, median } from './measurement.ts';
import { type ServedOperator, withOperator } from './served-operator.ts';
import { seeded, sendTraffic, type Traffic } from './traffic.ts';

const CALLS = 3000;
const WARM_UP = 300;
const PER_SECOND = 1000;
const SECONDS = 10;

interface Summary {
  readonly unjudged: number;
  readonly findings: readonly unknown[];
}

/**
 * Measures the median time that the proxy adds to a call. Direct calls and calls through the proxy take turns, one at a
 * time.
 */
export async function measureProxy(): Promise<Measurement> {
  const { direct, through } = await withOperator(async (operator) => {
    const { result } = await withProxy(operator, (url) => takeTurns(operator, url));
    return result;
  });
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const [bare, passed] = [median(direct), median(through)];
  return {
    what: 'what the proxy adds to a call',
    detail: `${ms(passed)}, without it ${ms(bare)} (${(passed / bare).toFixed(1)}×)`,
    value: passed - bare,
    unit: 'milliseconds',
    limit: 1,
  };
}

/**
 * Measures whether the proxy can forward and judge a thousand calls a second. On a machine that is too slow for this
 * rate, compares the time with that of the same calls without the proxy.
 */
export async function measureProxyRate(): Promise<Measurement> {
  const { direct, through, summary } = await withOperator(async (operator) => {
    const send = (baseUrl: string): Promise<Traffic> =>
      sendTraffic({
        baseUrl,
        key: operator.key,
        sessions: sessions(operator),
        perSecond: PER_SECOND,
        calls: PER_SECOND * SECONDS,
        random: seeded(1),
      });
    const bare = await send(operator.baseUrl);
    const { result, summary: printed } = await withProxy(operator, send);
    return { direct: bare, through: result, summary: printed };
  });
  if (through.unanswered > 0) throw new Error(`${through.unanswered} calls through the proxy were not answered`);
  if (summary.unjudged > 0) throw new Error(`the proxy left ${summary.unjudged} calls unjudged`);
  if (summary.findings.length > 0) throw new Error(`a right operator was accused: ${JSON.stringify(summary.findings)}`);
  const each = ({ tookMs, sent }: Traffic): number => tookMs / sent;
  const rate = (traffic: Traffic): string => `${(1000 / each(traffic)).toFixed(0)}/s`;
  return {
    what: 'a thousand calls a second by the proxy',
    detail: `${rate(through)}, each judged and written down; without it ${rate(direct)}`,
    value: each(through) / Math.max(each(direct), 1000 / PER_SECOND),
    unit: 'times',
    limit: 1.1,
  };
}

function sessions({ extCID, key }: ServedOperator): readonly string[] {
  const client = demoOperator({ first: key, second: 'unused' }).clients.find((each) => each.extCID === extCID);
  return (client?.sessions ?? [])
    .filter(({ currency, state }) => currency !== 'JPY' && currency !== 'BTC' && state !== 'expired')
    .map(({ sessionID }) => sessionID);
}

async function withProxy<T>(
  { baseUrl, key }: ServedOperator,
  use: (url: string) => Promise<T>,
): Promise<{ readonly result: T; readonly summary: Summary }> {
  return withFolder(async (folder) => {
    const players = demoOperator({ first: key, second: 'unused' }).clients[0].sessions.flatMap(
      ({ sessionID, player, currency }) => ['--session', `${sessionID},player=${player},currency=${currency}`],
    );
    const flags = ['proxy', '--to', baseUrl, '--json', '--journal', path.join(folder, 'traffic.ndjson'), ...players];
    const child = spawn(process.execPath, [CROUPIER, ...flags], {
      cwd: folder,
      env: { ...process.env, CROUPIER_KEY: key },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = once(child, 'close');
    let last = '';
    const ready = Promise.withResolvers<string>();
    createInterface({ input: child.stdout }).on('line', (text) => {
      last = text;
      if (text.startsWith('{"type":"ready"')) ready.resolve((JSON.parse(text) as { url: string }).url);
    });
    try {
      const result = await use(await ready.promise);
      child.kill('SIGTERM');
      await ended;
      return { result, summary: JSON.parse(last) as Summary };
    } finally {
      child.kill('SIGKILL');
    }
  });
}

async function takeTurns(operator: ServedOperator, proxyUrl: string): Promise<{ direct: number[]; through: number[] }> {
  const { baseUrl, key, session } = operator;
  const fields = { sessionID: session.sessionID };
  const way = (url: string): (() => Promise<number>) => {
    const { url: target, headers } = buildRequest({ call: 'balance', target: { baseUrl: url }, key, fields });
    const { origin, pathname, search } = new URL(target);
    const pool = new Pool(origin, { connections: 1, pipelining: 1, allowH2: false });
    return async () => {
      const started = performance.now();
      const reply = await pool.request({ path: `${pathname}${search}`, method: 'GET', headers: headers.flat() });
      await reply.body.text();
      return performance.now() - started;
    };
  };
  const [directly, passed] = [way(baseUrl), way(proxyUrl)];
  const direct: number[] = [];
  const through: number[] = [];
  for (let call = 0; call < CALLS + WARM_UP; call += 1) {
    const [one, other] = [await directly(), await passed()];
    if (call < WARM_UP) continue;
    direct.push(one);
    through.push(other);
  }
  return { direct, through };
}
