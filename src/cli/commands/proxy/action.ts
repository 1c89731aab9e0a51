import { randomUUID } from 'node:crypto';
import { givenKey, proxySecrets, resolveClients, wireOptions } from '../../../app/config/clients.ts';
import { diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { readPort, readSession } from '../../../app/config/flag-values.ts';
import { callPaths, knownSessions } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { bugText } from '../../../app/fault.ts';
import { shownPath } from '../../../app/files.ts';
import { openJournal } from '../../../app/journal-files.ts';
import { refuseOwingJournal } from '../../../app/run/earlier-journals.ts';
import { isPipeline, type Stdio } from '../../../app/stdio.ts';
import { version } from '../../../app/version.ts';
import { REPLY_DEADLINE_MS } from '../../../contract/limits.ts';
import { CONTRACT_VERSION } from '../../../contract/versions.ts';
import { JOURNAL_FORMAT } from '../../../journal/event.ts';
import { cutSignatures, EchoedSignatures } from '../../../journal/secrets/echoed-signatures.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { cannotOpen } from '../../../listen/server.ts';
import type { KnownSession } from '../../../traffic/call-selection.ts';
import { type Fault, readFault } from '../../../traffic/proxy/fault.ts';
import type { TrafficListener } from '../../../traffic/proxy/observation-queue.ts';
import { type RunningProxy, startProxy } from '../../../traffic/proxy/proxy.ts';
import { TrafficJournal } from '../../../traffic/proxy/traffic-journal.ts';
import { type TrafficFinding, TrafficJudge } from '../../../traffic/proxy/traffic-judge.ts';
import type { CallPaths } from '../../../traffic/recorded-call.ts';
import { processNow } from '../../../wire/clock.ts';
import type { WireOptions } from '../../../wire/wire.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import type { ProxyFlags } from './flags.ts';
import { ProxyLog } from './log.ts';
import { endOfCall } from './text.ts';

/** Maximum time in milliseconds for open calls to finish after the stop signal. */
const GRACE_MS = 1000;

/** `croupier proxy`: forwards and judges calls until a signal ends it. @returns 0 */
export async function proxyCommand(flags: ProxyFlags, stdio: Stdio): Promise<number> {
  const faults = (flags.fault ?? []).map(faultFlag);
  const port = flags.port === undefined ? readPort(flags.listen, '--listen') : readPort(flags.port, '--port');
  const setting = await proxySettings(flags, stdio);
  const scrub = createScrubber(setting.secrets);
  if (flags.journal !== undefined) await refuseOwingJournal(flags.journal, undefined, stdio.cwd);
  const file = openJournal(flags.journal, 'proxy', { cwd: stdio.cwd, scrub });
  const now = processNow;
  // Many people can read the log of a pipeline. It must not show the signatures that an operator writes into its replies.
  const echoes = isPipeline(stdio.env) ? new EchoedSignatures() : undefined;
  const journal = new TrafficJournal((event) => {
    echoes?.add(event);
    file.append(event);
  }, now);
  const shown = (text: string): string => scrub(echoes ? cutSignatures(text, echoes.all) : text);
  const log = new ProxyLog({ stdio, scrub: shown, isJson: flags.json ?? false, isQuiet: flags.quiet ?? false });
  journal.start({
    format: JOURNAL_FORMAT,
    croupier: version,
    contract: CONTRACT_VERSION,
    runID: randomUUID(),
    startedAt: new Date().toISOString(),
    client: { extCID: setting.extCID, integratorBaseUrl: setting.to },
    settings: {
      deadlineMs: REPLY_DEADLINE_MS,
      lingerMs: 0,
      strict: false,
      workers: 1,
      sessions: [...setting.sessions].map(([sessionID, { player, currency }]) => ({
        sessionID,
        player,
        currency,
        gameID: null,
        state: 'active',
      })),
    },
  });
  const report = (finding: TrafficFinding): void => {
    journal.found(finding);
    log.found(finding);
  };
  let unparsed = 0;
  const judge = new TrafficJudge({
    paths: setting.paths,
    keys: setting.keys,
    sessions: setting.sessions,
    report,
  });
  const listener: TrafficListener = {
    requested: (proxiedCall) => journal.requested(proxiedCall),
    ended: (proxiedCall, end, outcome) => {
      const remark = log.ended(proxiedCall, end, outcome);
      if (outcome) journal.ended(proxiedCall, outcome, remark);
      else journal.notice(`${proxiedCall.id}: ${endOfCall(proxiedCall, end, outcome)}`);
    },
    exceeded: ({ id, call }) => {
      if (call !== null) report({ rule: 'reply.json', verdict: 'warn', call, exchange: id, text: EXCESS });
    },
    unparsed: (connection, sender) => {
      unparsed += 1;
      if (unparsed <= MAX_UNPARSED) notice(unparsedText(connection, sender));
      else if (unparsed === MAX_UNPARSED + 1) notice('More connections like these are not listed.');
    },
  };
  const notice = (text: string): void => {
    journal.notice(text);
    log.notice(text);
  };
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  let proxy: RunningProxy;
  try {
    proxy = await startProxy({
      to: setting.to,
      wire: setting.wire,
      paths: setting.paths,
      faults,
      listener,
      judge,
      host: flags.host,
      port,
      onFault: (error) => notice(`The judging failed, but calls are still forwarded. ${bugText(error, stdio)}`),
      onOverload: () => notice('Too many calls to judge: for now, calls are forwarded and recorded, but not judged.'),
      now,
    });
  } catch (error) {
    stop.dispose();
    file.close();
    throw new UsageError(
      `The proxy can't be started: ${cannotOpen(flags.host, port, error as NodeJS.ErrnoException)}.`,
      {
        cause: error,
      },
    );
  }
  log.ready(proxy.url, setting, shownPath(file.path, stdio.cwd));
  if (setting.keys.length === 0) notice(NO_KEY);
  if (setting.wire.insecureTls) notice('INSECURE TLS: the certificate of the operator is not checked.');
  try {
    await untilAborted(stop.signal);
  } finally {
    await proxy.close(GRACE_MS);
    stop.dispose();
    log.end(proxy.observations, judge.forgottenWallets);
    journal.end({ signal: stop.signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT', hasBreach: log.hasBreach });
    file.close();
  }
  return 0;
}

/** The proxy prints a notice for a connection whose bytes it cannot parse, but for at most this number of connections. */
const MAX_UNPARSED = 5;

function unparsedText(connection: number, sender: 'service' | 'operator'): string {
  const unchanged =
    sender === 'service'
      ? 'all bytes of this connection, also paths and Host headers,'
      : 'the replies of this connection';
  return `Connection ${connection}: the ${sender} sent bytes that are not valid HTTP/1.1. From here on, ${unchanged} are forwarded unchanged, and its calls are not judged.`;
}

const EXCESS =
  'the operator sent more bytes after the end of its reply. The service may take these bytes for the reply to its next call';

const NO_KEY =
  'No key is configured, so signatures are not verified. croupier reports only a missing signature. Give a key with CROUPIER_KEY, --key-file or croupier.yaml.';

function faultFlag(text: string): Fault {
  try {
    return readFault(text);
  } catch (error) {
    throw new UsageError(`--fault ${text}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** The facts about the client and the operator that the proxy needs. */
interface ProxySettings {
  readonly to: string;
  /** The ExtCID of the client; empty if it is not known. */
  readonly extCID: string;
  readonly keys: readonly string[];
  readonly secrets: readonly string[];
  readonly sessions: ReadonlyMap<string, KnownSession>;
  readonly paths: CallPaths;
  readonly wire: WireOptions;
}

/**
 * Reads flags, environment and configuration.
 *
 * @throws UsageError for a mistake in them, or if the operator's address is missing
 */
async function proxySettings(flags: ProxyFlags, stdio: Stdio): Promise<ProxySettings> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { config } = configuration;
  const isConfigured = (config.clients ?? []).length > 0;
  const { clients, secrets, diagnostics } =
    isConfigured || flags.client
      ? await resolveClients(configuration, { ...flags, launches: 1 }, stdio)
      : { clients: [], secrets: configuration.secrets, diagnostics: [] };
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const to = flags.to ?? (clients.length === 1 ? clients[0]?.integratorBaseUrl : undefined);
  if (to === undefined) {
    const why = clients.length > 1 ? 'the configuration has several clients' : 'no client is configured';
    throw new UsageError(
      `No operator to forward to: ${why}. Give --to URL${clients.length > 1 ? ', or choose a client with --client' : ''}.`,
    );
  }
  const url = /^https?:$/.test(URL.parse(to)?.protocol ?? '') ? new URL(to) : undefined;
  if (!url || `${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new UsageError(
      '--to must be an http or https URL without password, query and fragment, such as https://wallet.example/eu.',
    );
  const key = clients.length === 0 ? await givenKey(flags, stdio) : undefined;
  const client = clients.find(({ integratorBaseUrl }) => integratorBaseUrl === to) ?? clients[0];
  const wire = client?.wire ?? wireOptions(undefined, { configuration, flags, stdio });
  const sessions = new Map(knownSessions(configuration));
  for (const { sessionID, player, currency } of (flags.session ?? []).map((text) => readSession(text)))
    sessions.set(sessionID, { player: player ?? null, currency: currency ?? null });
  return {
    to,
    extCID: client?.extCID ?? '',
    keys: [
      ...new Set([...clients.map(({ integrationApiKey }) => integrationApiKey), ...(key === undefined ? [] : [key])]),
    ],
    secrets: [...secrets, ...(key === undefined ? [] : [key]), ...proxySecrets(wire.proxy)],
    sessions,
    paths: callPaths(configuration),
    wire,
  };
}
