import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import { Money } from '../../../src/contract/money.ts';
import { CONTRACT_VERSION } from '../../../src/contract/versions.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import type { PossibleBreach } from '../../../src/judge/attribution/explain.ts';
import {
  attributeExplained,
  attributeUnexplained,
  listBalances,
  reportOtherPlayers,
} from '../../../src/judge/attribution/wrong-balance.ts';
import { FindingCollector } from '../../../src/judge/finding-collector.ts';
import type { ConcurrentCalls, IdleRead, UnexpectedReply } from '../../../src/judge/idle-read.ts';
import type { PendingCheck } from '../../../src/judge/pending-check.ts';
import { Effects } from '../../../src/judge/wallet/effects.ts';
import { Wallet } from '../../../src/judge/wallet/wallet.ts';
import type { CallStep } from '../../../src/scenario/plan/plan.ts';
import { judgeScenario, planOf } from '../judged-scenario.ts';
import type { Fault } from '../toy-wallet.ts';

const money = (text: string): Money => (text.startsWith('-') ? Money.of(text.slice(1)).negated() : Money.of(text));
const STEPS = planOf('rules: [bet.debit]\nsteps: [{ bet: }, { win: }, { balance: }]').steps.filter(
  (step): step is CallStep => step.kind === 'call',
);

function step(key: string): CallStep {
  const found = STEPS.find((one) => one.key === key);
  if (!found) throw new Error(`no step ${key}`);
  return found;
}

/** A wallet of 100.00 whose calls have moved these sums since, by step; `right` are steps whose reply had the right balance. */
function walletAfter(moves: Readonly<Record<string, string>>, right: readonly string[] = []): Wallet {
  const wallet = new Wallet('p1', Money.of('0.01'));
  wallet.anchor(money('100'));
  for (const [key, delta] of Object.entries(moves)) {
    wallet.move(key, money(delta));
    if (right.includes(key)) wallet.vouch(key);
  }
  return wallet;
}

function readOf(wallet: Wallet, value: string): IdleRead {
  return { wallet, value: money(value), step: step('3'), exchange: 'x3', lingered: false };
}

function pending(rule: RuleId, key: string, more: Partial<PendingCheck> = {}): PendingCheck {
  return {
    rule,
    endpoint: null,
    step: step(key),
    exchange: `x${key}`,
    hypotheses: [{ by: money('-1'), meaning: 'it was taken twice' }],
    rank: 1,
    until: 'read',
    expected: 'the call is right',
    reported: false,
    ...more,
  };
}

function collecting(): { readonly findings: Finding[]; readonly collector: FindingCollector } {
  const findings: Finding[] = [];
  return {
    findings,
    collector: new FindingCollector({ strict: false, contract: CONTRACT_VERSION, amountsVary: false }, (finding) =>
      findings.push(finding),
    ),
  };
}

const RACE: ConcurrentCalls = {
  rule: 'concurrency.no-lost-update',
  ifMore: 'refund.once',
  step: step('2'),
  exchange: 'x2',
  expected: 'each call has one effect',
};

const WRONG_REPLY: UnexpectedReply = {
  rule: 'win.credit',
  ifReadFits: 'breach',
  step: step('2'),
  exchange: 'x2',
  said: undefined,
  expected: 'the reply has the balance',
  actual: 'it has another one',
};

/** Each finding as `step rule`, and its causes. */
function attributed(
  read: IdleRead,
  due: readonly PendingCheck[],
  context: { candidate?: ConcurrentCalls; odd?: UnexpectedReply } = {},
): { readonly moved: readonly unknown[]; readonly found: readonly string[]; readonly causes: readonly string[] } {
  const { findings, collector } = collecting();
  attributeUnexplained(read, { candidate: context.candidate, odd: context.odd }, due, {
    collector,
    effects: new Effects(),
  });
  return {
    moved: findings.map(({ wrongSum }) => [wrongSum?.moved, wrongSum?.movedOneWay]),
    found: findings.map((finding) => `${finding.step} ${finding.rule}`),
    causes: findings.flatMap(({ causes }) => causes),
  };
}

describe('a wrong balance that no predicted breach explains', () => {
  it('is reported under the rule about calls at once if it is too low after such calls', () => {
    const { found, causes } = attributed(readOf(walletAfter({ 1: '-5' }), '90'), [], { candidate: RACE });
    expect(found).toEqual(['2 concurrency.no-lost-update']);
    expect(causes).toContain('bet.debit');
  });

  it('is reported under the other rule of calls at once if it is too high', () => {
    expect(attributed(readOf(walletAfter({ 1: '-5' }), '99'), [], { candidate: RACE }).found).toEqual([
      '2 refund.once',
    ]);
  });

  it('also names the amount of the wins alone if the wins are wrong', () => {
    const readAfter = (moves: Readonly<Record<string, string>>) => readOf(walletAfter(moves, ['1']), '107');
    const win = attributed(readAfter({ 1: '-20', 2: '30' }), [pending('win.credit', '2')]);
    expect(win).toMatchObject({ found: ['2 win.credit'], moved: [['50', '30']] });
    const bet = attributed(readAfter({ 1: '30', 2: '-20' }), [pending('bet.debit', '2')]);
    expect(bet).toMatchObject({ found: ['2 bet.debit'], moved: [['50', '20']] });
    expect(attributed(readAfter({ 1: '-20', 2: '30' }), [], { candidate: RACE }).moved).toEqual([['50', undefined]]);
  });

  it('also names the amount of the refunds alone if the refunds are wrong, without wins that came before', () => {
    // A player gets only half of each refund back.
    const half: Fault = ({ call }, honest, wallet) => {
      const reply = honest();
      if (call !== 'refund') return reply;
      wallet.move('-1');
      return wallet.ok();
    };
    const { findings } = judgeScenario(
      'rules: [refund.restore]\nsteps: [{ bet: { amount: "2" } }, { win: { amount: "3" } }, { bet: { amount: "2" } }, { refund: }, { balance: }]',
      { fault: half },
    );
    expect(findings).toMatchObject([
      { rule: 'refund.restore', wrongSum: { amount: '-1', moved: '9', movedOneWay: '2' } },
    ]);
  });

  it('names the rule about copies as a cause only if copies were sent', () => {
    const read = readOf(walletAfter({ 1: '-5' }), '90');
    const copies = [pending('idempotency.concurrent', '1')];
    expect(attributed(read, copies, { candidate: RACE }).causes).toContain('idempotency.concurrent');
    expect(attributed(read, [], { candidate: RACE }).causes).not.toContain('idempotency.concurrent');
  });

  it('is a rounded large amount if it is wrong by less than a millionth of this amount', () => {
    const large = [pending('win.credit', '1'), pending('money.large', '1')];
    expect(attributed(readOf(walletAfter({ 1: '90000000000' }), '90000000150'), large).found).toEqual([
      '1 money.large',
    ]);
    expect(attributed(readOf(walletAfter({ 1: '90000000000' }), '90001000000'), large).found).toEqual(['1 win.credit']);
  });

  it('is inexact if it is wrong by less than the smallest unit', () => {
    expect(attributed(readOf(walletAfter({ 1: '-5' }), '95.001'), []).found).toEqual(['3 money.exact']);
  });

  it('names a win of 0 as the cause of a sum below the smallest unit only if such a win was sent', () => {
    const read = readOf(walletAfter({ 1: '-5' }), '95.001');
    expect(attributed(read, [pending('win.zero', '2')]).causes).toContain('win.zero');
    expect(attributed(read, [pending('win.credit', '2')]).causes).not.toContain('win.zero');
  });

  it('is reported at the call with the first wrong reply', () => {
    const read = readOf(walletAfter({ 1: '-5', 2: '8' }), '100.77');
    expect(attributed(read, [pending('bet.debit', '1')], { odd: WRONG_REPLY }).found).toEqual(['2 win.credit']);
  });

  it('may come from a wrong win of 0 if the first wrong reply was to a free win', () => {
    const { step } = WRONG_REPLY;
    const causesOf = (type: 'free' | 'regular') => {
      const odd = { ...WRONG_REPLY, step: { ...step, call: 'win', type } as const };
      return attributed(readOf(walletAfter({}), '99.99'), [], { odd }).causes;
    };
    expect([causesOf('free').includes('win.zero'), causesOf('regular').includes('win.zero')]).toEqual([true, false]);
  });

  it('is reported under the rule about further wins if the first wrong reply was to a further win', () => {
    const read = readOf(walletAfter({ 1: '-5', 2: '8' }), '100.77');
    const { found, causes } = attributed(read, [pending('win.many-in-round', '2')], { odd: WRONG_REPLY });
    expect(found).toEqual(['2 win.many-in-round']);
    expect(causes).toContain('win.credit');
  });

  it('is reported under the rule of the only call since the last read', () => {
    expect(attributed(readOf(walletAfter({ 1: '-5' }), '94.23'), [pending('bet.debit', '1')]).found).toEqual([
      '1 bet.debit',
    ]);
  });

  it('is reported under the rule about further bets if the only call was a further bet', () => {
    const { found, causes } = attributed(readOf(walletAfter({ 1: '-5' }), '94.23'), [
      pending('bet.debit', '1'),
      pending('bet.many-in-round', '1', { rank: 0 }),
    ]);
    expect(found).toEqual(['1 bet.many-in-round']);
    expect(causes).toContain('bet.debit');
  });

  it('is reported under the rule of a step that moves nothing if there was no other call', () => {
    expect(
      attributed(readOf(walletAfter({}), '99'), [pending('bet.declined-takes-nothing', '1', { rank: 0 })]).found,
    ).toEqual(['1 bet.declined-takes-nothing']);
  });

  it('is reported under the rule of the only call whose reply did not have the right balance', () => {
    const due = [pending('bet.debit', '1'), pending('win.credit', '2')];
    expect(attributed(readOf(walletAfter({ 1: '-5', 2: '8' }, ['1']), '102.23'), due).found).toEqual(['2 win.credit']);
  });

  it('is reported under no single call if there were several, and names all their rules as causes', () => {
    const due = [pending('bet.debit', '1'), pending('win.credit', '2')];
    const { found, causes } = attributed(readOf(walletAfter({ 1: '-5', 2: '8' }), '102.23'), due);
    expect(found).toEqual(['3 money.conservation']);
    expect(causes).toEqual(expect.arrayContaining(['bet.debit', 'win.credit', 'refund.restore']));
  });

  it('is not reported again if a breach that was reported before explains it', () => {
    expect(
      attributed(readOf(walletAfter({ 1: '-5' }), '90'), [pending('bet.debit', '1', { reported: true })]).found,
    ).toEqual([]);
  });

  it('may come from inexact sums only if the difference is small or an amount had decimals', () => {
    const due = [pending('bet.debit', '1')];
    expect(attributed(readOf(walletAfter({ 1: '-5' }), '90'), due).causes).not.toContain('money.exact');
    expect(attributed(readOf(walletAfter({ 1: '-5' }), '94.99'), due).causes).toContain('money.exact');
    expect(attributed(readOf(walletAfter({ 1: '-5.50' }), '90'), due).causes).toEqual(
      expect.arrayContaining(['money.exact', 'bet.decimal-amount']),
    );
  });

  it('may come from a call with a wrong signature only if there was one', () => {
    const due = [pending('bet.debit', '1')];
    const signed = pending('signature.no-effect', '2', { rank: 0 });
    const read = readOf(walletAfter({ 1: '-5' }), '90');
    expect(attributed(read, due).causes).not.toContain('signature.no-effect');
    expect(attributed(read, [...due, signed]).causes).toContain('signature.no-effect');
  });
});

describe('a breach that explains a wrong balance', () => {
  const rival = { pendingCheck: pending('win.credit', '2'), hypothesis: { by: money('-1'), meaning: 'another' } };

  function explained(
    pendingCheck: PendingCheck,
    together: readonly PossibleBreach[] = [],
    due: readonly PendingCheck[] = [],
    odd?: UnexpectedReply,
    value = '94',
  ): readonly Finding[] {
    const { findings, collector } = collecting();
    const [hypothesis] = pendingCheck.hypotheses;
    if (!hypothesis) throw new Error('no hypothesis');
    const read = readOf(walletAfter({ 1: '-5' }), value);
    attributeExplained({ pendingCheck, hypothesis }, { together, rivals: [rival], due, odd }, read, {
      collector,
      effects: new Effects(),
    });
    return findings;
  }

  it('names a rule about every call that explains the balance only together with it', () => {
    const refund = { pendingCheck: pending('refund.restore', '2'), hypothesis: { by: money('-1'), meaning: 'half' } };
    expect(explained(pending('bet.debit', '1'), [refund])[0]?.causes).toContain('refund.restore');
    expect(explained(pending('idempotency.bet', '1'), [refund])[0]?.causes).not.toContain('refund.restore');
  });

  it('names the rule of the call with the first wrong reply if only several breaches explain the balance, or if the reply shows it', () => {
    const other = {
      pendingCheck: pending('refund.broken-connection', '2'),
      hypothesis: { by: money('-1'), meaning: '' },
    };
    const late = pending('refund.broken-connection', '1');
    const odd = { ...WRONG_REPLY, rule: 'bet.debit' } as const;
    expect(explained(late, [other], [], odd)[0]?.causes).toContain('bet.debit');
    expect(explained(late, [], [], odd)[0]?.causes).not.toContain('bet.debit');
    expect(explained(late, [], [], { ...odd, said: money('94') })[0]?.causes).toContain('bet.debit');
  });

  it('of the decimals of a bet may come from inexact sums if the balance is wrong by one smallest unit', () => {
    const by = (sum: string) => ({
      ...pending('bet.decimal-amount', '1'),
      hypotheses: [{ by: money(sum), meaning: '' }],
    });
    expect(explained(by('0.01'), [], [], undefined, '95.01')[0]?.causes).toContain('money.exact');
    expect(explained(by('0.25'), [], [], undefined, '95.25')[0]?.causes).not.toContain('money.exact');
  });

  it('names a win of 0 as a cause only if such a win was sent and the balance is too high', () => {
    const zero = [pending('win.zero', '2')];
    const high = { ...pending('bet.debit', '1'), hypotheses: [{ by: money('5'), meaning: 'not taken' }] };
    const low = { ...high, hypotheses: [{ by: money('-5'), meaning: 'taken twice' }] };
    expect(explained(high, [], zero)[0]?.causes).toContain('win.zero');
    expect(explained(high)[0]?.causes).not.toContain('win.zero');
    expect(explained(low, [], zero)[0]?.causes).not.toContain('win.zero');
  });

  it('is reported with the right balance, the read one, what happened, and its rivals as causes', () => {
    const [finding] = explained(pending('idempotency.bet', '1'));
    expect(finding).toMatchObject({
      rule: 'idempotency.bet',
      step: '1',
      exchange: 'x1',
      expected: 'the call is right: the balance is 95',
      actual: 'the balance is 94: it was taken twice',
    });
    expect(finding?.causes).toEqual(expect.arrayContaining(['win.credit', 'session.isolated', 'balance.read-only']));
  });

  it('is not reported a second time', () => {
    expect(explained(pending('idempotency.bet', '1', { reported: true }))).toEqual([]);
  });
});

describe("a balance that changed during another player's calls", () => {
  function changed(seenBefore: boolean): readonly string[] {
    const wallet = walletAfter({});
    wallet.expectLater(pending('session.isolated', '1'));
    const { findings, collector } = collecting();
    reportOtherPlayers(readOf(wallet, '98'), () => seenBefore, { collector, effects: new Effects() });
    return findings.map(({ rule }) => rule);
  }

  it('is reported if an earlier attempt showed the same change', () => {
    expect(changed(true)).toEqual(['session.isolated']);
  });

  it('is not reported the first time', () => {
    expect(changed(false)).toEqual([]);
  });
});

it('balances are listed in ascending order', () => {
  expect([[], ['2'], ['3', '1', '2']].map((all) => listBalances(all.map(money)))).toEqual([
    'unknown',
    '2',
    '1, 2 or 3',
  ]);
});
