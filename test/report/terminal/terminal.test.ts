import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../../src/contract/catalogue.ts';
import type { JournalEvent } from '../../../src/journal/event.ts';
import { foldJournal } from '../../../src/journal/fold.ts';
import { MOVED_ALONE } from '../../../src/journal/scenario-result.ts';
import { forTerminal } from '../../../src/report/escape.ts';
import { ANSI } from '../../../src/report/paint.ts';
import { columnsOf } from '../../../src/report/terminal/layout.ts';
import { terminalReport } from '../../../src/report/terminal/terminal.ts';
import {
  attributed,
  ended,
  exchange,
  found,
  planned,
  runEnded,
  runOf,
  runStarted,
  started,
} from '../../journal/events.ts';
import { JOURNALS, OPTIONS, reportOfEvents, reportText } from '../journals.ts';

const golden = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/reports/${name}.txt`, import.meta.url));
const story = planned('bet/debit', ['bet.debit']);

async function longestPiece(exchanges: number): Promise<number> {
  function* events(): Generator<JournalEvent> {
    yield runStarted([story]);
    yield started(story.id);
    for (let index = 0; index < exchanges; index += 1) yield* exchange(`x${index}`, story.id);
    yield found(story.id, 'bet.debit', 'fail', { exchange: `x${exchanges - 1}` });
    yield ended(story.id, { verdict: 'fail' });
    yield runEnded();
  }
  let max = 0;
  for await (const piece of terminalReport(await foldJournal(events()), events, { ...OPTIONS, verbosity: 2 })) {
    max = Math.max(max, piece.length);
  }
  return max;
}

describe('the terminal report', () => {
  it.each(JOURNALS)('of the journal %s equals the golden file', async (name) => {
    await expect(await reportText(name, 'terminal')).toMatchFileSnapshot(golden(name));
  });

  it('uses the width of a wide terminal', async () => {
    await expect(await reportText('failing', 'terminal', { width: 140 })).toMatchFileSnapshot(golden('failing-wide'));
  });

  it('shows every exchange with the option -vv', async () => {
    const text = await reportText('interrupted', 'terminal', { verbosity: 2 });
    await expect(text).toMatchFileSnapshot(golden('interrupted-verbose'));
    expect(text.match(/^ {4}request /gm)).toHaveLength(6);
  });

  it.each(JOURNALS)('of the journal %s has the same text in colour', async (name) => {
    const coloured = await reportText(name, 'terminal', { paint: ANSI });
    expect(coloured).toContain('\u001B[');
    expect(stripVTControlCharacters(coloured)).toBe(await reportText(name, 'terminal'));
  });

  it.each(JOURNALS)('of the journal %s has no control characters, and only ASCII without Unicode', async (name) => {
    const own = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
    expect((await reportText(name, 'terminal', { verbosity: 2 })).replaceAll('\n', '')).not.toMatch(own);
    // These two characters come from outside texts and cut texts. Everything else must be ASCII.
    const ascii = (await reportText(name, 'terminal', { unicode: false })).replaceAll('’', "'").replaceAll('…', '');
    expect(ascii).toMatch(/^[ -~\n]*$/);
  });

  it.each([60, 80, 120])('keeps to %i columns, except for the first line and lines to be copied', async (width) => {
    const lines = (await reportText('failing', 'terminal', { width })).split('\n').slice(1);
    const long = lines.filter((line) => columnsOf(line) > width);
    // An identifier, an address or a signature is one word, and stands alone in its line if it is too long.
    const isOneWord = (line: string): boolean => /^ +(?:(?:request|look at|seen at) +)?\S+$/.test(line);
    const isToCopy = (line: string): boolean => /^ +again {5}|^ {5}run alone | croupier (?:run|report) /.test(line);
    expect(long.filter((line) => !isOneWord(line) && !isToCopy(line) && !line.startsWith('NOT CONFORMING'))).toEqual(
      [],
    );
  });

  it("keeps an operator's message in wide letters and emoji to a window of 40 columns", async () => {
    const message = `余额不足${'😀'.repeat(8)}、もう一度お試しください。잔액이 부족합니다 👨‍👩‍👧`;
    const data = JSON.stringify({ code: 'INSUFFICIENT_FUNDS', message });
    const [sending, received] = exchange('x1', story.id);
    const body = { encoding: 'utf8', data, length: Buffer.byteLength(data), truncated: false } as const;
    const outcome = { kind: 'reply', reply: { status: 400, headers: [], body } } as const;
    const text = await reportOfEvents(
      runOf({ ...story, title: '賭けと残高😀が一致するかどうかを確かめるシナリオ' }, [
        sending,
        { ...received, outcome },
        found(story.id, 'bet.debit', 'fail', { exchange: 'x1', actual: `answered 400, "${message}"` }),
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
      { width: 40, verbosity: 1 },
    );
    const [, shown = ''] = /\n(── Failures ─+\n.*?)\n── /s.exec(text) ?? [];
    const lines = shown.split('\n').filter((line) => !/^ {4}again {5}|^ +http:\S+$|"INSUFFICIENT_FUNDS",$/.test(line));
    expect(lines.filter((line) => columnsOf(line) > 40)).toEqual([]);
    expect(lines).toContain('    actual    answered 400, "余额不足😀');
    expect(lines).toContain('              😀😀😀😀😀😀😀、もう一度お');
    // No character is lost. A terminal may join the parts of an emoji, so they are shown one by one.
    expect(lines.join('').replaceAll(' ', '')).toContain(forTerminal(message).replaceAll(' ', ''));
  });

  it('of a run without a breach has at most 22 lines, with the command that shows the rest', async () => {
    const text = await reportText('green', 'terminal', { width: 100 });
    expect(text.split('\n').length).toBeLessThanOrEqual(22);
    expect(text).toContain('Every rule and note: croupier report convert .croupier/run.ndjson -v\n');
  });

  it.each(['green', 'failing'] as const)('of the journal %s has every rule, finding and note with -v', async (name) => {
    await expect(await reportText(name, 'terminal', { verbosity: 1 })).toMatchFileSnapshot(golden(`${name}-rules`));
  });

  it('of a run with failures ends with the verdict and one line for each cause', async () => {
    const lines = (await reportText('failing', 'terminal')).trimEnd().split('\n');
    expect(lines.at(-7)).toBe(lines[0]);
    expect(lines.at(-6)).toBe(
      '  1. idempotency.bet           idempotency/bet:9                   croupier run idempotency/bet',
    );
    expect(lines.at(-1)).toBe('Exit status 1: not conforming.');
  });

  it('shows the request only of the first cause, and a curl command for each', async () => {
    const text = await reportText('failing', 'terminal');
    expect(text.match(/^ +X-REQUEST-SIGN:$/gm)).toHaveLength(1);
    expect(text.match(/^ +again {5}curl /gm)).toHaveLength(5);
    expect(text).toContain('  request   win of 1.00 USD\n');
  });

  it('shows a cause in an everyday currency if scenarios in several currencies show it', async () => {
    const inYen = planned('bet/yen', ['bet.debit']);
    const inEuro = planned('bet/euro', ['bet.debit']);
    const session = (sessionID: string, currency: string) =>
      ({ sessionID, player: null, currency, gameID: null, state: 'active' }) as const;
    const first = runStarted([inYen, inEuro]);
    const settings = { ...first.settings, sessions: [session('y', 'JPY'), session('e', 'EUR')] };
    const text = await reportOfEvents(
      [
        { ...first, settings },
        ...[[inYen, 'y'] as const, [inEuro, 'e'] as const].flatMap(([{ id }, main]): JournalEvent[] => [
          { ...started(id), sessions: { main } },
          found(id, 'bet.debit', 'fail', { actual: `seen in ${id}` }),
          ended(id, { verdict: 'fail' }),
        ]),
        runEnded(),
      ],
      'terminal',
    );
    expect(text).toContain('actual    seen in bet/euro');
  });

  it('says with a warning which call shows it, what to fix, and which broken rule explains it', async () => {
    const text = await reportOfEvents(
      runOf(story, [
        ...exchange('x1', story.id),
        found(story.id, 'bet.debit', 'fail', { exchange: 'x1' }),
        found(story.id, 'idempotency.same-reply', 'warn', { exchange: 'x1' }),
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
    );
    const [, section = ''] = /── Warnings ─+\n\n(.*?)\n\n/s.exec(text) ?? [];
    expect(section).toContain('    request   balance call\n    reply     200 after ');
    expect(section).toContain('    because   the same call breaks bet.debit\n    to fix    ');
  });

  it.each([
    ['-2', true],
    ['2', false],
  ])('names wins that are too low as the cause of a balance that is wrong by %s: %j', async (amount, isNamed) => {
    const text = await reportOfEvents(
      runOf(story, [
        found(story.id, 'win.credit', 'fail', { wrongSum: { amount: '-2', currency: 'USD' } }),
        found(story.id, 'refund.restore', 'fail', { causes: ['win.credit'], wrongSum: { amount, currency: 'USD' } }),
        found(story.id, 'robustness.bad-amount', 'warn', {
          causes: ['win.credit'],
          wrongSum: { amount, currency: 'USD' },
        }),
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
      { verbosity: 1 },
    );
    expect(text.includes('perhaps   because of win.credit')).toBe(isNamed);
    expect(text.includes('win.credit is broken and would explain this warning')).toBe(isNamed);
  });

  it('begins with the likely causes, their effects, the rules that they explain, and the command to run them again', async () => {
    const text = await reportOfEvents(
      runOf({ ...story, place: { ...story.place, file: 'scenarios/bet/debit.yaml' } }, [
        ...exchange('x1', story.id),
        found(story.id, 'money.exact', 'fail', {
          exchange: 'x1',
          place: { file: 'scenarios/bet/debit.yaml', line: 7, column: 3 },
        }),
        found(story.id, 'bet.debit', 'fail', { causes: ['money.exact'] }),
        found(story.id, 'win.credit', 'fail'),
        ended(story.id, { verdict: 'fail' }),
        attributed('win.credit', 'money.exact'),
      ]),
      'terminal',
      { verbosity: 1 },
    );
    const [, section = ''] = /── Likely cause ─+\n\n(.*?)\n── /s.exec(text) ?? [];
    expect(section).toBe(
      [
        '  One broken rule explains all failures, and the results of 2 other rules.',
        '',
        '  1. money.exact  MUST  $ money is at stake',
        "     Players' balances become wrong by a cent, and the last coin of an account",
        '     cannot be staked.',
        '     shown by  1 of 1 check, in bet/debit',
        '     explains  bet.debit (failed); win.credit (undecided)',
        '     look at   bet/debit:7, exchange x1 below',
        '     run alone croupier run bet/debit',
        '',
      ].join('\n'),
    );
    expect(text.indexOf('✗ money.exact')).toBeLessThan(text.indexOf('✗ bet.debit'));
    expect(text).toContain('because   money.exact is broken and would explain these findings');
  });

  it('warns if a balance changed by itself in a scenario that failed', async () => {
    const alone = await reportOfEvents(
      runOf(story, [
        ...exchange('x1', story.id),
        found(story.id, 'bet.debit', 'fail', { exchange: 'x1' }),
        ended(story.id, { verdict: 'fail', reason: MOVED_ALONE }),
      ]),
      'terminal',
    );
    expect(alone).toContain('  ! In bet/debit the balance also changed while croupier sent nothing:');
    expect(alone).toContain('also      the balance changed without a call of this run');
    const other = await reportOfEvents(
      runOf(story, [
        found(story.id, 'bet.debit', 'fail'),
        ended(story.id, { verdict: 'fail', reason: 'the bet failed' }),
      ]),
      'terminal',
    );
    expect(other).not.toContain('sent nothing');
  });

  it('never breaks a path that is too long for the line', async () => {
    const file = `/home/somebody/work/${'deep/'.repeat(12)}scenarios/ours/debit.yaml`;
    const text = await reportOfEvents(
      runOf(story, [
        ...exchange('x1', story.id),
        found(story.id, 'bet.debit', 'fail', { exchange: 'x1', place: { file, line: 7, column: 3 } }),
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
      { verbosity: 1 },
    );
    expect(text).toContain(`     look at   ${file}:7\n               exchange x1 below\n`);
  });

  it('shows each missed expectation of a scenario, and their common call once', async () => {
    const place = { file: 'our/first.yaml', line: 5, column: 5 };
    const text = await reportOfEvents(
      runOf(story, [
        ...exchange('x1', story.id),
        found(story.id, 'expectation', 'fail', { exchange: 'x1', place, expected: '`currency` is "EUR"' }),
        found(story.id, 'expectation', 'fail', { exchange: 'x1', place, expected: '`bonus` is "1"' }),
        found(story.id, 'expectation', 'fail', { exchange: 'x1', place, expected: '`bonus` is "1"' }),
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
      { verbosity: 1 },
    );
    expect(text.match(/ {4}expected .*/g)).toEqual([
      '    expected  `currency` is "EUR"',
      '    expected  `bonus` is "1"',
    ]);
    expect(text.match(/^ {4}request /gm)).toHaveLength(1);
  });

  it('draws the calls of a race on one time axis, with the result of each', async () => {
    const calls = ['x1', 'x2'].flatMap((id, at) => {
      const [sending, received] = exchange(id, story.id);
      return [
        { ...sending, step: `1.${at + 1}` },
        { ...received, stamps: { ...received.stamps, start: 0, sent: 10 + at * 20, end: 40 + at * 30 } },
      ];
    });
    const race = {
      scenario: story.id,
      attempt: 1,
      round: 1,
      step: '1',
      exchanges: ['x1', 'x2'],
      barrier: 10,
      staggerMs: 0,
    };
    const text = await reportOfEvents(
      runOf(story, [
        ...calls,
        found(story.id, 'bet.debit', 'fail', { exchange: 'x2' }),
        { event: 'race', ...race, overlapped: 2 },
        ended(story.id, { verdict: 'fail' }),
      ]),
      'terminal',
      { width: 60 },
    );
    expect(text).toContain('timeline  2 calls sent together');
    expect(text).toMatch(/^ {6}1\.1 balance │█+ +│ 200 1\.00$/m);
    expect(text).toMatch(/^ {4}› 1\.2 balance │·+█+│ 200 1\.00$/m);
  });

  it('shows a breach about money before one that is not, and names the scenarios that it does not show', async () => {
    const stories = ['a', 'b', 'c', 'd'].map((id) => planned(`bet/${id}`, ['bet.debit']));
    const text = await reportOfEvents(
      [
        runStarted(stories),
        ...stories.flatMap(({ id }): JournalEvent[] => [
          started(id),
          found(id, 'balance.read', 'fail'),
          found(id, 'win.credit', 'fail', { actual: `seen in ${id}` }),
          ended(id, { verdict: 'fail' }),
        ]),
        runEnded(),
      ],
      'terminal',
      { verbosity: 1 },
    );
    expect(text.indexOf('win.credit  MUST  $')).toBeLessThan(text.indexOf('balance.read  MUST'));
    expect(text).toContain('seen in bet/b');
    expect(text).not.toContain('seen in bet/c');
    expect(text).toContain('also in   bet/c, bet/d');
  });

  it('names the cause of an undecided rule', async () => {
    const events = runOf(story, [
      found(story.id, 'bet.debit', 'fail'),
      ended(story.id),
      attributed('bet.debit', 'balance.read'),
    ]);
    const text = await reportOfEvents(events, 'terminal');
    expect(text).toContain('  ? balance.read explains it: bet.debit (bet/debit)');
    expect(text).not.toContain('── Failures');
  });

  it.each([
    [
      { call: 'win', fields: { amount: '6.00' } },
      'the win t-1 of 6.00 in session s-1 was never answered 200: the player may not have received the win',
    ],
    [
      { call: 'refund', fields: { txID: 't-1', amount: '1.00' } },
      'the bet t-1 of 1.00 in session s-1 may have been accepted, and it was not refunded: the player may have lost the stake',
    ],
    [
      { call: 'refund', fields: { amount: '1.00', origTxID: 't-0' } },
      'the refund t-1 of 1.00 for the bet t-0 in session s-1 was never answered 200: the player may not have received the stake back',
    ],
    [
      { call: 'refund', fields: { amount: '1.00', origTxID: 't-0' }, bet: 'declined', status: 409 },
      'the refund t-1 of 1.00 for the bet t-0 in session s-1 was answered 409: this bet was declined, so no stake is owed',
    ],
    [
      { call: 'refund', fields: { amount: '1.00', origTxID: 't-0' }, bet: 'not-received', status: 404 },
      'the refund t-1 of 1.00 for the bet t-0 in session s-1 was answered 404: this bet never reached the operator, so no stake is owed',
    ],
    [
      { call: 'refund', fields: {} },
      'the refund with or for the txID t-1 in session s-1 was never answered 200: the player may have lost a stake',
    ],
  ] as const)(
    'says whether a player may have lost money by an owed call: %j',
    async ({ fields, ...more }, sentence) => {
      const owed = { event: 'owed', scenario: story.id, sessionID: 's-1', txID: 't-1' } as const;
      const open = runOf(story, [ended(story.id, { restored: null }), { ...owed, ...more, open: true, fields }]);
      const text = await reportOfEvents(open, 'terminal');
      expect(text.replaceAll(/\n +/g, ' ')).toContain(sentence);
      expect(text).toContain('    croupier settle .croupier/run.ndjson');
      const settled = [...open, { ...owed, ...more, open: false, fields }];
      expect(await reportOfEvents(settled, 'terminal')).not.toContain('Owed calls and balances');
    },
  );

  it('names all owed calls of one cause in one line, and lists them only with -v', async () => {
    const { id } = story;
    const owed = [404, 404, 409].map((status, at) => ({
      event: 'owed' as const,
      scenario: id,
      call: 'refund' as const,
      sessionID: 's-1',
      txID: `r-${at}`,
      open: true,
      fields: { txID: `r-${at}`, origTxID: `b-${at}`, amount: '1.00' },
      bet: at === 2 ? ('accepted' as const) : ('not-received' as const),
      status,
    }));
    const events = runOf(story, [
      ...owed,
      found(id, 'bet.debit', 'fail'),
      ended(id, { verdict: 'fail', restored: null }),
    ]);
    const short = (await reportOfEvents(events, 'terminal')).replaceAll(/\n +/g, ' ');
    expect(short).toContain(
      '! 3 refunds (3) were not answered 200 (404, 409), see cause 1 (bet.debit): for 1 of them, the player may have lost the stake',
    );
    expect(short).not.toContain('r-0');
    const verbose = (await reportOfEvents(events, 'terminal', { verbosity: 1 })).replaceAll(/\n +/g, ' ');
    expect(verbose).toContain('- the refund r-0 of 1.00 for the bet b-0 in session s-1 was answered 404');
    const page = await reportOfEvents(events, 'html');
    expect(page).toMatch(/<details class="owed"><summary>All 3 owed calls<\/summary>.*b-2/su);
    expect(page).toContain('<a href="#left">Owed</a>');
    expect(page.indexOf('id="left"')).toBeGreaterThan(page.indexOf('id="broken"'));
  });

  it('claims no loss by an owed call if the balance is the same as before the scenario', async () => {
    const { id } = story;
    const owed = {
      event: 'owed',
      scenario: id,
      call: 'win',
      sessionID: 's-1',
      txID: 't-1',
      open: true,
      fields: { txID: 't-1', amount: '2.00' },
    } as const;
    const textOf = async (restored: boolean | null) =>
      (await reportOfEvents(runOf(story, [owed, ended(id, { restored })]), 'terminal')).replaceAll(/\n +/g, ' ');
    expect(await textOf(true)).toContain('the balance is the same as before the scenario, so no money is owed');
    for (const restored of [false, null])
      expect(await textOf(restored)).toContain('the player may not have received the win');
  });

  it('counts as judged exactly the rules that failed, warned or passed', async () => {
    for (const name of JOURNALS) {
      const text = await reportText(name, 'terminal');
      const [, judged] = /(\d+) rules judged/.exec(text) ?? [];
      if (judged === undefined) continue;
      const counts = [...text.slice(0, text.indexOf('──')).matchAll(/(\d+) (?:failed|warnings?|passed)\b/g)];
      expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(Number(judged));
    }
  });

  it('shows a cut body with its whole length, and offers no curl command that would send less', async () => {
    const [sending, received] = exchange('x1', story.id);
    const cut = { encoding: 'utf8', data: 'a'.repeat(2000), length: 9000, truncated: true } as const;
    const request = { ...sending.request, method: 'POST', body: cut };
    const text = await reportOfEvents(
      runOf(story, [
        { ...sending, request },
        received,
        found(story.id, 'bet.debit', 'fail', { exchange: 'x1' }),
        ended(story.id),
      ]),
      'terminal',
    );
    expect(text.replaceAll(/\n +/g, ' ')).toContain('… (9000 bytes in all)');
    expect(text).toContain('no curl command: the journal does not hold the whole body');
    expect(text).not.toContain('curl -sSi');
  });

  it('is written in pieces whose size does not depend on the number of exchanges', async () => {
    expect(await longestPiece(5_000)).toBe(await longestPiece(50));
  });

  it('names only the first of many rules that one reason leaves undecided, and every rule with -v', async () => {
    const rules = RULES.slice(0, 10).map(({ id }) => id);
    const all = planned('all/rules', rules);
    const events = runOf(all, [
      ...rules.map((rule) => found(all.id, rule, 'inconclusive')),
      ended(all.id, { verdict: 'inconclusive' }),
    ]);
    const text = async (verbosity: 0 | 1): Promise<string> =>
      (await reportOfEvents(events, 'terminal', { verbosity })).replaceAll(/\s+/g, ' ');
    expect(await text(0)).toContain(`${rules[4]} (all/rules) and 5 more`);
    expect(await text(0)).not.toContain(rules[5]);
    expect(await text(1)).toContain(`${rules[6]} (all/rules)`);
    expect(await text(1)).not.toContain('and 5 more');
  });

  it('ends no reason with a full stop before the names of its rules', async () => {
    const reason = 'the connection failed (reset): it was closed (ECONNRESET).';
    const events = runOf(story, [ended(story.id, { verdict: 'inconclusive', reason })]);
    const text = (await reportOfEvents(events, 'terminal')).replaceAll(/\s+/g, ' ');
    expect(text).toContain('(ECONNRESET): bet.debit');
  });

  it('names warnings about money in the first line of a failed run', async () => {
    const both = planned('bet/both', ['bet.debit', 'refund.once']);
    const events = runOf(both, [
      found(both.id, 'bet.debit', 'fail'),
      found(both.id, 'refund.once', 'warn'),
      ended(both.id, { verdict: 'fail' }),
    ]);
    expect((await reportOfEvents(events, 'terminal')).split('\n', 1)[0]).toBe(
      'NOT CONFORMING: acme breaks 1 of 2 rules judged, and it is about money, with 1 warning about money.',
    );
  });
});
