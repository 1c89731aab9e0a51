import { randomUUID } from 'node:crypto';
import { CONTRACT_VERSION } from '../contract/versions.ts';
import { JOURNAL_FORMAT } from '../journal/event.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { type Fault, readFault } from '../proxy/fault.ts';
import type { Listener } from '../proxy/notes.ts';
import { type RunningProxy, startProxy } from '../proxy/proxy.ts';
import { Signatures } from '../proxy/signatures.ts';
import { TrafficJournal } from '../proxy/traffic-journal.ts';
import { TrafficJudge } from '../proxy/traffic-judge.ts';
import { bugText } from './bug.ts';
import { shownPath, whyUnreadable } from './configuration.ts';
import { listenForInterrupt } from './interrupt.ts';
import { openJournal } from './new-journal.ts';
import { readPort } from './port.ts';
import { ProxyLog } from './proxy-log.ts';
import { proxySetting, type SettingFlags } from './proxy-setting.ts';
import { endOfCall } from './proxy-text.ts';
import type { Stdio } from './stdio.ts';
import { untilAborted } from './until-aborted.ts';
import { UsageError } from './usage-error.ts';
import { version } from './version.ts';

export interface ProxyFlags extends SettingFlags {
  readonly listen?: string;
  readonly host: string;
  readonly fault?: readonly string[];
  readonly journal?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** How long replies under way may take once it is told to stop. */
const GRACE_MS = 1000;

/** `croupier proxy`: passes on and judges until a signal ends it. */
export async function proxyCommand(flags: ProxyFlags, stdio: Stdio): Promise<number> {
  const faults = (flags.fault ?? []).map(faultFlag);
  const port = readPort(flags.listen, '--listen');
  const setting = await proxySetting(flags, stdio);
  const scrub = createScrubber(setting.secrets);
  const file = openJournal(flags.journal, stdio.cwd, scrub);
  const now = (): number => performance.now();
  const journal = new TrafficJournal((event) => file.append(event), now);
  const log = new ProxyLog({ stdio, scrub, isJson: flags.json ?? false, isQuiet: flags.quiet ?? false });
  journal.start({
    format: JOURNAL_FORMAT,
    croupier: version,
    contract: CONTRACT_VERSION,
    runID: randomUUID(),
    startedAt: new Date().toISOString(),
    client: { extCID: setting.extCID, integratorBaseUrl: setting.to },
    settings: {
      deadlineMs: 5000,
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
  const judge = new TrafficJudge({
    paths: setting.paths,
    signatures: new Signatures(setting.keys),
    sessions: setting.sessions,
    report: (finding) => {
      journal.found(finding);
      log.found(finding);
    },
  });
  const listener: Listener = {
    requested: (crossing) => journal.requested(crossing),
    ended: (crossing, end, outcome) => {
      const aside = log.ended(crossing, end, outcome);
      if (outcome) journal.ended(crossing, outcome, aside);
      else journal.notice(`${crossing.id}: ${endOfCall(crossing, end, outcome)}`);
    },
  };
  const tell = (text: string): void => {
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
      judging: judge,
      host: flags.host,
      port,
      onFault: (error) => tell(`The judging failed, and the traffic still passes. ${bugText(error, stdio)}`),
      onOverload: () =>
        tell('More passes than can be judged: calls are passed on and written down, and for now not judged.'),
      now,
    });
  } catch (error) {
    stop.dispose();
    file.close();
    throw new UsageError(`The proxy can't be started: ${whyUnreadable(error)}`, { cause: error });
  }
  log.ready(proxy.url, setting, shownPath(file.path, stdio.cwd));
  if (setting.keys.length === 0) tell(NO_KEY);
  if (setting.wire.insecureTls) tell('INSECURE TLS: the certificate of the operator is not checked.');
  try {
    await untilAborted(stop.signal);
  } finally {
    await proxy.close(GRACE_MS);
    stop.dispose();
    log.end(proxy.notes, judge.forgottenWallets);
    journal.end({ signal: stop.signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT', hasBreach: log.hasBreach });
    file.close();
  }
  return 0;
}

const NO_KEY =
  'No key is known, so signatures are not verified: give one with CROUPIER_KEY, --key-file or croupier.yaml.';

function faultFlag(text: string): Fault {
  try {
    return readFault(text);
  } catch (error) {
    throw new UsageError(`--fault ${text}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
