import { describe, expect, it } from 'vitest';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import { ended, found, planned, runEnded, started } from '../journal/events.ts';
import { sessionsOf, startedWith } from './run-with-baseline.ts';

const SCENARIOS = Array.from({ length: 30 }, (_, at) => planned(`bet/s${at}`, ['balance.read']));
const PLAYERS = ['em', 'eva', 'bo'] as const;
type Player = (typeof PLAYERS)[number];

/** A run in which each player plays ten scenarios. `stale` are the players of the first scenarios, in which a read shows an old balance. */
async function foldOf(stale: readonly Player[], baseline = ''): Promise<Fold> {
  return await foldJournal([
    startedWith(baseline, SCENARIOS, { sessions: sessionsOf(PLAYERS) }),
    ...SCENARIOS.flatMap(({ id }, at): readonly JournalEvent[] => [
      { ...started(id), sessions: { main: `s-${stale[at] ?? PLAYERS[at % 3]}` } },
      ...(at < stale.length ? [found(id, 'balance.read', 'fail', { staleRead: true })] : []),
      ended(id, { passes: { 'balance.read': { '*': 4 } } }),
    ]),
    runEnded(),
  ]);
}

const written = async (stale: readonly Player[]): Promise<string> =>
  mergeBaseline('', 'b.yaml', await foldOf(stale))
    .text.replaceAll('reason: ""', 'reason: "known"')
    .replaceAll('ticket: ""', 'ticket: "PAY-1"')
    .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
const statusWith = async (baseline: string, stale: readonly Player[]): Promise<number> =>
  conclude(await foldOf(stale, baseline)).exitCode;

const OF_EM: readonly Player[] = Array.from({ length: 5 }, () => 'em');

describe('a baseline of old balances in the reads of one player', () => {
  it('names the player and the rate, but no scenarios, because chance decides which reads show it', async () => {
    const text = await written(OF_EM);
    expect(text).toContain('  players: "em" # no other player failed\n  otherPlayers: false');
    expect(text).toContain('  failedChecks: 5 of 125 # a much higher rate is worse\n');
    expect(text).not.toContain('scenario:');
    expect(await statusWith(text, ['em', 'em', 'em', 'em', 'em', 'em', 'em'])).toBe(0);
    expect(await statusWith(text, ['em'])).toBe(0);
  });

  it('does not allow old balances of another player', async () => {
    expect(await statusWith(await written(OF_EM), ['em', 'em', 'em', 'eva'])).toBe(1);
  });

  it('allows them if chance explains why only one player showed them', async () => {
    const text = await written(['em', 'em']);
    expect(text).not.toContain('otherPlayers');
    expect(await statusWith(text, ['em', 'em', 'eva'])).toBe(0);
  });

  it('names no player if all players show them', async () => {
    const text = await written(['em', 'eva', 'bo']);
    expect(text).not.toContain('players');
    expect(text).not.toContain('scenario:');
  });
});
