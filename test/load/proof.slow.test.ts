import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentStdio } from '../../src/app/stdio.ts';
import { loadCommand } from '../../src/cli/commands/load/action.ts';
import type { LoadFlags } from '../../src/cli/commands/load/flags.ts';
import { CALL_NAMES, type CallName } from '../../src/contract/call-name.ts';
import type { LoadResult } from '../../src/journal/load/result.ts';
import type { ListenRequest } from '../../src/listen/message.ts';
import { type Behaviour, CORRECT } from '../../src/operator/behaviour.ts';
import { demoOperator } from '../../src/operator/demo.ts';
import { createOperator } from '../../src/operator/operator.ts';
import type { Store } from '../../src/operator/store.ts';
import { variantByName } from '../../src/operator/variants.ts';
import { behaviourWith } from '../../src/operator/variation.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-proof-'));
  writeFileSync(path.join(cwd, 'broken.yaml'), 'brokenBets: 5\nbrokenWins: 5\nrepeatsAtOnce: 5\nrepeatsLater: 5\n');
  writeFileSync(path.join(cwd, 'read.yaml'), 'reads: 100\nsimultaneousRounds: 0\nbrokenBets: 0\nwholeBalance: 0\n');
  writeFileSync(path.join(cwd, 'repeated.yaml'), 'brokenBets: 10\nrepeatsAtOnce: 8\nrepeatsLater: 40\n');
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Runs a load test in this process, and returns its result. */
async function load(flags: Partial<LoadFlags>, env: Readonly<Record<string, string>> = {}): Promise<LoadResult> {
  let text = '';
  const stdio = silentStdio(cwd, env);
  const write = (piece: string): void => {
    text += piece;
  };
  const all = { json: true, rate: 80, duration: 4000, linger: 100, seed: 'proof', ...flags };
  await loadCommand(all as unknown as LoadFlags, { ...stdio, out: { ...stdio.out, write } });
  return JSON.parse(text) as LoadResult;
}

/** Runs a load test against an operator with this behaviour. */
async function loadOf(behaviour: Behaviour, flags: Partial<LoadFlags>): Promise<LoadResult> {
  const options = demoOperator({ first: 'first-key-of-proof', second: 'second-key-of-proof' });
  const listening = await createOperator(options, behaviour).start();
  onTestFinished(() => listening.close());
  const [client] = options.clients;
  const session = client.sessions
    .filter(({ state }) => state === 'active')
    .map(({ sessionID, player, currency }) => `${sessionID},player=${player},currency=${currency}`);
  const address = { baseUrl: `${listening.url}/demo-eu`, extCid: 'demo-eu', session };
  return load({ ...address, ...flags }, { CROUPIER_KEY: 'first-key-of-proof' });
}

describe('under load, a correct operator', { timeout: 60_000 }, () => {
  it('whose accounts have a credit line is not accused, and its players bet until the end', async () => {
    const { verdict, money, seconds } = await load({ reference: true, variant: ['credit-line'] });
    expect(verdict).toBe('RECONCILED');
    // A player without money would only read its balance. Each player makes more than the pair of calls that tries the limit.
    expect(money.transactions).toBeGreaterThan(money.players * 4);
    expect(seconds.length).toBeGreaterThan(3);
  });

  it('that misses the deadline now and then is not accused, and its late bets are refunded', async () => {
    // Every third reply comes after 600 ms.
    const slow = behaviourWith([variantByName('slow-replies') ?? expect.fail()], { deadlineMs: 1000 });
    const flags = { deadline: 400, linger: 800, rate: 30, mix: 'broken.yaml' };
    const { verdict, errors, money } = await loadOf(slow, flags);
    expect(verdict).not.toBe('NOT RECONCILED');
    expect(errors.map(({ kind }) => kind)).toContain('too-late');
    expect(money.byCurrency.some(({ refunded }) => Number(refunded) > 0)).toBe(true);
  });
});

describe('under load, a correct operator whose players get money from outside', { timeout: 60_000 }, () => {
  it('is not accused of an accepted bet above the balance, because the money may have come before the bet', async () => {
    const generous: Behaviour = {
      ...CORRECT,
      // The bet above the balance is one unit too high.
      covers: (wallet, debit) => wallet.balance + 1n >= debit,
      book: (store, wallet, moved) => {
        if (wallet.balance + moved >= 0n) return CORRECT.book(store, wallet, moved);
        return CORRECT.book(store, wallet, moved + 7700n);
      },
    };
    const { verdict, findings } = await loadOf(generous, { duration: 2000 });
    expect(verdict).toBe('UNDECIDED');
    const overdrafts = findings.filter(({ rule }) => rule === 'bet.insufficient-funds');
    expect(overdrafts).toMatchObject([{ verdict: 'warn', actual: expect.stringContaining('for an unknown reason') }]);
  });
});

/** The time whose money a restart forgets, in milliseconds. */
const FORGOTTEN_MS = 50;

/** An operator that forgets the money of its last milliseconds, as after a crash without a flushed journal. */
function forgetful(): { readonly behaviour: Behaviour; readonly crash: () => void } {
  let latest: { readonly at: number; readonly walletID: number; readonly moved: bigint }[] = [];
  let books: Store | undefined;
  const behaviour: Behaviour = {
    ...CORRECT,
    book: (store, wallet, moved) => {
      books = store;
      latest = latest.filter(({ at }) => performance.now() - at < FORGOTTEN_MS);
      latest.push({ at: performance.now(), walletID: wallet.id, moved });
      return CORRECT.book(store, wallet, moved);
    },
  };
  const crash = (): void => {
    for (const { at, walletID, moved } of latest) {
      if (performance.now() - at >= FORGOTTEN_MS || !books) continue;
      books.setBalance(walletID, books.wallet(walletID).balance - moved);
    }
    latest = [];
  };
  return { behaviour, crash };
}

describe('under load, an operator that crashes', { timeout: 60_000 }, () => {
  it('and forgets its last 50 ms is not reconciled, and the forgotten transactions are named', async () => {
    const { behaviour, crash } = forgetful();
    const timer = setInterval(crash, 700);
    onTestFinished(() => clearInterval(timer));
    const { verdict, money } = await loadOf(behaviour, { rate: 150 });
    expect(verdict).toBe('NOT RECONCILED');
    const named = money.problems.flatMap(({ transactions }) => transactions);
    expect(named.some(({ what }) => /took nothing|was not credited/.test(what))).toBe(true);
  });
});

function txIDOf({ body }: ListenRequest): string {
  const { txID } = JSON.parse(Buffer.from(body).toString()) as { readonly txID: string };
  return txID;
}

describe('under load, an operator', { timeout: 60_000 }, () => {
  it('that lets players bet more than their balance breaks a rule, unless the configuration says `credit`', async () => {
    const { verdict, findings } = await load({ reference: true, defect: ['bet-overdrawn'] });
    expect(verdict).toBe('NOT RECONCILED');
    expect(findings.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule)).toEqual([
      'bet.insufficient-funds',
    ]);
  });

  it('that takes a bet within 20 ms, although its refund came meanwhile, is not reconciled', async () => {
    const slow: Behaviour = {
      ...CORRECT,
      refundsAhead: () => [],
      receive: async (request, answer) => {
        if (request.path.endsWith('/bet')) await sleep(20);
        return CORRECT.receive(request, answer);
      },
    };
    // Each of the eight players waits 100 ms for its next ticket, so only a refund with a ticket of its own comes in time.
    const { verdict, money } = await loadOf(slow, { mix: 'broken.yaml' });
    expect(verdict).toBe('NOT RECONCILED');
    expect(money.problems.map(({ rule }) => rule)).toContain('refund.broken-connection');
  });

  it('that reads balances from a copy 100 ms behind is not reconciled, even at a low rate', async () => {
    // Each of the eight players waits 400 ms for its next ticket, so only a read that gets its ticket with the bet comes in time.
    const defect = ['balance-from-replica'];
    const { verdict, findings, money } = await load({ reference: true, defect, rate: 20, mix: 'read.yaml' });
    expect([verdict, money.problems]).toEqual(['NOT RECONCILED', []]);
    expect(findings.map(({ rule, call }) => `${rule} ${call}`)).toEqual(['balance.read balance']);
    // When the load ends, no rate limits the calls any more. So without such tickets, each player has at most one such read.
    expect(findings[0]?.count).toBeGreaterThan(money.players);
  });

  it('gets some refunds twice at the same moment, because the wallet may pay both of them', async () => {
    const open = new Set<string>();
    const twice = new Set<string>();
    const watched: Behaviour = {
      ...CORRECT,
      receive: async (request, answer) => {
        if (!request.path.endsWith('/refund')) return CORRECT.receive(request, answer);
        const txID = txIDOf(request);
        if (open.has(txID)) twice.add(txID);
        open.add(txID);
        await sleep(20);
        open.delete(txID);
        return CORRECT.receive(request, answer);
      },
    };
    const { verdict } = await loadOf(watched, { mix: 'repeated.yaml' });
    expect(verdict).toBe('RECONCILED');
    expect(twice.size).toBeGreaterThan(0);
  });

  it('gets bets, wins and refunds again some time later, although a round ends with a win', async () => {
    const known = new Map<string, { readonly after: number }>();
    const later: Record<CallName, number> = { bet: 0, win: 0, refund: 0, balance: 0 };
    const watched: Behaviour = {
      ...CORRECT,
      receive: (request, answer) => {
        const call = CALL_NAMES.find((name) => request.path.endsWith(`/${name}`)) ?? 'balance';
        if (call !== 'balance') {
          const earlier = known.get(txIDOf(request));
          if (earlier && known.size - earlier.after > 20) later[call] += 1;
          else if (!earlier) known.set(txIDOf(request), { after: known.size });
        }
        return CORRECT.receive(request, answer);
      },
    };
    const { verdict } = await loadOf(watched, { mix: 'repeated.yaml', rate: 150 });
    expect(verdict).toBe('RECONCILED');
    expect(Math.min(later.bet, later.win, later.refund)).toBeGreaterThan(0);
    // Wins are no longer repeated much more often than bets.
    expect(later.bet * 4).toBeGreaterThan(later.win);
  });

  it('that remembers only the last 60 transactions is not reconciled, and a bet that was taken twice is named', async () => {
    const flags = { defect: ['idempotency-forgets'], mix: 'repeated.yaml', rate: 150 };
    const { verdict, money } = await load({ reference: true, ...flags });
    expect(verdict).toBe('NOT RECONCILED');
    // The rule of a bet that is sent again at the end is `idempotency.durable`.
    const again = money.problems.filter(({ rule }) => rule === 'idempotency.bet');
    expect(again.flatMap(({ transactions }) => transactions).map(({ what }) => what)).toContain('was taken twice');
  });
});
