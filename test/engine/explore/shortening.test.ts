import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../../src/contract/catalogue.ts';
import type { History, Operation } from '../../../src/engine/explore/operation.ts';
import { type Failing, stillFails } from '../../../src/engine/explore/shortening.ts';
import type { Finding } from '../../../src/journal/finding.ts';

const sum = { stakes: 1, units: 0 };
const bet: Operation = { id: 0, kind: 'bet', player: 'main', sum, round: null, broken: null, read: true };
const race: Operation = { id: 1, kind: 'at-once', what: 'bets', size: 2, of: { pick: 0 }, sum, read: true };
const historyOf = (...operations: readonly Operation[]): History => ({ currency: null, operations });

const LONG = historyOf(bet, race);
const failingWith = (rule: RuleId): Failing => ({ targets: new Set([rule]), first: LONG, best: LONG, tries: 1 });

describe('a shorter history', () => {
  it('a shorter history replaces a longer one that breaks the same rule', () => {
    const failing = failingWith('concurrency.no-lost-update');
    const shorter = historyOf(race);
    const rules: RuleId[] = ['concurrency.no-lost-update'];
    expect(stillFails(failing, shorter, { broken: rules, findings: [] }, rules)).toBe(true);
    expect(failing.best).toBe(shorter);
  });

  it('a shorter history without races may break another rule, and both rules count from then on', () => {
    const failing = failingWith('idempotency.concurrent');
    expect(stillFails(failing, historyOf(bet), { broken: ['bet.debit'], findings: [] }, ['bet.debit'])).toBe(true);
    expect([...failing.targets]).toEqual(['idempotency.concurrent', 'bet.debit']);
  });

  it.each<[string, readonly Operation[], RuleId[], RuleId[]]>([
    ['breaks nothing', [bet], [], []],
    ['breaks what is known already', [bet], ['bet.debit'], []],
    ['breaks another rule in a race', [race], ['bet.debit'], ['bet.debit']],
    ['breaks another rule where a connection breaks', [{ ...bet, broken: 'sent' }], ['bet.debit'], ['bet.debit']],
    ['shows a difference that nothing explains', [bet], ['money.conservation'], ['money.conservation']],
  ])('a shorter history does not replace the longer one if it %s', (_, operations, broken, news) => {
    const failing = failingWith('idempotency.bet');
    expect(stillFails(failing, historyOf(...operations), { broken, findings: [] }, news)).toBe(false);
    expect(failing.best).toBe(LONG);
    expect([...failing.targets]).toEqual(['idempotency.bet']);
  });

  it('a shorter history does not replace the longer one if its findings follow from the known fault', () => {
    const finding: Finding = {
      rule: 'bet.insufficient-funds',
      verdict: 'fail',
      endpoint: 'bet',
      step: null,
      place: null,
      exchange: null,
      expected: 'declined',
      actual: 'accepted',
      causes: ['bet.debit'],
    };
    const rules: RuleId[] = ['bet.insufficient-funds'];
    const trial = { broken: rules, findings: [finding] };
    expect(stillFails(failingWith('bet.debit'), historyOf(bet), trial, rules)).toBe(false);
    expect(stillFails(failingWith('win.credit'), historyOf(bet), trial, rules)).toBe(true);
  });
});
