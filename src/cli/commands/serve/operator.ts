import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readPort } from '../../../app/config/flag-values.ts';
import { checkKey } from '../../../app/config/key.ts';
import { configText } from '../../../app/config/text.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { readTextFile, shownPath, whyUnreadable } from '../../../app/files.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { type ChosenVariation, chosenVariations, describeVariations } from '../../../app/variations.ts';
import { makeFolder } from '../../../folder/make-folder.ts';
import type { Listening } from '../../../listen/server.ts';
import type { Behaviour } from '../../../operator/behaviour.ts';
import { demoOperator } from '../../../operator/demo.ts';
import { createOperator } from '../../../operator/operator.ts';
import type { ClientOptions, OperatorOptions } from '../../../operator/options.ts';
import { behaviourWith } from '../../../operator/variation.ts';
import { listenForInterrupt, untilAborted } from '../../interrupt.ts';
import type { ServeOperatorFlags } from './flags.ts';

/**
 * The keys of the reference operator. They are the same at each start, so that a written configuration keeps working.
 * They protect only play money.
 */
const PLAY_KEYS = { first: 'play-money-key-of-demo-eu', second: 'play-money-key-of-demo-asia' };
/** The first line of a configuration that this command wrote. Only a file with this line is overwritten. */
const MARK = '# Written by croupier serve operator.';

/** `croupier serve operator`: runs the reference operator until a signal ends it. @returns 0 */
export async function serveOperatorCommand(flags: ServeOperatorFlags, stdio: Stdio): Promise<number> {
  const given = stdio.env.CROUPIER_KEY;
  const keys = given ? { ...PLAY_KEYS, first: checkKey(given, 'CROUPIER_KEY') } : PLAY_KEYS;
  const chosen = chosenVariations(flags);
  const behaviour = behaviourWith(chosen.map(({ variation }) => variation));
  const options = demoOperator(keys, behaviour);
  const stop = listenForInterrupt(stdio, 'Stopping.\n');
  const listening = await open(options, flags, behaviour, stdio);
  try {
    const served: Served = { url: listening.url, clients: options.clients, ownKey: Boolean(given), chosen };
    const config = flags.writeConfig === undefined ? undefined : writeConfig(flags.writeConfig, served, stdio);
    stdio.err.write(`${describe(served, config)}\n`);
    // Scripts wait for this line. It is printed last, when the operator accepts calls.
    stdio.out.write(`operator ${listening.url}${options.clients[0].basePath}\n`);
    await untilAborted(stop.signal);
  } finally {
    stop.dispose();
    await listening.close(GRACE_MS);
  }
  return 0;
}

/** Maximum time in milliseconds for open calls to finish after the stop signal. */
const GRACE_MS = 1000;

interface Served {
  readonly url: string;
  readonly clients: readonly ClientOptions[];
  /** True if the first client has the user's own key, which no output may show. */
  readonly ownKey: boolean;
  readonly chosen: readonly ChosenVariation[];
}

async function open(
  options: OperatorOptions,
  flags: ServeOperatorFlags,
  behaviour: Behaviour,
  stdio: Stdio,
): Promise<Listening> {
  const port = readPort(flags.port);
  try {
    const operator = createOperator(
      {
        ...options,
        ...(flags.data !== undefined && { dataDir: path.resolve(stdio.cwd, flags.data) }),
        onFault: (error) => stdio.err.write(`The operator failed: ${String(error)}\n`),
      },
      behaviour,
    );
    return await operator.start({ port, host: flags.host });
  } catch (error) {
    throw new UsageError(`The operator can't be started: ${whyUnreadable(error)}.`, { cause: error });
  }
}

function describe({ url, clients, ownKey, chosen }: Served, config: string | undefined): string {
  const lines = clients.flatMap(({ extCID, basePath, integrationApiKey, campaigns, sessions }, index) => [
    `client ${extCID}   ${url}${basePath}`,
    `  key        ${ownKey && index === 0 ? 'the value of CROUPIER_KEY' : `${integrationApiKey} (play money only)`}`,
    `  campaigns  ${campaigns.join(', ')}`,
    ...sessions.map(
      ({ sessionID, player, currency, gameID, balance, state }, at) =>
        `  ${at === 0 ? 'sessions ' : '         '}  ${sessionID}: ${player}, ${balance} ${currency}, game ${gameID}${state === 'expired' ? ', expired' : ''}`,
    ),
    '',
  ]);
  const [first] = clients;
  const session = first?.sessions[0];
  const command =
    config === undefined
      ? `${ownKey ? '' : `CROUPIER_KEY=${first?.integrationApiKey} `}croupier run --base-url ${url}${first?.basePath} --ext-cid ${first?.extCID} --session ${session?.sessionID},currency=${session?.currency}`
      : `croupier run --config ${config}`;
  const differences = describeVariations(chosen);
  return [
    ...differences,
    ...(differences.length > 0 ? [''] : []),
    ...lines,
    `Judge it:   ${command}`,
    'Stop it:    Ctrl-C, or SIGTERM',
  ].join('\n');
}

function keyFile(extCID: string): string {
  return path.join('.croupier', `${extCID}.key`);
}

/**
 * Writes a configuration with the sessions, and the play-money keys in separate files.
 *
 * @returns the path of the configuration, as messages show it
 */
function writeConfig(given: string, { url, clients, ownKey }: Served, stdio: Stdio): string {
  const file = path.resolve(stdio.cwd, given);
  if (existsSync(file) && !readTextFile(file, 'The configuration').startsWith(MARK)) {
    throw new UsageError(`${given} exists already, and was not written by croupier serve. Name another file.`);
  }
  // The user's own key must not be written to a file. The configuration then has only the first client, and reads its
  // key from CROUPIER_KEY.
  const written = ownKey ? clients.slice(0, 1) : clients;
  const text = configText(
    written.map(({ extCID, basePath, sessions, campaigns: [campaign] }) => ({
      extCID,
      integratorBaseUrl: `${url}${basePath}`,
      key: ownKey ? { env: 'CROUPIER_KEY' } : { file: `./${keyFile(extCID)}` },
      sessions,
      ...(campaign !== undefined && { campaign }),
    })),
  );
  try {
    makeFolder(path.dirname(file));
    writeFileSync(file, `${MARK}\n${text}`);
    for (const { extCID, integrationApiKey } of ownKey ? [] : written) {
      const target = path.resolve(path.dirname(file), keyFile(extCID));
      makeFolder(path.dirname(target), 0o700);
      writeFileSync(target, `${integrationApiKey}\n`, { mode: 0o600 });
    }
  } catch (error) {
    throw new UsageError(`The configuration can't be written: ${file}: ${whyUnreadable(error)}.`, { cause: error });
  }
  return shownPath(file, stdio.cwd);
}
