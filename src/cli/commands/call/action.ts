import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { resolveClients, withConfiguredFields } from '../../../app/config/clients.ts';
import { type Configuration, diagnosticsError, loadConfiguration } from '../../../app/config/configuration.ts';
import { askForProduction } from '../../../app/config/production.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { lockSettings, NO_LOCK } from '../../../app/lock/lock-folder.ts';
import { lockPlayers } from '../../../app/lock/player-locks.ts';
import { runSettings } from '../../../app/run/settings.ts';
import { isPipeline, type Stdio, showsUnicode } from '../../../app/stdio.ts';
import { CALL_NAMES, type CallName } from '../../../contract/call-name.ts';
import { Money } from '../../../contract/money.ts';
import { playByHand } from '../../../engine/by-hand/by-hand.ts';
import type { ManualCall } from '../../../engine/by-hand/plan.ts';
import type { ClientUnderTest, SessionUnderTest } from '../../../engine/run-options.ts';
import { addressOf } from '../../../engine/run-options.ts';
import { denominationOf } from '../../../engine/stakes.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import { processNow } from '../../../wire/clock.ts';
import { type BuiltRequest, buildRequest } from '../../../wire/request.ts';
import { callFields } from './fields.ts';
import type { CallFlags } from './flags.ts';
import { callJournal } from './journal.ts';
import { callJson, dryRunJson } from './json.ts';
import { callStatus, callText, dryRunText } from './text.ts';

/**
 * `croupier call`: sends and judges one call that the user describes with flags.
 *
 * @returns 0 if no MUST rule is broken, 1 if a MUST rule is broken, 3 if croupier could judge no reply
 */
export async function callCommand(call: string, flags: CallFlags, stdio: Stdio): Promise<number> {
  if (!isCall(call)) throw new UsageError(`There is no call ${call}. The calls are ${CALL_NAMES.join(', ')}.`);
  const configuration = await loadConfiguration(flags.config, stdio);
  const settings = runSettings(configuration.config, flags, stdio.env);
  const { clients, secrets, diagnostics } = await resolveClients(configuration, flags, stdio);
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  const client = onlyClient(clients);
  const session = sessionOf(client, configuration);
  const { stake, decimals } = denominationOf(session.currency, { ...settings, client }, undefined);
  const { fields, remarks } = callFields(call, session.sessionID, flags, stake.format(Math.min(decimals, 2)));
  const hand: ManualCall = {
    call,
    fields,
    amount: call === 'balance' || fields.amount === undefined ? undefined : Money.read(fields.amount),
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
  const lock = call === 'balance' ? NO_LOCK : lockSettings(configuration, flags, stdio);
  if (call !== 'balance') await askForProduction([client], flags, stdio);
  const { strict, deadlineMs, lingerMs } = settings;
  const runID = randomUUID();
  const journal =
    flags.journal === undefined
      ? null
      : await callJournal(flags.journal, { runID, hand, client, session, settings, scrub, cwd: stdio.cwd });
  const locks = await lockPlayers(
    {
      client: { ...client, sessions: [session] },
      signal: new AbortController().signal,
      command: 'call',
      journal: flags.journal === undefined ? null : path.resolve(stdio.cwd, flags.journal),
      stdio,
    },
    lock,
  );
  const played = await playByHand({
    // Each call uses a new connection. A wallet may close the connection after each reply. Then the next call on this
    // connection would fail, and this command does not send it again.
    client: { ...client, wire: { ...client.wire, keepAlive: false } },
    session,
    call: hand,
    request,
    // The replies do not show whether a repeated call had only one effect, but the balance shows it.
    reads: call !== 'balance' && (flags.read ?? hand.times > 1),
    maybeKnown: hand.sign === 'valid' && (flags.txId !== undefined || hand.namesBet),
    decimals: settings.decimals,
    campaignKnown: flags.frId !== undefined,
    strict,
    deadlineMs,
    lingerMs,
    now: processNow,
    tracedRunID: settings.trace && runID,
    record: journal?.record,
  }).finally(() => locks.release());
  journal?.end(played);
  const status = callStatus(played);
  stdio.out.write(
    scrub(
      flags.json
        ? callJson(hand, client, request, played, { status, remarks })
        : callText(hand, client, played, {
            sink: stdio.out,
            unicode: showsUnicode(stdio.env),
            isPublic: isPipeline(stdio.env),
          }),
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
    throw new UsageError(
      `A call goes to one client, but the configuration has several. Choose one with --client: ${known}.`,
    );
  }
  return client;
}

/**
 * Returns the session for the call: the first active session, with its player and currency from the configuration.
 *
 * @throws UsageError when there is no session
 */
function sessionOf({ sessions, extCID }: ClientUnderTest, { config }: Configuration): SessionUnderTest {
  const usable = sessions.filter(({ state }) => state !== 'expired');
  const session = usable[0] ?? sessions[0];
  if (!session)
    throw new UsageError(`The configuration contains no session for ${extCID}. Name one with --session ID.`);
  return withConfiguredFields(session, extCID, config);
}

function build({ call, fields, sign }: ManualCall, client: ClientUnderTest): BuiltRequest {
  const { otherClientKey } = client;
  if (sign === 'other-client' && otherClientKey === undefined) {
    throw new UsageError(
      '--sign other-client needs another client of the same operator in croupier.yaml, with another key.',
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
