import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import { reportOfEvents, reportText } from '../journals.ts';

const COMMAND = /^::(error|warning) (?:file=[^:,\n]+,line=\d+,col=\d+,)?title=[^:,\n]+::[^\r\n]*$/;

/** Undoes the escaping of a workflow command, as GitHub's runner does. */
function unescaped(text: string): string {
  return text
    .replaceAll('%0A', '\n')
    .replaceAll('%0D', '\r')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}

describe('the GitHub report', () => {
  it('has one command in each line, at the line of the scenario', async () => {
    const lines = (await reportText('failing', 'github')).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(COMMAND);
    expect(lines[0]).toMatch(/^::error file=scenarios\/[^,]+\.yaml,line=\d+,col=\d+,title=acme-eu breaks [a-z.-]+::/);
    expect(unescaped(lines[0] ?? '')).toMatch(/\nexpected: .*\nactual: .*\nseen in: .*\nrun alone: croupier run /s);
  });

  it('warns of what a run owes, with the command that settles it', async () => {
    const ofOwed = (text: string) => text.split('\n').filter((line) => line.includes('is owed after the run'));
    const [line = '', ...more] = ofOwed(await reportText('killed', 'github'));
    expect([line, more]).toEqual([
      expect.stringMatching(/^::warning title=acme-eu%3A something is owed after the run::/),
      [],
    ]);
    expect(unescaped(line)).toMatch(/\nto settle: croupier settle /);
    expect(ofOwed(await reportText('green', 'github'))).toEqual([]);
  });

  it('warns of a run that is undecided as a whole, even if it shows no undecided rule', async () => {
    const story = planned('bet/debit', ['bet.debit']);
    const passes = { 'bet.debit': { bet: 1 } } as const;
    const of = (how: 'time' | 'complete') =>
      reportOfEvents([runStarted([story]), started(story.id), ended(story.id, { passes }), runEnded(how)], 'github');
    expect(await of('time')).toMatch(/^::warning title=acme is undecided::UNDECIDED: the time of the run .*\n$/);
    expect(await of('complete')).toBe('');
  });

  it('has at most ten annotations, rules about money first, and says how many are left out', async () => {
    const rules = RULES.filter(({ level }) => level === 'MUST');
    const scenarios = rules.map(({ id }) => planned(id.replace('.', '/'), [id]));
    const events = rules.flatMap(({ id }) => {
      const scenario = id.replace('.', '/');
      return [started(scenario), found(scenario, id, 'fail'), ended(scenario, { verdict: 'fail' })];
    });
    const text = await reportOfEvents([runStarted(scenarios), ...events, runEnded()], 'github');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    const money = new Set(rules.filter((rule) => rule.money).map(({ id }) => id as string));
    for (const line of lines.slice(0, 9)) expect(money).toContain(/breaks ([a-z.-]+)/.exec(line)?.[1]);
    expect(lines[9]).toMatch(
      new RegExp(
        `^::warning title=croupier has more findings::The summary of this step and the journal show ${rules.length - 9} more findings`,
      ),
    );
  });

  it('does not let text from outside start a command or end a property', async () => {
    const scenario = {
      ...planned('bet/debit', ['bet.debit']),
      place: { file: 'a,b:c\n::error::x.yaml', line: 1, column: 1 },
    };
    const hostile = 'x\r\n::error::owned\n::add-mask::a 100%0A::set-output name=a::b';
    const events = [
      { ...runStarted([scenario]), client: { extCID: 'acme,file=x::\n::debug::', integratorBaseUrl: 'http://x' } },
      started(scenario.id),
      found(scenario.id, 'bet.debit', 'fail', { actual: hostile, place: scenario.place }),
      ended(scenario.id, { verdict: 'fail' }),
      runEnded(),
    ];
    const lines = (await reportOfEvents(events, 'github')).trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(COMMAND);
    expect(unescaped(lines[0] ?? '')).toContain('actual: x\\r\\n::error::owned\\n::add-mask::a 100%0A::set-output');
  });

  it('is empty for a run without a breach', async () => {
    expect(await reportText('green', 'github')).toBe('');
  });
});
