import { expect, it } from 'vitest';
import type { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { ReverseCall } from '../../../src/service/adapter/reverse-calls.ts';
import * as fc from '../../properties.ts';
import { settled, until } from './adapter-setup.ts';
import { FATES, type Fate, FaultSimulation } from './fault-simulation.ts';
import { sessionOf } from './sessions.ts';

const fates = fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 40 });
const writeKills = fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 3 });

const RUNS = 200;

/** Waits until all calls of an adapter have a result, or until the adapter is killed. */
async function orKilled(simulation: FaultSimulation, life: number, asked: readonly Promise<unknown>[]): Promise<void> {
  let done = false;
  void Promise.allSettled(asked).then(() => {
    done = true;
  });
  await until(() => done || simulation.life !== life, 'the answers, or the kill');
}

/** The stake in cents. */
function sumOf(wins: readonly ReverseCall[]): number {
  return wins.reduce((sum, { fields }) => sum + Math.round(Number(fields.amount) * 100), 0);
}

it('the adapter pays and refunds exactly, for every outcome of the calls and every moment at which it is killed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fates,
      writeKills,
      fc.array(
        fc.array(fc.record({ player: fc.nat(2), win: fc.constantFrom('0', '0.50', '7.25') }), { maxLength: 4 }),
        {
          maxLength: 4,
        },
      ),
      async (fatesOfCalls, kills, lives) => {
        const simulation = new FaultSimulation(fatesOfCalls, kills);
        const planned = new Map<string, string>();
        for (const rounds of lives) {
          let adapter: Adapter;
          try {
            adapter = simulation.start();
          } catch {
            continue; // Killed while it was starting.
          }
          const { life } = simulation;
          const asked = rounds.map(({ player, win }) =>
            adapter.play(sessionOf(`p${player}`), '1.00', { win }).then(({ roundID }) => planned.set(roundID, win)),
          );
          await orKilled(simulation, life, asked);
        }
        simulation.heal();
        const last = simulation.start();
        await settled(last);
        await until(
          () => last.rounds().every(({ round }) => round.wins.every(({ status }) => status === 'settled')),
          'wins',
        );
        simulation.deliverLate();

        for (const { call, refunded } of simulation.bets.values()) {
          const wins = [...simulation.wins.values()].filter(({ roundID }) => roundID === call.roundID);
          expect(wins).toHaveLength(refunded ? 0 : 1);
        }
        const taken = new Set(
          [...simulation.bets.values()].filter(({ refunded }) => !refunded).map(({ call }) => call.roundID),
        );
        for (const win of simulation.wins.values()) {
          expect(taken.has(win.roundID)).toBe(true);
          const amount = planned.get(win.roundID ?? '');
          if (amount !== undefined) expect(win.fields.amount).toBe(amount);
        }
        for (const bodies of simulation.bodies.values()) expect(bodies.size).toBe(1);
        expect(last.owed()).toEqual([]);
        simulation.kill();
      },
    ),
    { numRuns: RUNS },
  );
});

it('the adapter pays the sum of a campaign exactly once, for every outcome of the calls', async () => {
  await fc.assert(
    fc.asyncProperty(
      fates,
      writeKills,
      fc.array(fc.array(fc.constantFrom('0', '0.50', '7.25'), { maxLength: 4 }), { maxLength: 4 }),
      fc.boolean(),
      async (fatesOfCalls, kills, lives, cancelled) => {
        const simulation = new FaultSimulation(fatesOfCalls, kills);
        const free = { frID: 'spring', quantity: 3 };
        const session = sessionOf('p0');
        for (const wins of lives) {
          let adapter: Adapter;
          try {
            adapter = simulation.start();
          } catch {
            continue;
          }
          const { life } = simulation;
          await orKilled(
            simulation,
            life,
            wins.map((win) => adapter.play(session, '0.20', { win, free })),
          );
        }
        simulation.heal();
        const last = simulation.start();
        await settled(last);
        if (cancelled) last.endCampaign('acme', 'spring');
        else {
          for (let round = 0; round < 4; round += 1) await last.play(session, '0.20', { win: '1.00', free });
        }
        await settled(last);
        const taken = [...simulation.bets.values()].filter(({ refunded }) => !refunded);
        const wins = [...simulation.wins.values()];
        const withdrawals = wins.filter(({ fields }) => fields.type === 'regular');
        const freeWins = wins.filter(({ fields }) => fields.type === 'free');
        expect(cancelled ? taken.length <= 3 : taken.length === 3).toBe(true);
        expect(freeWins).toHaveLength(taken.length);
        expect(withdrawals).toHaveLength(taken.length === 0 ? 0 : 1);
        expect(sumOf(withdrawals)).toBe(sumOf(freeWins));
        for (const { fields } of [...wins, ...taken.map(({ call }) => call)]) expect(fields.frID).toBe('spring');
        for (const bodies of simulation.bodies.values()) expect(bodies.size).toBe(1);
        const another = await last.play(session, '0.20', { win: '1.00', free });
        expect(another).toMatchObject({ bet: { kind: 'refused' }, win: null });
        simulation.kill();
      },
    ),
    { numRuns: RUNS },
  );
});
