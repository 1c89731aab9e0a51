import { describe, expect, it } from 'vitest';
import type { CallName } from '../../../src/contract/call-name.ts';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import type { Finding } from '../../../src/journal/finding.ts';
import { Attribution } from '../../../src/judge/attribution/attribution.ts';
import { StaleReadHistory } from '../../../src/judge/reads/stale-reads.ts';

function found(
  rule: RuleId,
  causes: readonly RuleId[] = [],
  verdict: Finding['verdict'] = 'fail',
  endpoint: CallName | null = null,
): Finding {
  return { rule, verdict, endpoint, step: '1', place: null, exchange: 'x1', expected: '', actual: '', causes };
}

const conclusions = (...scenarios: readonly (readonly Finding[])[]): string[] => conclusionsWith([], ...scenarios);

const conclusionsWith = (letIn: readonly CallName[], ...scenarios: readonly (readonly Finding[])[]): string[] => {
  const attribution = new Attribution();
  attribution.add('accepted', [], letIn);
  for (const [index, findings] of scenarios.entries()) attribution.add(`s${index}`, findings);
  return attribution
    .conclude()
    .map(
      ({ rule, because, scenario, endpoint }) =>
        `${scenario ?? '*'} ${rule}${endpoint ? `@${endpoint}` : ''} < ${because}`,
    );
};

describe('a breach', () => {
  it('is explained by a cause that another scenario has proven', () => {
    expect(conclusions([found('bet.exact-balance', ['bet.debit'])], [found('bet.debit')])).toContain(
      's0 bet.exact-balance < bet.debit',
    );
  });

  it('that occurs again is not explained by a failure of another scenario that did not', () => {
    const once = { unrepeated: true as const };
    const cause = { ...found('money.exact'), ...once };
    const breach = found('bet.debit', ['money.exact']);
    expect(conclusions([breach], [cause])).toEqual([]);
    expect(conclusions([{ ...breach, ...once }], [cause])).toEqual(['s0 bet.debit < money.exact']);
    expect(conclusions([breach, cause])).toEqual(['s0 bet.debit < money.exact']);
    expect(conclusions([breach], [cause], [found('money.exact')])).toEqual(['s0 bet.debit < money.exact']);
    expect(conclusions([breach], [cause], [cause])).toEqual([]);
    expect(conclusions([breach], [cause], [cause], [cause])).toEqual(['s0 bet.debit < money.exact']);
  });

  it('by an unreadable reply to a repeated call is explained if replies to new calls are unreadable too', () => {
    const repeat = found('idempotency.win', ['reply.json']);
    const ofRepeat = found('reply.json', ['idempotency.win']);
    expect(conclusions([repeat, ofRepeat])).toEqual(['s0 reply.json < idempotency.win']);
    expect(conclusions([repeat, ofRepeat], [found('reply.json')])).toEqual(['s0 idempotency.win < reply.json']);
  });

  it.each([
    { player: 'eva', amount: '-2', kept: 3, isExplained: false },
    { player: 'eva', amount: '-2', kept: 2, isExplained: true },
    { player: 'eva', amount: '-0.4', kept: 3, isExplained: true },
    { player: 'em', amount: '-2', kept: 3, isExplained: true },
  ])(
    'of $player with $kept right wins is explained by wins of em that lack a tenth: $amount of 4: $isExplained',
    (row) => {
      const attribution = new Attribution();
      const wrongSum = (sum: string) => ({ amount: sum, currency: 'USD', moved: '4' });
      const wins = { ...found('win.credit'), wrongSum: wrongSum('-0.4') };
      for (const id of ['first', 'second', 'third']) attribution.add(id, [wins], [], { players: ['em'] });
      attribution.add('kept', [], [], { players: [row.player], passes: { 'win.credit': { '*': row.kept } } });
      const calls = [{ call: 'win', amount: '4' }] as const;
      const lost = found('concurrency.no-lost-update', ['win.credit']);
      attribution.add('race', [{ ...lost, wrongSum: { ...wrongSum(row.amount), calls } }], [], {
        players: [row.player],
      });
      expect(attribution.conclude().map(({ scenario }) => scenario)).toEqual(row.isExplained ? ['race'] : []);
    },
  );

  it('is not explained if no cause is proven', () => {
    expect(conclusions([found('bet.exact-balance', ['bet.debit'])], [found('win.credit')])).toEqual([]);
  });

  it('is not explained by a cause that another breach explains', () => {
    const all = conclusions(
      [found('bet.exact-balance', ['bet.debit'])],
      [found('bet.debit', ['money.main-unit'])],
      [found('money.main-unit')],
    );
    expect(all).toEqual(['s1 bet.debit < money.main-unit']);
  });

  it('is not explained if its rule is proven by another scenario', () => {
    expect(
      conclusions([found('bet.exact-balance', ['bet.debit'])], [found('bet.debit')], [found('bet.exact-balance')]),
    ).toEqual([]);
  });

  it('of `signature.mismatch` makes the other signature rules of the same endpoint inconclusive, and of no other endpoint', () => {
    const all = conclusionsWith(['win'], [found('signature.mismatch', [], 'fail', 'win')]);
    expect(all).toContain('* signature.missing@win < signature.mismatch');
    expect(all).toContain('* signature.accepted@win < signature.mismatch');
    expect(all.filter((one) => /@(bet|refund|balance)/.test(one))).toEqual([]);
    expect(all.join()).not.toContain('tampered-query');
  });

  it('of `signature.mismatch` on the balance endpoint makes the rules about the query inconclusive', () => {
    expect(conclusionsWith(['balance'], [found('signature.mismatch', [], 'fail', 'balance')]).join()).toContain(
      'signature.tampered-query',
    );
  });

  it('of `signature.mismatch` is explained if the same endpoint refuses right signatures, and by no other endpoint', () => {
    const mismatch = found('signature.mismatch', ['signature.accepted'], 'fail', 'refund');
    const all = conclusionsWith(['refund'], [mismatch, found('signature.accepted', [], 'fail', 'refund')]);
    expect(all).toContain('s0 signature.mismatch@refund < signature.accepted');
    expect(all).toContain('* signature.missing@refund < signature.accepted');
    expect(all.join()).not.toContain('signature.accepted@refund <');
    const others = conclusionsWith(['refund'], [mismatch, found('signature.accepted', [], 'fail', 'win')]);
    expect(others.join()).not.toContain('signature.mismatch@refund <');
    expect(others).toContain('* signature.missing@refund < signature.mismatch');
  });

  it('of `signature.mismatch` explains nothing if the endpoint carries out no call with a wrong signature', () => {
    expect(conclusions([found('signature.mismatch', [], 'fail', 'win')])).toEqual([]);
  });

  it('proves its rule unless another failing rule explains it; a warning proves nothing', () => {
    const attribution = new Attribution();
    attribution.add('s', [
      found('bet.debit'),
      found('win.credit', ['money.main-unit']),
      found('reply.content-type', [], 'warn'),
    ]);
    const proven = () => ['bet.debit', 'win.credit', 'reply.content-type'].filter((rule) => attribution.isProven(rule));
    expect(proven()).toEqual(['bet.debit', 'win.credit']);
    attribution.add('t', [found('money.main-unit')]);
    expect(proven()).toEqual(['bet.debit']);
  });

  it('is explained by the rule with the most breaches if two rules explain each other', () => {
    const all = conclusions(
      [found('idempotency.concurrent', ['concurrency.no-lost-update'])],
      [found('concurrency.no-lost-update', ['idempotency.concurrent'])],
      [found('concurrency.no-lost-update', ['idempotency.concurrent'])],
    );
    expect(all).toEqual(['s0 idempotency.concurrent < concurrency.no-lost-update']);
  });

  it('is not explained by a rule only because that rule could make any balance wrong', () => {
    const all = conclusions(
      [found('bet.debit', ['session.isolated'])],
      [found('win.credit', ['session.isolated'])],
      [found('session.isolated', ['bet.debit', 'win.credit'])],
    );
    expect(all.join()).not.toContain('< session.isolated');
  });

  it('is not explained by another player if no other player was active', () => {
    const attribution = new Attribution();
    attribution.add('shared', [found('session.isolated')]);
    attribution.add('alone', [found('refund.once', ['session.isolated'])], [], { alone: true });
    attribution.add('in company', [found('refund.before-bet', ['session.isolated'])]);
    expect(attribution.conclude().map(({ rule }) => rule)).toEqual(['refund.before-bet']);
  });

  it('is not explained by a rule that is nearly always kept', () => {
    const attribution = new Attribution();
    attribution.add('once', [found('bet.debit')], [], { passes: { 'bet.debit': { '*': 40 } } });
    attribution.add('other', [found('money.conservation', ['bet.debit'])]);
    expect([attribution.isProven('money.conservation'), attribution.conclude()]).toEqual([true, []]);
  });

  it('is explained by a rule that is broken for the same player only', () => {
    const explainedFor = (player: string, breaches: number, kept: number): readonly string[] => {
      const attribution = new Attribution();
      const passes = (count: number) => ({ 'win.credit': { '*': count } });
      attribution.add('others', [], [], { players: ['eva'], passes: passes(40) });
      attribution.add('kept', [], [], { players: ['em'], passes: passes(kept) });
      for (let at = 0; at < breaches; at += 1)
        attribution.add(`w${at}`, [found('win.credit')], [], { players: ['em'] });
      attribution.add('round', [found('win.many-in-round', ['win.credit'])], [], { players: [player] });
      return attribution.conclude().map(({ rule, because }) => `${rule} < ${because}`);
    };
    expect(explainedFor('em', 3, 3)).toEqual(['win.many-in-round < win.credit']);
    expect(explainedFor('eva', 3, 3)).toEqual([]);
    expect(explainedFor('em', 3, 4)).toEqual([]);
    // If only the replies of the player are wrong, chance decides whether the rule is kept a little more often than broken.
    expect(explainedFor('em', 43, 47)).toEqual(['win.many-in-round < win.credit']);
    expect(explainedFor('em', 1, 0)).toEqual(['win.many-in-round < win.credit']);
    expect(explainedFor('em', 1, 1)).toEqual([]);
  });

  it('is explained by a rule that the operator breaks in one session of the player only', () => {
    const explainedIn = (session: string, kept: readonly string[]): readonly string[] => {
      const attribution = new Attribution();
      const players = ['em'];
      const passes = { 'win.credit': { '*': 40 } };
      attribution.add('others', [], [], { players, sessionIDs: ['first'], passes });
      attribution.add('both', [], [], { players, sessionIDs: kept, passes });
      for (const id of ['w1', 'w2'])
        attribution.add(id, [found('win.credit')], [], { players, sessionIDs: ['second'] });
      attribution.add('sum', [found('money.conservation', ['win.credit'])], [], {
        players,
        sessionIDs: ['first', session],
      });
      return attribution.conclude().map(({ rule, because }) => `${rule} < ${because}`);
    };
    expect(explainedIn('second', ['first', 'second'])).toEqual(['money.conservation < win.credit']);
    expect(explainedIn('second', ['second'])).toEqual([]);
    expect(explainedIn('third', ['first', 'second'])).toEqual([]);
  });

  it('is not explained by an exact balance that one player could not bet', () => {
    const attribution = new Attribution();
    attribution.add('others', [], [], { players: ['eva'], passes: { 'bet.exact-balance': { '*': 1 } } });
    attribution.add('whole', [found('bet.exact-balance', ['money.exact'])], [], { players: ['em'] });
    attribution.add('exact', [found('money.exact', ['bet.exact-balance'])], [], { players: ['em'] });
    expect(attribution.conclude().map(({ rule }) => rule)).toEqual(['bet.exact-balance']);
  });

  it('is explained by stale reads if it was found before they were known', () => {
    const attributedAfter = (sightings: number, unaware: boolean): string[] => {
      const staleReads = new StaleReadHistory();
      for (let sighting = 0; sighting < sightings; sighting += 1) staleReads.record(['bet'], true, 'em EUR');
      const attribution = new Attribution(staleReads);
      attribution.add('s', [found('bet.debit', ['balance.read'])], [], { unaware });
      attribution.add('t', [found('refund.once', ['session.isolated'])], [], { unaware });
      return attribution.conclude().map(({ rule, because }) => `${rule} < ${because}`);
    };
    expect(attributedAfter(1, true)).toEqual([]);
    expect(attributedAfter(2, true)).toEqual(['refund.once < bet.debit']);
    expect(attributedAfter(2, false)).toEqual([]);
  });

  it.each(['bet.insufficient-funds', 'concurrency.no-overdraft', 'balance.read-only'] as const)(
    'of %s is explained by money that arrives late, also if reads wait for it, but not if the replies show the breach',
    (rule) => {
      const explainedIf = (healed: boolean, shownByReplies?: true): readonly string[] => {
        const staleReads = new StaleReadHistory();
        for (let sighting = 0; sighting < 2; sighting += 1) staleReads.record(['win'], healed, 'em EUR');
        const attribution = new Attribution(staleReads);
        attribution.add('s', [found('win.credit')], [], {});
        attribution.add('t', [{ ...found(rule), ...(shownByReplies && { shownByReplies }) }], [], {});
        return attribution.conclude().map(({ because }) => because);
      };
      expect([explainedIf(true), explainedIf(false), explainedIf(true, true)]).toEqual([['win.credit'], [], []]);
    },
  );

  it('is not explained by wins or refunds that arrive late if the money has not arrived after a pause', () => {
    const explainedBy = (late: 'bet' | 'win' | 'refund', rule: RuleId, lackingMoney: readonly RuleId[]): number => {
      const staleReads = new StaleReadHistory();
      for (let sighting = 0; sighting < 2; sighting += 1) staleReads.record([late], true, 'em EUR');
      const attribution = new Attribution(staleReads);
      attribution.add('late', [found(rule)], [], {});
      attribution.add('s', [found('refund.once', ['session.isolated'])], [], { unaware: true, lackingMoney });
      return attribution.conclude().length;
    };
    expect([explainedBy('win', 'win.credit', []), explainedBy('win', 'win.credit', ['refund.once'])]).toEqual([1, 0]);
    expect(explainedBy('refund', 'refund.restore', ['refund.once'])).toBe(0);
    // A bet that is taken late makes the balance too low.
    expect(explainedBy('bet', 'bet.debit', ['refund.once'])).toBe(1);
  });

  it('is not explained by stale reads of other wallets only', () => {
    const explainedIn = (...walletIDs: string[]): number => {
      const staleReads = new StaleReadHistory();
      for (let sighting = 0; sighting < 6; sighting += 1) staleReads.record(['bet', 'win'], false, 'em EUR');
      for (let reads = 0; reads < 6; reads += 1) staleReads.recordInTime('bet', 'eva EUR');
      const attribution = new Attribution(staleReads);
      attribution.add('stale', [found('balance.read')], [], { walletIDs: ['em EUR'] });
      attribution.add('s', [found('bet.debit', ['session.isolated'])], [], { unaware: true, walletIDs });
      return attribution.conclude().length;
    };
    expect([explainedIn('em EUR'), explainedIn('eva EUR', 'em EUR'), explainedIn('eva EUR')]).toEqual([1, 1, 0]);
  });

  it('of a refund is explained by bets that took a wrong sum only if the refund is wrong by the same sum or part', () => {
    const explained = (amount: string, moved: string): boolean => {
      const attribution = new Attribution();
      attribution.add('bet', [{ ...found('bet.debit'), wrongSum: { amount: '1', currency: 'EUR', moved: '2' } }]);
      attribution.add('refund', [
        { ...found('refund.restore', ['bet.debit']), wrongSum: { amount, currency: 'EUR', moved } },
      ]);
      return attribution.conclude().length === 1;
    };
    expect([explained('-4', '8'), explained('-1', '8'), explained('-2', '8')]).toEqual([true, true, false]);
  });

  it('that only warns is explained by a warning that no broken rule explains', () => {
    const all = conclusions([
      found('robustness.unknown-field', ['signature.accepted', 'signature.raw-body-escapes'], 'warn'),
      found('signature.raw-body-escapes', ['signature.accepted'], 'warn'),
    ]);
    expect(all).toEqual(['s0 robustness.unknown-field < signature.raw-body-escapes']);
  });

  it('that only warns is explained by a broken SHOULD rule of another scenario', () => {
    const all = conclusions(
      [found('robustness.unknown-field', ['signature.raw-body-escapes'], 'warn')],
      [found('signature.raw-body-escapes', [], 'warn')],
    );
    expect(all).toEqual(['s0 robustness.unknown-field < signature.raw-body-escapes']);
  });
});

describe('a call that took effect twice when it was sent twice', () => {
  const explained = (more: readonly Finding[], moved: readonly RuleId[]): string[] => {
    const attribution = new Attribution();
    attribution.add('replay', [found('idempotency.bet')], [], { moved });
    attribution.add('others', more);
    return attribution.conclude().map(({ rule, because }) => `${rule} < ${because}`);
  };
  const replies = (['idempotency.concurrent', 'idempotency.after-refund', 'free-rounds.replay'] as const).map((rule) =>
    found(rule, ['idempotency.bet']),
  );
  const secondEffects = replies.map((one) => ({ ...one, wrongSum: { amount: '-1.00', currency: 'USD' } }));

  it('is explained by a plain replay that took effect again', () => {
    expect(explained(secondEffects, ['idempotency.bet'])).toEqual([
      'idempotency.concurrent < idempotency.bet',
      'idempotency.after-refund < idempotency.bet',
      'free-rounds.replay < idempotency.bet',
    ]);
  });

  it('is not explained by a plain replay that was only answered wrongly', () => {
    expect(explained(secondEffects, [])).toEqual([]);
  });

  it('is explained by a plain replay that was only answered wrongly if only its own reply is wrong too', () => {
    expect(explained(replies, [])).toHaveLength(3);
  });
});
