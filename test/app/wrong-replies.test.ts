import { describe, expect, it } from 'vitest';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { Finding } from '../../src/journal/finding.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { worseSentence } from '../../src/report/known-failures.ts';
import { ended, found, planned, runEnded, started } from '../journal/events.ts';
import { startedWith } from './run-with-baseline.ts';

const SCENARIOS = Array.from({ length: 8 }, (_, at) => planned(`win/s${at}`, ['win.credit']));
const FEE: Partial<Finding> = { wrongSum: { amount: '-0.10', currency: 'USD', moved: '1' } };
const FEE_AND_REPLY: Partial<Finding> = { ...FEE, wrongReply: true };
const REPLY: Partial<Finding> = { wrongReply: true };

/** A run of the whole suite, with the failure of each scenario. */
async function foldOf(failures: readonly Partial<Finding>[], baseline = ''): Promise<Fold> {
  return await foldJournal([
    startedWith(baseline, SCENARIOS),
    ...SCENARIOS.flatMap(({ id }, at) => [
      started(id),
      found(id, 'win.credit', 'fail', failures[at] ?? FEE),
      ended(id, { verdict: 'fail' }),
    ]),
    runEnded(),
  ]);
}

/** Brings a baseline up to date, and fills in its texts. `keys` are the keys that it extends. */
async function updated(
  before: string,
  failures: readonly Partial<Finding>[],
): Promise<{ readonly text: string; readonly keys: readonly string[] }> {
  const { text, changes } = mergeBaseline(before, 'b.yaml', await foldOf(failures));
  const filled = text
    .replaceAll('reason: ""', 'reason: "known"')
    .replaceAll('ticket: ""', 'ticket: "PAY-1"')
    .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
  return { text: filled, keys: changes.flatMap(({ keys }) => keys) };
}

async function statusWith(baseline: string, failures: readonly Partial<Finding>[]): Promise<number> {
  return conclude(await foldOf(failures, baseline)).exitCode;
}

describe('a baseline of wrong sums', () => {
  it('does not allow that replies show another balance than the next read', async () => {
    const { text } = await updated('', []);
    expect(text).not.toContain('wrongReplies');
    expect(await statusWith(text, [])).toBe(0);
    expect(await statusWith(text, [FEE, FEE_AND_REPLY])).toBe(1);
    expect(worseSentence('win.credit', await foldOf([FEE, FEE_AND_REPLY], text))).toBe(
      'the baseline lists this rule without `wrongReplies: true`, but the replies now have wrong balances: the next read shows another balance (in win/s1)',
    );
    const ofRule = text.replace(/ {2}moneyIn:.*\n(?: {4}.*\n)*/, '');
    expect(await statusWith(ofRule, [REPLY])).toBe(1);
  });

  it('allows wrong replies if it was written after a run that showed them', async () => {
    const { text } = await updated('', [FEE_AND_REPLY, REPLY]);
    expect(text).toContain('  wrongReplies: true # the next read may show another balance than the reply\n');
    expect(await statusWith(text, [FEE_AND_REPLY, REPLY])).toBe(0);
    expect(await statusWith(text, [])).toBe(0);
  });

  it('gets the key by an update, which names it and keeps the entry', async () => {
    const { text } = await updated('', []);
    const later = await updated(text, [FEE_AND_REPLY]);
    expect(later.keys).toEqual(['wrongReplies']);
    expect(later.text.match(/- rule:/g)).toHaveLength(1);
    expect(await statusWith(later.text, [FEE_AND_REPLY])).toBe(0);
    expect(await updated(later.text, [])).toEqual({ text: later.text, keys: [] });
  });

  it('is not worse because of a reply that was right when croupier repeated the scenario', async () => {
    const { text } = await updated('', []);
    expect(await statusWith(text, [{ ...FEE_AND_REPLY, unrepeated: true }])).not.toBe(1);
  });

  it('does not limit replies if it has no sums, or if its failures occur only now and then', async () => {
    const entry = '- { rule: win.credit, reason: known, ticket: PAY-1, expires: 2999-01-01';
    expect(await statusWith(`${entry} }\n`, [REPLY])).toBe(0);
    expect(await statusWith(`${entry}, money: 1 USD, intermittent: true }\n`, [REPLY])).toBe(0);
    expect(await statusWith(`${entry}, money: 1 USD }\n`, [REPLY])).toBe(1);
    expect(await statusWith(`${entry}, money: 1 USD, wrongReplies: true }\n`, [REPLY])).toBe(0);
  });
});
