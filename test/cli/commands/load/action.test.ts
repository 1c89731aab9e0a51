import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOptions } from '../../../../src/app/run/publish.ts';
import { silentStdio } from '../../../../src/app/stdio.ts';
import { loadCommand } from '../../../../src/cli/commands/load/action.ts';
import type { LoadFlags } from '../../../../src/cli/commands/load/flags.ts';
import { concludeLoad, type LoadFacts, type LoadResult } from '../../../../src/journal/load/result.ts';
import { loadText } from '../../../../src/report/load/text.ts';
import { RIGHT_LOAD } from '../../../load/load-result.ts';
import { croupier } from '../../croupier.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-load-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const SHORT = ['--reference', '--linger', '50ms', '--seed', 'test'];

describe('croupier load', { timeout: 30_000 }, () => {
  it('reconciles a correct operator, and writes a result that fits its schema', async () => {
    const load = ['load', ...SHORT, '--rate', '60', '--duration', '1500ms', '--limit', 'errors < 50%'];
    const { status, out, err } = await croupier([...load, '--json', '--report', 'hgrm=load.hgrm'], { cwd });
    expect(err).toBe('');
    const result = JSON.parse(out) as LoadResult;
    expect([status, result.verdict, result.reasons]).toEqual([0, 'RECONCILED', []]);
    const schema = readFileSync(path.resolve(import.meta.dirname, '../../../../schema/load.json'), 'utf8');
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object);
    validate(result);
    expect(validate.errors).toBeNull();
    expect(result.money).toMatchObject({ players: 10, verified: 10, problems: [], owed: [] });
    expect(result.money.byCurrency.every(({ difference }) => Number(difference) === 0)).toBe(true);
    expect(result.limits).toMatchObject([{ limit: 'errors < 50%', isHeld: true }]);
    // The seconds add up to the whole. Before the load, each opening balance is read twice.
    const inSeconds = result.seconds.reduce((sum, { sent }) => sum + sent, 0);
    expect(inSeconds).toBe(result.rate.calls - 2 * result.money.players);
    expect(readFileSync(path.join(cwd, 'load.hgrm'), 'utf8')).toContain('1/(1-Percentile)');
  });

  it('adds up what several workers have played, to the unit', async () => {
    const load = [
      'load',
      ...SHORT,
      '--rate',
      '90',
      '--duration',
      '1500ms',
      '--workers',
      '3',
      '--journal',
      'workers.ndjson',
    ];
    const { out, err } = await croupier([...load, '--json', '--limit', 'p99 < 60s'], { cwd });
    expect(err).toBe('');
    const result = JSON.parse(out) as LoadResult;
    const { rate, money, seconds, times, limits, reasons } = result;
    // On a busy machine, croupier may be too slow for the load. The sums are right nevertheless.
    expect(reasons.filter((reason) => !reason.includes('could not keep its schedule'))).toEqual([]);
    expect(result.load.workers).toEqual({ count: 3, lost: [] });
    expect([money.players, money.verified, limits[0]?.isHeld]).toEqual([10, 10, true]);
    const lines = readFileSync(path.join(cwd, 'workers.ndjson'), 'utf8').trim().split('\n');
    const sent = lines.filter((line) => /^\["[src]"/u.test(line));
    expect(rate.calls).toBe(sent.length);
    expect(new Set(sent.map((line) => (JSON.parse(line) as unknown[])[1])).size).toBe(sent.length);
    expect(seconds.reduce((sum, one) => sum + one.sent, 0)).toBe(rate.calls - 2 * money.players);
    const all = times.find(({ call }) => call === 'all')?.count ?? 0;
    expect(times.reduce((sum, { call, count }) => (call === 'all' ? sum : sum + count), 0)).toBe(all);
    for (const { opening, staked, won, expected, difference } of money.byCurrency)
      expect([Number(difference), (Number(opening) - Number(staked) + Number(won)).toFixed(6)]).toEqual([
        0,
        Number(expected).toFixed(6),
      ]);
  });

  it('names the transaction that a lost update has swallowed', async () => {
    const load = ['load', ...SHORT, '--defect', 'lost-update', '--rate', '80', '--duration', '2s', '--trace'];
    const { status, out } = await croupier(load, { cwd });
    expect(status).toBe(1);
    expect(out).toMatch(/^NOT RECONCILED: demo-eu: \d+ wrong balances? of \d+ players?/u);
    expect(out).toMatch(
      /(bet|win) [0-9a-f-]{36} of \d+(\.\d+)? [A-Z]{3} was answered 200, but (took nothing|was not credited) \(trace [0-9a-f]{32}\)/u,
    );
    expect(out).toContain('rule: concurrency.no-lost-update');
    expect(out).toMatch(/scenario: croupier replay \S+ --player \w+ --from \S+ --to \S+ --scenario found\.yaml/u);
  });
});

const refused: readonly (readonly [what: string, flags: object, message: string])[] = [
  ['no load', {}, 'The load is missing'],
  ['two loads', { rate: 5, closed: 2 }, '--rate and --closed cannot be combined'],
  ['a load for which there are too few players', { rate: 400 }, 'needs 8 players, but acme has sessions of 1'],
  ['more workers than players', { rate: 5, workers: 2 }, '--workers 2 needs at least 2 players'],
  ['more players at once than there are', { closed: 2 }, '--closed 2 needs 2 players'],
  ['sessions that may share a wallet', { rate: 5, session: ['s-1', 's-2'] }, 'The session s-1 of acme has no player'],
  ['--speed without --like', { rate: 5, speed: 2 }, '--speed needs --like'],
  ['a load without a duration', { rate: 5, duration: 0 }, '--duration 0 sends nothing'],
  ['--every 0', { rate: 5, disturb: 'true', every: 0 }, '--every 0 is too short'],
  ['--disturb without --every', { rate: 5, disturb: 'true' }, '--disturb needs --every'],
  ['an unknown report', { rate: 5, report: ['htm=a'] }, 'Did you mean html?'],
  ['two reports in one file', { rate: 5, report: ['html=a', 'json=a'] }, 'two reports would be written to a'],
  ['a report on stdout, where the text is', { rate: 5, report: ['json=-'] }, 'the text report goes to stdout'],
  ['a report in a missing folder', { rate: 5, report: ['html=/missing/a.html'] }, 'there is no folder /missing'],
  ['a mix with an unknown key', { rate: 5, mix: 'mix.yaml' }, 'mix.yaml:2:1'],
  ['a heavy load for another machine', { rate: 101, baseUrl: 'http://wallet.test.example' }, 'add --allow-load'],
  ['the address of production', { rate: 5, baseUrl: 'https://www.casino.example' }, 'looks like production'],
];

describe('the text of a load test', () => {
  const text = (own: Partial<LoadFacts>): string => {
    const facts = { ...RIGHT_LOAD, ...own };
    return loadText(
      { ...concludeLoad(facts), ...facts },
      reportOptions(silentStdio(cwd, {}).out, silentStdio(cwd, {}), null),
    );
  };

  it('asks whether the operator knows the campaign if it declines every free bet', () => {
    expect(text({ freeRounds: { campaign: 'spring', bets: 0, declined: 3 } })).toContain(
      'free bets 3 declined and none accepted. Does the operator know the campaign spring?',
    );
    expect(text({ freeRounds: { campaign: 'spring', bets: 4, declined: 0 } })).not.toContain('spring');
  });

  it('does not say that the money is right if a balance could not be compared', () => {
    const [sums] = RIGHT_LOAD.money.byCurrency;
    const money = { ...RIGHT_LOAD.money, verified: 1, byCurrency: [{ ...(sums ?? expect.fail()), shown: null }] };
    expect(text({ money })).toContain(
      'expected 2000.00, shown unknown, because not every balance was compared at the end. The differences found until then: 0.00',
    );
    expect(text({})).toContain('shown 2000.00, difference 0.00');
  });

  it('names the signal in the first line, and ends with its status, if the balances of an interrupted test are right', () => {
    const load = { ...RIGHT_LOAD.load, interrupted: 'SIGINT' } as const;
    expect(text({ load })).toMatch(
      /^RECONCILED: .*, but SIGINT interrupted the test\.\nInterrupted by SIGINT after .* Exit status 130\./u,
    );
    const [broken] = [{ ...RIGHT_LOAD.money, owed: [], unread: ['p1'] }];
    expect(text({ load, money: broken })).toMatch(
      /^UNDECIDED: acme: 1 balance could not be read .*\nInterrupted .* Exit status 130\./u,
    );
  });

  it('ends a question with its question mark only', () => {
    const money = { ...RIGHT_LOAD.money, players: 0, unreadReason: 'Is the server running?' };
    expect(text({ money }).split('\n')[0]).toMatch(/Is the server running\?$/u);
  });
});

it.each([
  ['which the mix asks for', 'freeRounds: 3\n', true],
  ['which the mix does not name', 'zeroWins: 50\n', false],
])('croupier load says first that a campaign is missing for free rounds %s', async (_, mix, isSaid) => {
  writeFileSync(path.join(cwd, 'free.yaml'), mix);
  let said = '';
  const stdio = silentStdio(cwd, { CROUPIER_KEY: 'a-key-of-a-test' });
  const write = (text: string): void => {
    said += text;
  };
  const session = ['s-1,player=p1,currency=EUR'];
  const flags = { rate: 5, mix: 'free.yaml', baseUrl: 'https://www.casino.example', extCid: 'acme', session };
  // Production is refused, so nothing is sent.
  const load = loadCommand(flags as unknown as LoadFlags, { ...stdio, err: { ...stdio.err, write } });
  await expect(load).rejects.toThrow('looks like production');
  expect(said.startsWith('The mix has free rounds (3 %), but no campaign is configured')).toBe(isSaid);
});

describe('before anything is sent, croupier load refuses', () => {
  it.each(refused)('%s', async (_, flags, message) => {
    writeFileSync(path.join(cwd, 'mix.yaml'), 'zeroWins: 50\nzeroWinz: 50\n');
    const client = { baseUrl: 'http://127.0.0.1:1', extCid: 'acme', session: ['s-1,player=p1,currency=EUR'] };
    const given = { ...client, ...flags } as unknown as LoadFlags;
    await expect(loadCommand(given, silentStdio(cwd, { CROUPIER_KEY: 'a-key-of-a-test' }))).rejects.toThrow(message);
  });
});
