import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { resolveClients } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { askForProduction } from '../../../app/config/production.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from '../../../app/embedded-operator.ts';
import { EXIT, UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { refuseInputFile } from '../../../app/input-files.ts';
import { lockSettings, NO_LOCK } from '../../../app/lock/lock-folder.ts';
import { refuseOwingJournals } from '../../../app/run/earlier-journals.ts';
import { type Played, play, SILENT } from '../../../app/run/play.ts';
import { runSettings } from '../../../app/run/settings.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { version } from '../../../app/version.ts';
import type { RuleId } from '../../../contract/catalogue.ts';
import { haveSameForm } from '../../../contract/currencies.ts';
import { plural } from '../../../contract/plural.ts';
import type { ClientUnderTest, RunnableScenario } from '../../../engine/run-options.ts';
import { conclude } from '../../../journal/conclusion.ts';
import { type Outcome, sessionNamedIn } from '../../../journal/exchange.ts';
import type { Fold } from '../../../journal/fold.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { isServerError } from '../../../reply/status.ts';
import { forTerminal } from '../../../report/escape.ts';
import { ANSI, PLAIN } from '../../../report/paint.ts';
import { loadScenario } from '../../../scenario/load.ts';
import { planScenario } from '../../../scenario/plan/planner.ts';
import { type ScenarioDraft, writeScenario } from '../../../scenario/write.ts';
import { renderDiagnostic } from '../../../scenario/yaml/diagnostic.ts';
import type { LoggedCall } from '../../../traffic/calls/logged-call.ts';
import {
  compareReplies,
  type Failures,
  failedCalls,
  failedNow,
  hasRefundWithoutBet,
  verdictOf,
} from '../../../traffic/replay/compare.ts';
import { missingData } from '../../../traffic/replay/missing-data.ts';
import {
  RULE_OF_OTHER_SESSION,
  repeatsInOtherSession,
  repeatsNotTested,
  rulesOfRepeats,
  type Session,
  wrongRepeats,
} from '../../../traffic/replay/other-session.ts';
import {
  areAboutReplies,
  betsAfterRefund,
  callsWithIdsOf,
  nowAndThenText,
  type RecordedIncident,
  recordedMistakes,
  suspectedCalls,
  wrongNowAndThen,
} from '../../../traffic/replay/recorded-mistakes.ts';
import { type ReplayOutcome, replayJson } from '../../../traffic/replay/replay-json.ts';
import type { CutOffCalls, ReplayScenario } from '../../../traffic/replay/replay-scenario.ts';
import { isAboutReply, notRepeated } from '../../../traffic/replay/reproduction.ts';
import { MAX_CALLS, timesNeeded } from '../../../traffic/replay/times-needed.ts';
import type { IncidentTimeline } from '../../../traffic/timeline/timeline.ts';
import { endedAtOnce, listenForInterrupt } from '../../interrupt.ts';
import { readTimeline } from '../incident/action.ts';
import type { IncidentFlags } from '../incident/flags.ts';
import type { ReplayFlags } from './flags.ts';
import { replay, signingIn } from './recorded-incident.ts';
import { replayText } from './text.ts';

/** The verdicts of rules that a replay has tested without a failure. Failures are counted separately. */
const DECIDED: ReadonlySet<string> = new Set(['pass', 'note', 'warn']);
/** Number of repetitions of calls that overlapped in the record. */
const RACE_ROUNDS = 12;
/** If the sum of all pauses is at most this time, in ms, calls that overlapped are repeated {@link RACE_ROUNDS} times. */
const MAX_WAITS_OF_RACE_MS = 500;
/**
 * Minimum number of calls of the kind of a wrong call that are sent before the problem counts as fixed. An operator that makes an error
 * at every fiftieth call then makes it at least once.
 */
const MIN_SENT_OF_A_KIND = 50;
/** The same for a replay that waits for late effects each time, so that each time takes seconds. */
const MIN_SENT_WITH_WAITS = 12;
/** If a replay waits longer than this time, in milliseconds, it prints how long it will take. */
const MIN_SHOWN_WAIT_MS = 10_000;
/** Maximum sum of the pauses of a scenario in all its cases, in milliseconds. */
const MAX_WAITS_OF_SCENARIO_MS = 60_000;

/**
 * `croupier replay`: repeats recorded calls, and compares the replies with the recorded ones.
 *
 * @returns 0 if the problem is fixed or never existed, 1 if a problem exists now, 3 if undecided. With `--scenario`: 3 if a run of the
 * scenario without a failure does not show that all errors in the logs are fixed
 */
export async function replayCommand(files: readonly string[], flags: ReplayFlags, stdio: Stdio): Promise<number> {
  const { file, selection } = chosenBy(flags);
  if (!flags.wait && flags.speed !== undefined) throw new UsageError('--speed and --no-wait cannot be combined.');
  const configuration = await loadConfiguration(flags.config, stdio);
  const { timeline, notes, files: read } = await readTimeline(files, selection, configuration, stdio);
  if (timeline.calls.length > MAX_CALLS) {
    throw new UsageError(
      `${timeline.calls.length} calls are selected, but at most ${MAX_CALLS} can be replayed. Select fewer with --player, --session, --round, --tx, --from and --to.`,
    );
  }
  const incident = { timeline, signing: await signingIn(timeline, flags, configuration, stdio) };
  if (file === undefined) {
    for (const note of notes) stdio.err.write(`${forTerminal(note)}\n`);
    return await playAgain(incident, flags, configuration, stdio);
  }
  // A correct operator may reply in time to a call that had no reply in the record. So the scenario breaks the connection of
  // this call, unless only the reply itself was wrong.
  const cutsOff = areAboutReplies(incident) ? undefined : 'unanswered';
  const scenario = replay(incident, flags, currencyOf(timeline), null, true, cutsOff);
  const { calls, untested } = scenario;
  const repeats = timesOf(scenario, suspectedCalls(incident));
  const limits = [
    ...untestedText(untested),
    ...lateBetsText(betsAfterRefund(incident)),
    ...serverErrorsText(calls),
    ...nowAndThenText(wrongNowAndThen(incident)).map(
      (text) => `${text}. So a run without a failure does not show that this error is fixed.`,
    ),
  ];
  const text = writeScenario(repeatedDraft(scenario.draft, repeats.times, configuration), {
    comments: [
      `croupier replay wrote this scenario from the calls in ${read.join(', ')}.`,
      ...missingData(calls, incident.signing),
      ...limits,
    ],
    schema: 'node_modules/croupier-conformance/schema/scenario.json',
  });
  readGenerated(text, file);
  refuseInputFile(path.resolve(stdio.cwd, file), 'a scenario');
  try {
    writeFileSync(path.resolve(stdio.cwd, file), createScrubber(configuration.secrets)(text));
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${whyUnreadable(error)}.`, { cause: error });
  }
  for (const note of [...notes, ...limits]) stdio.err.write(`${forTerminal(note)}\n`);
  stdio.err.write(
    `Written: ${forTerminal(file)}. Run it with: croupier run ${forTerminal(file)}\n${timesText(repeats)}\n`,
  );
  return limits.length > 0 ? EXIT.UNDECIDED : 0;
}

/**
 * Returns how many times a scenario sends its calls. `needed` are enough times, so that an operator with an error at every fiftieth call
 * fails. `times` are fewer if the pauses between the calls would take too long. Parallel calls are repeated by `croupier run` itself.
 */
function timesOf(
  { calls, atOnce, waitsMs }: ReplayScenario,
  wrong: ReadonlySet<number>,
): { readonly times: number; readonly needed: number } {
  const needed = atOnce.size > 0 ? 1 : timesNeeded(calls, wrong, MIN_SENT_OF_A_KIND);
  const inTime = waitsMs === 0 ? needed : Math.max(1, Math.floor(MAX_WAITS_OF_SCENARIO_MS / waitsMs));
  return { times: Math.min(needed, inTime), needed };
}

/**
 * Adds cases to a scenario, so that it is run several times. croupier divides cases among the sessions. So the scenario then names the
 * currency, because the amounts are perhaps not possible in the currencies of other sessions.
 */
function repeatedDraft(draft: ScenarioDraft, times: number, { config }: Configuration): ScenarioDraft {
  if (times === 1) return draft;
  const firsts = new Set(config.clients?.flatMap(({ sessions }) => sessions?.[0]?.currency ?? []));
  const [code, ...others] = firsts;
  const currency = code !== undefined && others.length === 0 ? { code } : { kind: 'fiat', decimals: 'some' };
  const numbers = Array.from({ length: times }, (_, index) => index + 1);
  return {
    ...draft,
    title: `${draft.title} (time \${time})`,
    needs: { currency, ...draft.needs },
    cases: { time: numbers },
  };
}

function timesText({ times, needed }: { readonly times: number; readonly needed: number }): string {
  const sent = `The scenario sends ${times === 1 ? 'each call once' : `the calls ${times} times`}`;
  if (needed === 1) return `${sent}.`;
  return times === needed
    ? `${sent}, so that it also finds an error that occurs only now and then.`
    : `${sent}, because of the pauses. With --no-wait, it sends them ${needed} times, so that it also finds an error that occurs only now and then.`;
}

/**
 * The calls that the flags select, and the scenario file to write. Older releases used other names for these flags. Those names are
 * still accepted.
 */
interface Chosen {
  readonly file: string | undefined;
  readonly selection: IncidentFlags;
}

const OLD_SCENARIO = 'scenario=';

function chosenBy(flags: ReplayFlags): Chosen {
  const { of, until, to, scenario, session = of, testSession: _test, keyFile: _key, ...rest } = flags;
  const isOld = to?.startsWith(OLD_SCENARIO) === true;
  const file = scenario ?? (isOld ? to.slice(OLD_SCENARIO.length) : undefined);
  if (file !== undefined && !/.\.ya?ml$/.test(file))
    throw new UsageError(`--scenario ${file}: write the name of a file that ends in .yaml.`);
  if (session?.includes(',') === true)
    throw new UsageError(
      '--session selects recorded calls by their session. Name a session of the test with --test-session.',
    );
  const end = isOld ? until : (to ?? until);
  return {
    file,
    selection: { ...rest, ...(session !== undefined && { session }), ...(end !== undefined && { to: end }) },
  };
}

/**
 * Returns the flags that describe the test operator. `--test-session` becomes `session`, because other commands name the
 * sessions of the test operator by `--session`.
 */
function testFlags({ session: _recorded, testSession, ...rest }: ReplayFlags) {
  return { ...rest, sessionFlag: '--test-session', ...(testSession !== undefined && { session: testSession }) };
}

function untestedText(rules: readonly string[]): readonly string[] {
  return rules.length === 0 ? [] : [`The record breaks ${rules.join(', ')}, which this scenario can't test.`];
}

function lateBetsText(bets: readonly number[]): readonly string[] {
  if (bets.length === 0) return [];
  return [
    `In the logs, the operator perhaps took the bet of call ${bets.join(', ')} after its refund. A scenario can't make the operator take a bet so late. So a run without a failure does not show that this error is fixed.`,
  ];
}

function serverErrorsText(calls: readonly LoggedCall[]): readonly string[] {
  const failed = calls.filter(({ status, seen }) => seen.call !== 'balance' && isServerError(status));
  if (failed.length === 0) return [];
  const named = failed.slice(0, 5).map(({ number, status }) => `call ${number} (${status ?? ''})`);
  const rest = failed.length - named.length;
  return [
    `In the logs, the operator answered with a server error: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}. A scenario can't make the operator answer so. So a run without a failure does not show what happens after such an error.`,
  ];
}

/** Returns the currency of the first call that moves money. This call belongs to the main session of the replay. */
function currencyOf({ calls, wallets }: IncidentTimeline): string | null {
  const first = calls.find(({ seen }) => seen.call !== 'balance') ?? calls[0];
  return wallets.find(({ wallet }) => wallet === first?.wallet)?.currency ?? null;
}

/**
 * Reads the scenario that this command generated.
 *
 * @throws Error if the scenario is not valid, which is a bug of croupier
 */
function readGenerated(text: string, file: string) {
  const { scenario, diagnostics } = loadScenario(text, file, { id: 'replay', readFragment: () => undefined });
  if (!scenario) throw new Error(`the scenario can't be read:\n${diagnostics.map(renderDiagnostic).join('\n')}`);
  return scenario;
}

async function playAgain(
  incident: RecordedIncident,
  flags: ReplayFlags,
  configuration: Configuration,
  stdio: Stdio,
): Promise<number> {
  const test = testFlags(flags);
  const variations = variationsOf(test);
  const settings = runSettings(configuration.config, test, stdio.env);
  if (test.reference) refuseOtherOperators(test, 'judges');
  const given = test.reference ? undefined : await resolveClients(configuration, test, stdio);
  if (given && given.diagnostics.length > 0) throw diagnosticsError(given.diagnostics);
  if (given && given.clients.length > 1) {
    const names = given.clients.map(({ extCID }) => extCID).join(', ');
    throw new UsageError(
      `An incident is replayed against one client, but there are ${names}. Choose one with --client.`,
    );
  }
  if (given) await askForProduction(given.clients, test, stdio);
  const reference = await embeddedOperator(test, variations, settings, stdio);
  let journal: string | undefined;
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: croupier completes or refunds the open rounds. Interrupt again to end at once.\n',
    () => endedAtOnce(journal, { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const client = reference?.client ?? given?.clients[0];
    if (!client || client.sessions.length === 0)
      throw new UsageError('There is no session for the replay. Name one with --test-session.');
    const scrub = createScrubber([...(given?.secrets ?? []), ...(reference?.secrets ?? []), ...configuration.secrets]);
    if (flags.journal !== undefined) await refuseOwingJournals(flags.journal, [client], stdio.cwd);
    const playOnce = async (assignment: Assignment, target: string | undefined, copies = 1): Promise<PlayedOnce> => {
      const { logged, scenario, client: assigned } = assignment;
      if (logged.waitsMs >= MIN_SHOWN_WAIT_MS) {
        stdio.err.write(
          `The gaps between the calls add up to ${Math.round(logged.waitsMs / 1000)} s; --speed and --no-wait shorten them.\n`,
        );
      }
      const outcomes = new Map<number, Outcome>();
      const sessionIDs = new Map<number, string>();
      const played = await play({
        options: {
          croupier: version,
          client: assigned,
          scenarios: Array.from({ length: copies }, (_, index) =>
            index === 0 ? scenario : { ...scenario, id: `${scenario.id}-${index + 1}` },
          ),
          selection: ['replay'],
          ...(reference && { flags: ['--reference'] }),
          whole: false,
          ...settings,
          // A race does not show its fault each time. A replay repeats a race more often than a run, because the recorded calls
          // probably have a fault.
          raceRounds: settings.raceRounds ?? (logged.waitsMs < MAX_WAITS_OF_RACE_MS ? RACE_ROUNDS : undefined),
          campaign: settings.campaign ?? reference?.campaign ?? null,
          largeAmounts: settings.largeAmounts || reference !== undefined,
          signal: interrupt.signal,
        },
        journal: target,
        stdio,
        lock: {
          ...(reference ? NO_LOCK : lockSettings(configuration, test, stdio)),
          command: 'replay',
        },
        scrub,
        progress: SILENT,
        onJournal: (file) => {
          journal = file;
        },
        onExchange: ({ step, purpose, request }, { outcome }) => {
          const number = step === null || purpose !== 'step' ? undefined : logged.numbers.get(step);
          // If the replay sends a call several times, the first reply is compared, because the record also contains the first
          // reply.
          if (number === undefined || outcomes.has(number)) return;
          outcomes.set(number, outcome);
          const sessionID = sessionNamedIn(request);
          if (sessionID !== undefined) sessionIDs.set(number, sessionID);
        },
      });
      return { outcome: outcomeOf(incident, assignment, played, { outcomes, sessionIDs }), played };
    };
    const first = await playOnce(assign(incident, flags, client), flags.journal);
    const again = assign(incident, flags, client, 'also-broken');
    // The test operator replied in time to a call that had no reply, or no reply in time, in the record. So the replay breaks the
    // connection of this call. For rules about the reply itself, a broken connection would show nothing.
    const { verdict, past } = first.outcome;
    const isInTime =
      (verdict === 'not reproduced' || verdict === 'differs') &&
      (past.rules.size === 0 || ![...past.rules].every(isAboutReply)) &&
      first.outcome.compared.some(
        ({ number, now }) => again.logged.cutOff.has(number) && now !== null && now.status !== null,
      );
    const isAgain = isInTime && !interrupt.signal.aborted;
    if (isAgain)
      stdio.err.write(
        'In the logs, a call had no reply, or no reply in time. Now the operator replied to this call in time. So croupier sends all calls again, and breaks the connection of this call.\n',
      );
    const last = isAgain ? await playOnce(again, undefined) : first;
    // A replay of parallel calls sends them several times already.
    const isRace = again.logged.atOnce.size > 0;
    const isPerhapsFixed =
      last.outcome.verdict === 'fixed' ||
      (last.outcome.verdict === 'not reproduced' && wrongNowAndThen(incident).length > 0);
    const { outcome, played } =
      isRace || !isPerhapsFixed
        ? last
        : await triedAgain(last, { signal: interrupt.signal, stdio, waits: again.logged.cutOff.size > 0 }, (copies) =>
            playOnce(assign(incident, { ...flags, wait: false }, client), undefined, copies),
          );
    const status = statusOf(outcome, played);
    const text = flags.json
      ? `${JSON.stringify(replayJson(outcome, status), null, 2)}\n`
      : replayText(outcome, stdio.out.colour ? ANSI : PLAIN, stdio.out.columns);
    stdio.out.write(scrub(text));
    return status;
  } finally {
    interrupt.dispose();
    await reference?.close();
  }
}

/**
 * Sends the calls of a replay without an error some more times, without pauses. So an operator that makes the error only now and then
 * does not count as fixed. Returns the first play in which the error occurred. If it did not occur, returns the given play.
 */
async function triedAgain(
  found: PlayedOnce,
  { signal, stdio, waits }: { readonly signal: AbortSignal; readonly stdio: Stdio; readonly waits: boolean },
  playOnce: (copies: number) => Promise<PlayedOnce>,
): Promise<PlayedOnce> {
  const { compared, past } = found.outcome;
  const calls = compared.map(({ call }) => call);
  const times = timesNeeded(calls, past.calls, waits ? MIN_SENT_WITH_WAITS : MIN_SENT_OF_A_KIND) - 1;
  if (times === 0) return found;
  let right = 0;
  // In one run, no calls that restore the balance come between the copies. An error at every tenth win could always meet these calls.
  if (!signal.aborted) {
    const all = await playOnce(times);
    const { verdict } = all.outcome;
    if (verdict === 'still failing' || verdict === 'regressed') return all;
    if (verdict === found.outcome.verdict) right = times;
  }
  stdio.err.write(
    `Nothing is wrong now. croupier sends the calls up to ${plural(times, 'more time')}, because the operator perhaps makes this error only now and then.\n`,
  );
  while (right < times && !signal.aborted) {
    const next = await playOnce(1);
    const { verdict } = next.outcome;
    if (verdict === 'still failing' || verdict === 'regressed') return next;
    // For example, the test session has too little money for one more time.
    if (verdict === 'undecided' || verdict === 'differs') break;
    right += 1;
  }
  const note = `croupier sent the calls ${plural(right + 1, 'time')}, and nothing was wrong. An error that occurs more rarely is still possible.`;
  return { ...found, outcome: { ...found.outcome, notes: [...found.outcome.notes, note] } };
}

/** The outcome of one replay, and the run that it was. */
interface PlayedOnce {
  readonly outcome: ReplayOutcome;
  readonly played: Played;
}

/** The incident as a scenario, with the client and the sessions for this scenario. */
interface Assignment {
  readonly logged: ReplayScenario;
  readonly scenario: RunnableScenario;
  readonly client: ClientUnderTest;
}

/**
 * Chooses the sessions for the replay. Prefers sessions in the currency of the incident, and otherwise uses all
 * sessions of the client.
 *
 * @param cutsOff the calls whose connection is broken directly after they are sent; undefined for no call
 */
function assign(
  incident: RecordedIncident,
  flags: ReplayFlags,
  client: ClientUnderTest,
  cutsOff?: CutOffCalls,
): Assignment {
  const { timeline } = incident;
  const currency = currencyOf(timeline);
  const sameCurrency = client.sessions.filter((session) => currency !== null && session.currency === currency);
  const logged = replay(
    incident,
    flags,
    sameCurrency.length === 0 ? null : currency,
    new Set(client.sessions.flatMap((session) => session.currency ?? [])),
    client.otherClientKey !== undefined,
    cutsOff,
  );
  const aliases = new Set(timeline.calls.map(({ seen }) => seen.sessionID)).size;
  const sessions = sameCurrency.length >= aliases && aliases === 1 ? sameCurrency : client.sessions;
  const text = writeScenario(logged.draft);
  const scenario = readGenerated(text, 'replay.yaml');
  return {
    logged,
    client: { ...client, sessions },
    scenario: {
      id: scenario.id,
      title: logged.draft.title,
      place: scenario.place,
      rules: scenario.rules.map(({ id }) => id),
      tags: [],
      last: false,
      quick: false,
      builtIn: false,
      plan: () => planScenario(scenario, undefined, { uuid: randomUUID }),
    },
  };
}

/** The outcome and the session of each replayed call, by the number of the call in the record. */
interface Replies {
  readonly outcomes: ReadonlyMap<number, Outcome>;
  readonly sessionIDs: ReadonlyMap<number, string>;
}

function outcomeOf(
  incident: RecordedIncident,
  { logged, client }: Assignment,
  { fold, status, journal }: Played,
  { outcomes, sessionIDs }: Replies,
): ReplayOutcome {
  const compared = compareReplies(logged.calls, outcomes, logged.atOnce, logged.ofBalance);
  const { timeline, signing } = incident;
  const failing = recordedMistakes(incident);
  const owed = timeline.wallets.flatMap(({ debts }) => debts.filter(({ toAct }) => toAct === 'operator'));
  const faults = owed.flatMap(({ deviation }) => deviation?.causes ?? []);
  // Calls that are not in the logs may explain these faults too. So the record does not prove them, but a fix must be tested for them.
  const possible = timeline.wallets
    .flatMap(({ possibleDebts }) => possibleDebts.filter(({ toAct }) => toAct === 'operator'))
    .flatMap(({ deviation }) => [...(deviation?.causes ?? []), ...(deviation?.otherCauses.flat() ?? [])])
    .flatMap(({ rule }) => rule ?? []);
  const unpaid = owed.flatMap(({ transaction }) => transaction?.attempts.map(({ number }) => number) ?? []);
  const past: Failures = {
    rules: new Set([
      ...failing.rules,
      ...faults.flatMap(({ rule }) => rule ?? []),
      ...(owed.length > 0 ? ['money.conservation'] : []),
    ]),
    calls: new Set([
      ...failing.calls,
      ...failedCalls(logged.calls),
      ...unpaid,
      ...faults.flatMap(({ transaction }) => transaction.attempts.map(({ number }) => number)),
    ]),
    causes: new Set([
      ...failing.causes,
      ...owed.flatMap(({ deviation }) => deviation?.otherCauses.flat() ?? []).flatMap(({ rule }) => rule ?? []),
      ...possible,
    ]),
  };
  const brokenThen = [
    ...failing.breaches,
    ...faults.flatMap(({ rule, repeat }) => (rule === null ? [] : [{ rule, call: repeat?.number ?? null }])),
  ];
  const repeats = wrongRepeats(repeatsInOtherSession(timeline.calls), brokenThen);
  const repeated = new Set(repeats.map(({ again }) => again.number));
  const inOtherCurrency = callsInOtherCurrency(timeline, sessionIDs, client);
  const isRepeat = (step: string | null): boolean => repeated.has(numberOf(step, logged) ?? 0);
  const broken = [
    ...fold.rules.flatMap(({ rule, findings }) =>
      findings.filter(({ verdict, step }) =>
        isBroken(verdict, past.rules.has(rule.id) || (rule.id === RULE_OF_OTHER_SESSION && isRepeat(step))),
      ),
    ),
    ...fold.expectations.filter(
      // In another currency, the operator may rightly decline an amount for another reason than in the record.
      ({ verdict, step }) => verdict === 'fail' && !inOtherCurrency.has(numberOf(step, logged) ?? 0),
    ),
  ];
  const now: Failures = {
    rules: new Set(broken.map(({ rule }) => rule)),
    calls: new Set([...failedNow(compared), ...broken.flatMap(({ step }) => numberOf(step, logged) ?? [])]),
    causes: new Set(broken.flatMap(({ causes }) => causes)),
    isInBalance: broken.some(({ wrongSum }) => wrongSum !== undefined),
  };
  const missing = notRepeated({
    compared,
    past: { ...past, rules: new Set([...past.rules, ...possible]) },
    decided: new Set(
      fold.rules.flatMap(({ rule, verdict, checks }) => (checks > 0 && DECIDED.has(verdict) ? [rule.id] : [])),
    ),
    rulesOfRepeats: rulesOfRepeats(repeats, brokenThen),
    untestedRepeats: repeatsNotTested(repeats, {
      calls: logged.calls,
      outcomes,
      sessions: sessionsOf(sessionIDs, fold),
      hasParallelCalls: logged.atOnce.size > 0,
      ofBalance: logged.ofBalance,
      passes: passesOf(RULE_OF_OTHER_SESSION, fold),
    }),
    atOnce: logged.atOnce,
    overlapped: fold.races.some(({ overlapped }) => overlapped > 1),
    leftOutMs: logged.leftOutMs,
    verified: new Set(signing.keys()),
    wrongReplies: new Set(failing.wrongReplies),
    missingCurrencies: new Set(inOtherCurrency.values()),
    nowAndThen: nowAndThenText(wrongNowAndThen(incident)),
  });
  const isUnexplained =
    timeline.wallets.some(({ books }) => books.deviations.some(({ fixedBy }) => fixedBy === null)) ||
    hasRefundWithoutBet(compared);
  return {
    isUnexplained,
    verdict: verdictOf(compared, past, now, {
      isUnexplained,
      isDecided: status === 0,
      isRepeated: missing.length === 0,
      // If the amount of a call depends on the balance, or if the operator owed its money, the operator may now answer the call
      // differently.
      affected: new Set([...failing.affected, ...callsWithIdsOf(timeline, new Set([...logged.ofBalance, ...unpaid]))]),
    }),
    compared,
    past,
    now,
    missing,
    notes: missingData(logged.calls, signing),
    run: conclude(fold).firstLine,
    journal,
  };
}

/** Returns the number in the record of the call of a step. Undefined if the step repeats no recorded call. */
function numberOf(step: string | null, { numbers }: ReplayScenario): number | undefined {
  return step === null ? undefined : numbers.get(step);
}

/**
 * Returns the currency of each recorded call that the replay sent in a session with another kind of currency, by the number of the
 * call.
 */
function callsInOtherCurrency(
  { calls, wallets }: IncidentTimeline,
  sessionIDs: ReadonlyMap<number, string>,
  { sessions }: ClientUnderTest,
): ReadonlyMap<number, string> {
  const recorded = new Map(wallets.map(({ wallet, currency }) => [wallet, currency]));
  const used = new Map(sessions.map(({ sessionID, currency }) => [sessionID, currency]));
  return new Map(
    calls.flatMap(({ number, wallet }) => {
      const [sessionID, currency] = [sessionIDs.get(number), recorded.get(wallet) ?? null];
      if (sessionID === undefined || currency === null || haveSameForm(used.get(sessionID), currency)) return [];
      return [[number, currency] as const];
    }),
  );
}

/** Returns the session of the test in which each call was sent, by the number of the call. */
function sessionsOf(sessionIDs: ReadonlyMap<number, string>, { run }: Fold): ReadonlyMap<number, Session> {
  const known = new Map(run.settings.sessions.map((session) => [session.sessionID, session]));
  return new Map(
    [...sessionIDs].flatMap(([number, sessionID]) => {
      const session = known.get(sessionID);
      return session ? [[number, session] as const] : [];
    }),
  );
}

/** Returns the number of checks of a rule that passed. 0 if any check failed, warned or could not be decided. */
function passesOf(id: RuleId, { rules }: Fold): number {
  const result = rules.find(({ rule }) => rule.id === id);
  return result?.verdict === 'pass' && result.places.every(({ isOpen }) => !isOpen) ? result.checks : 0;
}

/** A breach of a SHOULD rule is only a warning. It counts as a breach if the record breaks the same rule. */
function isBroken(verdict: string, wasBroken: boolean): boolean {
  return verdict === 'fail' || (verdict === 'warn' && wasBroken);
}

function statusOf({ verdict }: ReplayOutcome, { fold, status }: Played): number {
  if (status === 70 || status >= 128 || fold.ended?.how === 'unreachable' || fold.ended?.how === 'in-use')
    return status;
  switch (verdict) {
    case 'fixed':
    case 'same':
      return 0;
    case 'still failing':
    case 'regressed':
    case 'differs':
      return 1;
    case 'not reproduced':
    case 'undecided':
      return 3;
  }
}
