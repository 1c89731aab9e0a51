import { expect, it } from 'vitest';
import type { RunStarted } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { PLAIN } from '../../../src/report/paint.ts';
import { missingSessions } from '../../../src/report/terminal/missing-sessions.ts';
import { ended, planned, runEnded, runStarted, started } from '../../journal/events.ts';

type Session = RunStarted['settings']['sessions'][number];

/** The advice after a run in which two scenarios were skipped, one for lack of a currency and one for lack of a session. */
async function advice(session: Partial<Session>): Promise<string> {
  const exact = planned('money/exact', ['money.exact']);
  const race = planned('idempotency/concurrent', ['idempotency.concurrent']);
  const two = planned('idempotency/concurrent-in-two-sessions', ['idempotency.concurrent']);
  const run = runStarted([exact, race, two]);
  const only: Session = { sessionID: 's-1', player: 'p', currency: null, gameID: 'catch', state: 'active', ...session };
  const fold = await foldJournal([
    { ...run, settings: { ...run.settings, sessions: [only] } },
    ended(exact.id, {
      verdict: 'skip',
      reason: 'the scenario needs a session in a configured currency with 2 decimals',
    }),
    started(race.id),
    ended(race.id, { passes: { 'idempotency.concurrent': { '*': 1 } } }),
    ended(two.id, { verdict: 'skip', reason: 'the scenario needs another session of the same player' }),
    runEnded(),
  ]);
  return missingSessions(fold, { paint: PLAIN, unicode: true, width: 500 }).join('\n');
}

it('the report says which currency and which sessions to add, and which rules they test', async () => {
  const text = await advice({});
  expect(text).toContain('To test 1 more rule (money.exact), give each session in croupier.yaml its currency:');
  expect(text).toContain('- { sessionID: s-1, currency: … }');
  expect(text).toContain('To test 1 rule completely (idempotency.concurrent), add to `sessions`');
  expect(text).toContain('- { sessionID: …, player: p, currency: …, gameID: another } # same player, other game');
});

it('the report asks for no expired session if no scenario was skipped because of one', async () => {
  expect(await advice({})).not.toContain('state: expired');
});

it('the report asks for no currency if a session has one', async () => {
  expect(await advice({ currency: 'JPY' })).not.toContain('its currency');
});
