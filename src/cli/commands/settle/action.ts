import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clients, resolveClients } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { askForProduction } from '../../../app/config/production.ts';
import type { ClientFlags } from '../../../app/config/run-flags.ts';
import { EXIT, interruptedStatus, UsageError } from '../../../app/exit-status.ts';
import { whyUnreadable } from '../../../app/files.ts';
import { JournalInUse, reopenJournal, runningWriter } from '../../../app/journal-files.ts';
import type { HeldLocks } from '../../../app/lock/held-locks.ts';
import { SILENT_MS } from '../../../app/lock/lock-file.ts';
import { lockSettings } from '../../../app/lock/lock-folder.ts';
import { lockPlayers } from '../../../app/lock/player-locks.ts';
import { type Left, readAfterRun } from '../../../app/run/earlier-journals.ts';
import { type RunSettings, runSettings } from '../../../app/run/settings.ts';
import type { Stdio } from '../../../app/stdio.ts';
import type { AfterRun } from '../../../engine/after/after-run.ts';
import { debtsOf } from '../../../engine/after/debts.ts';
import { openItemsOf } from '../../../engine/after/open-items.ts';
import { type Settled, settleRun } from '../../../engine/after/settle.ts';
import type { CallGate } from '../../../engine/calls/call-gate.ts';
import type { JournalFile } from '../../../engine/run/journal-file.ts';
import type { ClientUnderTest } from '../../../engine/run-options.ts';
import { isOfEmbeddedOperator, type JournalEvent, type RunStarted } from '../../../journal/event.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { baseUrlsText } from '../../../report/base-urls.ts';
import { forTerminal } from '../../../report/escape.ts';
import { processNow } from '../../../wire/clock.ts';
import { endedAtOnce, listenForInterrupt } from '../../interrupt.ts';
import { isStartedByWorker, leaseFromWorker } from '../../worker-lease.ts';
import type { SettleFlags } from './flags.ts';
import { debtItems, itemLines, itemOf, lastSentence, type SettleItem } from './text.ts';

const TIME_MS = 30_000;

/**
 * `croupier settle`: sends the wins and refunds that an interrupted run still owes, and restores the balances.
 *
 * @returns 0 if nothing is owed any more, 3 if something is still owed; if a signal ended the command early, the status of this signal
 */
export async function settleCommand(journal: string, flags: SettleFlags, stdio: Stdio): Promise<number> {
  const file = path.resolve(stdio.cwd, journal);
  const output: Output = { journal, isJson: flags.json === true, stdio };
  // The first reading needs no key. So if the run owes nothing, the command ends here without asking for a key.
  const first = await readEnded(file, journal, stdio);
  if (openItemsOf(first).length === 0 || isOfEmbeddedOperator(first.run))
    return print([], first, { ...output, isSent: false });
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const { client, secrets, diagnostics } = await clientOfJournal(first.run, journal, configuration, flags, stdio);
  if (!client) throw diagnosticsError(diagnostics);
  const bytes = statSync(file).size;
  let left = await readAfterRun(file, journal, client.integrationApiKey);
  const due = openItemsOf(left.afterRun);
  const called = baseUrlsText(first.run);
  const isElsewhere = client.integratorBaseUrl !== called;
  // Another wallet may know none of these transactions. It could answer 200, and pay money that nobody owes. Only in a fleet, the
  // configuration always belongs to the operator of the run, so the operator has moved.
  const isConfirmed = flags.baseUrl !== undefined || isStartedByWorker(stdio);
  if (isElsewhere && !isConfirmed && flags.dryRun !== true && due.length > 0)
    throw otherAddress(journal, first.run, client.integratorBaseUrl);
  if (isElsewhere) {
    stdio.err.write(
      forTerminal(
        `The run called ${called}, but croupier sends the calls that are owed to ${client.integratorBaseUrl}.`,
      ),
    );
    stdio.err.write('\n');
  }
  if (due.length === 0 || flags.dryRun)
    return print(debtItems(debtsOf(left.afterRun), first.run), left.afterRun, { ...output, isSent: false });
  const lock = lockSettings(configuration, flags, stdio);
  await askForProduction([client], flags, stdio);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: waiting for the call that was sent. Interrupt again to end at once.\n',
    () => endedAtOnce(file, { isEmbedded: false, stdio }),
  );
  let locks: HeldLocks | undefined;
  const lease = leaseFromWorker(stdio);
  let written: JournalFile | undefined;
  try {
    const { signal } = interrupt;
    locks = await lockPlayers({ client, signal, command: 'settle', journal: file, stdio }, lock);
    const scrub = createScrubber(secrets);
    written = reopen(file, journal, scrub);
    // Another `croupier settle` may have settled the run while this one waited for its players.
    if (statSync(file).size !== bytes) left = await readAfterRun(file, journal, client.integrationApiKey);
    const { afterRun } = left;
    if (openItemsOf(afterRun).length === 0) return print([], afterRun, { ...output, isSent: false });
    const settled = await settle(written, left, {
      client,
      settings,
      flags,
      signal,
      gate: lease?.gate,
    });
    const status = print(
      settled.map((one) => itemOf(one.item, afterRun.run, one)),
      afterRun,
      { ...output, isSent: true },
    );
    if (status === 0 || !interrupt.signal.aborted) return status;
    return interruptedStatus(interrupt.signal);
  } finally {
    written?.close();
    locks?.release();
    lease?.close();
    interrupt.dispose();
  }
}

/** Maximum time in ms to wait for the end of a run. A killed run in another container counts as ended after {@link SILENT_MS}. */
const WAIT_MS = SILENT_MS + 5000;
const RETRY_MS = 250;

/**
 * Reads the journal of a run. If the run is still active, waits until it ends: it may have been cancelled, and is just
 * sending its last calls.
 *
 * @throws UsageError if the run does not end in time
 */
async function readEnded(file: string, journal: string, stdio: Stdio): Promise<AfterRun> {
  const until = performance.now() + WAIT_MS;
  let isFirst = true;
  for (;;) {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size;
    const { afterRun } = await readAfterRun(file, journal, undefined);
    if (afterRun.ended && openItemsOf(afterRun).length === 0) return afterRun;
    const writer = isOfEmbeddedOperator(afterRun.run) ? undefined : runningWriter(file, afterRun.run);
    if (writer === undefined) {
      if (statSync(file).size === bytes) return afterRun;
      // The run has written to the journal and has ended since the journal was read.
      continue;
    }
    if (isFirst)
      stdio.err.write(
        `${forTerminal(`${journal}: ${writer} is still writing this journal. Waiting for up to ${WAIT_MS / 1000} s until it ends …`)}\n`,
      );
    isFirst = false;
    if (performance.now() > until) throw stillActive(journal, writer);
    while (performance.now() <= until && runningWriter(file, afterRun.run) !== undefined) await sleep(RETRY_MS);
  }
}

function stillActive(journal: string, writer: string): UsageError {
  return new UsageError(
    `${journal}: the run is still active: ${writer}. Nothing was sent.\nWait until it ends, or end it. An active run itself sends the calls that it owes.`,
  );
}

/** The error for a configuration with another address than the run. */
function otherAddress(journal: string, run: RunStarted, configured: string): UsageError {
  const called = baseUrlsText(run);
  const next =
    run.client.otherBaseUrls === undefined
      ? `If the wallet of the run is still at its address, add --base-url ${called}. If the same wallet has moved, add --base-url ${configured}.`
      : `If one wallet answers at all these addresses, add --base-url with one of them. If they are different wallets, settle the journal of each shard instead.`;
  return new UsageError(
    `${journal}: the run called ${called}, but the configuration names ${configured}. Nothing was sent, because another wallet may not know these transactions.\n${next}`,
  );
}

interface Settlement {
  readonly client: ClientUnderTest;
  readonly settings: RunSettings;
  readonly flags: SettleFlags;
  readonly signal: AbortSignal;
  readonly gate: CallGate | undefined;
}

function settle(
  written: JournalFile,
  left: Left,
  { client, settings, flags, signal, gate }: Settlement,
): Promise<readonly Settled[]> {
  return settleRun({
    ...settings,
    client,
    ...left,
    timeMs: flags.time ?? TIME_MS,
    record: (event: JournalEvent) => written.append(event),
    signal,
    gate,
    uuid: randomUUID,
    now: processNow,
  });
}

function reopen(file: string, journal: string, scrub: (text: string) => string): JournalFile {
  try {
    return reopenJournal(file, 'settle', scrub);
  } catch (error) {
    if (error instanceof JournalInUse) {
      const why = 'croupier would send the same calls twice';
      throw new UsageError(`${journal}: ${error.message}. Nothing was sent, because ${why}.`, { cause: error });
    }
    throw new UsageError(
      `The journal can't be written: ${file}: ${whyUnreadable(error)}. Nothing was sent, because the journal must record each call first.`,
      { cause: error },
    );
  }
}

interface Output {
  readonly journal: string;
  readonly isJson: boolean;
  readonly stdio: Stdio;
}

/** The remark for sums that are uncertain because the run had no locks. */
const NO_LOCK_REMARK =
  'The run had no locks (--no-lock). If another command used the same players at the same time, the sums of the balances above may be wrong. Compare the balances with those before both commands.';

function print(
  items: readonly SettleItem[],
  { run, ended }: AfterRun,
  { journal, isJson, stdio, isSent }: Output & { readonly isSent: boolean },
): number {
  const owed = items.filter(({ settled }) => !settled).length;
  const status = owed === 0 ? 0 : EXIT.UNDECIDED;
  const isUncertain = run.settings.noLock === true && items.some(({ kind }) => kind === 'balance');
  const remarks = isUncertain ? [NO_LOCK_REMARK] : [];
  if (isJson) {
    const { client, runID, startedAt } = run;
    const result = { journal, runID, startedAt, client, dryRun: !isSent, owed, exitCode: status, items, remarks };
    stdio.out.write(`${JSON.stringify(result, null, 2)}\n`);
    return status;
  }
  const when = run.startedAt.replace(/^(\S+)T(\d\d:\d\d:\d\d).*$/s, '$1 $2 UTC');
  const lines = [
    `${run.client.extCID}, the run of ${when}${ended ? '' : ', interrupted'}`,
    ...items.flatMap((item) => ['', ...itemLines(item, isSent)]),
    ...remarks.flatMap((remark) => ['', remark]),
    '',
    lastSentence(owed, items.length, { isSent, journal }),
  ];
  stdio.out.write(lines.map((line) => `${forTerminal(line)}\n`).join(''));
  return status;
}

/** The client of a journal, and the secrets that no output may contain. */
interface JournalClient extends Omit<Clients, 'clients'> {
  /** The client; undefined if the configuration has mistakes, which `diagnostics` lists. */
  readonly client: ClientUnderTest | undefined;
}

/**
 * Returns the client of a journal with its configured settings. If the configuration does not name the client, its
 * address and sessions come from the journal, and the user must give its key.
 *
 * @throws UsageError when the flags name another client, or the key is missing
 */
async function clientOfJournal(
  { client: { extCID, integratorBaseUrl }, settings }: RunStarted,
  journal: string,
  configuration: Configuration,
  flags: ClientFlags,
  stdio: Stdio,
): Promise<JournalClient> {
  const other = [...(flags.client ?? []), ...(flags.extCid === undefined ? [] : [flags.extCid])].find(
    (name) => name !== extCID,
  );
  if (other !== undefined) refuseOther(journal, extCID, other);
  const configured = configuration.config.clients ?? [];
  if (configured.some((client) => client.extCID === extCID)) {
    const { clients, ...rest } = await resolveClients(configuration, { ...flags, client: [extCID] }, stdio);
    return { ...rest, client: clients[0] };
  }
  const hasKey = flags.keyFile !== undefined || Boolean(stdio.env.CROUPIER_KEY);
  if (!hasKey) {
    const known = configured.map((client) => client.extCID);
    throw new UsageError(
      `${journal} belongs to the client ${extCID}, but ${configuration.found ? `${configuration.file} does not name this client${known.length > 0 ? ` (it has ${known.join(', ')})` : ''}` : `there is no ${configuration.file}`}. Nothing was sent.\nGive its key with CROUPIER_KEY or --key-file. Or use --config to name a configuration file that has this client.`,
    );
  }
  const { client: _chosen, ...others } = flags;
  const { clients, ...rest } = await resolveClients(
    configuration,
    {
      ...others,
      extCid: extCID,
      baseUrl: flags.baseUrl ?? integratorBaseUrl,
      session: flags.session ?? ['placeholder'],
    },
    stdio,
  );
  const [client] = clients;
  const sessions = settings.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
    sessionID,
    player: player ?? undefined,
    currency: currency ?? undefined,
    gameID: gameID ?? undefined,
    state,
  }));
  return { ...rest, client: client && flags.session === undefined ? { ...client, sessions } : client };
}

function refuseOther(journal: string, extCID: string, other: string): never {
  throw new UsageError(
    `${journal} belongs to the client ${extCID}, but you chose ${other}, which has other transactions. Nothing was sent.\nChoose ${extCID}.`,
  );
}
