import type { Generated, Insertable, Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';

/** The verdicts of runs and of load tests. */
export const RUN_VERDICTS = ['conforming', 'nonconforming', 'undecided', 'reconciled', 'not-reconciled'] as const;

export type RunVerdict = (typeof RUN_VERDICTS)[number];

/** One run or load test of one client. Secret keys are removed from all texts that come from outside. */
interface RunTable {
  /** The number of the run, counted from 1. */
  number: Generated<number>;
  /** The `runID` of the journal. */
  run_id: string;
  kind: 'run' | 'load';
  /** The time of the start in UTC, in the format of ISO 8601. */
  started_at: string;
  /** Null if the run was cut off. */
  duration_ms: number | null;
  ext_cid: string;
  /** The operator: its base URL. */
  operator: string;
  verdict: RunVerdict;
  exit_code: number;
  first_line: string;
  /** The end of the run, as in the journal; null if it was cut off. */
  ended: string | null;
  croupier: string;
  contract: string;
  /** The value of the label `build`; null if it is not known. */
  build: string | null;
  /** All labels, as a JSON object. */
  labels: string;
  /** The words that selected the scenarios, as a JSON list. */
  selection: string;
  /** 1 if the run has the whole built-in suite; otherwise 0. */
  whole: number;
  rules_digest: string | null;
  suite_digest: string | null;
  config_digest: string | null;
  /** The digest of the scenarios that were played. The table `played` lists them. */
  played_digest: string | null;
  /** The path of the journal when the run ended. */
  journal: string;
  /** The kind of the stored evidence; null if none is stored. */
  evidence: 'journal' | 'load-result' | null;
  /** The compressed summary, with which two runs are compared; null for a load test. */
  summary: Uint8Array | null;
  /** 1 if the retention never removes the run; otherwise 0. */
  pinned: number;
}

/** The verdict of one rule in one run, or of the expectations of one scenario. */
interface RuleResultTable {
  run: number;
  /** The id of the rule, or `expectation in SCENARIO`. */
  rule: string;
  verdict: string;
  /** 1 if the verdict comes only from scenarios that passed on retry; otherwise 0. */
  flaky: number;
  reason: string | null;
  /** The scenarios in which the rule failed, as a JSON list. */
  failing: string;
}

/** A set of scenarios that runs have played. Most runs share one set. */
interface PlayedTable {
  digest: string;
  /** The ids of the scenarios, as a JSON list. */
  scenarios: string;
}

/** A part of the compressed evidence of a run. All parts in their order are one zstd stream. */
interface EvidenceTable {
  run: number;
  part: number;
  content: Uint8Array;
}

export interface HistoryTables {
  run: RunTable;
  rule_result: RuleResultTable;
  played: PlayedTable;
  evidence: EvidenceTable;
  schema_version: { version: number };
}

export type RunRow = Selectable<RunTable>;
export type NewRun = Insertable<RunTable>;
export type NewRuleResult = Insertable<RuleResultTable>;

/**
 * The functions that update the tables, one for each version of the schema. Never change a released function. Add a new
 * function at the end instead.
 */
const MIGRATIONS: readonly ((history: Kysely<HistoryTables>) => Promise<void>)[] = [createTables];

/** The version of the tables that this version of croupier writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Updates the tables from the version `from` to the current version. Must be called in a transaction. */
export async function migrate(history: Kysely<HistoryTables>, from: number): Promise<void> {
  for (const step of MIGRATIONS.slice(from)) await step(history);
  await history.deleteFrom('schema_version').execute();
  await history.insertInto('schema_version').values({ version: SCHEMA_VERSION }).execute();
}

async function createTables(history: Kysely<HistoryTables>): Promise<void> {
  const { schema } = history;
  await schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await schema
    .createTable('run')
    // With AUTOINCREMENT, a new run never gets the number of a removed run.
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('run_id', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('duration_ms', 'real')
    .addColumn('ext_cid', 'text', (column) => column.notNull())
    .addColumn('operator', 'text', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('exit_code', 'integer', (column) => column.notNull())
    .addColumn('first_line', 'text', (column) => column.notNull())
    .addColumn('ended', 'text')
    .addColumn('croupier', 'text', (column) => column.notNull())
    .addColumn('contract', 'text', (column) => column.notNull())
    .addColumn('build', 'text')
    .addColumn('labels', 'text', (column) => column.notNull())
    .addColumn('selection', 'text', (column) => column.notNull())
    .addColumn('whole', 'integer', (column) => column.notNull())
    .addColumn('rules_digest', 'text')
    .addColumn('suite_digest', 'text')
    .addColumn('config_digest', 'text')
    .addColumn('played_digest', 'text')
    .addColumn('journal', 'text', (column) => column.notNull())
    .addColumn('evidence', 'text')
    .addColumn('summary', sql`blob`)
    .addColumn('pinned', 'integer', (column) => column.notNull())
    .execute();
  await schema.createIndex('run_by_time').on('run').columns(['started_at', 'number']).execute();
  await schema.createIndex('run_by_client').on('run').columns(['ext_cid', 'operator', 'started_at']).execute();
  await schema
    .createTable('rule_result')
    .addColumn('run', 'integer', (column) => column.notNull().references('run.number').onDelete('cascade'))
    .addColumn('rule', 'text', (column) => column.notNull())
    .addColumn('verdict', 'text', (column) => column.notNull())
    .addColumn('flaky', 'integer', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('failing', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('rule_result_key', ['rule', 'run'])
    .execute();
  await schema.createIndex('rule_result_by_run').on('rule_result').column('run').execute();
  await schema
    .createTable('played')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('scenarios', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('evidence')
    .addColumn('run', 'integer', (column) => column.notNull().references('run.number').onDelete('cascade'))
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('content', sql`blob`, (column) => column.notNull())
    .addPrimaryKeyConstraint('evidence_key', ['run', 'part'])
    .execute();
}
