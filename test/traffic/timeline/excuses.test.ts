import { describe, expect, it } from 'vitest';
import { type RecordedCall, recordedCall } from '../../../src/traffic/recorded-call.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { exchangesIn } from '../read/entries-in.ts';
import { Log } from './calls.ts';

const OPERATOR = { side: 'operator' } as const;

const fails = (timeline: IncidentTimeline): readonly string[] =>
  timeline.breaches.filter(({ verdict }) => verdict === 'fail').map(({ call, rule }) => `${call} ${rule}`);
const debts = ({ wallets }: IncidentTimeline): readonly string[] =>
  wallets.flatMap((wallet) => wallet.debts.map(({ kind, owedBy }) => `${kind} ${owedBy}`));
const unknowns = ({ wallets }: IncidentTimeline): string => wallets.flatMap((wallet) => wallet.unknowns).join('\n');

/** One entry of the operator's log, with the bytes that it received as a text. */
interface Entry {
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly reply: object;
}

/** Reads the log of an operator: first a balance and an accepted bet of 5.00, then the given entries. */
async function timelineOf(...entries: readonly Entry[]): Promise<IncidentTimeline> {
  const first = [
    { path: '/balance?sessionID=s-1', body: '', status: 200, reply: { balance: '100.00' } },
    {
      path: '/bet',
      body: json({ txID: 'b-1', type: 'regular' }),
      status: 200,
      reply: { balance: '95.00', txID: 'o-1' },
    },
  ];
  const lines = [...first, ...entries].map(({ path, body, status, reply }, index) =>
    JSON.stringify({
      time: new Date(Date.parse('2026-11-23T13:03:00Z') + index * 1000).toISOString(),
      method: path.startsWith('/balance') ? 'GET' : 'POST',
      url: path,
      requestBody: body,
      status,
      responseBody: JSON.stringify(reply),
      durationMs: 20,
    }),
  );
  const calls = (await exchangesIn(lines.join('\n'))).flatMap((exchange): RecordedCall[] => {
    const call = recordedCall(exchange);
    return call ? [call] : [];
  });
  return buildTimeline(calls, {}, new Map());
}

const json = (fields: object): string =>
  JSON.stringify({ amount: '5.00', roundID: 'r-1', sessionID: 's-1', txID: 'x-1', ...fields });
const declined = (path: string, body: string, status = 400): Entry => ({
  path,
  body,
  status,
  reply: { message: 'no' },
});
const WIN: Entry = {
  path: '/win',
  body: json({ txID: 'w-1', amount: '0', type: 'regular' }),
  status: 200,
  reply: { balance: '95.00', txID: 'o-2' },
};

describe('a call that the operator declined, and whose log shows no valid request', () => {
  it.each([
    ['a body that is not JSON', declined('/refund', 'amount and nothing else')],
    ['a body without its last brace', declined('/refund', json({ origTxID: 'b-1' }).slice(0, -1))],
    ['a refund without its txID', declined('/refund', json({ origTxID: 'b-1', txID: undefined }))],
    ['a refund without its amount', declined('/refund', json({ origTxID: 'b-1', amount: undefined }))],
    ['a refund without its bet', declined('/refund', json({}))],
    ['an amount as a number', declined('/refund', json({ origTxID: 'b-1', amount: 5 }))],
    ['a win without its txID', declined('/win', json({ txID: undefined, amount: '7.00', type: 'regular' }))],
    ['a line without a body', declined('/refund', '')],
  ])('accuses nobody, and leaves the verdict open: %s', async (_what, entry) => {
    const timeline = await timelineOf(entry);
    expect([fails(timeline), debts(timeline), timeline.status]).toEqual([[], [], 3]);
    expect(unknowns(timeline)).toMatch(/may be invalid|do not show whose call/);
  });

  it('proves no breach and no debt if its amount is not a plain decimal', async () => {
    const timeline = await timelineOf(declined('/win', json({ txID: 'w-0', amount: '-7.00', type: 'regular' })), WIN);
    expect([fails(timeline), debts(timeline), timeline.status]).toEqual([[], [], 0]);
  });

  it('is no breach if it is a balance call without a session', async () => {
    const timeline = await timelineOf(declined('/balance', ''), WIN);
    expect([fails(timeline), debts(timeline)]).toEqual([[], []]);
  });

  it('still breaks a rule if the log shows a valid request', async () => {
    const timeline = await timelineOf(declined('/refund', json({ txID: 'f-1', origTxID: 'b-1' }), 404));
    expect(fails(timeline)).toEqual(['3 refund.restore']);
  });
});

describe('a call of the log of the operator alone that was answered 401', () => {
  const log = (): Log => new Log().balance('100.00', OPERATOR).bet('b1', '5.00', { balance: '95.00', ...OPERATOR });

  it('may not be of the service, so its win is not owed for certain', () => {
    const timeline = log()
      .win('w1', '9.00', { status: 401, ...OPERATOR })
      .balance('95.00', OPERATOR)
      .timeline();
    expect([fails(timeline), debts(timeline), timeline.status]).toEqual([[], [], 3]);
    expect(unknowns(timeline)).toContain('the win of call 3 was answered 401, and its signature cannot be verified');
    expect(timeline.wallets[0]?.possibleDebts).toHaveLength(1);
  });

  it('leaves nothing open if the win of the round was accepted later', () => {
    const timeline = log()
      .win('w1', '9.00', { status: 401, ...OPERATOR })
      .win('w2', '9.00', { balance: '104.00', ...OPERATOR })
      .timeline();
    expect([fails(timeline), debts(timeline), timeline.status]).toEqual([[], [], 0]);
  });

  it('accuses nobody if it is a refund of a bet whose round has its win', () => {
    const timeline = log()
      .refund('f1', 'b1', '5.00', { status: 401, ...OPERATOR })
      .win('w1', '0', { balance: '95.00', ...OPERATOR })
      .timeline();
    expect([fails(timeline), debts(timeline), timeline.status]).toEqual([[], [], 0]);
  });

  it('is owed if the log of the service has it too', () => {
    const timeline = new Log()
      .balance('100.00')
      .bet('b1', '5.00', { balance: '95.00' })
      .win('w1', '9.00', { status: 401 })
      .balance('95.00')
      .timeline();
    expect(debts(timeline)).toEqual(['win-pending operator']);
  });
});

describe('a call that contradicts another call', () => {
  const log = (): Log => new Log().balance('100.00').bet('b1', '5.00', { balance: '95.00' });

  it('may be declined if its txID was used before for another amount', () => {
    const timeline = log().win('w1', '9.00', { balance: '104.00' }).win('w1', '8.00', { status: 409 }).timeline();
    expect([fails(timeline), debts(timeline)]).toEqual([[], []]);
  });

  it('may be declined if its txID was used before in another session', () => {
    const timeline = log()
      .refund('f1', 'b1', '5.00', { balance: '100.00' })
      .refund('f1', 'b1', '5.00', { status: 409 }, { session: 's-2' })
      .timeline();
    expect(fails(timeline)).toEqual([]);
  });

  it('may be declined if it is a refund with another amount than its bet', () => {
    expect(fails(log().refund('f1', 'b1', '9.00', { status: 409 }).timeline())).toEqual([]);
  });

  it('may be declined if it is a bet that was refunded before', () => {
    const timeline = log()
      .refund('f1', 'b1', '5.00', { balance: '100.00' })
      .bet('b1', '5.00', { status: 409 })
      .timeline();
    expect(fails(timeline)).toEqual([]);
  });
});

describe('a reply that asks to send the call again', () => {
  const log = (): Log => new Log().balance('100.00').bet('b1', '5.00', { none: 'reset' });

  it('breaks no rule if a later attempt was accepted', () => {
    const timeline = log()
      .refund('f1', 'b1', '5.00', { status: 409 })
      .refund('f1', 'b1', '5.00', { balance: '100.00' })
      .balance('100.00')
      .timeline();
    expect([fails(timeline), timeline.status]).toEqual([[], 0]);
  });

  it('breaks no rule if another call of the wallet was in flight', () => {
    const timeline = new Log()
      .balance('100.00', { at: 1 })
      .bet('b1', '5.00', { balance: '95.00', at: 2, tookMs: 500 })
      .bet('b1', '5.00', { status: 409, at: 2.1, tookMs: 100 })
      .timeline();
    expect(fails(timeline)).toEqual([]);
  });

  it('breaks a rule if each attempt was answered so', () => {
    const timeline = log()
      .refund('f1', 'b1', '5.00', { status: 503 })
      .refund('f1', 'b1', '5.00', { status: 503 })
      .timeline();
    expect(fails(timeline)).toEqual(['3 refund.unknown', '4 refund.unknown']);
  });
});
