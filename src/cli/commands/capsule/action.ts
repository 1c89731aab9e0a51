import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Configuration, loadConfiguration } from '../../../app/config/configuration.ts';
import { signingKeys } from '../../../app/config/recorded-calls.ts';
import { UsageError } from '../../../app/exit-status.ts';
import { shownPath, whyUnreadable } from '../../../app/files.ts';
import { refuseInputFile } from '../../../app/input-files.ts';
import { type Draft, draftWhole } from '../../../app/report-files.ts';
import { refuseOwingJournal } from '../../../app/run/earlier-journals.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { makeFolder } from '../../../folder/make-folder.ts';
import { createScrubber } from '../../../journal/secrets/scrubber.ts';
import { forTerminal } from '../../../report/escape.ts';
import { callLine } from '../../../traffic/capsule/call-line.ts';
import { Capsule, type RewritingPass, UnsafeCapsuleError } from '../../../traffic/capsule/capsule.ts';
import { readTimeline } from '../incident/action.ts';
import { type CapsuleFile, capsuleFile } from './file.ts';
import type { CapsuleFlags } from './flags.ts';

const SALT_FILE = path.join('.croupier', 'capsule.salt');
const SALT_BYTES = 32;

/** `croupier capsule`: writes copies of files that are safe to share. @returns 0 */
export async function capsuleCommand(names: readonly string[], flags: CapsuleFlags, stdio: Stdio): Promise<number> {
  const configuration = await loadConfiguration(flags.config, stdio);
  const { keysOf, secrets: keys } = await signingKeys(flags, stdio);
  const files = await filesOf(names, flags, configuration, stdio);
  const capsule = new Capsule({
    digest: digestOf(saltOf(flags.salt, stdio)),
    keysOf,
    privateHeaders: new Set(
      [
        ...(configuration.config.clients ?? []).flatMap(({ headers }) => Object.keys(headers ?? {})),
        ...(flags.header ?? []),
      ].map((name) => name.toLowerCase()),
    ),
    addresses: new Set(flags.remove),
  });
  addConfiguredIds(capsule, configuration);
  const secrets = [...configuration.secrets, ...keys];
  capsule.hide(secrets);
  const learning = capsule.learning();
  for (const file of files) for await (const piece of file.pieces(learning)) void piece;
  const pass = capsule.rewriting();
  const targets = targetsOf(files, flags.out, pass, stdio);
  await writeTogether(files, targets, { pass, secrets, stdio });
  if (flags.map !== undefined) writeMap(flags.map, capsule, stdio);
  stdio.err.write(`${forTerminal(summary(capsule, targets, stdio))}\n`);
  return 0;
}

/** The flags that select calls. */
const SELECTING = ['player', 'session', 'round', 'tx', 'from', 'to'] as const;

/** Returns the files to rewrite. If calls are selected, a file contains only the calls of their players. */
async function filesOf(
  names: readonly string[],
  flags: CapsuleFlags,
  configuration: Configuration,
  stdio: Stdio,
): Promise<readonly CapsuleFile[]> {
  const all = [...names, ...(flags.service ?? []), ...(flags.operator ?? [])];
  if (all.length === 0) throw new UsageError('Nothing to share: name a file.');
  const files: CapsuleFile[] = [];
  for (const name of all) files.push(await capsuleFile(name, stdio.cwd));
  if (SELECTING.every((flag) => flags[flag] === undefined)) return files;
  const other = files.find(({ kind }) => kind !== 'calls');
  if (other)
    throw new UsageError(
      `${other.shown}: calls can be selected in logs and HARs, not in a journal, a report or a scenario of croupier.`,
    );
  const { timeline } = await readTimeline(names, flags, configuration, stdio);
  const lines = new Map<string, string[]>();
  const views = timeline.wallets.flatMap(({ calls }) =>
    calls.flatMap(({ seen, alsoSeen }) => (alsoSeen ? [seen, alsoSeen] : [seen])),
  );
  for (const { exchange } of views) {
    const { file } = exchange.place;
    const ofFile = lines.get(file) ?? [];
    ofFile.push(`${callLine(exchange)}\n`);
    lines.set(file, ofFile);
  }
  return files.map((file) => ({
    ...file,
    name: file.name.replace(/(?:\.har|\.json|\.ndjson)?$/, '.ndjson'),
    pieces: (pass) => (lines.get(file.shown) ?? []).map((line) => pass.line(line)),
  }));
}

/**
 * Returns a keyed hash. Without the secret salt, somebody could compute the hashes of all possible ids and so find out the ids.
 */
function digestOf(salt: Uint8Array): (text: string) => string {
  return (text) => createHmac('sha256', salt).update(text).digest('hex');
}

/**
 * Reads the salt, or creates one.
 *
 * @param named the path from `--salt`; undefined for the file in .croupier/
 * @throws UsageError when the salt named by the user can't be read or written
 */
function saltOf(named: string | undefined, stdio: Stdio): Uint8Array {
  const file = path.resolve(stdio.cwd, named ?? SALT_FILE);
  try {
    if (existsSync(file)) {
      const salt = readFileSync(file);
      if (salt.length >= SALT_BYTES / 2) return salt;
      throw new UsageError(`${file} is too short for a salt: it must have at least ${SALT_BYTES / 2} random bytes.`);
    }
    const salt = Buffer.from(randomBytes(SALT_BYTES).toString('hex'));
    makeFolder(path.dirname(file), 0o700);
    writeFileSync(file, salt, { mode: 0o600, flag: 'wx' });
    return salt;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (named !== undefined)
      throw new UsageError(`The salt can't be read or written: ${file}: ${whyUnreadable(error)}.`, { cause: error });
    stdio.err.write(
      `The salt can't be saved in ${file} (${whyUnreadable(error)}): the next capsule will have other aliases.\n`,
    );
    return randomBytes(SALT_BYTES);
  }
}

function addConfiguredIds(capsule: Capsule, { config }: Configuration): void {
  const sessions = (config.clients ?? []).flatMap((client) => client.sessions ?? []);
  capsule.know(
    'session',
    sessions.map(({ sessionID }) => sessionID),
  );
  capsule.know(
    'player',
    sessions.flatMap(({ player }) => player ?? []),
  );
  capsule.keep((config.clients ?? []).flatMap(({ extCID }) => extCID ?? []));
}

/**
 * Returns the paths of the results; null for stdout. The name of a file is rewritten too, because it may contain an id,
 * as in `player-4711.har`.
 */
function targetsOf(
  files: readonly CapsuleFile[],
  out: string | undefined,
  pass: RewritingPass,
  stdio: Stdio,
): readonly (string | null)[] {
  if (out === undefined) {
    if (files.length > 1)
      throw new UsageError(`The results of ${files.length} files need a folder. Name a folder with --out.`);
    return [null];
  }
  const whole = path.resolve(stdio.cwd, out);
  const isFolder = files.length > 1 || /[/\\]$/.test(out);
  const targets = files.map((file) => (isFolder ? path.join(whole, pass.last(pass.line(file.name))) : whole));
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  if (twice !== undefined)
    throw new UsageError(
      `Two of the files have the name ${path.basename(twice)}, so one result would overwrite the other. Make a separate capsule of each file.`,
    );
  const own = targets.find((target) => files.some((file) => file.path === target));
  if (own !== undefined)
    throw new UsageError(
      `${shownPath(own, stdio.cwd)} is a source of the capsule, and would be overwritten. Name another file with --out.`,
    );
  return targets;
}

interface Writing {
  readonly pass: RewritingPass;
  readonly secrets: readonly string[];
  readonly stdio: Stdio;
}

/** Writes all results. If one result is not safe, writes no result. */
async function writeTogether(
  files: readonly CapsuleFile[],
  targets: readonly (string | null)[],
  writing: Writing,
): Promise<void> {
  const drafts: Draft[] = [];
  let target: string | null = null;
  try {
    for (const [index, file] of files.entries()) {
      target = targets[index] ?? null;
      if (target !== null) await refuseOwingJournal(shownPath(target, writing.stdio.cwd), undefined, writing.stdio.cwd);
      drafts.push(await draftOf(target, checkedPieces(file, writing), writing.stdio));
    }
    for (const draft of drafts) draft.commit();
  } catch (error) {
    for (const draft of drafts) draft.discard();
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The capsule can't be written: ${target ?? 'stdout'}: ${whyUnreadable(error)}.`, {
      cause: error,
    });
  }
}

async function draftOf(target: string | null, pieces: AsyncIterable<string>, { out }: Stdio): Promise<Draft> {
  if (target !== null) return await draftWhole(target, pieces, 'a scenario');
  const held: string[] = [];
  for await (const piece of pieces) held.push(piece);
  return { commit: () => out.write(held.join('')), discard: () => {} };
}

/**
 * Returns the rewritten text of a file. Each piece is searched again for ids and secrets. @throws UsageError if the rewritten
 * text is not safe to share
 */
async function* checkedPieces(file: CapsuleFile, { pass, secrets }: Writing): AsyncGenerator<string> {
  const scrub = createScrubber(secrets);
  try {
    for await (const piece of file.pieces(pass)) yield pass.last(scrub(piece), piece);
  } catch (error) {
    if (!(error instanceof UnsafeCapsuleError)) throw error;
    throw new UsageError(
      `${file.shown}: ${error.message}. No capsule was written. Remove the value from the file, or leave the file out.`,
      { cause: error },
    );
  }
}

function writeMap(name: string, capsule: Capsule, stdio: Stdio): void {
  const file = path.resolve(stdio.cwd, name);
  const byAlias = Object.fromEntries([...capsule.replaced].map(([id, alias]) => [alias, id]));
  refuseInputFile(file);
  try {
    writeFileSync(file, `${JSON.stringify(byAlias, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new UsageError(`The map can't be written: ${file}: ${whyUnreadable(error)}.`, { cause: error });
  }
}

function summary(capsule: Capsule, targets: readonly (string | null)[], { cwd }: Stdio): string {
  const { sessions, players, addresses, removed, signatures } = capsule.tally;
  const where = targets.flatMap((target) => (target === null ? [] : [shownPath(target, cwd)])).join(', ');
  const { right, wrong, missing, unknown } = signatures;
  const of = right + wrong + missing + unknown;
  const verdicts = [`${right} right`, `${wrong} wrong`, `${missing} missing`, `${unknown} unknown`].join(', ');
  return [
    where === '' ? '' : `${where}: `,
    `${count(sessions, 'session')}${addresses === 0 ? ' and ' : ', '}${count(players, 'player')}`,
    addresses === 0 ? '' : ` and ${addresses} address${addresses === 1 ? '' : 'es'}`,
    ` were replaced by aliases, ${count(removed, 'private value')} removed.`,
    of === 0 ? '' : ` Signatures of ${count(of, 'call')}: ${verdicts}.`,
    of > 0 && unknown === of ? ' Give the key (croupier.yaml, CROUPIER_KEY or --key-file) to verify them.' : '',
  ].join('');
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
