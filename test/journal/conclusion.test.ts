import { describe, expect, it } from 'vitest';
import type { RuleId } from '../../src/contract/catalogue.ts';
import { type Conclusion, conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent, KnownFailure, PlannedScenario, Received, RunEnded } from '../../src/journal/event.ts';
import { EXPECTATION, type Finding } from '../../src/journal/finding.ts';
import { foldJournal } from '../../src/journal/fold.ts';
import { UNPROVEN } from '../../src/journal/results/unproven.ts';
import { MOVED_ALONE, NOT_SHOWN } from '../../src/journal/scenario-result.ts';
import { scopeText } from '../../src/report/scope.ts';
import { attributed, ended, exchange, found, planned, runEnded, runStarted, started } from './events.ts';

const story = planned('bet/debit', ['bet.debit']);
const pass = ended(story.id, { passes: { 'bet.debit': { '*': 1 } } });
const fail = [found(story.id, 'bet.debit', 'fail'), ended(story.id, { verdict: 'fail' })];

async function of(
  events: readonly JournalEvent[],
  end: RunEnded | null = runEnded(),
  strict = false,
): Promise<Conclusion> {
  const tail = end === null ? [] : [end];
  return conclude(await foldJournal([runStarted([story], strict), started(story.id), ...events, ...tail]));
}

describe('the exit status of a run', () => {
  it('is 0 when all judged rules hold', async () => {
    expect(await of([pass])).toEqual({
      verdict: 'conforming',
      exitCode: 0,
      firstLine: 'CONFORMING: acme breaks none of 1 rule judged.',
    });
  });

  it('is 0 for the whole suite with scenarios of the user, and the first line counts these', async () => {
    const begun = { ...runStarted([story]), ownScenarios: 2 };
    const fold = await foldJournal([begun, started(story.id), pass, runEnded()]);
    expect(conclude(fold).firstLine).toBe(
      'CONFORMING: acme breaks none of 1 rule judged, in the whole suite and 2 own scenarios.',
    );
    expect(scopeText(fold)).toBe('the whole suite and 2 own scenarios');
  });

  it('is 1 when a MUST failed, and the conclusion says whether money is at stake', async () => {
    expect(await of(fail)).toEqual({
      verdict: 'nonconforming',
      exitCode: 1,
      firstLine: 'NOT CONFORMING: acme breaks 1 of 1 rule judged, and it is about money.',
    });
  });

  it('is 3 when only one attempt of a run without locks showed a failure, and the first line says so', async () => {
    const finding = found(story.id, 'bet.debit', 'inconclusive');
    const unproven = { ...finding, finding: { ...finding.finding, actual: `${UNPROVEN}: the balance is 3` } };
    expect(
      await of([
        unproven,
        found(story.id, 'win.credit', 'note'),
        ended(story.id, { passes: { 'balance.read': { '*': 1 } } }),
      ]),
    ).toEqual({
      verdict: 'undecided',
      exitCode: 3,
      firstLine:
        'UNDECIDED: the run had no locks (--no-lock), and another command may have moved the balances of its players, so 1 rule could not be decided. Let only one command use the players, and run again.',
    });
  });

  it('is 1 when only an expectation of a scenario was missed', async () => {
    const events = [pass, found(story.id, EXPECTATION, 'fail')];
    expect(await of(events)).toMatchObject({ verdict: 'nonconforming', exitCode: 1 });
    expect((await of(events)).firstLine).toBe('NOT CONFORMING: acme does not meet 1 expectation of the scenarios.');
  });

  it('is 0 when a SHOULD is only a warning, and 1 for the same SHOULD in a strict run', async () => {
    const events = [found(story.id, 'reply.content-type', 'warn'), pass];
    expect(await of(events)).toMatchObject({
      exitCode: 0,
      firstLine: expect.stringContaining('with 1 warning') as string,
    });
    expect(await of(events, runEnded(), true)).toMatchObject({ exitCode: 1, verdict: 'nonconforming' });
    const aboutMoney = [found(story.id, 'idempotency.conflicting-body', 'warn'), pass];
    expect(await of(aboutMoney)).toMatchObject({
      firstLine: expect.stringContaining('with 1 warning, which is about money') as string,
    });
  });

  it('is 0 when a MUST about money was not tested for lack of a setting, and the first line names the rule', async () => {
    const exact = planned('money/exact', ['money.exact']);
    const large = planned('money/large', ['money.large']);
    const skipped = [exact, large].flatMap(({ id }) => [
      { ...started(id), sessions: {} },
      ended(id, { verdict: 'skip', reason: 'the scenario needs a currency' }),
    ]);
    const events = [runStarted([story, exact, large]), started(story.id), pass, ...skipped, runEnded()];
    expect(conclude(await foldJournal(events))).toMatchObject({
      exitCode: 0,
      firstLine: 'CONFORMING: acme breaks none of 1 rule judged. 1 MUST rule about money was not tested: money.exact.',
    });
  });

  it('is 3 when every signed call was answered 404 without a code, because the base URL may be wrong', async () => {
    const [sending, received] = exchange('x1', story.id);
    const said = (text: string): Received => ({
      ...received,
      outcome: {
        kind: 'reply',
        reply: {
          status: 404,
          headers: [],
          body: { encoding: 'utf8', data: text, length: text.length, truncated: false },
        },
      },
    });
    expect(await of([sending, said('{"message":"Not found"}'), ...fail])).toEqual({
      verdict: 'undecided',
      exitCode: 3,
      firstLine:
        'UNDECIDED: nothing was tested for acme, because the only signed call was answered as if the path were unknown (404, without a code), so the base URL is probably wrong, or no session is open.',
    });
    expect(await of([sending, said('{"code":"session_not_found","message":"Ended"}'), ...fail])).toMatchObject({
      exitCode: 1,
    });
  });

  it('is 3 when the operator does not know the session, but 1 when it forgets a session that it knew', async () => {
    const [sending, received] = exchange('x1', story.id);
    const text = '{"code":"session_not_found","message":"Unknown"}';
    const body = { encoding: 'utf8', data: text, length: text.length, truncated: false } as const;
    const unknown = { ...received, outcome: { kind: 'reply', reply: { status: 404, headers: [], body } } } as const;
    const read = found(story.id, 'balance.read', 'fail', { exchange: 'x1' });
    const end = ended(story.id, { verdict: 'fail' });
    const start = runStarted([story]);
    const settings = {
      ...start.settings,
      sessions: [{ sessionID: 's-1', player: null, currency: null, gameID: null, state: 'active' as const }],
    };
    const run = async (...events: readonly JournalEvent[]) =>
      conclude(await foldJournal([{ ...start, settings }, started(story.id), ...events, read, end, runEnded()]));
    expect(await run(sending, unknown)).toEqual({
      verdict: 'undecided',
      exitCode: 3,
      firstLine:
        "UNDECIDED: nothing was tested for acme, because the operator does not know the session s-1 (session_not_found). Compare the sessionID with the operator's, or open the session again there.",
    });
    expect(await run(...exchange('x0', story.id), sending, unknown)).toMatchObject({ exitCode: 1 });
  });

  it.each([
    [['no money'], 'UNDECIDED: no rule was judged for acme: no money.'],
    [['no money', 'no money'], 'UNDECIDED: no rule was judged for acme, because 2 scenarios were skipped: no money.'],
    [['no money', 'no currency'], 'UNDECIDED: no rule was judged for acme.'],
  ])(
    'is 3 when all scenarios were skipped, and the first line names a shared reason: %j',
    async (reasons, firstLine) => {
      const stories = reasons.map((_, at) => planned(`bet/skipped-${at}`, ['bet.debit']));
      const events = stories.flatMap(({ id }, at) => [
        started(id),
        ended(id, { verdict: 'skip', reason: reasons[at] ?? null }),
      ]);
      const fold = await foldJournal([runStarted(stories, false, false), ...events, runEnded()]);
      expect(conclude(fold)).toEqual({ verdict: 'undecided', exitCode: 3, firstLine });
    },
  );

  it('is 3 when no rule was judged, even if there are notes and skips', async () => {
    const events = [
      found(story.id, 'bet.zero', 'note'),
      ended(story.id, { verdict: 'skip', reason: 'no money', passes: { 'bet.zero': { '*': 4 } } }),
    ];
    expect(await of(events)).toEqual({
      verdict: 'undecided',
      exitCode: 3,
      firstLine: 'UNDECIDED: no rule was judged for acme.',
    });
  });

  it('is 3 when a MUST could not be decided, although other rules hold', async () => {
    const events = [found(story.id, 'win.credit', 'inconclusive'), pass];
    expect(await of(events)).toMatchObject({
      verdict: 'undecided',
      exitCode: 3,
      firstLine: 'UNDECIDED: 1 MUST rule was tested against acme and could not be decided: win.credit.',
    });
    const rules = ['win.credit', 'win.zero', 'refund.restore', 'refund.unknown', 'idempotency.bet'] as const;
    expect((await of([...rules.map((rule) => found(story.id, rule, 'inconclusive')), pass])).firstLine).toBe(
      'UNDECIDED: 5 MUST rules were tested against acme and could not be decided: win.credit, win.zero, refund.restore, refund.unknown and 1 more.',
    );
  });

  it('is 0 when only a SHOULD could not be decided', async () => {
    expect(await of([found(story.id, 'reply.content-type', 'inconclusive'), pass])).toMatchObject({ exitCode: 0 });
  });

  it('is 3 when an expectation could not be decided', async () => {
    expect(await of([found(story.id, EXPECTATION, 'inconclusive'), pass])).toMatchObject({ exitCode: 3 });
  });

  it('is 1 rather than 3 when one MUST failed and another is undecided', async () => {
    expect(await of([found(story.id, 'win.credit', 'inconclusive'), ...fail])).toMatchObject({ exitCode: 1 });
  });

  it('is 3 when a required rule or scenario was not decided, unless a part of a divided run is judged alone', async () => {
    const required = [
      { kind: 'rule', id: 'reply.content-type', by: 'require' },
      { kind: 'scenario', id: story.id, by: 'selection' },
    ] as const;
    const open = found(story.id, 'reply.content-type', 'inconclusive');
    const shard = {
      index: 1,
      count: 2,
      planHash: 'p',
      divisionHash: 'd',
      scenarios: 2,
      players: 2,
      whole: true,
      seed: null,
    };
    const conclusionOf = async (more: object, events: readonly JournalEvent[]) =>
      conclude(
        await foldJournal([{ ...runStarted([story]), required, ...more }, started(story.id), ...events, runEnded()]),
      );
    expect(await conclusionOf({}, [pass, found(story.id, 'reply.content-type', 'warn')])).toMatchObject({
      exitCode: 0,
    });
    expect(await conclusionOf({ shard }, [open, pass])).toMatchObject({ exitCode: 0 });
    expect(
      await conclusionOf({}, [
        open,
        ended(story.id, { verdict: 'inconclusive', reason: 'noise', passes: { 'bet.debit': { '*': 1 } } }),
      ]),
    ).toMatchObject({
      exitCode: 3,
      firstLine:
        'UNDECIDED: 2 of 2 required rules and scenarios were not decided for acme: reply.content-type (what was seen (inconclusive)); bet/debit (noise).',
    });
    const skipped = found(story.id, 'reply.content-type', 'skip', { actual: 'the bet was declined' });
    expect((await conclusionOf({}, [skipped, pass])).firstLine).toMatch(
      /^UNDECIDED: the required rule reply\.content-type was not tested .*\. If a required rule cannot be tested here, remove it from the list/,
    );
    expect(await conclusionOf({}, [open, ...fail])).toMatchObject({ exitCode: 1 });
  });

  it('is 0 if a known failure stopped one of the scenarios of a rule, and 3 if another failure did', async () => {
    const scenarios = [planned('bet/exact', ['bet.exact-balance']), planned('win/credit', ['win.credit'])];
    const texts = { reason: '', ticket: '', expires: '2999-01-01', line: 1, tried: true } as const;
    const known = { rule: 'bet.exact-balance', endpoint: null, scenario: null, ...texts } as const;
    const stoppedBy = (cause: Finding['causes'][number]) =>
      foldJournal([
        { ...runStarted(scenarios), baseline: { file: 'b.yaml', known: [known] } },
        started('bet/exact'),
        found('bet/exact', 'bet.exact-balance', 'fail'),
        ended('bet/exact', { verdict: 'fail', passes: { 'win.credit': { '*': 1 } } }),
        started('win/credit'),
        found('win/credit', 'win.credit', 'inconclusive', { causes: [cause] }),
        ended('win/credit', { verdict: 'inconclusive' }),
        runEnded(),
      ]);
    expect(conclude(await stoppedBy('bet.exact-balance')).exitCode).toBe(0);
    expect(conclude(await stoppedBy('bet.debit')).exitCode).toBe(3);
  });

  it('is 0 if a scenario with only known failures decided nothing else, and 3 if it shows no failure', async () => {
    const scenarios = [planned('win/zero', ['win.zero', 'free-rounds.bet']), planned('win/credit', ['win.credit'])];
    const texts = { reason: '', ticket: '', expires: '2999-01-01', line: 1, tried: true } as const;
    const known = { rule: 'win.zero', endpoint: null, scenario: null, ...texts } as const;
    const openIn = (open: string) =>
      foldJournal([
        { ...runStarted(scenarios), baseline: { file: 'b.yaml', known: [known] } },
        started('win/zero'),
        found('win/zero', 'win.zero', 'fail'),
        ...(open === 'win/zero' ? [found(open, 'free-rounds.bet', 'inconclusive')] : []),
        ended('win/zero', { verdict: 'fail' }),
        started('win/credit'),
        ...(open === 'win/credit' ? [found(open, 'free-rounds.bet', 'inconclusive')] : []),
        ended('win/credit', { passes: { 'win.credit': { '*': 1 }, 'free-rounds.bet': { '*': 1 } } }),
        runEnded(),
      ]);
    expect(conclude(await openIn('win/zero')).exitCode).toBe(0);
    expect(conclude(await openIn('win/credit')).exitCode).toBe(3);
  });

  it('is 0 if a wallet that is known to show old balances seems to move a balance by itself', async () => {
    const scenarios = [planned('balance/read', ['balance.read']), planned('win/credit', ['win.credit'])];
    const texts = { reason: '', ticket: '', expires: '2999-01-01', line: 1, tried: true } as const;
    const withKnown = (rule: 'balance.read' | 'bet.debit') =>
      foldJournal([
        {
          ...runStarted(scenarios),
          baseline: { file: 'b.yaml', known: [{ rule, endpoint: null, scenario: null, ...texts }] },
        },
        started('balance/read'),
        found('balance/read', rule, 'fail'),
        ended('balance/read', { verdict: 'fail', passes: { 'win.credit': { '*': 1 } } }),
        started('win/credit'),
        found('win/credit', 'win.credit', 'inconclusive', { actual: MOVED_ALONE }),
        ended('win/credit', { verdict: 'inconclusive' }),
        runEnded(),
      ]);
    expect(conclude(await withKnown('balance.read')).exitCode).toBe(0);
    expect(conclude(await withKnown('bet.debit')).exitCode).toBe(3);
  });

  it('is 3 if a balance shows the amount of another player, although a known wrong read would explain it', async () => {
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const read = { rule: 'balance.read', line: 1, ...texts } as const;
    const listed = { rule: 'session.isolated', line: 2, undecided: true, ...texts } as const;
    const conclusion = async (known: readonly KnownFailure[], rule: RuleId, amount?: string) => {
      const scenario = planned('session/isolated', [rule, 'balance.read']);
      return conclude(
        await foldJournal([
          { ...runStarted([scenario]), baseline: { file: 'b.yaml', known } },
          started(scenario.id),
          found(scenario.id, 'balance.read', 'fail'),
          found(scenario.id, rule, 'inconclusive', {
            causes: ['balance.read'],
            ...(amount !== undefined && { wrongSum: { amount, currency: 'USD' } }),
          }),
          ended(scenario.id, { verdict: 'fail', passes: { [rule]: { '*': 1 } } }),
          runEnded(),
        ]),
      );
    };
    expect(await conclusion([read], 'session.isolated', '-3')).toMatchObject({
      exitCode: 3,
      firstLine: 'UNDECIDED: 1 MUST rule was tested against acme and could not be decided: session.isolated.',
    });
    expect(await conclusion([read, listed], 'session.isolated', '-3')).toMatchObject({ exitCode: 0 });
    expect(await conclusion([read], 'session.isolated')).toMatchObject({ exitCode: 0 });
    expect(await conclusion([read], 'bet.debit', '-3')).toMatchObject({ exitCode: 0 });
  });

  it('is 3 if a balance is wrong by more than three times the sum of the known failure that explains it', async () => {
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const statusWith = async (
      amount: string,
      money: Partial<KnownFailure>,
      currency = 'USD',
      rule: RuleId = 'money.conservation',
    ) => {
      const scenario = planned('refund/retried', ['bet.debit', rule]);
      const other = planned('money/exact', [rule, 'balance.read']);
      return conclude(
        await foldJournal([
          {
            ...runStarted([scenario, other]),
            baseline: { file: 'b.yaml', known: [{ rule: 'bet.debit', line: 1, ...texts, ...money }] },
          },
          started(scenario.id),
          found(scenario.id, 'bet.debit', 'fail', { wrongSum: { amount: '-0.40', currency } }),
          found(scenario.id, rule, 'fail', { causes: ['bet.debit'], wrongSum: { amount, currency } }),
          attributed(rule, 'bet.debit', { scenario: scenario.id }),
          ended(scenario.id, { verdict: 'fail' }),
          started(other.id),
          ended(other.id, { passes: { 'balance.read': { '*': 1 }, [rule]: { '*': 1 } } }),
          runEnded(),
        ]),
      );
    };
    const limited = { maxSums: { USD: '0.40' } };
    expect(await statusWith('-1.20', limited)).toMatchObject({ exitCode: 0 });
    expect(await statusWith('36', limited)).toMatchObject({
      exitCode: 3,
      firstLine:
        'UNDECIDED: the known failures of acme do not explain why money.conservation could not be decided: a balance is wrong by 36 USD, but the known failures in b.yaml explain at most 1.20 USD. Find out whether the wallet has a new failure. If it has none, update the baseline (docs/baseline.md#update-a-baseline).',
    });
    expect(await statusWith('36', {})).toMatchObject({ exitCode: 0 });
    expect(await statusWith('36', limited, 'EUR')).toMatchObject({ exitCode: 0 });
    // One scenario has several bets whose connection broke, so their sum is higher.
    expect(await statusWith('-1.60', limited, 'USD', 'refund.broken-connection')).toMatchObject({ exitCode: 0 });
    expect(await statusWith('-1.61', limited, 'USD', 'refund.broken-connection')).toMatchObject({ exitCode: 3 });
  });

  it('is 3 if a balance is wrong by a much larger share of its calls than the known failure that explains it', async () => {
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const restore = { rule: 'refund.restore', line: 1, ...texts, maxSums: { USD: '20' } } as const;
    const begun = runStarted([planned('refund/retried', ['refund.restore']), planned('bet/debit', ['balance.read'])]);
    const settings = { ...begun.settings, stakes: { USD: '1' } };
    const conclusion = async (
      open: RuleId,
      wrongSum: { readonly amount: string; readonly moved?: string },
      known: readonly KnownFailure[] = [{ ...restore, maxShare: '0.5' }],
    ) =>
      conclude(
        await foldJournal([
          { ...begun, settings, baseline: { file: 'b.yaml', known } },
          started('refund/retried'),
          found('refund/retried', 'refund.restore', 'fail', {
            wrongSum: { amount: '-1', moved: '2', currency: 'USD' },
          }),
          found('refund/retried', open, 'fail', {
            causes: ['refund.restore'],
            wrongSum: { ...wrongSum, currency: 'USD' },
          }),
          attributed(open, 'refund.restore', { scenario: 'refund/retried' }),
          ended('refund/retried', { verdict: 'fail' }),
          started('bet/debit'),
          ended('bet/debit', { passes: { 'balance.read': { '*': 1 }, [open]: { '*': 1 } } }),
          runEnded(),
        ]),
      );
    const lost = { amount: '-4', moved: '4' };
    expect(await conclusion('refund.retried', { amount: '-3', moved: '4' })).toMatchObject({ exitCode: 0 });
    expect(await conclusion('refund.retried', lost)).toMatchObject({
      exitCode: 3,
      firstLine:
        'UNDECIDED: the known failures of acme do not explain why refund.retried could not be decided: a balance is wrong by 100% of the amounts of the calls, but the known failures in b.yaml explain 50%. Find out whether the wallet has a new failure. If it has none, update the baseline (docs/baseline.md#update-a-baseline).',
    });
    // Without a share, only the sums count.
    expect(await conclusion('refund.retried', lost, [restore])).toMatchObject({ exitCode: 0 });
    expect(await conclusion('refund.retried', { amount: '-4' })).toMatchObject({ exitCode: 0 });
    // A further call may have taken effect late, and its amount is not known.
    expect(await conclusion('refund.broken-connection', lost)).toMatchObject({ exitCode: 0 });
    const own = { ...restore, rule: 'refund.retried', undecided: true } as const;
    expect(await conclusion('refund.retried', lost, [{ ...restore, maxShare: '0.5' }, own])).toMatchObject({
      exitCode: 0,
    });
    // If chance decides how high the sums are, the entry has none, and the sums of the causes are the limit.
    const chance = { ...restore, intermittent: true } as const;
    const { maxSums: _none, ...unlimited } = own;
    expect(await conclusion('refund.retried', { amount: '-60' }, [chance, unlimited])).toMatchObject({ exitCode: 0 });
    expect(await conclusion('refund.retried', { amount: '-61' }, [chance, unlimited])).toMatchObject({ exitCode: 3 });
    expect(await conclusion('refund.retried', { amount: '-61' }, [restore, unlimited])).toMatchObject({ exitCode: 0 });
    // If only the calls of some players fail, the sum of the entry with `undecided` is not lower than the limit without this entry.
    const low = { ...own, maxSums: { USD: '0.30' } };
    const ofPlayer = { ...restore, maxShare: '0.5', players: ['em'] } as const;
    const half = { amount: '-1', moved: '2' };
    expect(await conclusion('refund.retried', half, [ofPlayer, low])).toMatchObject({ exitCode: 0 });
    expect(await conclusion('refund.retried', lost, [ofPlayer, low])).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('100% of the amounts of the calls') as string,
    });
    expect(await conclusion('refund.retried', { amount: '-61' }, [ofPlayer, low])).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('the known failures in b.yaml explain at most 60 USD') as string,
    });
    expect(await conclusion('refund.retried', half, [{ ...restore, maxShare: '0.5' }, low])).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('the entry with `undecided` in b.yaml allows only 0.30 USD') as string,
    });
  });

  it('is 3 if a listed rule is undecided, unless a known failure within its sums or chance explains it', async () => {
    const scenario = planned('win/credit', ['win.credit', 'bet.debit', 'balance.read']);
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const win = { rule: 'win.credit', line: 1, ...texts, maxSums: { USD: '0.40' } } as const;
    const bet = { rule: 'bet.debit', line: 2, ...texts, maxSums: { USD: '0.40' } } as const;
    const conclusion = async (known: readonly KnownFailure[], ...events: readonly JournalEvent[]) =>
      conclude(
        await foldJournal([
          { ...runStarted([scenario]), baseline: { file: 'b.yaml', known } },
          started(scenario.id),
          ...events,
          ended(scenario.id, { verdict: 'fail', passes: { 'balance.read': { '*': 1 }, 'bet.debit': { '*': 1 } } }),
          runEnded(),
        ]),
      );
    const failing = (rule: RuleId, amount: string, more: Partial<Finding> = {}) =>
      found(scenario.id, rule, 'fail', { wrongSum: { amount, currency: 'USD' }, ...more });
    const once = (amount: string) => failing('win.credit', amount, { unrepeated: true });
    expect(await conclusion([win], once('-0.10'))).toEqual({
      verdict: 'undecided',
      exitCode: 3,
      firstLine:
        'UNDECIDED: 1 rule failed, but not again when croupier repeated the scenario. Either somebody else moved a balance, or the operator fails only now and then. Make sure that only this run uses the players, and run again. b.yaml allows that win.credit fails, but not that it stays undecided.',
    });
    const byChance = { ...win, intermittent: true } as const;
    expect(await conclusion([byChance], once('-0.40'))).toMatchObject({ exitCode: 0 });
    expect(await conclusion([byChance], once('-959'))).toMatchObject({ exitCode: 3 });
    const explained = (amount: string) => [
      failing('bet.debit', '0.10'),
      failing('win.credit', amount, { causes: ['bet.debit'] }),
      attributed('win.credit', 'bet.debit', { scenario: scenario.id }),
    ];
    expect(await conclusion([win, bet], ...explained('-1.20'))).toMatchObject({ exitCode: 0 });
    expect(await conclusion([win, bet], ...explained('-1.30'))).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringMatching(/a balance is wrong by 1\.30 USD, .* not that it stays undecided\.$/) as string,
    });
    const higher = { ...win, maxSums: { USD: '4' } };
    expect(await conclusion([higher, bet], ...explained('-1.30'))).toMatchObject({ exitCode: 0 });
  });

  it('is 3 if the operator declined every call that tests a listed rule', async () => {
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const known = [{ rule: 'bet.debit', line: 1, ...texts }] as const;
    const fold = await foldJournal([
      { ...runStarted([story]), baseline: { file: 'b.yaml', known } },
      started(story.id),
      found(story.id, 'bet.debit', 'skip', { declined: true }),
      ended(story.id, { verdict: 'skip', passes: { 'balance.read': { '*': 1 } } }),
      runEnded(),
    ]);
    expect(conclude(fold)).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining(
        'b.yaml allows that bet.debit fails, but not that it stays undecided',
      ) as string,
    });
  });

  it('is 1 if a win of the whole balance is not paid, although only a fee on wins is known', async () => {
    const scenario = planned('win/credit', ['win.credit']);
    const whole = planned('money/exact', ['win.credit', 'balance.read']);
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const fee = { rule: 'win.credit', line: 1, ...texts, maxSums: { USD: '0.10' } } as const;
    const failing = (id: string, amount: string, moved: string, varies = false) => [
      started(id),
      found(id, 'win.credit', 'fail', {
        wrongSum: { amount, moved, currency: 'USD', ...(varies && { varies: true as const }) },
      }),
      ended(id, { verdict: 'fail', passes: { 'balance.read': { '*': 1 } } }),
    ];
    const settings = { ...runStarted([]).settings, stakes: { USD: '1.00' } };
    const ofEvents = async (...events: readonly JournalEvent[]) =>
      conclude(
        await foldJournal([
          { ...runStarted([scenario, whole]), settings, baseline: { file: 'b.yaml', known: [fee] } },
          ...failing(scenario.id, '-0.10', '1.00'),
          ...events,
          runEnded(),
        ]),
      );
    expect(await ofEvents(...failing(whole.id, '-99.01', '990.09', true))).toMatchObject({ exitCode: 0 });
    expect(await ofEvents(...failing(whole.id, '-990.09', '990.09', true))).toMatchObject({ exitCode: 1 });
    // The wins with which croupier restores balances are compared too.
    const restoring = (amount: string): JournalEvent => ({
      event: 'wrong-sum',
      scenario: whole.id,
      attempt: null,
      rule: 'win.credit',
      endpoint: null,
      step: null,
      wrongSum: { amount, moved: '990.09', currency: 'USD', varies: true },
    });
    const plain = failing(whole.id, '-0.10', '1.00');
    expect(await ofEvents(...plain, restoring('-99.01'))).toMatchObject({ exitCode: 0 });
    expect(await ofEvents(...plain, restoring('-990.09'))).toMatchObject({ exitCode: 1 });
  });

  it('is 3 if known failures prevented every check of a rule, unless the baseline lists it as undecided', async () => {
    const scenario = planned('signature/mismatch', ['signature.mismatch', 'signature.accepted', 'balance.read']);
    const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
    const mismatch = { rule: 'signature.mismatch', line: 1, ...texts } as const;
    const listed = { rule: 'signature.accepted', line: 2, undecided: true, ...texts } as const;
    const conclusion = async (
      known: readonly KnownFailure[],
      verdict: 'inconclusive' | 'fail',
      passes = 0,
      more: object = {},
    ) =>
      conclude(
        await foldJournal([
          { ...runStarted([scenario, story]), baseline: { file: 'b.yaml', known }, ...more },
          started(scenario.id),
          found(scenario.id, 'signature.mismatch', 'fail'),
          found(scenario.id, 'signature.accepted', verdict, {
            causes: verdict === 'fail' ? [] : ['signature.mismatch'],
          }),
          ended(scenario.id, { verdict: 'fail' }),
          started(story.id),
          ended(story.id, {
            passes: {
              'balance.read': { '*': 1 },
              'bet.debit': { '*': 1 },
              ...(passes > 0 && { 'signature.accepted': { '*': passes } }),
            },
          }),
          runEnded(),
        ]),
      );
    const hidden = await conclusion([mismatch], 'inconclusive');
    expect(hidden.exitCode).toBe(3);
    expect(hidden.firstLine).toBe(
      'UNDECIDED: 1 MUST rule was not tested against acme, because known failures prevented every check: signature.accepted. Fix these failures, or list it in b.yaml with `undecided: true`.',
    );
    const required = [{ kind: 'rule', id: 'signature.accepted', by: 'require' }];
    expect((await conclusion([mismatch], 'inconclusive', 0, { required })).firstLine).toMatch(
      /^UNDECIDED: the required rule signature\.accepted could not be decided for acme: .*\. Known failures prevented every check of signature\.accepted: fix these failures, or list the rule in b\.yaml with `undecided: true`\.$/,
    );
    expect(await conclusion([mismatch], 'inconclusive', 1)).toMatchObject({
      exitCode: 0,
      firstLine: expect.stringContaining('not counting 1 known failure and 1 rule that it left undecided') as string,
    });
    expect(await conclusion([mismatch, listed], 'inconclusive')).toMatchObject({ exitCode: 0 });
    expect(await conclusion([mismatch, { ...listed, expires: '2020-01-01' }], 'inconclusive')).toMatchObject({
      exitCode: 1,
    });
    expect(await conclusion([mismatch, listed], 'fail')).toMatchObject({ exitCode: 1 });
    expect(await conclusion([{ ...mismatch, intermittent: true }], 'inconclusive')).toMatchObject({ exitCode: 3 });
  });

  it('is 3 if a rule is undecided in each run because of a known failure, even if another entry is about failures by chance', async () => {
    const scenario = planned('signature/mismatch', ['signature.mismatch', 'signature.tampered-body', 'balance.read']);
    const texts = { endpoint: null, reason: 'r', ticket: 't', expires: '2999-01-01', line: 1, tried: true } as const;
    const always = { rule: 'signature.mismatch', scenario: null, ...texts } as const;
    const byChance = { ...always, scenario: scenario.id, intermittent: true } as const;
    const statusWith = async (...known: readonly KnownFailure[]) =>
      conclude(
        await foldJournal([
          { ...runStarted([scenario, story]), baseline: { file: 'b.yaml', known } },
          started(scenario.id),
          found(scenario.id, 'signature.mismatch', 'fail'),
          found(scenario.id, 'signature.tampered-body', 'inconclusive', { causes: ['signature.mismatch'] }),
          ended(scenario.id, { verdict: 'fail' }),
          started(story.id),
          ended(story.id, { passes: { 'balance.read': { '*': 1 }, 'bet.debit': { '*': 1 } } }),
          runEnded(),
        ]),
      ).exitCode;
    expect(await statusWith(byChance)).toBe(0);
    expect(await statusWith(byChance, always)).toBe(3);
  });

  it('is 1 if a rule fails without a wrong sum in a scenario for which the baseline has a sum', async () => {
    const scenario = planned('win/credit', ['win.credit', 'balance.read']);
    const texts = {
      endpoint: null,
      scenario: null,
      reason: 'r',
      ticket: 't',
      expires: '2999-01-01',
      line: 1,
      tried: true,
    };
    const maxSums = { USD: '2' };
    const statusWith = async (more: object, finding: object) =>
      conclude(
        await foldJournal([
          {
            ...runStarted([scenario]),
            baseline: { file: 'b.yaml', known: [{ rule: 'win.credit', maxSums, ...texts, ...more }] },
          },
          started(scenario.id),
          found(scenario.id, 'win.credit', 'fail', finding),
          ended(scenario.id, { verdict: 'fail', passes: { 'balance.read': { '*': 1 } } }),
          runEnded(),
        ]),
      ).exitCode;
    const maxSumsIn = { 'win/credit': { USD: '0.02' } };
    const wrongSum = { amount: '0.02', currency: 'USD' };
    expect(await statusWith({ maxSumsIn }, { wrongSum })).toBe(0);
    expect(await statusWith({ maxSumsIn }, {})).toBe(1);
    expect(await statusWith({}, {})).toBe(0);
  });

  it.each([
    ['refund.restore', 3],
    ['refund.one-of-many', 0],
  ] as const)(
    'is 3 if no test of %s shows anything because of known failures, unless the baseline lists it as undecided',
    async (rule, statusIfNotPlayed) => {
      const scenario = planned('refund/restore', [rule, 'bet.debit', 'balance.read']);
      const texts = { endpoint: null, scenario: null, reason: 'r', ticket: 't', expires: '2999-01-01', tried: true };
      const free = { rule: 'bet.debit', line: 1, ...texts } as const;
      const listed = { rule, line: 2, undecided: true, ...texts } as const;
      const statusWith = async (
        known: readonly KnownFailure[],
        actual: string = NOT_SHOWN,
        others: readonly PlannedScenario[] = [],
        events: readonly JournalEvent[] = [],
      ) =>
        conclude(
          await foldJournal([
            { ...runStarted([scenario, ...others]), baseline: { file: 'b.yaml', known } },
            ...events,
            started(scenario.id),
            found(scenario.id, 'bet.debit', 'fail'),
            found(scenario.id, rule, 'skip', { actual }),
            ended(scenario.id, { verdict: 'fail', passes: { 'balance.read': { '*': 1 } } }),
            runEnded(),
          ]),
        );
      const hidden = await statusWith([free]);
      expect(hidden.exitCode).toBe(3);
      expect(hidden.firstLine).toContain(`${rule}. Fix these failures, or list it in b.yaml with \`undecided: true\``);
      expect(await statusWith([free, listed])).toMatchObject({ exitCode: 0 });
      // The same if another scenario needs a session that nobody has configured.
      const crypto = planned('bet/crypto', [rule]);
      const notPlayed = [
        started(crypto.id),
        ended(crypto.id, { verdict: 'skip', reason: 'it needs a crypto session' }),
      ];
      expect(await statusWith([free], NOT_SHOWN, [crypto], notPlayed)).toMatchObject({ exitCode: 3 });
      expect(await statusWith([free, listed], NOT_SHOWN, [crypto], notPlayed)).toMatchObject({ exitCode: 0 });
      // Known failures do not explain a test that was not played. Only core rules must be tested.
      expect((await statusWith([free, listed], 'the session has no currency')).exitCode).toBe(statusIfNotPlayed);
    },
  );

  it('is 3 if the scenarios of a core rule are missing from the suite, but 0 if only a part was selected', async () => {
    const suiteChanges = { changed: [], missing: ['refund/unknown'] };
    const exitCodeFor = async (selection: readonly string[], more: object = {}) => {
      const begin = { ...runStarted([story], false, false), suiteChanges, selection, ...more };
      return conclude(await foldJournal([begin, started(story.id), pass, runEnded()]));
    };
    expect(await exitCodeFor([])).toMatchObject({
      exitCode: 3,
      firstLine: expect.stringContaining('rules that every operator must pass were not tested') as string,
    });
    expect(await exitCodeFor(['--quick'], { quick: { scenarios: 126, rules: [] } })).toMatchObject({ exitCode: 3 });
    expect(await exitCodeFor(['bet'])).toMatchObject({ exitCode: 0 });
  });

  it('is never 0 for a run that was cut off, but 3 if no rule failed', async () => {
    expect(await of([pass], null)).toMatchObject({ verdict: 'undecided', exitCode: 3 });
    expect(await of(fail, null)).toMatchObject({ verdict: 'nonconforming', exitCode: 1 });
    expect((await of(fail, null)).firstLine).toContain('the run was cut off');
  });

  it('is 3 when the operator was not reached, and when a run stopped early and no failure is left', async () => {
    expect(await of([pass], runEnded('unreachable'))).toMatchObject({ exitCode: 3 });
    expect(await of([pass], runEnded('bail'))).toMatchObject({ exitCode: 3 });
    expect(await of([pass], runEnded('time'))).toMatchObject({ exitCode: 3 });
    expect(await of(fail, runEnded('time'))).toMatchObject({ exitCode: 1 });
    expect(await of(fail, runEnded('bail'))).toMatchObject({ exitCode: 1 });
  });

  it('is 130 or 143 when the run was interrupted, even if a rule failed', async () => {
    expect(await of([pass], runEnded('interrupted', 'SIGINT'))).toMatchObject({ verdict: 'undecided', exitCode: 130 });
    expect(await of(fail, runEnded('interrupted', 'SIGTERM'))).toMatchObject({
      verdict: 'nonconforming',
      exitCode: 143,
    });
  });

  it('says that an interrupted run has not yet sent what it owes', async () => {
    const soFar = async (found: Parameters<typeof of>[0]) =>
      conclude({ ...(await foldJournal([runStarted([story]), started(story.id), ...found])), stopping: 'SIGHUP' });
    expect(await soFar([pass])).toMatchObject({
      verdict: 'undecided',
      exitCode: 129,
      firstLine: expect.stringMatching(
        /had not yet completed the open rounds .* It is not known what is still owed\.$/,
      ),
    });
    expect(await soFar(fail)).toMatchObject({
      verdict: 'nonconforming',
      exitCode: 129,
      firstLine: expect.stringMatching(
        /^NOT CONFORMING: .*, and the run was interrupted\. When this report was written/,
      ),
    });
  });

  it('is 70 for a bug of croupier, and the conclusion blames no operator', async () => {
    expect(await of(fail, runEnded('bug'))).toMatchObject({ verdict: 'undecided', exitCode: 70 });
  });

  it('comes with a first line that says when only a part of the suite was selected', async () => {
    const fold = await foldJournal([runStarted([story], false, false), started(story.id), pass, runEnded()]);
    expect(conclude(fold).firstLine).toContain('in the selected part of the suite');
  });
});
