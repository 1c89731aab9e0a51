import { describe, expect, it } from 'vitest';
import { whyNoneSelected } from '../../../../src/cli/commands/incident/not-selected.ts';
import type { NamedIDs } from '../../../../src/traffic/read/named-ids.ts';

const IDS: NamedIDs = {
  sessions: new Map([
    ['s-1', '4711'],
    ['s-9', null],
  ]),
  players: new Set(['4711', '4712']),
  rounds: new Set(['r-1']),
  transactions: new Set(['t-1']),
  firstMs: Date.parse('2026-11-21T13:02:58Z'),
  lastMs: Date.parse('2026-11-21T13:03:22Z'),
};

describe('a selection that matches no call', () => {
  it.each([
    [{ player: 's-1' }, 's-1 is a session of player 4711: use --session s-1.'],
    [{ player: 's-9' }, 's-9 is a session: use --session s-9.'],
    [{ session: '4711' }, '4711 is a player: use --player 4711.'],
    [{ round: 't-1' }, 't-1 is a transaction: use --tx t-1.'],
    [{ player: '4771' }, 'The files have no player 4771. Did you mean --player 4711?'],
    [{ player: 'nobody' }, 'The files have no player nobody. They have 4711, 4712.'],
    [{ round: 'none' }, 'The files have no round none.'],
    [{ player: '4712', session: 's-1' }, 'Session s-1 belongs to player 4711, not to player 4712.'],
    [{ player: '4711', session: 's-9' }, 'No call shows that session s-9 belongs to player 4711.'],
    [{ player: '4711', round: 'r-1' }, 'No call matches all of these flags: --player, --round.'],
    [{ fromMs: 0, toMs: 1 }, 'The calls in the files are from 2026-11-21 13:02:58 UTC to 2026-11-21 13:03:22 UTC.'],
  ])('%j is explained by the ids that the files have', (selection, text) => {
    expect(whyNoneSelected(selection, IDS)).toBe(text);
  });

  it('is explained if the files name no player', () => {
    expect(whyNoneSelected({ player: 'x' }, { ...IDS, players: new Set() })).toContain('The files name no player');
  });
});
