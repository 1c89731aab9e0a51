import { describe, expect, it } from 'vitest';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import type { RuleId } from '../../src/contract/catalogue.ts';
import type { Found, JournalEvent, KnownFailure } from '../../src/journal/event.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { NOT_SHOWN } from '../../src/journal/scenario-result.ts';
import { attributed, ended, found, planned, runEnded, runStarted, started } from '../journal/events.ts';

/** The text of a baseline after an update. */
const updatedText = (...given: Parameters<typeof mergeBaseline>): string => mergeBaseline(...given).text;

const SCENARIOS = [planned('bet/debit', ['bet.debit']), planned('win/credit', ['win.credit'])];

const known = (rule: KnownFailure['rule'], more: Partial<KnownFailure> = {}): KnownFailure => ({
  rule,
  endpoint: null,
  scenario: null,
  reason: 'known before',
  ticket: 'PAY-9',
  expires: '2999-01-01',
  line: 1,
  tried: true,
  ...more,
});

/** A run of two scenarios in which the given events happen, and in which `win.credit` passes twice. */
function fold(events: readonly JournalEvent[], baseline: readonly KnownFailure[] = []) {
  const of = (id: string) => events.filter((event) => 'scenario' in event && event.scenario === id);
  return foldJournal([
    { ...runStarted(SCENARIOS), ...(baseline.length > 0 && { baseline: { file: 'b.yaml', known: baseline } }) },
    started('bet/debit'),
    ...of('bet/debit'),
    ended('bet/debit', { passes: { 'win.credit': { '*': 1 } } }),
    started('win/credit'),
    ...of('win/credit'),
    ended('win/credit', { passes: { 'win.credit': { '*': 2 } } }),
    ...events.filter((event) => !('scenario' in event)),
    runEnded(),
  ]);
}

/** A run in which the given things are found, and in which `win.many-in-round` passes once in each of the named scenarios. */
function foldWithPasses(findings: readonly Found[], passing: readonly string[]) {
  const ids = ['bet/debit', 'win/first', 'win/second'];
  return foldJournal([
    runStarted(ids.map((id) => planned(id, ['win.many-in-round']))),
    ...ids.flatMap((id) => [
      started(id),
      ...findings.filter(({ scenario }) => scenario === id),
      ended(id, passing.includes(id) ? { passes: { 'win.many-in-round': { '*': 1 } } } : {}),
    ]),
    runEnded(),
  ]);
}

const TEXTS = '  reason: our reason # why\n  ticket: PAY-1\n  expires: 2999-12-31 # until then\n';

describe('bringing a baseline up to date', () => {
  it('keeps an entry whose rule passes if a new failure in the same scenario may hide its failure', async () => {
    const text = `- rule: win.credit\n${TEXTS}`;
    expect(updatedText(text, 'known.yaml', await fold([], [known('win.credit')]))).not.toContain('win.credit');
    const run = await fold([found('win/credit', 'bet.debit', 'fail')], [known('win.credit')]);
    expect(updatedText(text, 'known.yaml', run)).toContain(text);
  });

  it('adds each failure with its client, its endpoint and its scenarios', async () => {
    const run = await fold([
      found('bet/debit', 'bet.debit', 'fail'),
      found('win/credit', 'signature.mismatch', 'fail', { endpoint: 'win' }),
      found('bet/debit', 'signature.mismatch', 'fail', { endpoint: 'bet' }),
      found('win/credit', 'bet.debit', 'fail'),
    ]);
    const text = updatedText('# ours\n', 'b.yaml', run);
    expect(text).toMatch(
      /^# ours\n- rule: bet.debit\n {2}client: "acme"\n {2}scenario:\n {4}- bet\/debit\n {4}- win\/credit\n/,
    );
    expect(text).toContain('- rule: signature.mismatch\n  client: "acme"\n  endpoint: win\n  scenario: win/credit\n');
    expect(text).toContain('- rule: signature.mismatch\n  client: "acme"\n  endpoint: bet\n  scenario: bet/debit\n');
    expect(updatedText(text, 'b.yaml', run)).toBe(text);
  });

  it('keeps comments, dates and the entries of other clients, and removes what is fixed', async () => {
    const others = `- rule: win.credit\n  client: other\n${TEXTS}`;
    const failing = `# still broken\n- rule: bet.debit\n${TEXTS}`;
    const fixed = `# fixed\n- rule: win.credit\n  client: acme\n  scenario: win/credit\n${TEXTS}`;
    const text = `# about this file\n${others}${fixed}${failing}# the end\n`;
    const run = await fold([found('bet/debit', 'bet.debit', 'fail')]);
    expect(updatedText(text, 'b.yaml', run)).toBe(`# about this file\n${others}${failing}# the end\n`);
    expect(updatedText(text, 'b.yaml', { ...run, ended: null })).toBe(text);
  });

  it('keeps an entry as long as the rule fails in one of its scenarios', async () => {
    const text = `- rule: win.credit\n  client: acme\n  scenario: [bet/debit, win/credit]\n${TEXTS}`;
    expect(updatedText(text, 'b.yaml', await fold([found('bet/debit', 'win.credit', 'fail')]))).toBe(text);
    expect(updatedText(text, 'b.yaml', await fold([]))).toBe('[]\n');
  });

  it('takes reason, ticket and date from the baseline of the run', async () => {
    const run = await fold([found('bet/debit', 'bet.debit', 'fail')], [known('bet.debit')]);
    expect(updatedText('', 'b.yaml', run)).toContain(
      'scenario: bet/debit\n  reason: "known before"\n  ticket: "PAY-9"\n  expires: 2999-01-01\n',
    );
  });

  it('adds an entry for a breach that moves more money than the listed one', async () => {
    const moving = (amount: string) =>
      fold([found('bet/debit', 'bet.debit', 'fail', { wrongSum: { amount, currency: 'USD' } })]);
    const listed = updatedText('[]\n', 'known.yaml', await moving('-2'));
    expect(listed).toContain('  money: "2 USD" # the highest sum in one scenario');
    expect(updatedText(listed, 'known.yaml', await moving('2'))).toBe(listed);
    expect(updatedText(listed, 'known.yaml', await moving('2.01'))).toContain('  money: "2.01 USD"');
  });

  it('gives the sums of each currency an entry of their own, so another order of the sessions makes nothing worse', async () => {
    const inCurrencies = (sums: Readonly<Record<string, string>>) =>
      fold(
        Object.entries(sums).map(([scenario, sum]) => {
          const [amount = '', currency = ''] = sum.split(' ');
          return found(scenario, 'bet.debit', 'fail', { wrongSum: { amount, currency } });
        }),
      );
    const text = updatedText('', 'b.yaml', await inCurrencies({ 'bet/debit': '6 USD', 'win/credit': '0.001 BTC' }));
    expect(text).toMatch(/scenario: bet\/debit\n {2}money: "6 USD".*\n/);
    expect(text).toMatch(/scenario: win\/credit\n {2}money: "0.001 BTC".*\n/);
    const reordered = await inCurrencies({ 'bet/debit': '0.003 BTC', 'win/credit': '7 USD' });
    expect(updatedText(text, 'b.yaml', reordered)).toBe(text);
    const more = await inCurrencies({ 'bet/debit': '0.003 BTC', 'win/credit': '0.002 BTC' });
    const worse = updatedText(text, 'b.yaml', more);
    expect(worse.slice(text.length)).toMatch(
      /^- rule: bet.debit\n.*\n {2}scenario: win\/credit\n {2}money: "0.002 BTC"/,
    );
  });

  it('lists a breach that moved no money as such, and a breach that moves money as a new one', async () => {
    const unpaid = await fold([found('bet/debit', 'bet.debit', 'fail', { noMoney: true })]);
    const text = updatedText('', 'b.yaml', unpaid);
    expect(text).toContain('  money: false # no breach moved money\n');
    expect(updatedText(text, 'b.yaml', unpaid)).toBe(text);
    const paid = updatedText(text, 'b.yaml', await fold([found('bet/debit', 'bet.debit', 'fail')]));
    expect(paid.slice(text.length)).toContain('- rule: bet.debit\n');
  });

  it('marks what failed only in races as intermittent', async () => {
    const events: readonly JournalEvent[] = [
      {
        event: 'race',
        scenario: 'bet/debit',
        attempt: 1,
        round: 1,
        step: '1',
        exchanges: ['x1'],
        barrier: 0,
        staggerMs: 0,
        overlapped: 2,
      },
      found('bet/debit', 'concurrency.no-lost-update', 'fail', { exchange: 'x1' }),
      found('bet/debit', 'bet.debit', 'fail', { exchange: 'x1', wrongSum: { amount: '-1', currency: 'USD' } }),
    ];
    const text = updatedText('', 'b.yaml', await fold(events));
    expect(text).toContain(
      '- rule: concurrency.no-lost-update\n  client: "acme"\n  intermittent: true # failed in 1 of 1 check\n',
    );
    expect(text).toMatch(
      /- rule: bet.debit\n {2}client: "acme"\n {2}money:[^:]*\n {2}intermittent: true # failed in 1 of 1 check\n/,
    );
  });

  it('names no scenario if a rule fails in many scenarios, because the next run may show it in others', async () => {
    const scenarios = Array.from({ length: 6 }, (_, at) => planned(`bet/s${at}`, ['bet.debit']));
    const broken = (failing: number, whole = true) =>
      foldJournal([
        runStarted(scenarios, false, whole),
        ...scenarios.flatMap(({ id }, at) => [
          started(id),
          ...(at < failing ? [found(id, 'reply.success-is-200', 'fail', { endpoint: 'bet' })] : []),
          ended(id, at < failing ? {} : { passes: { 'reply.success-is-200': { bet: 1 } } }),
        ]),
        runEnded(),
      ]);
    const text = updatedText('', 'b.yaml', await broken(6));
    expect(text).toMatch(/^- rule: reply.success-is-200\n {2}client: "acme"\n {2}endpoint: bet\n {2}reason: ""\n/);
    expect(updatedText('', 'b.yaml', await broken(5))).toContain('    - bet/s4\n');
    expect(updatedText('', 'b.yaml', await broken(6, false))).toContain('    - bet/s5\n');
  });

  it('gives an entry that replaces others the earliest of their last days', async () => {
    const scenarios = Array.from({ length: 6 }, (_, at) => planned(`bet/s${at}`, ['bet.debit']));
    const run = await foldJournal([
      runStarted(scenarios),
      ...scenarios.flatMap(({ id }) => [started(id), found(id, 'reply.success-is-200', 'fail'), ended(id)]),
      runEnded(),
    ]);
    const entry = (scenario: string, day: string): string =>
      `- rule: reply.success-is-200\n  client: acme\n  scenario: ${scenario}\n  reason: r\n  ticket: T\n  expires: ${day}\n`;
    const dayOf = (...days: readonly string[]): string | undefined =>
      /expires: (.*)/.exec(updatedText(days.map((day, at) => entry(`bet/s${at}`, day)).join(''), 'b.yaml', run))?.[1];
    expect(dayOf('2999-03-31', '2999-01-31')).toBe(
      '2999-01-31 # the earliest last day of the entries that this entry replaces',
    );
    expect(dayOf('2999-01-31', '2999-03-31')).toBe('2999-01-31');
  });

  it('names no scenario if a rule fails only in some currencies, because each run plays other scenarios in them', async () => {
    const scenarios = Array.from({ length: 8 }, (_, at) => planned(`bet/s${at}`, ['reply.success-is-200']));
    const sessions = ['USD', 'JPY', 'EUR'].map((currency) => ({
      sessionID: currency,
      player: currency,
      currency,
      gameID: null,
      state: 'active' as const,
    }));
    const start = runStarted(scenarios);
    const failingIn = (isBroken: (currency: string, at: number) => boolean, shift = 0) =>
      foldJournal([
        { ...start, settings: { ...start.settings, sessions } },
        ...scenarios.flatMap(({ id }, at): JournalEvent[] => {
          const currency = sessions[(at + shift) % 3]?.currency ?? '';
          return [
            { ...started(id), sessions: { main: currency } },
            ...(isBroken(currency, at) ? [found(id, 'reply.success-is-200', 'fail')] : []),
            ended(id, { passes: isBroken(currency, at) ? {} : { 'reply.success-is-200': { '*': 1 } } }),
          ];
        }),
        runEnded(),
      ]);
    const inYen = await failingIn((currency) => currency === 'JPY');
    const text = updatedText('', 'b.yaml', inYen);
    expect(text).toMatch(
      /^- rule: reply.success-is-200\n {2}client: "acme"\n {2}intermittent: true # failed in 3 of 8 checks\n {2}reason/,
    );
    // Other scenarios play in the currency now.
    const reordered = await failingIn((currency) => currency === 'JPY', 1);
    expect(updatedText(text, 'b.yaml', reordered)).toBe(text);
    const inSomeScenarios = updatedText('', 'b.yaml', await failingIn((_currency, at) => at < 4));
    expect(inSomeScenarios).toContain('bet/s3');
    expect(inSomeScenarios).not.toContain('intermittent');
  });

  it('allows the highest sum of a rule that fails in many scenarios in every currency of the run', async () => {
    const scenarios = Array.from({ length: 6 }, (_, at) => planned(`bet/s${at}`, ['bet.debit']));
    const start = runStarted(scenarios, false, true);
    const stakes = { USD: '1', JPY: '100', BTC: '0.0001' };
    const failing = (sumOf: (at: number) => string) =>
      foldJournal([
        { ...start, settings: { ...start.settings, stakes } },
        ...scenarios.flatMap(({ id }, at) => {
          const [amount = '', currency = ''] = sumOf(at).split(' ');
          return [started(id), found(id, 'bet.debit', 'fail', { wrongSum: { amount, currency } }), ended(id)];
        }),
        runEnded(),
      ]);
    const text = updatedText('', 'b.yaml', await failing((at) => (at === 0 ? '400 JPY' : '0.02 USD')));
    expect(text).toMatch(/client: "acme"\n {2}money:\n {4}- "400 JPY"\n {4}- "4 USD"\n {4}- "0.0004 BTC" #/);
    expect(updatedText(text, 'b.yaml', await failing((at) => (at === 0 ? '4 USD' : '2 JPY')))).toBe(text);
    const higher = updatedText(text, 'b.yaml', await failing((at) => (at === 0 ? '4 USD' : '0.03 USD')));
    expect(higher.match(/- rule: bet.debit/g)).toHaveLength(1);
    expect(higher).toContain('- "4 USD"');
    expect(higher).toContain('    bet/s1: 0.03 USD\n');
    expect(updatedText(higher, 'b.yaml', await failing((at) => (at === 0 ? '4 USD' : '0.03 USD')))).toBe(higher);
  });

  it('gives a player an entry of its own, and adds no player to the pinned entry of another player', async () => {
    const ids = Array.from({ length: 24 }, (_, at) => `win/${String.fromCharCode(97 + at)}`);
    const currencyOf: Readonly<Record<string, string>> = { p1: 'USD', p2: 'EUR' };
    const run = (failing: readonly string[], baseline: readonly KnownFailure[]) => {
      const start = runStarted(ids.map((id) => planned(id, ['win.credit'])));
      const sessions = ['p1', 'p2', 'p3', 'p4'].map((player) => ({
        sessionID: `s-${player}`,
        player,
        currency: currencyOf[player] ?? 'USD',
        gameID: null,
        state: 'active' as const,
      }));
      const stakes = { USD: '1', EUR: '1' };
      return foldJournal([
        {
          ...start,
          settings: { ...start.settings, sessions, stakes },
          baseline: { file: 'b.yaml', known: baseline },
        },
        ...ids.flatMap((id, at): JournalEvent[] => {
          const player = `p${(at % 4) + 1}`;
          const wrongSum = { amount: '-2', currency: currencyOf[player] ?? 'USD', moved: '4' };
          return [
            { ...started(id), sessions: { main: `s-${player}` } },
            ...(failing.includes(player) ? [found(id, 'win.credit', 'fail', { wrongSum })] : []),
            ended(id, failing.includes(player) ? {} : { passes: { 'win.credit': { '*': 1 } } }),
          ];
        }),
        runEnded(),
      ]);
    };
    const first = mergeBaseline('[]', 'b.yaml', await run(['p1'], [])).text.replace('ticket: ""', 'ticket: PAY-1');
    const { text, changes } = mergeBaseline(first, 'b.yaml', await run(['p1', 'p2'], []));
    expect([text.startsWith(first), changes.map(({ kind }) => kind)]).toEqual([true, ['added']]);
    const added = text.slice(first.length);
    expect([added.match(/players: .*? #/)?.[0], added.includes('USD'), added.includes('PAY-1')]).toEqual([
      'players: "p2" #',
      false,
      false,
    ]);
    const low = first + added.replace(/share: \S+/, 'share: 1%');
    const raised = mergeBaseline(low, 'b.yaml', await run(['p1', 'p2'], []));
    expect([raised.text.startsWith(first), raised.changes.map(({ kind, keys }) => [kind, keys])]).toEqual([
      true,
      [['extended', ['share']]],
    ]);
  });

  it('rounds the sums of floating-point errors up to the smallest unit of the currency', async () => {
    const float = (amount: string) =>
      fold([found('bet/debit', 'money.exact', 'fail', { wrongSum: { amount, currency: 'USD' } })]);
    const text = updatedText('', 'b.yaml', await float('0.0000000000001'));
    expect(text).toMatch(/client: "acme"\n {2}money: "0.01 USD"/);
    expect(updatedText(text, 'b.yaml', await float('-0.000000000003'))).toBe(text);
  });

  it('names a scenario without its cases if several of them fail', async () => {
    const scenarios = ['money/exact#one', 'money/exact#two', 'bet/zero#one'].map((id) => planned(id, ['money.exact']));
    const failing = await foldJournal([
      runStarted(scenarios),
      ...scenarios.flatMap(({ id }) => [started(id), found(id, 'money.exact', 'fail'), ended(id)]),
      runEnded(),
    ]);
    expect(updatedText('', 'b.yaml', failing)).toMatch(
      /scenario:\n {4}- money\/exact\n {4}- bet\/zero#one\n {2}reason/,
    );
  });

  it('marks a failure that did not occur again as intermittent, in every scenario', async () => {
    const once = await fold([
      found('bet/debit', 'bet.debit', 'fail', { unrepeated: true }),
      { event: 'intermittent', sessionID: 's-1', player: null, times: 3 },
    ]);
    expect(updatedText('', 'b.yaml', once)).toMatch(
      /client: "acme"\n {2}intermittent: true # failed in 1 of 1 check\n/,
    );
  });

  it('extends an entry at its place in the file, and keeps its texts and comments', async () => {
    const wrong = (amount: string) => ({ wrongSum: { amount, currency: 'USD' } });
    const before = `# ours
- rule: bet.debit # the fee
  client: acme
  money: 1 USD # agreed
  # PAY-1 explains the fee.
${TEXTS}- rule: win.zero
  client: acme
  money: 1.50 USD
  undecided: true
${TEXTS}- rule: signature.mismatch
  client: other
${TEXTS}`;
    const run = await fold([
      found('bet/debit', 'bet.debit', 'fail', wrong('-2')),
      found('bet/debit', 'win.zero', 'inconclusive', { causes: ['bet.debit'], ...wrong('-2') }),
      attributed('win.zero', 'bet.debit', { scenario: 'bet/debit' }),
    ]);
    const remark = 'the highest sum that is allowed in one scenario';
    const after = before
      .replace(
        'money: 1 USD # agreed\n',
        `# agreed\n  money: "1 USD" # ${remark}\n  moneyIn: # the highest sum in these scenarios\n    bet/debit: 2 USD\n`,
      )
      .replace(
        'money: 1.50 USD\n  undecided: true',
        'undecided: true # because of other failures; the rule may not fail',
      );
    expect(updatedText(before, 'b.yaml', run)).toBe(after);
    expect(updatedText(after, 'b.yaml', run)).toBe(after);
  });

  it('refuses a file that is not a baseline, and shows each mistake', async () => {
    const run = await fold([]);
    expect(() => updatedText('a: 1\n', 'b.yaml', run)).toThrow(/b.yaml:1:1: a baseline must be a list/);
    expect(() => updatedText('- rule: bet.debitt\n', 'b.yaml', run)).toThrow(/did you mean `bet.debit`\?/);
  });

  it('adds each rule that the failures leave undecided, and removes it when the rule is decided again', async () => {
    const isOpen = [
      found('bet/debit', 'bet.debit', 'fail'),
      found('bet/debit', 'win.zero', 'inconclusive', { causes: ['bet.debit'] }),
    ];
    const text = updatedText('', 'b.yaml', await fold(isOpen));
    expect(text).toContain('- rule: win.zero\n  client: "acme"\n  undecided: true # because of other failures');
    expect(updatedText(text, 'b.yaml', await fold(isOpen))).toBe(text);
    const decided = await fold([found('bet/debit', 'bet.debit', 'fail'), found('win/credit', 'win.zero', 'warn')]);
    expect(updatedText(text, 'b.yaml', decided)).not.toContain('undecided');
    const failing = await fold([found('bet/debit', 'bet.debit', 'fail'), found('win/credit', 'win.zero', 'fail')]);
    const entry = /- rule: win.zero\n {2}client: "acme"\n {2}scenario/;
    expect(updatedText(text, 'b.yaml', failing)).toMatch(entry);
    // The entry with `undecided` does not allow the failure, also if it stays in the baseline.
    const both = await fold([...isOpen, found('win/credit', 'win.zero', 'fail')]);
    expect(updatedText(text, 'b.yaml', both)).toMatch(entry);
  });

  it('adds a rule that passed in one scenario if the failures leave it undecided in the others, and keeps its entry', async () => {
    const failing = found('bet/debit', 'bet.debit', 'fail');
    const notShown = found('bet/debit', 'win.many-in-round', 'skip', { actual: NOT_SHOWN });
    const inOne = await foldWithPasses([failing, notShown], ['win/first']);
    const text = updatedText('', 'b.yaml', inOne);
    expect(text).toContain('- rule: win.many-in-round\n  client: "acme"\n  undecided: true');
    const filled = text.replaceAll('""', '"known"');
    expect(updatedText(filled, 'b.yaml', inOne)).toBe(filled);
    const inTwo = await foldWithPasses([failing, notShown], ['win/first', 'win/second']);
    expect(updatedText(text, 'b.yaml', inTwo)).not.toContain('win.many-in-round');
    // Without a failure that explains why the other scenario shows nothing, the next run shows the same.
    expect(updatedText('', 'b.yaml', await foldWithPasses([notShown], ['win/first']))).not.toContain(
      'win.many-in-round',
    );
  });

  it('adds a rule about money that passed in one scenario only, if chance decides whether a balance is wrong there', async () => {
    const wrongSum = { amount: '2', currency: 'USD' };
    const withCauses = (causes: readonly RuleId[]) =>
      foldWithPasses([found('win/first', 'win.credit', 'fail', { wrongSum, causes })], ['win/first']);
    // A wallet that pays wins late shows an old balance.
    const late = updatedText('', 'b.yaml', await withCauses(['balance.read']));
    expect(late).toContain('- rule: win.many-in-round\n  client: "acme"\n  undecided: true');
    expect(updatedText(late, 'b.yaml', await withCauses(['balance.read']))).toBe(late);
    expect(updatedText('', 'b.yaml', await withCauses([]))).not.toContain('win.many-in-round');
  });
});
