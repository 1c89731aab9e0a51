import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyFields } from '../../../../src/journal/call-amount.ts';
import { bodyText } from '../../../../src/journal/exchange.ts';
import type { LoggedExchange } from '../../../../src/traffic/logged-exchange.ts';
import { exchangesIn } from '../../../traffic/read/entries-in.ts';
import { croupier } from '../../croupier.ts';

let cwd = '';
/** The calls of a whole run that the reference operator answered, in the order of their times. */
let answered: readonly LoggedExchange[] = [];
beforeAll(async () => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  await croupier(['run', '--reference', '--linger', '50ms', '--no-history', '--journal', 'run.ndjson'], { cwd });
  const exchanges = await exchangesIn(readFileSync(path.join(cwd, 'run.ndjson'), 'utf8'));
  answered = exchanges
    .filter(({ answer }) => answer.kind === 'reply')
    .toSorted((a, b) => (a.time?.ms ?? 0) - (b.time?.ms ?? 0));
}, 120_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The parts of a call that an operator logs. */
interface Parts {
  readonly at: string;
  readonly url: string;
  readonly sent: string;
  readonly status: number;
  readonly replied: string;
  readonly tookMs: number | null;
}

function partsOf({ time, request, answer, tookMs }: LoggedExchange): Parts {
  if (answer.kind !== 'reply') throw new Error('the call has no reply');
  const sent = request.body === null || request.body === 'unknown' ? '' : bodyText(request.body);
  const url = new URL(request.url ?? '', 'http://unknown.invalid');
  return {
    at: new Date(time?.ms ?? 0).toISOString(),
    url: `${url.pathname}${url.search}`,
    sent,
    status: answer.status,
    replied: answer.body === null ? '' : bodyText(answer.body),
    tookMs,
  };
}

const method = (url: string): string => (url.includes('balance?') ? 'GET' : 'POST');
const fields = (text: string) =>
  bodyFields({ encoding: 'utf8', data: text, length: Buffer.byteLength(text), truncated: false }) ?? {};

const FORMS: readonly (readonly [form: string, line: (parts: Parts) => string])[] = [
  [
    'JSON with the bytes of the bodies',
    ({ at, url, sent, status, replied, tookMs }) =>
      JSON.stringify({ time: at, method: method(url), url, requestBody: sent, status, responseBody: replied, tookMs }),
  ],
  [
    'JSON with parsed bodies, or with {} if a body is not JSON',
    ({ at, url, sent, status, replied, tookMs }) =>
      JSON.stringify({
        time: at,
        req: { method: method(url), url, body: fields(sent) },
        res: { statusCode: status, body: fields(replied) },
        responseTime: tookMs,
      }),
  ],
  [
    'JSON with separate fields and without bodies',
    ({ at, url, sent, status, replied }) => {
      const { sessionID, txID, origTxID, roundID, amount, type, frID } = fields(sent);
      const { balance, txID: replyTx, code } = fields(replied);
      const session = new URLSearchParams(url.split('?')[1] ?? '').get('sessionID') ?? sessionID;
      const call = url.split('?', 1)[0]?.split('/').at(-1);
      const ids = { session, tx: txID, origTx: origTxID, round: roundID };
      return JSON.stringify({ time: at, call, ...ids, amount, type, frID, status, balance, replyTx, code });
    },
  ],
  [
    'an access log',
    ({ at, url, status }) => {
      const [, month = '', day = '', clock = ''] = /^\d{4}-(\d\d)-(\d\d)T([\d:]{8})/.exec(at) ?? [];
      const name = new Date(Date.UTC(2026, Number(month) - 1)).toLocaleString('en', {
        month: 'short',
        timeZone: 'UTC',
      });
      return `10.0.3.7 - - [${day}/${name}/${at.slice(0, 4)}:${clock} +0000] "${method(url)} ${url} HTTP/1.1" ${status} 20 "-" "-"`;
    },
  ],
];

it.each(FORMS)(
  'incident accuses no correct operator by its own log of a whole run: %s',
  async (_form, line) => {
    expect(answered.length).toBeGreaterThan(500);
    writeFileSync(path.join(cwd, 'wallet.log'), answered.map((one) => `${line(partsOf(one))}\n`).join(''));
    const { out, status } = await croupier(['incident', '--operator', 'wallet.log', '--json'], { cwd });
    const { breaches, wallets } = JSON.parse(out) as {
      breaches: readonly { verdict: string; rule: string; call: number }[];
      wallets: readonly { debts: readonly { owedBy: string; text: string }[] }[];
    };
    expect(breaches.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(wallets.flatMap(({ debts }) => debts).filter(({ owedBy }) => owedBy === 'operator')).toEqual([]);
    expect(status).toBe(3);
  },
  60_000,
);
