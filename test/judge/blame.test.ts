import { describe, expect, it } from 'vitest';
import type { CallName } from '../../src/contract/call-name.ts';
import type { RuleId } from '../../src/contract/catalogue.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { Blame } from '../../src/judge/blame.ts';
import { Lateness } from '../../src/judge/lateness.ts';

function found(
  rule: RuleId,
  causes: readonly RuleId[] = [],
  verdict: Finding['verdict'] = 'fail',
  endpoint: CallName | null = null,
): Finding {
  return { rule, verdict, endpoint, step: '1', place: null, exchange: 'x1', expected: '', actual: '', causes };
}

const told = (...scenarios: readonly (readonly Finding[])[]): string[] => toldWith([], ...scenarios);

const toldWith = (letIn: readonly CallName[], ...scenarios: readonly (readonly Finding[])[]): string[] => {
  const blame = new Blame();
  blame.add('let in', [], letIn);
  for (const [index, findings] of scenarios.entries()) blame.add(`s${index}`, findings);
  return blame
    .conclude()
    .map(
      ({ rule, because, scenario, endpoint }) =>
        `${scenario ?? '*'} ${rule}${endpoint ? `@${endpoint}` : ''} < ${because}`,
    );
};

describe('blame', () => {
  it('is taken from a finding whose cause was proven elsewhere', () => {
    expect(told([found('bet.exact-balance', ['bet.debit'])], [found('bet.debit')])).toContain(
      's0 bet.exact-balance < bet.debit',
    );
  });

  it('stays where no cause was proven', () => {
    expect(told([found('bet.exact-balance', ['bet.debit'])], [found('win.credit')])).toEqual([]);
  });

  it('stays where the cause is explained itself', () => {
    const all = told(
      [found('bet.exact-balance', ['bet.debit'])],
      [found('bet.debit', ['money.main-unit'])],
      [found('money.main-unit')],
    );
    expect(all).toEqual(['s1 bet.debit < money.main-unit']);
  });

  it('stays where the rule was broken in a story of its own too', () => {
    expect(
      told([found('bet.exact-balance', ['bet.debit'])], [found('bet.debit')], [found('bet.exact-balance')]),
    ).toEqual([]);
  });

  it('falls on the lower rungs of an endpoint that takes wrong signatures, and on no other endpoint', () => {
    const all = toldWith(['win'], [found('signature.mismatch', [], 'fail', 'win')]);
    expect(all).toContain('* signature.missing@win < signature.mismatch');
    expect(all).toContain('* signature.accepted@win < signature.mismatch');
    expect(all.filter((one) => /@(bet|refund|balance)/.test(one))).toEqual([]);
    expect(all.join()).not.toContain('tampered-query');
  });

  it('of a query falls with the reads', () => {
    expect(toldWith(['balance'], [found('signature.mismatch', [], 'fail', 'balance')]).join()).toContain(
      'signature.tampered-query',
    );
  });

  it('stays where an endpoint answers wrong signatures badly, but lets nothing in', () => {
    expect(told([found('signature.mismatch', [], 'fail', 'win')])).toEqual([]);
  });

  it('knows what was proven', () => {
    const blame = new Blame();
    blame.add('s', [
      found('bet.debit'),
      found('win.credit', ['money.main-unit']),
      found('reply.content-type', [], 'warn'),
    ]);
    const proven = () => ['bet.debit', 'win.credit', 'reply.content-type'].filter((rule) => blame.isProven(rule));
    expect(proven()).toEqual(['bet.debit', 'win.credit']);
    blame.add('t', [found('money.main-unit')]);
    expect(proven()).toEqual(['bet.debit']);
  });

  it('falls on the one rule that explains most where several explain each other', () => {
    const all = told(
      [found('idempotency.concurrent', ['concurrency.no-lost-update'])],
      [found('concurrency.no-lost-update', ['idempotency.concurrent'])],
      [found('concurrency.no-lost-update', ['idempotency.concurrent'])],
    );
    expect(all).toEqual(['s0 idempotency.concurrent < concurrency.no-lost-update']);
  });

  it('falls on no rule only because it could spoil any number', () => {
    const all = told(
      [found('bet.debit', ['session.isolated'])],
      [found('win.credit', ['session.isolated'])],
      [found('session.isolated', ['bet.debit', 'win.credit'])],
    );
    expect(all.join()).not.toContain('< session.isolated');
  });

  it('is not taken from a breach in a story that nobody else could have disturbed', () => {
    const blame = new Blame();
    blame.add('shared', [found('session.isolated')]);
    blame.add('alone', [found('refund.once', ['session.isolated'])], [], { alone: true });
    blame.add('in company', [found('refund.before-bet', ['session.isolated'])]);
    expect(blame.conclude().map(({ rule }) => rule)).toEqual(['refund.before-bet']);
  });

  it('is not taken by a rule that is nearly always kept', () => {
    const blame = new Blame();
    blame.add('once', [found('bet.debit')], [], { passes: { 'bet.debit': { '*': 40 } } });
    blame.add('other', [found('money.conservation', ['bet.debit'])]);
    expect([blame.isProven('money.conservation'), blame.conclude()]).toEqual([true, []]);
  });

  it('falls on what shows late, for all that was read before that was known', () => {
    const conclusions = (sightings: number, unaware: boolean): string[] => {
      const lateness = new Lateness();
      for (let sighting = 0; sighting < sightings; sighting += 1) lateness.saw(['bet'], true);
      const blame = new Blame(lateness);
      blame.add('s', [found('bet.debit', ['balance.read'])], [], { unaware });
      blame.add('t', [found('refund.once', ['session.isolated'])], [], { unaware });
      return blame.conclude().map(({ rule, because }) => `${rule} < ${because}`);
    };
    expect(conclusions(1, true)).toEqual([]);
    expect(conclusions(2, true)).toEqual(['refund.once < bet.debit']);
    expect(conclusions(2, false)).toEqual([]);
  });

  it('of a warning falls on one that nothing which is broken explains', () => {
    const all = told([
      found('robustness.unknown-field', ['signature.accepted', 'signature.raw-body-escapes'], 'warn'),
      found('signature.raw-body-escapes', ['signature.accepted'], 'warn'),
    ]);
    expect(all).toEqual(['s0 robustness.unknown-field < signature.raw-body-escapes']);
  });

  it('of a warning falls on a recommendation that is not followed', () => {
    const all = told(
      [found('robustness.unknown-field', ['signature.raw-body-escapes'], 'warn')],
      [found('signature.raw-body-escapes', [], 'warn')],
    );
    expect(all).toEqual(['s0 robustness.unknown-field < signature.raw-body-escapes']);
  });
});
