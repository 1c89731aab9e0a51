import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { foldOf, JOURNALS, reportOfEvents, reportText } from '../journals.ts';

describe('the summary for a chat', () => {
  it.each(JOURNALS)('of the journal %s begins with the verdict, and has at most 20 lines', async (name) => {
    const text = await reportText(name, 'summary');
    const lines = text.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^(CONFORMING|NOT CONFORMING|UNDECIDED): /);
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(lines.at(-1)).toMatch(/^Exit status \d+, journal \.croupier\/run\.ndjson$/);
  });

  it('has one line for each likely cause, with its harm and the scenario that shows it', async () => {
    const text = await reportText('failing', 'summary');
    const { causes } = await foldOf('failing');
    const shown = [...text.matchAll(/^\d+\. ([a-z.-]+) \(/gm)].map(([, rule]) => rule);
    expect(shown).toEqual(causes.map(({ result }) => result.rule.id));
    expect(text).toMatch(
      /^1\. idempotency\.bet \(MUST, money at stake\): A player can be charged twice .* Seen in idempotency\/bet\./m,
    );
    expect(text).toContain('- an expectation of ours/first-deposit is not met\n');
    expect(text).toMatch(/^Owed: 1 call and 1 balance \(p1 5\.00 USD too low\): croupier settle /m);
  });

  it('of a run with very many causes has 20 lines, and says how many causes are left out', async () => {
    const scenarios = RULES.filter(({ level }) => level === 'MUST').map(({ id }) => planned(`own/${id}`, [id]));
    const events = scenarios.flatMap(({ id, rules: [rule = 'balance.read'] }) => [
      started(id),
      found(id, rule, 'fail'),
      ended(id, { verdict: 'fail' }),
    ]);
    const lines = (await reportOfEvents([runStarted(scenarios), ...events, runEnded()], 'summary'))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(20);
    expect(lines.filter((line) => /^and \d+ more, which the other reports show$/.test(line))).toHaveLength(1);
    expect(lines.every((line) => line.length <= 280)).toBe(true);
  });

  it('cannot mention people, and has no link or text of an operator', async () => {
    const scenario = planned('own/<!channel> @here <https://evil.example|x>', ['balance.read']);
    const events = [
      started(scenario.id),
      found(scenario.id, 'balance.read', 'fail', { actual: 'text of the operator' }),
    ];
    const all = [runStarted([scenario]), ...events, ended(scenario.id, { verdict: 'fail' }), runEnded()];
    const text = await reportOfEvents(all, 'summary');
    expect(text).toContain('own/‹!channel› ＠here');
    expect(text).not.toMatch(/[<>@]|text of the operator/);
  });
});
