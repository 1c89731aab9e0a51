import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import { Gathering } from '../../src/engine/gathering.ts';
import type { Halt } from '../../src/engine/halt.ts';
import type { Finding } from '../../src/journal/finding.ts';

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

function gathering() {
  const reported: Finding[] = [];
  const all = new Gathering((one) => reported.push(one));
  return {
    all,
    /** As `verdict actual`. */
    said: () => reported.map(({ verdict, actual }) => `${verdict} ${actual}`.trim()),
    close: (halt: Halt | null = null, missed: string | null = null, claims: readonly RuleId[] = [RULE]) =>
      all.close(claims, halt, missed),
  };
}

describe('over several tellings', () => {
  it('what shows each time is reported once, and what shows twice in one telling twice', () => {
    const { all, said, close } = gathering();
    all.add(finding('note', { actual: 'first' }));
    all.add(finding('note', { actual: 'again' }));
    all.endRound({}, [RULE]);
    all.add(finding('note', { actual: 'later' }));
    all.endRound({}, [RULE]);
    close();
    expect(said()).toEqual(['note first', 'note again']);
  });

  it('what one could not decide counts no more when another has', () => {
    const { all, said, close } = gathering();
    all.add(finding('inconclusive'));
    all.endRound({}, [RULE]);
    all.endRound({ [RULE]: { '*': 2 } }, [RULE]);
    close();
    expect(said()).toEqual([]);
    expect(all.passes).toEqual({ [RULE]: { '*': 2 } });
  });

  it('what passed at one step and was open at another stays open', () => {
    const { all, said, close } = gathering();
    all.add(finding('inconclusive', { actual: 'open' }));
    all.endRound({ [RULE]: { '*': 1 } }, [RULE]);
    close();
    expect(said()).toEqual(['inconclusive open']);
  });

  it('what none has decided is said once', () => {
    const { all, said, close } = gathering();
    for (const actual of ['one', 'two']) {
      all.add(finding('inconclusive', { actual }));
      all.endRound({}, [RULE]);
    }
    close();
    expect(said()).toEqual(['inconclusive one']);
  });

  it('passes add up', () => {
    const { all } = gathering();
    all.endRound({ [RULE]: { '*': 1 } }, []);
    all.endRound({ [RULE]: { '*': 2 }, 'bet.debit': { '*': 1 } }, []);
    expect(all.passes).toEqual({ [RULE]: { '*': 3 }, 'bet.debit': { '*': 1 } });
  });
});

describe('a claim', () => {
  it('that came to nothing is skipped, or what stopped the story says why', () => {
    const { said, close } = gathering();
    close();
    expect(said()).toEqual(['skip nothing happened that the rule could be judged by']);
    const stopped = gathering();
    stopped.close({ verdict: 'inconclusive', reason: 'the bet was lost', connection: false, causes: [] });
    expect(stopped.said()).toEqual(['inconclusive the bet was lost']);
  });

  it('about calls at once is open where too few of them met, whatever passed', () => {
    const { all, said, close } = gathering();
    all.endRound({ [RULE]: { '*': 1 }, 'win.retried': { '*': 1 } }, [RULE, 'win.retried']);
    close(null, 'too few met', [RULE, 'win.retried']);
    expect(said()).toEqual(['inconclusive too few met']);
  });

  it('that was found broken is not open', () => {
    const { all, said, close } = gathering();
    all.add(finding('fail', { actual: 'lost' }));
    all.endRound({}, [RULE]);
    close(null, 'too few met');
    expect(said()).toEqual(['fail lost']);
    expect(all.hasDecided(RULE)).toBe(true);
  });
});
