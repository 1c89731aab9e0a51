import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonValue } from '../../../src/contract/json.ts';
import { Money } from '../../../src/contract/money.ts';
import { BalanceAdjuster } from '../../../src/engine/balances/balance-adjuster.ts';
import { Sender } from '../../../src/engine/calls/sender.ts';
import { denominationOf } from '../../../src/engine/stakes.ts';
import type { JournalEvent, Owed } from '../../../src/journal/event.ts';
import { error } from '../../judge/toy-wallet.ts';
import { type Behaviour, KEY, operatorServer } from '../operator-server.ts';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

async function cashierOf(lie?: Behaviour, balance = '100.00') {
  const { url, wallet, calls } = await operatorServer(lie, { balance });
  const events: JournalEvent[] = [];
  const record = (event: JournalEvent): void => void events.push(event);
  const now = () => performance.now();
  const sender = new Sender({ wire: {}, deadlineMs: 500, now, record, ratePerSecond: null, maxAtOnce: 8 });
  onTestFinished(() => sender.close());
  const client = {
    extCID: 'acme',
    integratorBaseUrl: url,
    integrationApiKey: KEY,
    paths: {},
    headers: {},
    sessions: [],
    wire: {},
  };
  const adjuster = new BalanceAdjuster(sender, { client, record, uuid: () => crypto.randomUUID() });
  const account = {
    sessionID: 's1',
    denomination: denominationOf('USD', { stakes: {}, decimals: {} }, 0),
    scenario: 'a/b',
  };
  return {
    wallet,
    /** The calls that move money, with their amounts. */
    moves: () =>
      calls.filter(({ call }) => call !== 'balance').map(({ call, fields }) => `${call} ${textOf(fields?.amount)}`),
    shortfalls: () => events.flatMap((event) => (event.event === 'wrong-sum' ? [event.wrongSum] : [])),
    owed: () => events.filter((event): event is Owed => event.event === 'owed'),
    bring: async (from: string, to: string) =>
      (await adjuster.bring(account, Money.of(from), Money.of(to), 'prepare'))?.toString(),
  };
}

describe('the balance adjuster', () => {
  it('bets the difference if the balance is too high, and completes the round', async () => {
    const { bring, moves, wallet } = await cashierOf();
    expect(await bring('100', '87.65')).toBe('87.65');
    expect(moves()).toEqual(['bet 12.35', 'win 0']);
    expect(wallet.balance().format(2)).toBe('87.65');
  });

  it('bets a stake and wins it back with the missing amount, in the same round', async () => {
    const { bring, moves } = await cashierOf();
    expect(await bring('100', '120')).toBe('120');
    expect(moves()).toEqual(['bet 1.00', 'win 21.00']);
  });

  it('bets the smallest unit if the balance is below the stake', async () => {
    const { bring, moves } = await cashierOf(undefined, '0.05');
    expect(await bring('0.05', '3')).toBe('3');
    expect(moves()).toEqual(['bet 0.01', 'win 2.96']);
  });

  it('bets zero if the wallet is empty', async () => {
    const { bring, moves } = await cashierOf(undefined, '0.00');
    expect(await bring('0', '3')).toBe('3');
    expect(moves()).toEqual(['bet 0', 'win 3.00']);
  });

  it('begins a new round if the operator is busy or fails, and gives up at the limit', async () => {
    const failing = (times: number, status: number): Behaviour => {
      let left = times;
      return ({ call }, tell) => {
        if (call !== 'bet' || left === 0) return tell();
        left -= 1;
        return error(status, 'Please try again');
      };
    };
    const busy = await cashierOf(failing(2, 429));
    expect(await busy.bring('100', '120')).toBe('120');
    expect(busy.moves()).toEqual(['bet 1.00', 'bet 1.00', 'bet 1.00', 'win 21.00']);
    const failed = await cashierOf(failing(1, 500));
    expect(await failed.bring('100', '120')).toBe('120');
    expect(failed.moves()).toEqual(['bet 1.00', 'refund 1.00', 'bet 1.00', 'win 21.00']);
    const ever = await cashierOf(failing(99, 503));
    expect(await ever.bring('100', '120')).toBe('100');
    expect(ever.moves().filter((move) => move.startsWith('bet'))).toHaveLength(4);
  });

  it.each([502, 503, 504])(
    'refunds its own bet that was answered %i, because the bet may have been carried out',
    async (status) => {
      let bets = 0;
      const { bring, moves, wallet } = await cashierOf(({ call }, tell) => {
        if (call !== 'bet' || bets > 0) return tell();
        bets += 1;
        tell();
        return error(status, 'No reply from the wallet');
      });
      expect(await bring('100', '120')).toBe('120');
      expect(moves()).toEqual(['bet 1.00', 'refund 1.00', 'bet 1.00', 'win 21.00']);
      expect(wallet.balance().format(2)).toBe('120.00');
    },
  );

  it('does not refund its own bet that was answered 409 or 429, because these are declines', async () => {
    const { bring, moves } = await cashierOf(({ call, number }, tell) =>
      call === 'bet' && number < 2 ? error(number === 0 ? 409 : 429, 'Please try again') : tell(),
    );
    expect(await bring('100', '120')).toBe('120');
    expect(moves()).not.toContain('refund 1.00');
  });

  it('begins no further round if bets fail and refunds never work', async () => {
    const { bring, moves, owed } = await cashierOf(({ call }, tell) =>
      call === 'balance' ? tell() : error(500, 'Oops'),
    );
    await bring('100', '120');
    expect(moves().filter((move) => move.startsWith('bet'))).toHaveLength(2);
    expect(owed()).toHaveLength(2);
  });

  it('reads the balance again if the operator is too busy', async () => {
    let reads = 0;
    const { bring } = await cashierOf(({ call }, tell) => {
      if (call !== 'balance') return tell();
      reads += 1;
      return reads < 3 ? error(429, 'Busy') : tell();
    });
    expect(await bring('100', '99')).toBe('99');
  });

  it('sends nothing if the balance is right, or if no amount of the currency can restore it', async () => {
    const { bring, moves } = await cashierOf();
    expect(await bring('100', '100')).toBe('100');
    expect(await bring('100', '100.001')).toBe('100');
    expect(moves()).toEqual([]);
  });

  it('restores whole units of a balance that has more decimals than an amount may have', async () => {
    const { bring, moves } = await cashierOf(undefined, '2.990000000000009');
    expect(await bring('2.990000000000009', '500')).toBe('499.990000000000009');
    expect(moves()).toEqual(['bet 1.00', 'win 498.00']);
  });

  it('returns the balance that it reached, and records the win that is owed', async () => {
    const { bring, moves, owed } = await cashierOf(({ call }, tell) => (call === 'win' ? error(403, 'No') : tell()));
    expect(await bring('100', '120')).toBe('99');
    expect(moves()).toEqual(['bet 1.00', 'win 21.00']);
    expect(owed().map(({ call, open, fields }) => `${call} ${String(open)} ${fields.amount}`)).toEqual([
      'win true 21.00',
    ]);
  });

  it('records by how much an accepted win has left the balance too low', async () => {
    const { bring, shortfalls } = await cashierOf(({ call }, tell, wallet) => {
      const reply = tell();
      if (call === 'win') wallet.move('-2.10');
      return reply;
    });
    await bring('100', '120');
    expect(shortfalls()).toEqual([
      { amount: '-2.10', currency: 'USD', moved: '21', varies: true },
      { amount: '-2.10', currency: 'USD', moved: '3.10', varies: true },
    ]);
    const right = await cashierOf();
    await right.bring('100', '120');
    expect(right.shortfalls()).toEqual([]);
  });

  it('returns undefined if the balance cannot be read', async () => {
    const { bring } = await cashierOf(({ call }, tell) => (call === 'balance' ? error(503, 'No') : tell()));
    expect(await bring('100', '99')).toBeUndefined();
  });
});
