import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { silentStdio } from '../../src/app/stdio.ts';
import { loadCommand } from '../../src/cli/commands/load/action.ts';
import type { LoadFlags } from '../../src/cli/commands/load/flags.ts';
import type { LoadResult } from '../../src/journal/load/result.ts';
import { type Behaviour, CORRECT } from '../../src/operator/behaviour.ts';
import { demoOperator } from '../../src/operator/demo.ts';
import { createOperator } from '../../src/operator/operator.ts';
import type { Store } from '../../src/operator/store.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-proof-'));
  writeFileSync(path.join(cwd, 'broken.yaml'), 'brokenBets: 5\nbrokenWins: 5\nrepeatsAtOnce: 5\nrepeatsLater: 5\n');
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

const reference = (own: Partial<LoadFlags>): Promise<LoadResult> => load({ reference: true, ...own });

describe('under load, the defects that need concurrency', { timeout: 60_000 }, () => {
  it.each(['lost-update', 'lost-update-on-wins', 'lock-given-up'])(
    '%s is found, and the transaction that was lost is named',
    async (defect) => {
      const { verdict, money } = await reference({ defect: [defect] });
      expect(verdict).toBe('NOT RECONCILED');
      expect(money.problemCount).toBeGreaterThan(0);
      const named = money.problems.flatMap(({ transactions }) => transactions);
      expect(named.some(({ what }) => /took nothing|was not credited/.test(what))).toBe(true);
    },
  );

  it("amount-parser-shared is found, and the other player's amount is named", async () => {
    const { verdict, money } = await reference({ defect: ['amount-parser-shared'] });
    expect(verdict).toBe('NOT RECONCILED');
    const named = money.problems.flatMap(({ transactions }) => transactions);
    expect(named.some(({ what }) => what.includes("the amount of another player's"))).toBe(true);
  });

  // A shared formatter writes balances of other calls. It depends on chance which rule such a balance breaks.
  it.each([
    ['overdraft-race', /^concurrency\.no-overdraft$/u],
    ['formatter-shared', /^concurrency\./u],
  ])('%s is found as a breach of %s', async (defect, rule) => {
    const { verdict, findings } = await reference({ defect: [defect] });
    expect(verdict).toBe('NOT RECONCILED');
    const broken = findings.filter((one) => one.verdict === 'fail').map((one) => one.rule);
    expect(broken).toContainEqual(expect.stringMatching(rule));
  });

  it.each([
    ['replayed-bet-charged', /^idempotency/u],
    ['replayed-win-paid', /^idempotency|^win/u],
  ])('%s is named by its repetition', async (defect, rule) => {
    const { verdict, money, findings } = await reference({ defect: [defect], mix: 'broken.yaml' });
    expect(verdict).toBe('NOT RECONCILED');
    const rules = [...money.problems.map((one) => one.rule), ...findings.map((one) => one.rule)];
    expect(rules.some((one) => rule.test(one))).toBe(true);
  });
});

describe('under load with broken connections, a correct operator', { timeout: 60_000 }, () => {
  it.each([
    'locked-wallet-409',
    'player-lock',
    'queued-calls',
    'one-call-at-a-time',
    'duplicate-in-flight-409',
    'refund-of-bet-in-flight-409',
    'abandoned-calls-dropped',
    'balance-read-after-commit',
    'gateway-503-now-and-then',
    'busy-now-and-then',
    'bets-fail-though-taken',
    'wins-fail-though-credited',
    'current-balance-on-replay',
    'keep-alive-closed-at-once',
    'free-bets-cost',
    'sessions-end-during-play',
  ])('that is the variant %s is not accused', async (variant) => {
    const { verdict, reasons } = await reference({ variant: [variant], mix: 'broken.yaml' });
    expect([verdict, reasons]).not.toContain('NOT RECONCILED');
  });

  it('that misses the deadline now and then is not accused, and its late bets are refunded', async () => {
    const { verdict, errors } = await reference({ variant: ['slow-replies'], deadline: 400, rate: 30 });
    expect(verdict).not.toBe('NOT RECONCILED');
    expect(errors.length).toBeGreaterThanOrEqual(0);
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
    const options = demoOperator({ first: 'first-key-of-proof', second: 'second-key-of-proof' });
    const listening = await createOperator(options, behaviour).start();
    const timer = setInterval(crash, 700);
    onTestFinished(async () => {
      clearInterval(timer);
      await listening.close();
    });
    const [client] = options.clients;
    const session = client.sessions
      .filter(({ state }) => state === 'active')
      .map(({ sessionID, player, currency }) => `${sessionID},player=${player},currency=${currency}`);
    const flags = { baseUrl: `${listening.url}/demo-eu`, extCid: 'demo-eu', session };
    const { verdict, money } = await load({ ...flags, rate: 150 }, { CROUPIER_KEY: 'first-key-of-proof' });
    expect(verdict).toBe('NOT RECONCILED');
    const named = money.problems.flatMap(({ transactions }) => transactions);
    expect(named.some(({ what }) => /took nothing|was not credited/.test(what))).toBe(true);
  });
});
