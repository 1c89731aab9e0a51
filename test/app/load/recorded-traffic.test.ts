import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readTraffic } from '../../../src/app/load/recorded-traffic.ts';
import { JOURNAL_FORMAT } from '../../../src/journal/event.ts';
import type { LoadLine } from '../../../src/journal/load/lines.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-like-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const START = {
  event: 'run-started',
  format: JOURNAL_FORMAT,
  croupier: '1.0.0',
  contract: '1.10.2',
  runID: 'run',
  startedAt: '2026-11-25T18:00:00.000Z',
  seed: 's',
  client: { extCID: 'acme', integratorBaseUrl: 'https://wallet.example' },
  selection: [],
  whole: false,
  planHash: '',
  settings: {
    deadlineMs: 5000,
    lingerMs: 0,
    strict: false,
    workers: 1,
    sessions: [{ sessionID: 's-1', player: 'anna', currency: 'EUR', gameID: null, state: 'active' }],
  },
  scenarios: [],
  source: 'load',
};

function write(name: string, ...lines: readonly LoadLine[]): void {
  writeFileSync(path.join(cwd, name), [START, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const sent = (number: number, at: number, call: 'bet' | 'win', round: string, amount: string): LoadLine => [
  's',
  number,
  at,
  0,
  call,
  `tx-${number}`,
  round,
  amount,
  null,
  null,
];
const replied = (number: number, at: number): LoadLine => ['a', number, at, 200, '1.00', 'op'];

it('takes the arrival times and the shares of rounds, repeats, reads and broken calls from a journal', async () => {
  write(
    'traffic.ndjson',
    ['r', 1, 1000, 0],
    replied(1, 1010),
    sent(2, 1100, 'bet', 'round-1', '1.00'),
    sent(3, 1105, 'bet', 'round-1', '1.00'),
    replied(2, 1120),
    replied(3, 1121),
    sent(4, 1300, 'win', 'round-1', '0.00'),
    replied(4, 1310),
    ['c', 5, 1400, 4],
    replied(5, 1410),
    sent(6, 2000, 'bet', 'round-2', '1.00'),
    ['x', 6, 2005, 'reset'],
    sent(7, 2100, 'win', 'round-2', '3.00'),
    replied(7, 2110),
  );
  const { offsets, mix } = await readTraffic('traffic.ndjson', cwd);
  expect(offsets).toEqual([0, 100, 105, 300, 400, 1000, 1100]);
  expect(mix).toMatchObject({
    severalBets: 50,
    zeroWins: 50,
    repeatsLater: 20,
    repeatsAtOnce: 0,
    simultaneousRounds: 20,
  });
  expect(mix).toMatchObject({ brokenBets: 33.3, brokenWins: 0, freeRounds: 0, wholeBalance: 0, reads: 50 });
});

it('refuses a journal without a bet', async () => {
  write('reads.ndjson', ['r', 1, 1000, 0], replied(1, 1010));
  await expect(readTraffic('reads.ndjson', cwd)).rejects.toThrow('has no bet that was answered');
});
