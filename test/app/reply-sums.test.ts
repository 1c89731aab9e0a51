import { describe, expect, it } from 'vitest';
import { readBaseline } from '../../src/app/baseline-file.ts';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { worseSentence } from '../../src/report/known-failures.ts';
import { ended, found, planned, runEnded, started } from '../journal/events.ts';
import { startedWith } from './run-with-baseline.ts';

const SCENARIOS = Array.from({ length: 40 }, (_, at) => planned(`bet/s${at}`, ['bet.debit']));

/** A reply to a bet of `moved` that is wrong by a sum. */
const wrong = (amount: string, moved: string, more: Partial<Finding> = {}): Partial<Finding> => ({
  wrongReply: true,
  repliedSum: { amount, currency: 'USD', moved },
  ...more,
});

/** A run in which the first scenarios have these findings. */
async function foldOf(findings: readonly Partial<Finding>[], baseline = ''): Promise<Fold> {
  return await foldJournal([
    startedWith(baseline, SCENARIOS, { stakes: { USD: '1', JPY: '100' } }),
    ...SCENARIOS.flatMap(({ id }, at): readonly JournalEvent[] => [
      started(id),
      ...(findings[at] ? [found(id, 'bet.debit', 'fail', findings[at])] : []),
      ended(id, { passes: { 'bet.debit': { '*': 4 } } }),
    ]),
    { event: 'intermittent', sessionID: 's', player: 'eva', times: 2 },
    runEnded(),
  ]);
}

const updated = async (findings: readonly Partial<Finding>[], before = ''): Promise<string> =>
  mergeBaseline(before, 'b.yaml', await foldOf(findings))
    .text.replaceAll('reason: ""', 'reason: "known"')
    .replaceAll('ticket: ""', 'ticket: "PAY-1"')
    .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
const statusWith = async (baseline: string, findings: readonly Partial<Finding>[]): Promise<number> =>
  conclude(await foldOf(findings, baseline)).exitCode;

const many = (finding: (at: number) => Partial<Finding>): readonly Partial<Finding>[] =>
  Array.from({ length: 15 }, (_, at) => finding(at));
const CENT = many((at) => wrong('0.01', ['0.01', '1', '2', '3'][at % 4] ?? ''));
const BEFORE = many((at) => wrong(String(1 + (at % 3)), String(1 + (at % 3))));
const ZERO = many((at) => wrong(`-${990 + at}`, '1'));

describe('a baseline of wrong balances in replies', () => {
  it('allows only the sum by which all replies were wrong', async () => {
    const text = await updated(CENT);
    expect(text).toContain(
      '  replyMoney:\n    - "0.01 USD"\n    - "1 JPY" # the highest sum by which a reply may be wrong\n',
    );
    expect(await statusWith(text, CENT)).toBe(0);
    expect(await statusWith(text, ZERO)).toBe(1);
    expect(await statusWith(text, BEFORE)).toBe(1);
    expect(worseSentence('bet.debit', await foldOf(ZERO, text))).toBe(
      'the baseline allows that replies are wrong by 0.01 USD, but in bet/s0 a reply is now wrong by 990 USD',
    );
  });

  it('allows any amount of a call if replies were wrong by the amounts of their calls', async () => {
    const text = await updated(BEFORE);
    expect(text).toMatch(/replyMoney:\n {4}- "30 USD"\n {4}- "3000 JPY"\n {4}- "amount" #/);
    expect(
      await statusWith(
        text,
        many(() => wrong('5000', '5000')),
      ),
    ).toBe(0);
    expect(await statusWith(text, ZERO)).toBe(1);
  });

  it('allows a single higher sum if the failures occur now and then', async () => {
    const now = CENT.map((finding) => ({ ...finding, unrepeated: true as const }));
    const text = await updated(now);
    expect(text).toContain('intermittent: true');
    expect(await statusWith(text, [...now, ...ZERO.slice(0, 2)])).toBe(0);
    expect(await statusWith(text, [...now, ...ZERO.slice(0, 3)])).toBe(1);
  });

  it('gets the higher sum by an update', async () => {
    const text = await updated(ZERO, await updated(CENT));
    expect(text.match(/- rule:/g)).toHaveLength(1);
    expect(text).toContain('    - "10040 USD"\n');
    expect(await statusWith(text, ZERO)).toBe(0);
  });

  it('is not read if it has no `wrongReplies`', () => {
    const yaml = '- {rule: bet.debit, reason: x, ticket: y, expires: 2999-01-01, replyMoney: 1 USD}';
    const suite = SCENARIOS.map((scenario) => ({ ...scenario, tags: [] }));
    expect(readBaseline('b.yaml', yaml, { suite, chosen: suite, clients: [] })).toMatchObject({
      kind: 'broken',
      diagnostics: [{ message: 'the key `wrongReplies: true` is missing, which allows wrong replies' }],
    });
  });
});
