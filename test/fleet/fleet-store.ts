import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RULES } from '../../src/contract/catalogue.ts';
import { CONTRACT_VERSION } from '../../src/contract/versions.ts';
import { compressedText } from '../../src/history/compression.ts';
import { historyFile, openHistory } from '../../src/history/history.ts';
import { Database } from '../../src/sqlite/database.ts';

/** The size of a store, and the time of its latest night. */
export interface StoreSize {
  readonly operators: number;
  readonly nights: number;
  /** The last night begins on this day, at 01:00 UTC. */
  readonly lastNight: Date;
}

const DAY_MS = 86_400_000;
const SUITE = Array.from({ length: 160 }, (_, at) => `group-${at % 13}/scenario-${at}`);
/** The summary of a run has about this length. It is stored compressed. */
const SUMMARY = compressedText(JSON.stringify(SUITE.map((id, at) => ({ id, at, reason: `reason ${at * 7919}` }))));

/** The behaviour of one operator over the nights. */
interface Character {
  /** The rules that are broken, each since a night. */
  readonly broken: ReadonlyMap<string, number>;
  /** The rules whose verdict changes by chance. */
  readonly flaky: ReadonlySet<string>;
  readonly warned: ReadonlySet<string>;
  readonly undecided: ReadonlySet<string>;
  readonly hasLoad: boolean;
  /** The nights after which the operator was no longer judged. */
  readonly missing: number;
}

/**
 * Creates a folder with `fleet.yaml`, a configuration, and the history of many nights. The same size always gives the same
 * store.
 */
export async function createFleetStore(folder: string, { operators, nights, lastNight }: StoreSize): Promise<void> {
  mkdirSync(path.join(folder, '.croupier'), { recursive: true });
  const names = Array.from({ length: operators }, (_, at) => nameOf(at));
  writeFileSync(path.join(folder, 'croupier.yaml'), configOf(names));
  writeFileSync(path.join(folder, 'wallet.key'), 'a-key-of-no-wallet-0123456789\n', { mode: 0o600 });
  writeFileSync(path.join(folder, 'fleet.yaml'), fleetOf(names));
  const file = historyFile(folder);
  await (await openHistory(file)).destroy();
  const database = new Database(file, { isChecked: false });
  try {
    database.run('PRAGMA synchronous = OFF');
    const characters = names.map((_, at) => characterOf(at, nights));
    database.atomically(() => {
      for (let night = 0; night < nights; night += 1) {
        const at = lastNight.getTime() - (nights - 1 - night) * DAY_MS + 3_600_000;
        for (const [index, name] of names.entries()) {
          const character = characters[index];
          if (character) addNight(database, name, character, { night, nights, index, at: at + index * 7000 });
        }
      }
    });
  } finally {
    database.close();
  }
}

/** Returns the name of an operator of a store. @param at counted from 0 */
export function nameOf(at: number): string {
  const words = ['acme', 'borealis', 'castor', 'delphi', 'ember', 'fjord', 'granit', 'helix', 'iris', 'juno'];
  const regions = ['eu', 'asia', 'latam', 'uk', 'nordics'];
  const number = Math.floor(at / (words.length * regions.length));
  return `${words[at % words.length]}-${regions[Math.floor(at / words.length) % regions.length]}${number === 0 ? '' : `-${number + 1}`}`;
}

function configOf(names: readonly string[]): string {
  return `clients:\n${names
    .map(
      (name) =>
        `  - { extCID: ${name}, integratorBaseUrl: "https://${name}.wallet.example/api", integrationApiKey: { file: wallet.key }, sessions: [{ sessionID: s1 }] }`,
    )
    .join('\n')}\n`;
}

function fleetOf(names: readonly string[]): string {
  return `schedule: "0 1 * * *"\noperators:\n${names
    .map((name) => `  - { name: ${name}, config: croupier.yaml, client: ${name} }`)
    .join('\n')}\n`;
}

/** Returns numbers from 0 to 1 that look random and are always the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function characterOf(index: number, nights: number): Character {
  const random = randomOf(index + 1);
  const some = (count: number, of: readonly { readonly id: string }[]) =>
    new Set(Array.from({ length: count }, () => of[Math.floor(random() * of.length)]?.id ?? ''));
  const must = RULES.filter(({ level }) => level === 'MUST');
  const should = RULES.filter(({ level }) => level === 'SHOULD');
  const isBroken = random() < 0.14;
  const broken = [...some(isBroken ? 1 + Math.floor(random() * 3) : 0, must)].map(
    (id) => [id, Math.floor(random() * nights)] as const,
  );
  return {
    broken: new Map(broken),
    flaky: some(random() < 0.06 ? 1 : 0, must),
    warned: some(random() < 0.4 ? 2 : 0, should),
    undecided: some(random() < 0.05 ? 6 : 0, must),
    hasLoad: random() < 0.25,
    missing: random() < 0.03 ? 1 + Math.floor(random() * 4) : 0,
  };
}

interface Night {
  readonly night: number;
  readonly nights: number;
  readonly index: number;
  /** The time of the start, in ms since 1970. */
  readonly at: number;
}

const INSERT_RUN = `INSERT INTO run (run_id, kind, started_at, duration_ms, ext_cid, operator, verdict, exit_code, first_line, ended,
  croupier, contract, build, labels, selection, whole, rules_digest, suite_digest, config_digest, played_digest, journal,
  evidence, summary, pinned) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_RULE = 'INSERT INTO rule_result (run, rule, verdict, flaky, reason, failing) VALUES (?, ?, ?, ?, ?, ?)';

function addNight(database: Database, name: string, character: Character, { night, nights, index, at }: Night): void {
  if (night >= nights - character.missing) return;
  const random = randomOf(index * 1000 + night + 7);
  const results = RULES.flatMap(({ id, level }): (readonly [rule: string, verdict: string])[] => {
    if (level === 'NOTE') return [[id, 'note']];
    if (id.startsWith('launch.')) return [];
    const since = character.broken.get(id);
    const fails = (since !== undefined && night >= since) || (character.flaky.has(id) && random() < 0.3);
    if (fails) return [[id, 'fail']];
    if (character.undecided.has(id)) return [[id, 'inconclusive']];
    return [[id, character.warned.has(id) ? 'warn' : 'pass']];
  });
  const fails = results.filter(([, verdict]) => verdict === 'fail').length;
  const undecided = results.some(([, verdict]) => verdict === 'inconclusive');
  const [verdict, exit, line] =
    fails > 0
      ? ['nonconforming', 1, `NOT CONFORMING: ${name} breaks ${fails} of ${results.length} rules judged.`]
      : undecided
        ? ['undecided', 3, `UNDECIDED: ${name} breaks no rule that was judged, but 6 rules are undecided.`]
        : ['conforming', 0, `CONFORMING: ${name} breaks none of ${results.length} rules judged.`];
  const run = addRunRow(database, 'run', { name, night, at, verdict, exit, line });
  for (const [rule, own] of results)
    database
      .prepared(INSERT_RULE)
      .run(run, rule, own, 0, own === 'pass' ? null : `the wallet answered in another way (${rule})`, '[]');
  if (!character.hasLoad || night % 7 !== 3) return;
  const isRight = random() < 0.9;
  const load = isRight
    ? { verdict: 'reconciled', exit: 0, line: 'RECONCILED' }
    : { verdict: 'not-reconciled', exit: 1, line: 'NOT RECONCILED: 2 balances are wrong' };
  addRunRow(database, 'load', { name, night, at: at + 3_600_000, ...load });
}

function addRunRow(
  database: Database,
  kind: 'run' | 'load',
  {
    name,
    night,
    at,
    verdict,
    exit,
    line,
  }: {
    readonly name: string;
    readonly night: number;
    readonly at: number;
    readonly verdict: string;
    readonly exit: number;
    readonly line: string;
  },
): number {
  const started = new Date(at).toISOString();
  const id = `${kind === 'run' ? 'a' : 'b'}${at.toString(16).padStart(12, '0')}-${name}`;
  const { lastInsertRowid } = database
    .prepared(INSERT_RUN)
    .run(
      id,
      kind,
      started,
      42_000,
      name,
      `https://${name}.wallet.example/api`,
      verdict,
      exit,
      line,
      'complete',
      '0.1.0',
      CONTRACT_VERSION,
      `1.4.${Math.floor(night / 11)}`,
      '{}',
      '[]',
      Number(kind === 'run'),
      'rules',
      'suite',
      'config',
      'played',
      `.croupier/${id}.ndjson`,
      null,
      kind === 'run' ? SUMMARY : null,
      0,
    );
  return Number(lastInsertRowid);
}
