import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import { textBody } from '../../src/traffic/logged-exchange.ts';
import { BodyCopy } from '../../src/traffic/proxy/proxied-call.ts';
import { TrafficJudge } from '../../src/traffic/proxy/traffic-judge.ts';
import { recordedCall } from '../../src/traffic/recorded-call.ts';
import { buildTimeline } from '../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from './read/entries-in.ts';

const START = Date.parse('2026-11-26T10:00:00Z');
const PLAYER = { player: 'ben', currency: 'EUR' };
const SESSIONS = new Map([
  ['s-1', PLAYER],
  ['s-2', PLAYER],
]);

const uuid = (last: number): string => `0b3f5a1c-7e2d-4c55-9a57-00000000000${last}`;
const BET = { amount: '5.00', roundID: uuid(1), sessionID: 's-1', txID: uuid(2), type: 'regular' };
const WIN = { ...BET, txID: uuid(3) };
const SECOND = { ...BET, roundID: uuid(4), txID: uuid(5) };
const REFUND = { amount: '5.00', origTxID: uuid(6), roundID: uuid(7), sessionID: 's-1', txID: uuid(8) };

interface Call {
  readonly call: CallName;
  readonly body: object;
  readonly status: number;
  readonly reply: object;
}

const accepted = (call: CallName, body: object, balance: string, txID: string): Call => ({
  call,
  body,
  status: 200,
  reply: { balance, txID },
});

/** The calls before the malformed call: two accepted bets, and the win of the first one. */
const BEFORE = [
  accepted('bet', BET, '95.00', 'o-1'),
  accepted('win', WIN, '100.00', 'o-2'),
  accepted('bet', SECOND, '95.00', 'o-3'),
];

/** The calls that the operator declines with 400, with the rule that it breaks if the call is right. */
const declined = (call: CallName, body: object): readonly Call[] => [
  ...BEFORE,
  { call, body, status: 400, reply: { message: 'no' } },
];

/** Returns the broken rules that the proxy reports while it passes on these calls. */
function ofProxy(calls: readonly Call[]): readonly (string | null)[] {
  const failed: (string | null)[] = [];
  const judge = new TrafficJudge({
    paths: new Map(),
    keys: [],
    sessions: SESSIONS,
    report: ({ rule, verdict }) => {
      // The calls of this test are not signed.
      if (verdict === 'fail' && rule !== 'signature.missing') failed.push(rule);
    },
  });
  for (const [index, { call, body, status, reply }] of calls.entries()) {
    const requestBody = new BodyCopy();
    requestBody.add([Buffer.from(JSON.stringify(body))]);
    const start = START + index * 1000;
    const url = `https://wallet.example/${call}`;
    const times = { start, sent: start, end: start + 20, delayedMs: 0 };
    const proxied = { id: `x-${index}`, method: 'POST', url, headers: [], call, isWhole: true, requestBody, ...times };
    judge.requested(proxied);
    const headers = [['content-type', 'application/json']] as const;
    judge.ended(proxied, { kind: 'reply', reply: { status, headers, body: textBody(JSON.stringify(reply)) } });
  }
  return failed;
}

/** Returns the broken rules and the debts that the log of these calls shows. */
async function ofIncident(calls: readonly Call[]) {
  const lines = calls.map(({ call, body, status, reply }, index) =>
    JSON.stringify({
      time: new Date(START + index * 1000).toISOString(),
      side: 'service',
      method: 'POST',
      url: `https://wallet.example/${call}`,
      requestBody: JSON.stringify(body),
      status,
      responseBody: JSON.stringify(reply),
      durationMs: 20,
    }),
  );
  const recorded = (await exchangesIn(lines.join('\n'))).flatMap((exchange) => recordedCall(exchange) ?? []);
  const { breaches, wallets } = buildTimeline(recorded, {}, SESSIONS);
  const failed = breaches.flatMap(({ rule, verdict }) => (verdict === 'fail' ? [rule] : []));
  return { failed, debts: wallets.flatMap(({ debts }) => debts.map(({ kind }) => kind)) };
}

describe('a malformed call that the operator declines', () => {
  it.each([
    ['a refund with an origTxID that is not a UUID', 'refund', { ...REFUND, origTxID: '77' }],
    ['a refund without an amount', 'refund', { ...REFUND, amount: undefined }],
    ['a refund with an amount that is not a decimal', 'refund', { ...REFUND, amount: '5e0' }],
    ['a refund with another amount than its bet', 'refund', { ...REFUND, origTxID: SECOND.txID, amount: '1.00' }],
    ['a refund from another session than its bet', 'refund', { ...REFUND, origTxID: SECOND.txID, sessionID: 's-2' }],
    ['a repeated win with another round', 'win', { ...WIN, roundID: uuid(4) }],
    ['a repeated win with another amount', 'win', { ...WIN, amount: '6.00' }],
    ['a repeated win from another session', 'win', { ...WIN, sessionID: 's-2' }],
    ['a repeated win without a type', 'win', { ...WIN, type: undefined }],
    ['a repeated win with an unknown type', 'win', { ...WIN, type: 'bonus' }],
    ['a repeated bet with an frID', 'bet', { ...SECOND, frID: 'f-1' }],
    ['a bet with the txID of a win', 'bet', { ...SECOND, txID: WIN.txID }],
  ] as const)('breaks no rule, live and in a log: %s', async (_, call, body) => {
    const calls = declined(call, body);
    expect(ofProxy(calls)).toEqual([]);
    expect(await ofIncident(calls)).toEqual({ failed: [], debts: [] });
  });

  it.each([
    ['refund', REFUND, 'refund.unknown'],
    ['refund', { ...REFUND, origTxID: SECOND.txID }, 'refund.restore'],
    ['win', WIN, 'idempotency.win'],
    ['bet', SECOND, 'idempotency.bet'],
  ] as const)('is compared with a right %s, which breaks a rule live and in a log', async (call, body, rule) => {
    const calls = declined(call, body);
    expect(ofProxy(calls)).toEqual([rule]);
    expect((await ofIncident(calls)).failed).toEqual([rule]);
  });
});
