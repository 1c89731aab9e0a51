import { beforeEach, describe, expect, it } from 'vitest';
import { Money } from '../../../src/contract/money.ts';
import { CONTRACT_VERSION } from '../../../src/contract/versions.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { RightUnit } from '../../../src/judge/attribution/units.ts';
import { FindingCollector } from '../../../src/judge/finding-collector.ts';
import type { IdleRead } from '../../../src/judge/idle-read.ts';
import { BalancesOfOthers } from '../../../src/judge/reads/balances-of-others.ts';
import { IdleReads } from '../../../src/judge/reads/idle-reads.ts';
import { StaleReadHistory } from '../../../src/judge/reads/stale-reads.ts';
import { Effects } from '../../../src/judge/wallet/effects.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import { planOf } from '../judged-scenario.ts';

const [anna, ben] = ['1000.00', '735.20'].map((text) => Money.of(text)) as [Money, Money];

describe("a balance call that shows another player's balance", () => {
  let reads: IdleReads;
  let findings: Finding[];
  let balances: BalancesOfOthers;
  let own: Wallet;
  let other: Wallet;

  const wrong = (value: Money): IdleRead => {
    const [step] = planOf('rules: [balance.read]\nsteps: [{ balance: }]').steps;
    if (step?.kind !== 'call') throw new Error('no balance call');
    return { wallet: own, value, step, exchange: 'x1', lingered: true };
  };
  /** Reads a wrong balance, and then twice the given one. */
  const shows = (value: Money, then: Money): string => {
    const { kind } = reads.take(wrong(value));
    return kind === 'probe' ? reads.probed([then, then]) : kind;
  };
  const verdicts = (): string[] =>
    findings.filter(({ rule }) => rule === 'session.isolated').map(({ verdict }) => verdict);

  beforeEach(() => {
    findings = [];
    own = new Wallet('anna USD', Money.of('0.01'), 'USD');
    other = new Wallet('ben USD', Money.of('0.01'), 'USD');
    balances = new BalancesOfOthers();
    reads = new IdleReads({
      scenario: 's',
      collector: new FindingCollector({ strict: false, contract: CONTRACT_VERSION, amountsVary: false }, (finding) => {
        findings.push(finding);
      }),
      effects: new Effects(),
      claims: [],
      proven: () => false,
      staleReads: new StaleReadHistory(),
      rightUnit: new RightUnit(),
      balancesOfOthers: balances,
      seenBefore: () => false,
    });
    reads.open(own, anna);
    reads.open(other, ben);
  });

  it('breaks `session.isolated` if it was seen with two different balances, and is undecided before', () => {
    expect([shows(ben, anna), verdicts()]).toEqual(['stays', ['inconclusive']]);
    expect([shows(ben, anna), verdicts()]).toEqual(['stays', ['inconclusive', 'inconclusive']]);
    const later = Money.of('734.20');
    reads.open(other, later);
    expect([shows(later, anna), verdicts().at(-1)]).toEqual(['stays', 'fail']);
    expect(findings.at(-1)?.actual).toContain('which is the balance of ben');
  });

  it('breaks nothing if the balance stays: somebody else may have moved it', () => {
    expect([shows(ben, ben), verdicts()]).toEqual(['read-again', []]);
    expect([shows(ben, ben), verdicts()]).toEqual(['somebody-else', []]);
  });

  it('breaks nothing if the player had this balance before: it may be an old balance', () => {
    balances.record(own, ben);
    expect([shows(ben, anna), verdicts()]).toEqual(['somebody-else', []]);
  });

  it('may be the first read of a scenario', () => {
    reads.open(own, ben);
    reads.open(own, anna);
    expect([shows(ben, anna), verdicts()]).toEqual(['stays', ['inconclusive']]);
  });

  it("is recognised by the balance in the reply to the other player's call", () => {
    const replied = Money.of('733.20');
    expect(balances.ownerOf(own.id, replied)).toBeUndefined();
    balances.recordReplied(other.id, replied);
    expect(balances.ownerOf(own.id, replied)).toBe(other.id);
    balances.recordReplied(own.id, replied);
    expect(balances.ownerOf(own.id, replied)).toBeUndefined();
  });

  it('may be a balance that croupier took for the own one, once the fault is proven', () => {
    balances.record(own, ben);
    balances.recordRead(other.id, ben);
    expect(balances.isOfRead(own.id, ben)).toBe(false);
    balances.shown(own.id, Money.of('734.20'));
    balances.shown(own.id, Money.of('735.10'));
    expect(balances.isOfRead(own.id, ben)).toBe(true);
  });
});
