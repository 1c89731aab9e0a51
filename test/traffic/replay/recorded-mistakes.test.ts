import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import { type RecordedMistakes, recordedMistakes } from '../../../src/traffic/replay/recorded-mistakes.ts';
import { buildTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { Log } from '../timeline/calls.ts';

/** Returns the mistakes of a record in which a run found that one call breaks a rule. */
function mistakesIn(log: Log, wrong: number, rule: RuleId, causes: readonly RuleId[] = []): RecordedMistakes {
  const judgement = { place: { file: 'service.log', line: wrong }, rule, verdict: 'fail' as const, text: '', causes };
  const timeline = buildTimeline(log.calls, {}, new Map(), undefined, { unread: [], judgements: [judgement] });
  return recordedMistakes({ timeline, signing: new Map() });
}

describe('the calls that got the same wrong reply as a wrong call', () => {
  it('include an earlier or later attempt of the same call if both attempts have no reply', () => {
    const log = new Log()
      .bet('b1', '5', { none: 'reset' })
      .bet('b1', '5', { none: 'broken' })
      .bet('b1', '5', { none: 'reset' });
    expect(mistakesIn(log, 2, 'bet.insufficient-funds').alike).toEqual([1, 3]);
  });

  it('do not include an attempt of the same call that was answered', () => {
    const log = new Log()
      .bet('b1', '5', { none: 'reset' })
      .bet('b1', '5', { none: 'broken' })
      .bet('b1', '5', { status: 402, code: 'insufficient_funds' })
      .bet('b1', '5', { none: 'unknown' });
    expect(mistakesIn(log, 2, 'bet.insufficient-funds').alike).toEqual([1]);
    expect(mistakesIn(log, 3, 'bet.insufficient-funds').alike).toEqual([]);
  });

  it('do not include another call that has no reply for another reason', () => {
    const log = new Log()
      .bet('b1', '5', { none: 'broken' })
      .bet('b2', '5', { none: 'reset' })
      .win('b1', '5', { none: 'reset' })
      .balance('5', { none: 'reset' })
      .balance('5', { none: 'broken' });
    expect(mistakesIn(log, 1, 'bet.insufficient-funds').alike).toEqual([]);
    expect(mistakesIn(log, 4, 'balance.read').alike).toEqual([]);
  });
});

describe('the other rules that explain a wrong call', () => {
  it('are those that the run named', () => {
    const log = new Log().bet('b1', '5', { balance: '95' });
    expect(mistakesIn(log, 1, 'money.conservation', ['bet.debit', 'session.isolated']).causes).toEqual([
      'bet.debit',
      'session.isolated',
    ]);
  });
});
