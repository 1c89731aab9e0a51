import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import { playByHand } from '../engine/by-hand.ts';
import type { HandCall } from '../engine/by-hand-plan.ts';
import type { ClientUnderTest, SessionUnderTest } from '../engine/run-options.ts';
import { denominationOf } from '../engine/stakes.ts';
import { addressOf } from '../engine/target.ts';
import { createScrubber } from '../journal/scrubber.ts';
import { forTerminal } from '../report/escape.ts';
import { type BuiltRequest, buildRequest } from '../wire/request.ts';
import type { SignKind } from '../wire/sign-kind.ts';
import { type CallFieldFlags, callFields } from './call-fields.ts';
import { callJournal } from './call-journal.ts';
import { callJson, dryRunJson } from './call-json.ts';
import { callStatus, callText, dryRunText } from './call-text.ts';
import { resolveClients } from './clients.ts';
import { type Configuration, complaintsError, loadConfiguration } from './configuration.ts';
import { askForProduction } from './production.ts';
import type { ClientFlags } from './run-flags.ts';
import { runSettings } from './run-settings.ts';
import { type Stdio, showsUnicode } from './stdio.ts';
import { UsageError } from './usage-error.ts';

export interface CallFlags extends ClientFlags, CallFieldFlags {
  readonly sign?: SignKind;
  readonly repeat?: number;
  /** undefined: as is best for the call. */
  readonly read?: boolean;
  readonly dryRun?: boolean;
  readonly strict?: boolean;
  readonly deadline?: number;
  readonly linger?: number;
  readonly stake?: readonly string[];
  readonly journal?: string;
  readonly json?: boolean;
}

/**
 * `croupier call`: one call by hand, sent and judged.
 *
 * @returns 0 when no MUST is broken, 1 when one is, 3 when no reply came that could be judged
 */
export async function callCommand(call: string, flags: CallFlags, stdio: Stdio): Promise<number> {
  if (!isCall(call)) throw new UsageError(`There is no call ${call}; there are ${CALL_NAMES.join(', ')}.`);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const { clients, secrets, complaints } = await resolveClients(configuration, flags, stdio);
  if (complaints.length > 0) throw complaintsError(complaints);
  const client = onlyClient(clients);
  const session = sessionOf(client, configuration);
  const { stake, decimals } = denominationOf(session.currency, settings.stakes, '');
  const { fields, remarks } = callFields(call, session.sessionID, flags, stake.format(Math.min(decimals, 2)));
  const hand: HandCall = {
    call,
    fields,
    sign: flags.sign ?? 'valid',
    times: flags.repeat ?? 1,
    namesBet: flags.origTxId !== undefined,
    namesRound: flags.round !== undefined,
  };
  const request = build(hand, client);
  const scrub = createScrubber(secrets);
  if (flags.json !== true) for (const remark of remarks) stdio.err.write(`${forTerminal(scrub(remark))}\n`);
  if (flags.dryRun) {
    const text = flags.json ? dryRunJson(request, remarks) : dryRunText(request, stdio);
    stdio.out.write(scrub(text));
    return 0;
  }
  if (call !== 'balance') await askForProduction([client], flags, stdio);
  const { strict, deadlineMs, lingerMs } = settings;
  const journal =
    flags.journal === undefined
      ? null
      : await callJournal(flags.journal, { hand, client, session, settings, scrub, cwd: stdio.cwd });
  const played = await playByHand({
    client,
    session,
    hand,
    request,
    // That the same bytes had one effect only shows in the balance.
    reads: call !== 'balance' && (flags.read ?? hand.times > 1),
    maybeKnown: hand.sign === 'valid' && (flags.txId !== undefined || hand.namesBet),
    campaignKnown: flags.frId !== undefined,
    strict,
    deadlineMs,
    lingerMs,
    now: () => performance.now(),
    record: journal?.record,
  });
  journal?.end(played);
  const status = callStatus(played);
  stdio.out.write(
    scrub(
      flags.json
        ? callJson(hand, client, request, played, { status, remarks })
        : callText(hand, client, played, { sink: stdio.out, unicode: showsUnicode(stdio.env) }),
    ),
  );
  return status;
}

function isCall(text: string): text is CallName {
  return (CALL_NAMES as readonly string[]).includes(text);
}

function onlyClient(clients: readonly ClientUnderTest[]): ClientUnderTest {
  const [client, ...others] = clients;
  if (!client || others.length > 0) {
    const known = clients.map(({ extCID }) => extCID).join(', ');
    throw new UsageError(`A call goes to one client: choose it with --client: ${known}`);
  }
  return client;
}

/** The first session, with all that the configuration knows of it. */
function sessionOf({ sessions, extCID }: ClientUnderTest, { config }: Configuration): SessionUnderTest {
  const usable = sessions.filter(({ state }) => state !== 'expired');
  const session = usable[0] ?? sessions[0];
  if (!session)
    throw new UsageError(`${extCID} has no session of its own in the configuration: name one with --session ID.`);
  const known = config.clients
    ?.find((client) => client.extCID === extCID)
    ?.sessions?.find(({ sessionID }) => sessionID === session.sessionID);
  return { ...known, ...session };
}

function build({ call, fields, sign }: HandCall, client: ClientUnderTest): BuiltRequest {
  const { otherClientKey } = client;
  if (sign === 'other-client' && otherClientKey === undefined) {
    throw new UsageError(
      '--sign other-client needs another client of the same operator, with a key of its own, in croupier.yaml.',
    );
  }
  return buildRequest({
    call,
    fields,
    ...addressOf(client),
    sign,
    ...(otherClientKey !== undefined && { otherKey: otherClientKey }),
    query: { order: 'sorted' },
  });
}
