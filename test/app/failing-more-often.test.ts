import { describe, expect, it } from 'vitest';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { worseSentence } from '../../src/report/known-failures.ts';
import { ended, found, planned, runEnded, started } from '../journal/events.ts';
import { startedWith } from './run-with-baseline.ts';

const OTHERS = ['win.credit', 'refund.restore', 'money.conservation'] as const;
const SCENARIOS = Array.from({ length: 40 }, (_, at) => planned(`bet/s${at}`, ['bet.debit', ...OTHERS]));
const CHECKS = 5;
const REPLY: Partial<Finding> = { wrongReply: true };
const ONCE: Partial<Finding> = { wrongReply: true, unrepeated: true };
const SUM: Partial<Finding> = { wrongSum: { amount: '0.50', currency: 'USD', moved: '1' } };
const SUM_ONCE: Partial<Finding> = { ...SUM, unrepeated: true };

/** A failure, and the number of scenarios in which each of `perScenario` checks shows it. */
interface Failing {
  readonly finding: Partial<Finding>;
  readonly scenarios: number;
  readonly perScenario?: number;
}

/** A run with some failing scenarios. In each scenario, five checks test the rule. */
async function foldOf(
  failing: readonly Failing[],
  { baseline = '', whole = true }: { readonly baseline?: string; readonly whole?: boolean } = {},
): Promise<Fold> {
  const findings = failing.flatMap(({ finding, scenarios, perScenario = 1 }) =>
    Array.from({ length: scenarios }, () => Array.from({ length: perScenario }, () => finding)),
  );
  return await foldJournal([
    { ...startedWith(baseline, SCENARIOS), whole },
    ...SCENARIOS.flatMap(({ id }, at): readonly JournalEvent[] => {
      const own = findings[at] ?? [];
      const passed = CHECKS - own.length;
      return [
        started(id),
        ...own.map((finding) => found(id, finding.rule ?? 'bet.debit', 'fail', finding)),
        ended(id, {
          passes: {
            ...(passed > 0 && { 'bet.debit': { '*': passed } }),
            ...Object.fromEntries(OTHERS.map((rule) => [rule, { '*': 4 }])),
          },
        }),
      ];
    }),
    { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
    runEnded(),
  ]);
}

async function updated(failing: readonly Failing[], before = ''): Promise<string> {
  return mergeBaseline(before, 'b.yaml', await foldOf(failing))
    .text.replaceAll('reason: ""', 'reason: "known"')
    .replaceAll('ticket: ""', 'ticket: "PAY-1"')
    .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
}

async function statusWith(baseline: string, failing: readonly Failing[], whole = true): Promise<number> {
  return conclude(await foldOf(failing, { baseline, whole })).exitCode;
}

/** Each fifth reply has a wrong balance, and most of them were right when croupier repeated the scenario. */
const NOW_AND_THEN: readonly Failing[] = [
  { finding: ONCE, scenarios: 27 },
  { finding: REPLY, scenarios: 10 },
];
const ALWAYS: readonly Failing[] = [{ finding: REPLY, scenarios: 40, perScenario: CHECKS }];

describe('a baseline of a failure that not each call shows', () => {
  it('notes its rate, and does not allow a much higher one', async () => {
    const text = await updated(NOW_AND_THEN);
    expect(text).toContain('  intermittent: true\n  failedChecks: 37 of 200 # a much higher rate is worse\n');
    expect(await statusWith(text, NOW_AND_THEN)).toBe(0);
    expect(await statusWith(text, [{ finding: REPLY, scenarios: 40, perScenario: 1 }])).toBe(0);
    expect(await statusWith(text, [{ finding: REPLY, scenarios: 30, perScenario: 2 }])).toBe(0);
    expect(await statusWith(text, [{ finding: REPLY, scenarios: 2 }])).toBe(0);
    expect(await statusWith(text, ALWAYS)).toBe(1);
    expect(worseSentence('bet.debit', await foldOf(ALWAYS, { baseline: text }))).toBe(
      'the baseline lists this rule as failing in 37 of 200 checks, but now it fails much more often, in 200 of 200',
    );
  });

  it('notes the rate also if each scenario with the failure showed it again', async () => {
    const known: readonly Failing[] = [{ finding: REPLY, scenarios: 37 }];
    const text = await updated(known);
    expect(text).toContain('  wrongReplies: true # the next read may show another balance than the reply\n');
    expect(text).toContain('  failedChecks: 37 of 200 # a much higher rate is worse\n');
    expect(text).not.toContain('intermittent');
    expect(await statusWith(text, known)).toBe(0);
    expect(await statusWith(text, ALWAYS)).toBe(1);
  });

  it('compares no rate with a part of the suite, which may have only scenarios that fail', async () => {
    expect(await statusWith(await updated(NOW_AND_THEN), ALWAYS, false)).toBe(0);
  });

  it('notes the rate of single calls if several rules fail without a pattern', async () => {
    const lost = (rule: Finding['rule']): Failing => ({ finding: { ...SUM_ONCE, rule }, scenarios: 2 });
    const scattered = [lost('bet.debit'), lost('refund.restore'), lost('money.conservation')];
    const text = await updated(scattered);
    expect(text).toContain('  failedChecks: 2 of ');
    expect(await statusWith(text, scattered)).toBe(0);
    expect(await statusWith(text, [lost('bet.debit'), { ...lost('refund.restore'), scenarios: 38 }])).toBe(1);
  });

  it('notes in which direction balances are wrong, and does not allow the other one in two scenarios', async () => {
    const low: Partial<Finding> = { ...SUM_ONCE, wrongSum: { amount: '-0.50', currency: 'USD', moved: '1' } };
    const known: readonly Failing[] = [{ finding: low, scenarios: 6 }];
    const turned: readonly Failing[] = [{ finding: SUM_ONCE, scenarios: 2 }];
    const text = await updated(known);
    expect(text).toContain('  balances: too low # balances that are too high are worse\n');
    expect(await statusWith(text, known)).toBe(0);
    expect(await statusWith(text, [...known, { finding: SUM_ONCE, scenarios: 1 }])).toBe(0);
    expect(await statusWith(text, [...known, ...turned])).toBe(1);
    expect(await statusWith(text, turned)).toBe(1);
    expect(worseSentence('bet.debit', await foldOf(turned, { baseline: text }))).toBe(
      'the baseline lists this rule for balances that are too low, but now they are too high (in bet/s0, bet/s1)',
    );
    const both = await updated(turned, text);
    expect(both.match(/- rule:/g)).toHaveLength(1);
    expect(both).not.toContain('balances:');
    expect(await statusWith(both, [...known, ...turned])).toBe(0);
  });

  it('notes no direction if few balances are wrong, or if those of another rule are wrong in the other one', async () => {
    expect(await updated([{ finding: SUM_ONCE, scenarios: 5 }])).not.toContain('balances:');
    const credit: Partial<Finding> = { rule: 'win.credit', wrongSum: { amount: '-0.50', currency: 'USD', moved: '1' } };
    expect(
      await updated([
        { finding: SUM_ONCE, scenarios: 6 },
        { finding: { ...SUM_ONCE, ...credit }, scenarios: 1 },
      ]),
    ).not.toContain('balances:');
  });

  const lost = (amount: string, moved = '1'): Partial<Finding> => ({
    wrongSum: { amount: `-${amount}`, currency: 'USD', moved },
    unrepeated: true,
  });

  it('notes the share of the calls by which balances are wrong, and does not allow a much larger one in two scenarios', async () => {
    // A read after three calls of which one is wrong shows a lower share.
    const known: readonly Failing[] = [
      { finding: lost('0.50'), scenarios: 5 },
      { finding: lost('0.50', '3'), scenarios: 3 },
    ];
    const whole: Failing = { finding: lost('1'), scenarios: 2 };
    const text = await updated(known);
    expect(text).toContain('  share: 50% # of the amounts of the calls\n');
    expect(await statusWith(text, known)).toBe(0);
    expect(await statusWith(text, [{ finding: lost('3', '6'), scenarios: 6 }])).toBe(0);
    expect(await statusWith(text, [{ ...whole, scenarios: 1 }])).toBe(0);
    expect(await statusWith(text, [whole])).toBe(1);
    expect(worseSentence('bet.debit', await foldOf([whole], { baseline: text }))).toBe(
      'the baseline allows this rule to make balances wrong by 50% of the amounts of the calls, but in bet/s0 it is now 100%',
    );
    // The limit of the sums stays, because a multiple of them is the limit.
    expect(await statusWith(text, [{ finding: lost('10', '20'), scenarios: 6 }])).toBe(1);
    const more = await updated([whole], text);
    expect(more.match(/- rule:/g)).toHaveLength(1);
    expect(await statusWith(more, [...known, whole])).toBe(0);
  });

  it('allows the same share of the largest call of the suite, if few calls failed', async () => {
    const text = await updated([{ finding: lost('0.50'), scenarios: 3 }]);
    expect(text).toContain('  money: "16 USD" # the highest sum that is allowed in one scenario\n');
    const again = (amount: string, moved: string) => statusWith(text, [{ finding: lost(amount, moved), scenarios: 1 }]);
    expect([await again('8.50', '17'), await again('17', '34')]).toEqual([0, 1]);
  });

  it('notes no share if the failures show several ones', async () => {
    const shares = ['0.10', '0.20', '0.30', '0.40', '0.50', '0.60', '0.60', '0.60'];
    const text = await updated(shares.map((amount) => ({ finding: lost(amount), scenarios: 1 })));
    expect(text).toContain('  balances: too low');
    expect(text).not.toContain('share:');
  });

  it('gets the higher rate by an update', async () => {
    const often: readonly Failing[] = [{ finding: ONCE, scenarios: 40, perScenario: 3 }];
    const before = await updated(NOW_AND_THEN);
    expect(await statusWith(before, often)).toBe(1);
    const text = await updated(often, before);
    expect(text.match(/- rule:/g)).toHaveLength(1);
    expect(text).toContain('  failedChecks: 120 of 200 # a much higher rate is worse\n');
    expect(await statusWith(text, often)).toBe(0);
  });

  it('does not allow wrong balances in the reads if only replies were wrong', async () => {
    expect(await statusWith(await updated(NOW_AND_THEN), [{ finding: SUM, scenarios: 1 }])).toBe(1);
  });

  it('does not allow wrong replies in several scenarios if only the reads were wrong', async () => {
    const known: readonly Failing[] = [{ finding: SUM_ONCE, scenarios: 20 }];
    const text = await updated(known);
    expect(text).not.toContain('wrongReplies');
    expect(await statusWith(text, known)).toBe(0);
    expect(await statusWith(text, [...known, { finding: REPLY, scenarios: 2 }])).toBe(0);
    expect(await statusWith(text, [...known, { finding: REPLY, scenarios: 3 }])).toBe(1);
  });
});
