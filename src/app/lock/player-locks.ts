import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientUnderTest, SessionUnderTest } from '../../engine/run-options.ts';
import { quoteWord } from '../../report/curl.ts';
import { forTerminal } from '../../report/escape.ts';
import { capital } from '../../report/terminal/layout.ts';
import type { Stdio } from '../stdio.ts';
import { type HeldLocks, hold } from './held-locks.ts';
import { type Holder, holderText, thisHolder } from './holder.ts';
import { LockFile } from './lock-file.ts';
import { isUsable, type LockSettings } from './lock-folder.ts';
import { PlayersInUse } from './players-in-use.ts';

/** The players that a command locks, and the facts about this command that other processes see. */
export interface LockRequest {
  readonly client: ClientUnderTest;
  /** The command, such as `run`. */
  readonly command: string;
  /** The absolute path of the journal; null if the command writes none. */
  readonly journal: string | null;
  readonly stdio: Pick<Stdio, 'err'>;
  /** If this signal is aborted, the wait for players ends. */
  readonly signal: AbortSignal;
}

const NO_LOCKS: HeldLocks = { release: () => {} };

/** Time between two attempts to lock players that are in use, in ms. */
const RETRY_MS = 250;
/** Names the operator by the host and port of its base URL. Players and sessions are unique only at one operator. */
export function operatorOf({ integratorBaseUrl }: Pick<ClientUnderTest, 'integratorBaseUrl'>): string {
  return new URL(integratorBaseUrl).origin;
}

/**
 * Returns the names of the players and sessions that a client uses, without duplicates. Two clients with a common name cannot play
 * at the same time. All sessions without a player have one common name, because they may belong to the same player. The names of
 * the sessions are in the list too, because two configurations may give the same player different names.
 */
export function playedNames(client: Pick<ClientUnderTest, 'integratorBaseUrl' | 'sessions'>): readonly string[] {
  const operator = operatorOf(client);
  const names = client.sessions.flatMap((session) => [playerName(session), `session ${session.sessionID}`]);
  return [...new Set(names)].sort().map((name) => `${operator} ${name}`);
}

function playerName({ player }: SessionUnderTest): string {
  return player === undefined ? UNKNOWN_PLAYER : `player ${player}`;
}

const UNKNOWN_PLAYER = 'player without a name';

/**
 * Locks all players and sessions of a client, so that no other process uses them. Waits if another process uses one of them.
 *
 * @throws PlayersInUse if the players are still in use after the wait; the message says who uses the players
 */
export async function lockPlayers(
  request: LockRequest,
  { folder, isShared, projectFolder, waitMs }: LockSettings,
): Promise<HeldLocks> {
  if (folder === null) return NO_LOCKS;
  const folders = [folder, ...projectFolders(projectFolder, request)];
  const names = playedNames(request.client);
  const until = performance.now() + waitMs;
  const onDead = deadHolderNotice(request);
  for (let isFirst = true; ; isFirst = false) {
    const taken = takeAll(names, folders, isShared, request, onDead);
    if ('release' in taken) return taken;
    const who = `${describe(taken)} is in use by ${holderText(taken)}`;
    const restMs = until - performance.now();
    if (restMs <= 0 || request.signal.aborted) {
      const waited = waitMs > 0 && !request.signal.aborted ? `, also after a wait of ${waitMs / 1000} s` : '';
      throw new PlayersInUse(`${who}${waited}`);
    }
    if (isFirst) say(request, `${capital(who)}. Waiting for up to ${Math.ceil(waitMs / 1000)} s (--lock-wait) …`);
    await sleep(Math.min(RETRY_MS, restMs), undefined, { signal: request.signal }).catch(() => undefined);
  }
}

/**
 * Returns the folder of the locks in the working folder; none if croupier can't write there. A command without a journal creates no
 * folder: a run in the same working folder has already created it.
 */
function projectFolders(folder: string | undefined, { journal }: LockRequest): readonly string[] {
  if (folder === undefined) return [];
  return (journal !== null || existsSync(path.dirname(folder))) && isUsable(folder) ? [folder] : [];
}

function describe({ player, operator }: Holder): string {
  return `the ${player} of ${operator}`;
}

function say({ stdio }: LockRequest, line: string): void {
  stdio.err.write(`${forTerminal(line)}\n`);
}

/**
 * Returns a function that prints a notice for each process that ended without releasing its locks. A process may have several
 * locks, but there is only one notice for it. There is no notice if this command is `croupier settle` with the journal of that
 * process.
 */
function deadHolderNotice(request: LockRequest): (dead: Holder) => void {
  const printed = new Set<string>();
  return (dead) => {
    const name = `${dead.machine} ${dead.pid} ${dead.started}`;
    if (printed.has(name) || (request.command === 'settle' && dead.journal === request.journal)) return;
    printed.add(name);
    say(request, overText(dead));
  };
}

/**
 * Takes all locks or none. Takes them in sorted order. Otherwise two processes could each wait for a lock of the other process.
 */
function takeAll(
  names: readonly string[],
  folders: readonly string[],
  isShared: boolean,
  request: LockRequest,
  onDead: (dead: Holder) => void,
): HeldLocks | Holder {
  const held: LockFile[] = [];
  for (const [folder, name] of folders.flatMap((one) => names.map((name) => [one, name] as const))) {
    const file = new LockFile(lockPath(folder, name), isShared ? 0o644 : 0o600);
    const other = file.take(holderOf(name, request), onDead);
    if (!other) {
      held.push(file);
      continue;
    }
    for (const one of held) one.remove();
    return other;
  }
  return hold(held);
}

function holderOf(name: string, { client, command, journal }: LockRequest): Holder {
  const operator = operatorOf(client);
  return {
    token: randomUUID(),
    ...thisHolder(),
    since: new Date().toISOString(),
    command,
    extCID: client.extCID,
    operator,
    player: name.slice(operator.length + 1),
    journal,
  };
}

function lockPath(folder: string, name: string): string {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 24);
  const host = new URL(name.split(' ', 1)[0] ?? '').host.replace(/[^\w.-]/g, '_');
  return path.join(folder, `${host}-${hash}.lock`);
}

function overText(holder: Holder): string {
  const settle =
    holder.journal === null
      ? ''
      : ` If its run still owes something, settle the run: croupier settle ${quoteWord(holder.journal)}`;
  return `${capital(describe(holder))} was in use by ${holderText(holder)}. That process has ended without releasing its players, so croupier uses them now.${settle}`;
}
