import { expect, it } from 'vitest';
import { conclude } from '../../src/journal/conclusion.ts';
import type { MovedAlone } from '../../src/journal/event.ts';
import { EXPECTATION } from '../../src/journal/finding.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { ended, found, planned, runEnded, runStarted, started } from './events.ts';

const scenario = planned('bet/debit', ['bet.debit']);
const moved: MovedAlone = { event: 'moved-alone', sessionID: 's-1', player: 'anna', values: ['10', '9', '7.5'] };

const of = (...findings: Parameters<typeof found>[1][]) =>
  foldJournal([
    runStarted([scenario]),
    started(scenario.id),
    ...findings.map((rule) => found(scenario.id, rule, 'fail')),
    ended(scenario.id, { verdict: 'fail' }),
    moved,
    runEnded(),
  ]);

it('a balance that somebody else moved leaves every failure that a balance shows undecided', async () => {
  const fold = await of('bet.debit', 'bet.insufficient-funds', EXPECTATION);
  expect(conclude(fold)).toEqual({
    verdict: 'undecided',
    exitCode: 3,
    firstLine:
      'UNDECIDED: somebody else moved the balance of the player anna while croupier sent nothing (10 → 9 → 7.5), so 2 rules and 1 expectation could not be decided. Let only one command use the player, and run again.',
  });
});

it('a balance that somebody else moved does not excuse a breach that a reply shows', async () => {
  const fold = await of('bet.debit', 'reply.json', 'signature.mismatch');
  const verdicts = fold.rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule.id);
  expect(verdicts).toEqual(['signature.mismatch', 'reply.json']);
  expect(conclude(fold)).toMatchObject({ verdict: 'nonconforming', exitCode: 1 });
});
