import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Adapter } from '../../../src/service/adapter/adapter.ts';
import type { ReverseCall } from '../../../src/service/adapter/reverse-call.ts';
import { settled, until } from './rig.ts';
import { sessionOf } from './sessions.ts';
import { FATES, type Fate, ToyWorld } from './toy-world.ts';

const fates = fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 40 });
const writeKills = fc.array(fc.tuple(fc.nat(40), fc.boolean()), { maxLength: 3 });

const RUNS = 200;

/** Waits for the results of an adapter, unless it is killed before. */
async function orKilled(world: ToyWorld, life: number, asked: readonly Promise<unknown>[]): Promise<void> {
  let done = false;
  void Promise.allSettled(asked).then(() => {
    done = true;
  });
  await until(() => done || world.life !== life, 'the answers, or the kill');
}

/** In cents. */
function sumOf(wins: readonly ReverseCall[]): number {
  return wins.reduce((sum, { fields }) => sum + Math.round(Number(fields.amount) * 100), 0);
}

it('pays and refunds exactly, for every outcome of the calls and every moment of a kill', async () => {
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
        const world = new ToyWorld(fatesOfCalls, kills);
        const planned = new Map<string, string>();
        for (const rounds of lives) {
          let adapter: Adapter;
          try {
            adapter = world.start();
          } catch {
            continue; // Killed while it was starting.
          }
          const { life } = world;
          const asked = rounds.map(({ player, win }) =>
            adapter.play(sessionOf(`p${player}`), '1.00', { win }).then(({ roundID }) => planned.set(roundID, win)),
          );
          await orKilled(world, life, asked);
        }
        world.heal();
        const last = world.start();
        await settled(last);
        await until(
          () => last.rounds().every(({ round }) => round.wins.every(({ status }) => status === 'settled')),
          'wins',
        );
        world.deliverLate();

        for (const { call, refunded } of world.bets.values()) {
          const wins = [...world.wins.values()].filter(({ roundID }) => roundID === call.roundID);
          expect(wins).toHaveLength(refunded ? 0 : 1);
        }
        const taken = new Set(
          [...world.bets.values()].filter(({ refunded }) => !refunded).map(({ call }) => call.roundID),
        );
        for (const win of world.wins.values()) {
          expect(taken.has(win.roundID)).toBe(true);
          const amount = planned.get(win.roundID ?? '');
          if (amount !== undefined) expect(win.fields.amount).toBe(amount);
        }
        for (const bodies of world.bodies.values()) expect(bodies.size).toBe(1);
        expect(last.owed()).toEqual([]);
        world.kill();
      },
    ),
    { numRuns: RUNS },
  );
});

it('pays the sum of a campaign once and exactly, for every outcome of the calls', async () => {
  await fc.assert(
    fc.asyncProperty(
      fates,
      writeKills,
      fc.array(fc.array(fc.constantFrom('0', '0.50', '7.25'), { maxLength: 4 }), { maxLength: 4 }),
      fc.boolean(),
      async (fatesOfCalls, kills, lives, cancelled) => {
        const world = new ToyWorld(fatesOfCalls, kills);
        const free = { frID: 'spring', quantity: 3 };
        const session = sessionOf('p0');
        for (const wins of lives) {
          let adapter: Adapter;
          try {
            adapter = world.start();
          } catch {
            continue;
          }
          const { life } = world;
          await orKilled(
            world,
            life,
            wins.map((win) => adapter.play(session, '0.20', { win, free })),
          );
        }
        world.heal();
        const last = world.start();
        await settled(last);
        if (cancelled) last.endCampaign('acme', 'spring');
        else {
          for (let round = 0; round < 4; round += 1) await last.play(session, '0.20', { win: '1.00', free });
        }
        await settled(last);
        const taken = [...world.bets.values()].filter(({ refunded }) => !refunded);
        const wins = [...world.wins.values()];
        const withdrawals = wins.filter(({ fields }) => fields.type === 'regular');
        const freeWins = wins.filter(({ fields }) => fields.type === 'free');
        expect(cancelled ? taken.length <= 3 : taken.length === 3).toBe(true);
        expect(freeWins).toHaveLength(taken.length);
        expect(withdrawals).toHaveLength(taken.length === 0 ? 0 : 1);
        expect(sumOf(withdrawals)).toBe(sumOf(freeWins));
        for (const { fields } of [...wins, ...taken.map(({ call }) => call)]) expect(fields.frID).toBe('spring');
        for (const bodies of world.bodies.values()) expect(bodies.size).toBe(1);
        const another = await last.play(session, '0.20', { win: '1.00', free });
        expect(another).toMatchObject({ bet: { kind: 'refused' }, win: null });
        world.kill();
      },
    ),
    { numRuns: RUNS },
  );
});
