import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientUnderTest, RunnableScenario } from '../engine/run-options.ts';
import { compareReplies, failedCalls, failedNow, verdictOf, type Wrong } from '../incident/replay/compare.ts';
import { type ReplayOutcome, replayJson } from '../incident/replay/replay-json.ts';
import type { Retelling } from '../incident/replay/retelling.ts';
import { untoldOf } from '../incident/replay/untold.ts';
import type { Story } from '../incident/story/story.ts';
import { conclude } from '../journal/conclusion.ts';
import type { Outcome } from '../journal/exchange.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { ANSI, PLAIN } from '../report/paint.ts';
import { renderComplaint } from '../scenario/complaint.ts';
import { loadScenario } from '../scenario/load.ts';
import { planScenario } from '../scenario/planner.ts';
import { writeScenario } from '../scenario/write.ts';
import { resolveClients } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration, whyUnreadable } from './configuration.ts';
import { type IncidentFlags, readStory } from './incident.ts';
import { listenForInterrupt } from './interrupt.ts';
import { lastWords } from './last-words.ts';
import { type Played, play } from './play.ts';
import { askForProduction } from './production.ts';
import { SILENT } from './progress.ts';
import { type RecordedIncident, retelling, signingIn, wrongIn } from './recorded-incident.ts';
import { embeddedOperator, refuseOtherOperators, variationsOf } from './reference-flags.ts';
import { replayText } from './replay-text.ts';
import type { RunFlags } from './run-flags.ts';
import { runSettings } from './run-settings.ts';
import type { Stdio } from './stdio.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

/** `--session` and `--to` mean what they mean in other commands that call an operator or write files. */
export interface ReplayFlags
  extends Omit<IncidentFlags, 'session' | 'to' | 'operator' | 'service' | 'keyFile'>,
    Omit<RunFlags, 'report' | 'list' | 'tag' | 'grep'> {
  readonly of?: string;
  readonly until?: string;
  readonly service?: readonly string[];
  readonly operator?: readonly string[];
  readonly to?: string;
  readonly wait: boolean;
  readonly speed?: number;
}

/** More calls are no incident: a selection says which are meant. */
const MOST_CALLS = 500;
/** From so long on it is said how long it takes. */
const LONG_MS = 10_000;

/**
 * `croupier replay`: makes what happened happen again, and says what has become of it.
 *
 * @returns 0 fixed, or right as before; 1 still failing, regressed or different; 3 undecided
 */
export async function replayCommand(files: readonly string[], flags: ReplayFlags, stdio: Stdio): Promise<number> {
  const file = scenarioFile(flags.to);
  if (!flags.wait && flags.speed !== undefined) throw new UsageError('--speed and --no-wait exclude each other.');
  const configuration = await loadConfiguration(flags.config, stdio);
  const { of, until, to: _file, session: _test, keyFile: _key, ...rest } = flags;
  const asked: IncidentFlags = {
    ...rest,
    ...(of !== undefined && { session: of }),
    ...(until !== undefined && { to: until }),
  };
  const { story, notes, files: read } = await readStory(files, asked, configuration, stdio);
  if (story.calls.length > MOST_CALLS) {
    throw new UsageError(
      `These are ${story.calls.length} calls; at most ${MOST_CALLS} are played again. Choose some with --player, --of, --round, --tx, --from and --until.`,
    );
  }
  const incident = { story, signing: await signingIn(story, flags, configuration, stdio) };
  if (file === undefined) {
    for (const note of notes) stdio.err.write(`${forTerminal(note)}\n`);
    return await playAgain(incident, flags, configuration, stdio);
  }
  const { draft, calls } = retelling(incident, flags, currencyOf(story));
  const text = writeScenario(draft, {
    comments: [
      `What happened in ${read.join(', ')}, as croupier replay tells it.`,
      ...untoldOf(calls, incident.signing),
    ],
    schema: 'node_modules/croupier-conformance/schema/scenario.json',
  });
  refuseUnreadable(text, file);
  try {
    writeFileSync(path.resolve(stdio.cwd, file), createScrubber(configuration.secrets)(text));
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${whyUnreadable(error)}.`, { cause: error });
  }
  for (const note of notes) stdio.err.write(`${forTerminal(note)}\n`);
  stdio.err.write(`Written: ${forTerminal(file)}. Play it with: croupier run ${forTerminal(file)}\n`);
  return 0;
}

function scenarioFile(to: string | undefined): string | undefined {
  if (to === undefined) return undefined;
  const [, file] = /^scenario=(.+\.ya?ml)$/.exec(to) ?? [];
  if (file === undefined) throw new UsageError(`--to ${to}: write it as --to scenario=FILE.yaml.`);
  return file;
}

function currencyOf({ wallets }: Story): string | null {
  return wallets[0]?.currency ?? null;
}

/** A scenario that croupier itself can't read is a mistake of its own, and nothing to hand on. */
function refuseUnreadable(text: string, file: string) {
  const { scenario, complaints } = loadScenario(text, file, { id: 'replay', readFragment: () => undefined });
  if (!scenario) throw new Error(`the scenario can't be read:\n${complaints.map(renderComplaint).join('\n')}`);
  return scenario;
}

async function playAgain(
  incident: RecordedIncident,
  flags: ReplayFlags,
  configuration: Configuration,
  stdio: Stdio,
): Promise<number> {
  const variations = variationsOf(flags);
  const settings = runSettings(configuration.config, flags, stdio.env);
  if (flags.reference) refuseOtherOperators(flags, 'judges');
  const given = flags.reference ? undefined : await resolveClients(configuration, flags, stdio);
  if (given && given.complaints.length > 0) throw complaintsError(given.complaints);
  if (given && given.clients.length > 1) {
    const names = given.clients.map(({ extCID }) => extCID).join(', ');
    throw new UsageError(`An incident is played against one client, and there are ${names}. Choose one with --client.`);
  }
  if (given) await askForProduction(given.clients, flags, stdio);
  const reference = await embeddedOperator(flags, variations, settings, stdio);
  let journal: string | undefined;
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: what is under way is ended and given back. Once more ends at once.\n',
    () => lastWords(journal, { isEmbedded: reference !== undefined, stdio }),
  );
  try {
    const client = reference?.client ?? given?.clients[0];
    if (!client || client.sessions.length === 0)
      throw new UsageError('There is no session to play it in. Name one of the test with --session.');
    const scrub = createScrubber([...(given?.secrets ?? []), ...(reference?.secrets ?? []), ...configuration.secrets]);
    const { told, scenario, client: cast } = castFor(incident, flags, client);
    if (told.waitsMs >= LONG_MS) {
      stdio.err.write(
        `The gaps between the calls add up to ${Math.round(told.waitsMs / 1000)} s; --speed and --no-wait shorten them.\n`,
      );
    }
    const outcomes = new Map<number, Outcome>();
    const played = await play({
      options: {
        croupier: version,
        client: cast,
        scenarios: [scenario],
        selection: ['replay'],
        whole: false,
        ...settings,
        campaign: settings.campaign ?? reference?.campaign ?? null,
        largeAmounts: settings.largeAmounts || reference !== undefined,
        signal: interrupt.signal,
      },
      journal: flags.journal,
      cwd: stdio.cwd,
      scrub,
      progress: SILENT,
      onJournal: (file) => {
        journal = file;
      },
      onExchange: ({ step, purpose }, { outcome }) => {
        const number = step === null || purpose !== 'step' ? undefined : told.numbers.get(step);
        // What is told or sent more than once counts as it was the first time, as it was recorded.
        if (number !== undefined && !outcomes.has(number)) outcomes.set(number, outcome);
      },
    });
    const outcome = outcomeOf(incident, told, played, outcomes);
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

interface Cast {
  readonly told: Retelling;
  readonly scenario: RunnableScenario;
  readonly client: ClientUnderTest;
}

/** Sessions in the currency of the incident are preferred; where none says its currency, that is left to whoever chose it. */
function castFor(incident: RecordedIncident, flags: ReplayFlags, client: ClientUnderTest): Cast {
  const { story } = incident;
  const currency = currencyOf(story);
  const alike = client.sessions.filter((session) => currency !== null && session.currency === currency);
  const told = retelling(incident, flags, alike.length === 0 ? null : currency);
  const aliases = new Set(story.calls.map(({ seen }) => seen.sessionID)).size;
  const sessions = alike.length >= aliases && aliases === 1 ? alike : client.sessions;
  const text = writeScenario(told.draft);
  const scenario = refuseUnreadable(text, 'replay.yaml');
  return {
    told,
    client: { ...client, sessions },
    scenario: {
      id: scenario.id,
      title: told.draft.title,
      place: scenario.place,
      rules: scenario.rules.map(({ id }) => id),
      tags: [],
      last: false,
      builtIn: false,
      plan: () => planScenario(scenario, undefined, { uuid: randomUUID }),
    },
  };
}

function outcomeOf(
  incident: RecordedIncident,
  told: Retelling,
  { fold, status, journal }: Played,
  outcomes: ReadonlyMap<number, Outcome>,
): ReplayOutcome {
  const compared = compareReplies(told.calls, outcomes, told.atOnce);
  const { story, signing } = incident;
  const failing = wrongIn(incident);
  const owed = story.wallets.flatMap(({ debts }) => debts.filter(({ toAct }) => toAct === 'operator'));
  const faults = owed.flatMap(({ deviation }) => deviation?.causes ?? []);
  const past: Wrong = {
    rules: new Set([
      ...failing.rules,
      ...faults.flatMap(({ rule }) => rule ?? []),
      ...(owed.length > 0 ? ['money.conservation'] : []),
    ]),
    calls: new Set([
      ...failing.calls,
      ...failedCalls(told.calls),
      ...faults.flatMap(({ transaction }) => transaction.attempts.map(({ number }) => number)),
    ]),
  };
  const broken = [
    ...fold.rules.filter(({ verdict }) => verdict === 'fail').flatMap(({ findings }) => findings),
    ...fold.expectations,
  ].filter(({ verdict }) => verdict === 'fail');
  const now: Wrong = {
    rules: new Set(broken.map(({ rule }) => rule)),
    calls: new Set([
      ...failedNow(compared),
      ...broken.flatMap(({ step }) => (step === null ? [] : (told.numbers.get(step) ?? []))),
    ]),
  };
  return {
    verdict: verdictOf(compared, past, now, status === 0),
    compared,
    past,
    now,
    notes: untoldOf(told.calls, signing),
    run: conclude(fold).firstLine,
    journal,
  };
}

function statusOf({ verdict }: ReplayOutcome, { fold, status }: Played): number {
  if (status === 70 || status >= 128 || fold.ended?.how === 'unreachable') return status;
  switch (verdict) {
    case 'fixed':
    case 'same':
      return 0;
    case 'still failing':
    case 'regressed':
    case 'differs':
      return 1;
    case 'undecided':
      return 3;
  }
}
