import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { reportOfEvents } from '../report/journals.ts';
import { ended, exchange, planned, runEnded, runStarted, started } from './events.ts';

const SCENARIO = planned('balance/read', ['balance.read']);

/** A run with labels whose replies have the given values of the header X-Build. */
function run(builds: readonly string[]): readonly JournalEvent[] {
  const replies = builds.flatMap((build, at) => {
    const [sending, received] = exchange(`x${at}`, SCENARIO.id);
    const { outcome } = received;
    if (outcome.kind !== 'reply') return [];
    const reply = { ...outcome.reply, headers: [['x-BUILD', build]] as const };
    return [sending, { ...received, outcome: { ...outcome, reply } }];
  });
  return [
    { ...runStarted([SCENARIO]), labels: { branch: 'a"<b' }, labelHeaders: { build: 'X-Build' } },
    started(SCENARIO.id),
    ...replies,
    ended(SCENARIO.id, { passes: { 'balance.read': { '*': 1 } } }),
    runEnded(),
  ];
}

describe('labels', () => {
  it('take their value from a header of the replies, and say so if it changes during the run', async () => {
    const same = await foldJournal(run(['41', '41']));
    expect([same.labels, same.notices]).toEqual([{ branch: 'a"<b', build: '41' }, []]);
    const deployed = await foldJournal(run(['41', '42', '41']));
    expect(deployed.labels.build).toBe('41, 42');
    expect(deployed.notices).toEqual([
      'The label build changed during the run: 41, then 42. The results are about more than one version.',
    ]);
    expect((await foldJournal(run([]))).labels).toEqual({ branch: 'a"<b' });
  });

  it('are in every report, and escaped', async () => {
    const events = run(['\u001b[31m<b>', 'y'.repeat(500)]);
    const value = 'a&quot;&lt;b';
    expect(await reportOfEvents(events, 'junit')).toContain(
      `    <properties>\n      <property name="branch" value="${value}"/>\n      <property name="build" value="`,
    );
    const terminal = await reportOfEvents(events, 'terminal');
    expect(terminal).toContain('branch=a"<b, build=\\x1b[31m<b>');
    expect(terminal).not.toContain('y'.repeat(201));
    expect(JSON.parse(await reportOfEvents(events, 'json'))).toMatchObject({ labels: { branch: 'a"<b' } });
    expect(await reportOfEvents(events, 'html')).toContain('<dt>branch</dt><dd><code>a&quot;&lt;b</code></dd>');
    expect(await reportOfEvents(events, 'markdown')).toContain('branch=a');
  });
});
