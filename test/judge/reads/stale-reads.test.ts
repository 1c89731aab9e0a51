import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/contract/call-name.ts';
import { Money } from '../../../src/contract/money.ts';
import { CONTRACT_VERSION } from '../../../src/contract/versions.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { Attribution } from '../../../src/judge/attribution/attribution.ts';
import { FindingCollector } from '../../../src/judge/finding-collector.ts';
import type { IdleRead, UnexpectedReply } from '../../../src/judge/idle-read.ts';
import { kindsLeftOut, StaleReadHistory, StaleReads } from '../../../src/judge/reads/stale-reads.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import { judgeScenario } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';
import { withOldReads } from './old-reads.ts';

describe('the stale reads of a run', () => {
  it('break the rule about the kind of call that is late, or `balance.read` if several kinds are late', () => {
    const staleReads = new StaleReadHistory();
    expect(staleReads.rule).toBeUndefined();
    staleReads.record(['win'], true, 'em EUR');
    expect(staleReads.rule).toBe('win.credit');
    staleReads.record(['refund'], true, 'em EUR');
    expect(staleReads.rule).toBe('balance.read');
  });

  it('are certain after two sightings', () => {
    const staleReads = new StaleReadHistory();
    staleReads.record(['bet'], true, 'em EUR');
    expect(staleReads.isSure).toBe(false);
    staleReads.record(['bet'], true, 'em EUR');
    expect(staleReads.isSure).toBe(true);
  });

  it('are waited for only if one was seen to catch up', () => {
    const staleReads = new StaleReadHistory();
    staleReads.caughtUpAfter(200);
    staleReads.record(['bet'], false, 'em EUR');
    expect([staleReads.isWaitedFor, staleReads.pauseMs]).toEqual([false, 0]);
    staleReads.record(['bet'], true, 'em EUR');
    expect(staleReads.isWaitedFor).toBe(true);
    expect(staleReads.pauseMs).toBeGreaterThan(200);
  });

  it('are not waited for if the time budget is spent, or if waiting had no success twice', () => {
    const spent = new StaleReadHistory(1000);
    spent.record(['bet'], true, 'em EUR');
    spent.waited(1000);
    expect([spent.isWaitedFor, spent.pauseMs]).toEqual([false, 0]);
    const never = new StaleReadHistory();
    expect(never.isWorthWaiting).toBe(true);
    never.waitedWithoutSuccess();
    never.waitedWithoutSuccess();
    expect(never.isWorthWaiting).toBe(false);
  });

  it('concern only other wallets after six sightings in those, if six reads of this wallet included such calls', () => {
    const staleReads = new StaleReadHistory();
    const isOnlyOfOthers = (...walletIDs: string[]) => staleReads.isOnlyOfOthers(walletIDs);
    for (let sighting = 0; sighting < 5; sighting += 1) staleReads.record(['bet'], true, 'em EUR');
    for (let reads = 0; reads < 6; reads += 1)
      for (const id of ['eva EUR', 'em EUR']) staleReads.recordInTime('bet', id);
    expect(isOnlyOfOthers('eva EUR')).toBe(false);
    staleReads.record(['bet'], true, 'em EUR');
    expect([isOnlyOfOthers('eva EUR'), isOnlyOfOthers('eva EUR', 'em EUR'), isOnlyOfOthers()]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('may concern a wallet whose reads have included such a call five times, or only calls of other kinds', () => {
    const staleReads = new StaleReadHistory();
    for (let sighting = 0; sighting < 6; sighting += 1) staleReads.record(['bet'], true, 'em EUR');
    for (let reads = 0; reads < 5; reads += 1)
      for (const kind of ['bet', 'win'] as const) staleReads.recordInTime(kind, 'eva EUR');
    expect(staleReads.isOnlyOfOthers(['eva EUR'])).toBe(false);
    staleReads.recordInTime('bet', 'eva EUR');
    expect(staleReads.isOnlyOfOthers(['eva EUR'])).toBe(true);
  });

  it('cover the kinds of calls that were late, and all kinds if several were late', () => {
    const staleReads = new StaleReadHistory();
    staleReads.record(['refund'], true, 'em EUR');
    expect([staleReads.covers([]), staleReads.covers(['refund']), staleReads.covers(['bet', 'refund'])]).toEqual([
      true,
      true,
      false,
    ]);
    staleReads.record(['bet'], true, 'em EUR');
    expect(staleReads.covers(['win'])).toBe(true);
  });
});

/** Returns the rules that explain the wrong wins of `p1`, if croupier has seen old reads of another wallet. */
function causesOfWrongWins(fault: Fault): readonly string[] {
  const staleReads = new StaleReadHistory();
  for (let sighting = 0; sighting < 6; sighting += 1) staleReads.record(['bet', 'win'], false, 'em EUR');
  const rounds = '[{ bet: { amount: "1.00" } }, { win: { amount: "20.00" } }, { balance: }]';
  const attribution = new Attribution(staleReads);
  const old = { verdict: 'fail', endpoint: null, step: '1', place: null, exchange: 'x', expected: '', actual: '' };
  attribution.add('old', [{ ...old, rule: 'balance.read', causes: [] } as Finding]);
  for (const scenario of ['1', '2', '3', '4', '5', '6']) {
    const { findings } = judgeScenario(`steps: ${rounds}`, { fault, staleReads });
    attribution.add(scenario, findings, [], { unaware: true, walletIDs: ['p1'] });
  }
  return attribution.conclude().map(({ rule, because }) => `${rule} because of ${because}`);
}

/** Keeps a tenth of each win. */
const taxed: Fault = ({ call }, honest, wallet) => {
  const reply = honest();
  if (call !== 'win') return reply;
  wallet.move('-2.00');
  return wallet.ok();
};

it('old reads of another wallet explain no wrong sum of a wallet whose reads show it at once', () => {
  expect(causesOfWrongWins(taxed)).toEqual([]);
  // The reads of this wallet are old too.
  expect(causesOfWrongWins(withOldReads(taxed))).toContain('win.credit because of balance.read');
});

const KINDS: Readonly<Record<string, CallName>> = { 1: 'bet', 2: 'win', 3: 'bet', 4: 'refund' };

/** 100.00, then bets of 1 and 8, a win of 20 and the refund of the second bet. */
function played(): Wallet {
  const wallet = new Wallet('p1', Money.of('0.01'));
  wallet.anchor(Money.of('100'));
  wallet.move('1', Money.of('1').negated());
  wallet.move('2', Money.of('20'));
  wallet.move('3', Money.of('8').negated());
  wallet.move('4', Money.of('8'));
  return wallet;
}

function kinds(reply: string, late: readonly CallName[] = []): CallName[] {
  return kindsLeftOut(played(), Money.of(reply), {
    callOf: (step) => KINDS[step],
    isLate: (kind) => late.includes(kind),
  });
}

describe('the calls that a balance does not include', () => {
  it('are the last call if only that is missing', () => expect(kinds('111')).toEqual(['refund']));

  it('are a single earlier call if only that is missing', () => expect(kinds('99')).toEqual(['win']));

  it('are all calls of one kind if these are missing', () => expect(kinds('128')).toEqual(['bet']));

  it('are the last calls if these are missing, of several kinds', () =>
    expect(kinds('100')).toEqual(['bet', 'win', 'refund']));

  it('are the last call if no group of calls gives the balance', () => expect(kinds('55.55')).toEqual(['refund']));

  it('are calls of a kind that was late before, if several kinds would give the balance', () => {
    const wallet = new Wallet('p1', Money.of('0.01'));
    wallet.anchor(Money.of('100'));
    wallet.move('4', Money.of('8'));
    wallet.move('2', Money.of('8'));
    const of = (late: CallName): CallName[] =>
      kindsLeftOut(wallet, Money.of('108'), { callOf: (step) => KINDS[step], isLate: (kind) => kind === late });
    expect([of('refund'), of('win')]).toEqual([['refund'], ['win']]);
  });
});

describe('the stale reads of a scenario', () => {
  const EFFECTS = judgeScenario('steps: [{ bet: { amount: "3.00" } }, { win: { amount: "8.00" } }, { balance: }]').judge
    .effects;

  function play(
    moves: Readonly<Record<string, string>>,
    history = new StaleReadHistory(),
  ): {
    readonly wallet: Wallet;
    readonly findings: Finding[];
    readonly collector: FindingCollector;
    readonly staleReads: StaleReads;
    readonly read: (value: string) => IdleRead;
  } {
    const wallet = new Wallet('p1', Money.of('0.01'));
    wallet.anchor(Money.of('100'));
    for (const [key, delta] of Object.entries(moves))
      wallet.move(key, delta.startsWith('-') ? Money.of(delta.slice(1)).negated() : Money.of(delta));
    const findings: Finding[] = [];
    const collector = new FindingCollector(
      { strict: false, contract: CONTRACT_VERSION, amountsVary: false },
      (finding) => findings.push(finding),
    );
    return {
      wallet,
      findings,
      collector,
      staleReads: new StaleReads(collector, EFFECTS, history),
      read: (value) => ({
        wallet,
        value: Money.of(value),
        step: { key: '3', call: 'balance', place: null, origin: { kind: 'fresh' }, deviations: {} } as never,
        exchange: 'x3',
        lingered: false,
      }),
    };
  }

  function lateBets(): StaleReadHistory {
    const history = new StaleReadHistory();
    history.record(['bet'], true, 'em EUR');
    history.caughtUpAfter(100);
    return history;
  }

  const REPLY = { rule: 'win.credit', ifReadFits: 'breach', step: {}, exchange: 'x2', expected: '', actual: '' };
  const unexpected = (rule: string): UnexpectedReply => ({ ...REPLY, rule }) as never;

  it('make a read wait for calls of a kind that was late, and for no others', () => {
    const bet = play({ 1: '-3' }, lateBets());
    expect(bet.staleReads.pauseMs(bet.wallet)).toBeGreaterThan(100);
    const both = play({ 1: '-3', 2: '8' }, lateBets());
    expect(both.staleReads.pauseMs(both.wallet)).toBe(0);
  });

  it('do not concern a wallet whose reads included the last call at once', () => {
    const afterReads = (lingered: boolean, moves: Readonly<Record<string, string>>): boolean => {
      const history = new StaleReadHistory();
      for (let sighting = 0; sighting < 6; sighting += 1) history.record(['win'], false, 'em EUR');
      for (let reads = 0; reads < 6; reads += 1) {
        const { staleReads, read } = play(moves, history);
        staleReads.noteInTime({ ...read('105'), lingered });
      }
      return history.isOnlyOfOthers(['p1']);
    };
    expect(afterReads(false, { 1: '-3', 2: '8' })).toBe(true);
    // A read after a pause, and reads after calls of another kind, do not show when a win is paid.
    expect([afterReads(true, { 1: '-3', 2: '8' }), afterReads(false, { 1: '-3' })]).toEqual([false, false]);
  });

  it('make no read wait if no money has moved since the last one', () => {
    const { staleReads, wallet } = play({}, lateBets());
    expect(staleReads.pauseMs(wallet)).toBe(0);
  });

  it('make a read wait if the effect of a call is open', () => {
    const { staleReads, wallet } = play({}, lateBets());
    wallet.setUnknown('1');
    expect(staleReads.pauseMs(wallet)).toBeGreaterThan(0);
  });

  it('may explain a wrong balance if the last reply had the right one', () => {
    const { staleReads, wallet, read } = play({ 1: '-3' });
    expect(staleReads.mayCatchUp(read('100'), undefined)).toBe(false);
    wallet.hear(Money.of('97'), true);
    wallet.vouch('1');
    expect(staleReads.mayCatchUp(read('100'), undefined)).toBe(true);
  });

  it('do not explain a balance that is wrong by less than the smallest unit', () => {
    const { staleReads, read } = play({ 1: '-3' }, lateBets());
    expect([staleReads.mayCatchUp(read('97.001'), undefined), staleReads.mayCatchUp(read('100'), undefined)]).toEqual([
      false,
      true,
    ]);
  });

  it('may explain a wrong reply if the balance lacks the last call', () => {
    const { staleReads, read } = play({ 1: '-3' });
    expect(staleReads.mayCatchUp(read('99'), unexpected('win.credit'))).toBe(false);
    expect(staleReads.mayCatchUp(read('100'), unexpected('win.credit'))).toBe(true);
  });

  it('may explain a wrong reply to a refund, as long as waiting has a chance of success', () => {
    const { staleReads, read } = play({ 1: '-3' });
    expect(staleReads.mayCatchUp(read('100'), unexpected('refund.restore'))).toBe(true);
    staleReads.waitedWithoutSuccess();
    staleReads.waitedWithoutSuccess();
    expect(staleReads.mayCatchUp(read('100'), unexpected('refund.restore'))).toBe(false);
  });

  it('are only reported, and change no other finding, after a call that the service never sends', () => {
    const ruleAfter = (isAfterProbe: boolean): string | undefined => {
      const history = new StaleReadHistory();
      history.record(['win'], true, 'p1');
      const { collector, staleReads, findings, read } = play({ 1: '-3' }, history);
      if (isAfterProbe) collector.noteProbe();
      staleReads.report(read('100'), Money.of('100'), true, 'the balance was 100');
      expect(findings).toHaveLength(1);
      return history.rule;
    };
    expect([ruleAfter(true), ruleAfter(false)]).toEqual(['win.credit', 'balance.read']);
  });

  it('are reported once per rule, with the balances that would be right', () => {
    const { staleReads, findings, read } = play({ 1: '-3' });
    staleReads.report(read('100'), Money.of('100'), true, 'the balance was 100');
    staleReads.report(read('100'), Money.of('100'), true, 'the balance was 100');
    expect(findings).toMatchObject([
      {
        rule: 'bet.debit',
        verdict: 'fail',
        expected: 'the next read includes all earlier calls: the balance is 97',
        actual: 'the balance was 100',
        causes: ['balance.read'],
      },
    ]);
  });

  it('are reported under `balance.read` when calls of a second kind are late too', () => {
    const { staleReads, findings, read } = play({ 1: '-3', 2: '8' }, lateBets());
    staleReads.report(read('97'), Money.of('97'), false, 'the balance was 97');
    expect(findings.map(({ rule, causes }) => [rule, causes])).toEqual([['balance.read', []]]);
  });
});
