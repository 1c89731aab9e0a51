import { expect, it } from 'vitest';
import { laterRound } from '../../../src/engine/scenario/later-round.ts';
import { scenarioOf } from '../operator-server.ts';

/** Returns the keys of the steps that a later round of the race plays. */
function keysOf(steps: string): readonly string[] {
  return laterRound(scenarioOf('race', `rules: [bet.debit]\nsteps: ${steps}`).plan()).steps.map(({ key }) => key);
}

const RACE = '{ together: [{ bet: }, { bet: }] }';

it('leaves out the controls before a race, and the reads before the first call', () => {
  expect(keysOf(`[{ balance: }, { bet: }, { win: }, { balance: }, ${RACE}, { balance: }]`)).toEqual(['5', '6']);
});

it('keeps a call to which the race refers, and the read after it', () => {
  const steps = '[{ bet: , as: a }, { balance: }, { together: [{ bet: }, { win: { round: a } }] }, { balance: }]';
  expect(keysOf(steps)).toEqual(['1', '2', '3', '4']);
});

it('leaves out resends after the last read, but no other call', () => {
  const race = '{ together: [{ bet: , as: raced }, { bet: }] }';
  expect(keysOf(`[${race}, { balance: }, { resend: raced }, { balance: }]`)).toEqual(['1', '2']);
  expect(keysOf(`[${race}, { balance: }, { resend: raced }, { win: { round: raced } }]`)).toEqual(['1', '2', '3', '4']);
});
