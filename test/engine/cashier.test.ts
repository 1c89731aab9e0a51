import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonValue } from '../../src/contract/json.ts';
import { Money } from '../../src/contract/money.ts';
import { Cashier } from '../../src/engine/cashier.ts';
import { Sender } from '../../src/engine/sender.ts';
import { denominationOf } from '../../src/engine/stakes.ts';
import type { JournalEvent, Owed } from '../../src/journal/event.ts';
import { error } from '../judge/toy-wallet.ts';
import { KEY, operatorServer, type Telling } from './operator-server.ts';

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

async function cashierOf(lie?: Telling, balance = '100.00') {
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
  const cashier = new Cashier(sender, { client, record, uuid: () => crypto.randomUUID() });
  const account = { sessionID: 's1', denomination: denominationOf('USD', {}, ''), scenario: 'a/b' };
  return {
    wallet,
    /** Calls that move money, with their amounts. */
    moves: () =>
      calls.filter(({ call }) => call !== 'balance').map(({ call, fields }) => `${call} ${textOf(fields?.amount)}`),
    owed: () => events.filter((event): event is Owed => event.event === 'owed'),
    bring: async (from: string, to: string) =>
      (await cashier.bring(account, Money.of(from), Money.of(to), 'prepare'))?.toString(),
  };
}

describe('the cashier', () => {
  it('bets away what is too much', async () => {
    const { bring, moves, wallet } = await cashierOf();
    expect(await bring('100', '87.65')).toBe('87.65');
    expect(moves()).toEqual(['bet 12.35']);
    expect(wallet.balance().format(2)).toBe('87.65');
  });

  it('bets a stake and wins it back with what is missing, in the same round', async () => {
    const { bring, moves } = await cashierOf();
    expect(await bring('100', '120')).toBe('120');
    expect(moves()).toEqual(['bet 1.00', 'win 21.00']);
  });

  it('bets the smallest unit where there is no stake', async () => {
    const { bring, moves } = await cashierOf(undefined, '0.05');
    expect(await bring('0.05', '3')).toBe('3');
    expect(moves()).toEqual(['bet 0.01', 'win 2.96']);
  });

  it('bets nothing where there is nothing', async () => {
    const { bring, moves } = await cashierOf(undefined, '0.00');
    expect(await bring('0', '3')).toBe('3');
    expect(moves()).toEqual(['bet 0.00', 'win 3.00']);
  });

  it('begins again where the operator is busy or fails, and gives up in the end', async () => {
    const failing = (times: number, status: number): Telling => {
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

  it('begins no further rounds where bets fail and refunds never work', async () => {
    const { bring, moves, owed } = await cashierOf(({ call }, tell) =>
      call === 'balance' ? tell() : error(500, 'Oops'),
    );
    await bring('100', '120');
    expect(moves().filter((move) => move.startsWith('bet'))).toHaveLength(2);
    expect(owed()).toHaveLength(2);
  });

  it('reads again where the operator is too busy to tell', async () => {
    let reads = 0;
    const { bring } = await cashierOf(({ call }, tell) => {
      if (call !== 'balance') return tell();
      reads += 1;
      return reads < 3 ? error(429, 'Busy') : tell();
    });
    expect(await bring('100', '99')).toBe('99');
  });

  it('leaves alone what is right, and what no amount of the currency would mend', async () => {
    const { bring, moves } = await cashierOf();
    expect(await bring('100', '100')).toBe('100');
    expect(await bring('100', '100.001')).toBe('100');
    expect(moves()).toEqual([]);
  });

  it('tells what it could not bring about, and writes down the win that the operator owes', async () => {
    const { bring, moves, owed } = await cashierOf(({ call }, tell) => (call === 'win' ? error(403, 'No') : tell()));
    expect(await bring('100', '120')).toBe('99');
    expect(moves()).toEqual(['bet 1.00', 'win 21.00']);
    expect(owed().map(({ call, open, fields }) => `${call} ${String(open)} ${fields.amount}`)).toEqual([
      'win true 21.00',
    ]);
  });

  it('tells nothing where the balance can not be read', async () => {
    const { bring } = await cashierOf(({ call }, tell) => (call === 'balance' ? error(503, 'No') : tell()));
    expect(await bring('100', '99')).toBeUndefined();
  });
});
