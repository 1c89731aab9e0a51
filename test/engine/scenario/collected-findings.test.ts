import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import { CollectedFindings } from '../../../src/engine/scenario/collected-findings.ts';
import type { StopReason } from '../../../src/engine/scenario-context.ts';
import type { Finding } from '../../../src/journal/finding.ts';

const RULE = 'concurrency.no-lost-update';

function finding(verdict: Finding['verdict'], more: Partial<Finding> = {}): Finding {
  return {
    rule: RULE,
    verdict,
    endpoint: null,
    step: '1',
    place: null,
    exchange: null,
    expected: '',
    actual: '',
    causes: [],
    ...more,
  };
}

function collected() {
  const reported: Finding[] = [];
  const all = new CollectedFindings((one) => reported.push(one));
  return {
    all,
    /** Written as `verdict actual`. */
    said: () => reported.map(({ verdict, actual }) => `${verdict} ${actual}`.trim()),
    close: (stopReason: StopReason | null = null, missed: string | null = null, claims: readonly RuleId[] = [RULE]) =>
      all.close(claims, stopReason, missed),
  };
}

describe('collecting the findings of several repetitions', () => {
  it('a finding that every repetition has is reported once, but two findings of one repetition are both reported', () => {
    const { all, said, close } = collected();
    all.add(finding('note', { actual: 'first' }));
    all.add(finding('note', { actual: 'again' }));
    all.endRepetition({}, [RULE]);
    all.add(finding('note', { actual: 'later' }));
    all.endRepetition({}, [RULE]);
    close();
    expect(said()).toEqual(['note first', 'note again']);
  });

  it('a rule that one repetition left undecided is decided by another one', () => {
    const { all, said, close } = collected();
    all.add(finding('inconclusive'));
    all.endRepetition({}, [RULE]);
    all.endRepetition({ [RULE]: { '*': 2 } }, [RULE]);
    close();
    expect(said()).toEqual([]);
    expect(all.passes).toEqual({ [RULE]: { '*': 2 } });
  });

  it('a rule that held at one step and was undecided at another step stays undecided', () => {
    const { all, said, close } = collected();
    all.add(finding('inconclusive', { actual: 'open' }));
    all.endRepetition({ [RULE]: { '*': 1 } }, [RULE]);
    close();
    expect(said()).toEqual(['inconclusive open']);
  });

  it('a rule that no repetition decided is reported once', () => {
    const { all, said, close } = collected();
    for (const actual of ['one', 'two']) {
      all.add(finding('inconclusive', { actual }));
      all.endRepetition({}, [RULE]);
    }
    close();
    expect(said()).toEqual(['inconclusive one']);
  });

  it('the passes of all repetitions are added up', () => {
    const { all } = collected();
    all.endRepetition({ [RULE]: { '*': 1 } }, []);
    all.endRepetition({ [RULE]: { '*': 2 }, 'bet.debit': { '*': 1 } }, []);
    expect(all.passes).toEqual({ [RULE]: { '*': 3 }, 'bet.debit': { '*': 1 } });
  });
});

describe('a rule of the scenario', () => {
  it('a rule that was not tested is skipped, or gets the reason why the scenario stopped', () => {
    const { said, close } = collected();
    close();
    expect(said()).toEqual(['skip nothing in this scenario showed whether the operator follows the rule']);
    const stopped = collected();
    stopped.close({ verdict: 'inconclusive', reason: 'the bet was lost', connection: false, causes: [] });
    expect(stopped.said()).toEqual(['inconclusive the bet was lost']);
  });

  it('a rule about concurrent calls is inconclusive if too few of the calls overlapped', () => {
    const { all, said, close } = collected();
    all.endRepetition({ [RULE]: { '*': 1 }, 'win.retried': { '*': 1 } }, [RULE, 'win.retried']);
    close(null, 'too few met', [RULE, 'win.retried']);
    expect(said()).toEqual(['inconclusive too few met']);
  });

  it('a broken rule is not inconclusive', () => {
    const { all, said, close } = collected();
    all.add(finding('fail', { actual: 'lost' }));
    all.endRepetition({}, [RULE]);
    close(null, 'too few met');
    expect(said()).toEqual(['fail lost']);
    expect(all.hasDecided(RULE)).toBe(true);
  });
});
