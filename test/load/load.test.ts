import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import { type LoadOutcome, runLoad } from '../../src/load/load.ts';
import { DEFAULT_MIX, type Mix } from '../../src/load/mix.ts';

type Call = 'balance' | 'bet' | 'win' | 'refund';

/** The wallet of one player, in cents. A test replaces single steps. */
class TinyWallet {
  balance = 100_000;
  /** Number of calls that are processed at the moment. */
  open = 0;
  readonly #moved = new Map<string, number>();

  /** Processes a bet or a win. @returns the balance of its reply */
  book(txID: string, moved: number): number {
    if (this.balance + moved < 0) return Number.NaN;
    if (!this.#moved.has(txID)) this.balance += moved;
    this.#moved.set(txID, moved);
    return this.balance;
  }

  /** Returns the balance that a balance call shows. */
  read(): number {
    return this.balance;
  }

  /** Answers a call. */
  async answer(call: Call, body: string, response: ServerResponse): Promise<void> {
    const { txID = '', amount = '0' } = body === '' ? {} : (JSON.parse(body) as Record<string, string>);
    const cents = Math.round(Number(amount) * 100);
    const balance = call === 'balance' ? this.read() : this.book(txID, call === 'bet' ? -cents : cents);
    const isDeclined = Number.isNaN(balance);
    response.writeHead(isDeclined ? 400 : 200, { 'Content-Type': 'application/json' });
    const error = { code: 'insufficient_funds', message: 'The balance is too low.' };
    response.end(JSON.stringify(isDeclined ? error : { balance: (balance / 100).toFixed(2), txID: `op ${txID}` }));
  }
}

/** No call is broken on purpose or sent twice, so that a test knows each call. */
const PLAIN: Mix = {
  ...DEFAULT_MIX,
  zeroWins: 0,
  brokenBets: 0,
  brokenWins: 0,
  repeatsAtOnce: 0,
  repeatsLater: 0,
  severalBets: 0,
  simultaneousRounds: 0,
  wholeBalance: 0,
  reads: 0,
};

/** Runs a load test with one player against the wallet, over real sockets. */
async function load(wallet: TinyWallet, mix: Partial<Mix>, durationMs: number): Promise<LoadOutcome> {
  const server = createServer((request, response) => {
    const texts: string[] = [];
    request.on('data', (bytes: Buffer) => texts.push(bytes.toString()));
    request.on('end', () => {
      const call = /\/(balance|bet|win|refund)/u.exec(request.url ?? '')?.[1] as Call;
      wallet.open += 1;
      void wallet.answer(call, texts.join(''), response).finally(() => {
        wallet.open -= 1;
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return runLoad({
    endpoint: { integratorBaseUrl: `http://127.0.0.1:${port}`, integrationApiKey: 'key', paths: {}, headers: {} },
    wire: {},
    wallets: [{ player: 'ben', currency: 'EUR', sessions: [{ sessionID: 's-1', index: 0 }] }],
    arrivals: { kind: 'rate', from: 50, to: 50 },
    durationMs,
    mix: { ...PLAIN, ...mix },
    campaign: null,
    credit: false,
    deadlineMs: 5000,
    lingerMs: 50,
    seed: 'test',
    numbers: { after: 0, step: 1 },
    origin: performance.now(),
    denominationOf: () => ({ stake: Money.of('1'), unit: Money.unit(2), decimals: 2 }),
    scrub: (text) => text,
    write: () => {},
    signal: new AbortController().signal,
    onProgress: () => {},
    onBegin: () => {},
    onEnd: () => Promise.resolve(),
  });
}

describe('a load test', { timeout: 30_000 }, () => {
  it('finds a reply with a balance between the possible ones that is none of them', async () => {
    class Inexact extends TinyWallet {
      override async answer(call: Call, body: string, response: ServerResponse): Promise<void> {
        // So simultaneous calls overlap.
        await sleep(20);
        return super.answer(call, body, response);
      }
      override book(txID: string, moved: number): number {
        const balance = super.book(txID, moved);
        return moved < 0 && this.open > 1 ? balance - 1 : balance;
      }
    }
    const { findings, problems } = await load(new Inexact(), { simultaneousRounds: 100 }, 600);
    expect(problems).toEqual([]);
    expect(findings.all()).toMatchObject([
      {
        rule: 'concurrency.no-lost-update',
        call: 'bet',
        verdict: 'fail',
        actual: expect.stringMatching(/which is none of them, although it lies between/u),
      },
    ]);
  });

  it('reports a balance call that is wrong once, although no debit can be late', async () => {
    class Stale extends TinyWallet {
      #isNew = false;
      override book(txID: string, moved: number): number {
        this.#isNew = true;
        return super.book(txID, moved);
      }
      override read(): number {
        const shown = this.balance + (this.#isNew ? 37 : 0);
        this.#isNew = false;
        return shown;
      }
    }
    const { findings, problems, remarks } = await load(new Stale(), {}, 100);
    expect(problems).toEqual([]);
    expect(remarks.healed).toBeGreaterThan(0);
    expect(findings.all()).toMatchObject([
      { rule: 'balance.read', verdict: 'fail', actual: expect.stringContaining('50 ms later it was right') },
    ]);
  });

  it('explains a lost bet and a crash between the two reads that show it', async () => {
    class Crashing extends TinyWallet {
      /** The txIDs of the lost bet, and of the win that the crash loses. */
      readonly lost: string[] = [];
      #won = 0;
      #broken = 0;
      override book(txID: string, moved: number): number {
        if (this.lost.length === 0 && moved < 0) {
          this.lost.push(txID);
          return this.balance + moved;
        }
        if (this.lost.length === 1 && moved > 0) {
          this.lost.push(txID);
          this.#won = moved;
        }
        return super.book(txID, moved);
      }
      override read(): number {
        if (this.#won > 0) this.#broken = 3;
        return this.balance;
      }
      override answer(call: Call, body: string, response: ServerResponse): Promise<void> {
        if (this.#broken === 0) return super.answer(call, body, response);
        this.#broken -= 1;
        this.balance -= this.#won;
        this.#won = 0;
        response.destroy();
        return Promise.resolve();
      }
    }
    const wallet = new Crashing();
    const { problems } = await load(wallet, {}, 100);
    expect(problems.map(({ suspicions, isAfterCrash }) => [suspicions[0]?.what, isAfterCrash])).toEqual([
      ['was answered 200, but took nothing', false],
      ['was answered 200, but was not credited', true],
    ]);
    expect(problems.map(({ suspicions }) => suspicions[0]?.transaction.txID)).toEqual(wallet.lost);
  });

  it('measures how long croupier itself stood still', async () => {
    const still = setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500), 200);
    const { stalledMs, problems } = await load(new TinyWallet(), {}, 1000);
    clearTimeout(still);
    expect(problems).toEqual([]);
    expect(stalledMs).toBeGreaterThan(400);
  });
});
