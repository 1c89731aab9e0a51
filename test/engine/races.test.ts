import { describe, expect, it } from 'vitest';
import { Races } from '../../src/engine/races.ts';

function races(raceRounds?: number) {
  let now = 0;
  const all = new Races({ raceRounds, deadlineMs: 1000, now: () => now });
  /** Repeats the scenario until no further round is wanted. */
  const rounds = (overlappedOf: (round: number) => number, { calls = 6, takesMs = 1 } = {}): number => {
    for (;;) {
      all.noteOverlap('1', calls, overlappedOf(all.round));
      now += takesMs;
      if (!all.wantsAnother) return all.round;
      all.next();
    }
  };
  return { all, rounds };
}

describe('a race', () => {
  it('a race of few calls is repeated more often than a race of many calls', () => {
    const few = races().rounds(() => 2, { calls: 2 });
    const many = races().rounds(() => 12, { calls: 12 });
    expect([few, many]).toEqual([12, 4]);
  });

  it('a race is not repeated after its rounds took a large part of the deadline', () => {
    expect(races().rounds(() => 6, { takesMs: 20 })).toBe(3);
  });

  it('a race is repeated the given number of times, however long it takes', () => {
    expect(races(5).rounds(() => 6, { takesMs: 900 })).toBe(5);
    expect(races(1).rounds(() => 6)).toBe(1);
  });

  it('a race without overlapping calls is repeated at least three times', () => {
    const { all, rounds } = races(1);
    expect(rounds(() => 0)).toBe(3);
    expect(all.missed).toBe(true);
    expect(all.missedText).toBe(
      'croupier sent the calls of a race at once, but none of them overlapped with another call in 3 rounds of the race',
    );
  });

  it('a race counts if at least half of its calls overlapped, over all rounds of the race', () => {
    const { all, rounds } = races(2);
    rounds((round) => (round === 1 ? 2 : 0));
    expect(all.missed).toBe(true);
    expect(all.missedText).toBe(
      'croupier sent 6 calls at once, but only 2 of them overlapped with another call in 3 rounds of the race',
    );
    const more = races(2);
    more.rounds((round) => (round === 1 ? 0 : 3));
    expect(more.all.missed).toBe(false);
  });
});

describe('the release of a race', () => {
  const manners = (kinds: readonly string[]) => {
    const { all } = races();
    return Array.from({ length: 8 }, () => {
      const release = all.release(kinds);
      all.next();
      return release;
    });
  };

  it('the order of the calls is reversed in every second round', () => {
    const reversed = manners(['bet', 'bet']).map((one) => one.reversed);
    expect(reversed).toEqual([false, true, false, true, false, true, false, true]);
  });

  it('calls of different kinds are staggered in both orders, but calls of one kind are never staggered', () => {
    expect(manners(['bet', 'bet']).every(({ staggerMs }) => staggerMs === 0)).toBe(true);
    const mixed = manners(['bet', 'refund']);
    expect(mixed.slice(0, 2)).toEqual([
      { reversed: false, staggerMs: 0, scale: 1 },
      { reversed: true, staggerMs: 0, scale: 1 },
    ]);
    const staggers = (way: boolean): readonly number[] =>
      [...new Set(mixed.filter(({ reversed }) => reversed === way).map(({ staggerMs }) => staggerMs))].toSorted(
        (a, b) => a - b,
      );
    expect(staggers(false)).toEqual([0, 1, 3]);
    expect(staggers(true)).toEqual([0, 1, 3, 7]);
  });

  it('the times of the scenario are kept, and the calls move closer if none overlapped', () => {
    const { all } = races();
    const scales = Array.from({ length: 3 }, () => {
      const { scale, reversed } = all.release(['bet', 'refund'], true);
      expect(reversed).toBe(false);
      all.noteOverlap('1', 2, 0);
      all.next();
      return scale;
    });
    expect(scales).toEqual([1, 0.25, 0]);
    const met = races().all;
    met.noteOverlap('1', 2, 2);
    met.next();
    expect(met.release(['bet'], true).scale).toBe(1);
  });
});
