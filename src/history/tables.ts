import type { Generated, Insertable, Kysely, Selectable } from 'kysely';
import { sql } from 'kysely';
import { columnsFor } from './dialect.ts';

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

/**
 * The states of a job. `waiting`: a worker can take it. `running`: a worker has its lease. `done`: its run is in the history.
 * `failed`: no run was possible.
 */
type JobState = 'waiting' | 'running' | 'done' | 'failed';

/** One run that a worker of the fleet must do: one operator at one due time. */
interface JobTable {
  id: Generated<number>;
  /** The name of the operator in fleet.yaml. */
  operator: string;
  ext_cid: string;
  /** The due time in UTC, in the format of ISO 8601. */
  due_at: string;
  state: JobState;
  /** This number grows each time that a worker takes the job. So a worker that lost the job has a lower number. */
  token: number;
  /** Number of times that a worker has taken the job and has begun calls or a settlement. */
  attempts: number;
  /** The worker that took the job last, as host and process id; null if no worker did. */
  worker: string | null;
  /** The time at which the worker took the job, in UTC (ISO 8601); null if no worker did. */
  taken_at: string | null;
  /** The time at which the lease ends, in ms since 1970, by the clock of the database; null if no worker has the job. */
  lease_until: number | null;
  /** The time before which no worker takes the job, in ms since 1970; 0 if there is no such time. */
  not_before: number;
  /** The exit status of the run; null before its end. */
  status: number | null;
  /** The first line of the report, or the reason why there is none; null before the end. */
  line: string | null;
  /** The number of the run in the history; null if there is none. */
  run: number | null;
  /** The time at which the job ended, in UTC (ISO 8601); null before. */
  ended_at: string | null;
}

/** The journal of a run that has not ended, or that still owes something. Workers add to it before each call. */
interface JobJournalTable {
  id: Generated<number>;
  job: number;
  operator: string;
  /** The token of the worker that wrote the journal. */
  token: number;
  /** The name of the file on the machine of the worker. */
  name: string;
}

/** A part of a job's journal: whole lines of the file, in their order. */
interface JobJournalPartTable {
  journal: number;
  part: number;
  content: string;
}

/** One load test whose players belong to workers on several machines. */
interface LoadTable {
  id: Generated<number>;
  ext_cid: string;
  /** The operator: its base URL. */
  operator: string;
  /** The first event of the journal, as JSON. */
  started: string;
  /** The time from which the command that started the load counts as gone, in ms since 1970, by the clock of the database. */
  alive_until: number;
  /** The number of the current step: 1, or higher during a search for the highest rate. */
  step: number;
  /** The time at which the step begins, in ms since 1970, by the clock of the database; null if it is not known yet. */
  begin_at: number | null;
  /** 1 if the step must end early; otherwise 0. */
  stopped: number;
  /** 1 if the workers may complete their rounds; otherwise 0. */
  closed: number;
  /** 1 if no further step comes; otherwise 0. */
  ended: number;
}

/**
 * The states of a part. `waiting`: a worker can take it. `playing`: a worker has its lease. `done`: it has a result. `lost`: its
 * worker has vanished. `settling`: another worker settles its players. `settled`: the players are owed nothing.
 * `unsettled`: they are still owed something.
 */
export type LoadPartState = 'waiting' | 'playing' | 'done' | 'lost' | 'settling' | 'settled' | 'unsettled';

/** The part of a load test that one worker plays. */
interface LoadPartTable {
  id: Generated<number>;
  load: number;
  step: number;
  /** The number of the part in its step, counted from 0. */
  number: number;
  /** The order to the worker, as compressed JSON. It contains no keys. */
  content: Uint8Array;
  state: LoadPartState;
  /** This number grows each time that a worker takes the part. So a worker that lost the part has a lower number. */
  token: number;
  /** `opened`: the opening balances are known. `ended`: no further call is due. */
  phase: 'taken' | 'opened' | 'ended';
  /** The worker that took the part last, as host and process id; null if no worker did. */
  worker: string | null;
  lease_until: number | null;
  /** The result, as compressed JSON; null before the end. */
  result: Uint8Array | null;
}

/** The work of a worker in about one second: its times, its state and its journal, as compressed JSON. */
interface LoadSecondTable {
  part: number;
  /** Counted from 0. */
  number: number;
  content: Uint8Array;
}

export interface HistoryTables {
  run: RunTable;
  rule_result: RuleResultTable;
  played: PlayedTable;
  evidence: EvidenceTable;
  job: JobTable;
  job_journal: JobJournalTable;
  job_journal_part: JobJournalPartTable;
  load: LoadTable;
  load_part: LoadPartTable;
  load_second: LoadSecondTable;
  schema_version: { version: number };
}

export type RunRow = Selectable<RunTable>;
export type RuleResultRow = Selectable<RuleResultTable>;
export type NewRun = Insertable<RunTable>;
export type NewJob = Insertable<JobTable>;
export type NewRuleResult = Insertable<RuleResultTable>;

/**
 * The functions that update the tables, one for each version of the schema. Never change a released function. Add a new
 * function at the end instead.
 */
const MIGRATIONS: readonly ((history: Kysely<HistoryTables>) => Promise<void>)[] = [
  createTables,
  addJobs,
  addLoads,
  addEvidenceIndex,
];

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
  const { number, bytes, double } = columnsFor(history);
  await schema
    .createTable('schema_version')
    .ifNotExists()
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await schema
    .createTable('run')
    .addColumn('number', number.type, number.constraints)
    .addColumn('run_id', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('duration_ms', double)
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
    .addColumn('summary', bytes)
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
    .addColumn('content', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('evidence_key', ['run', 'part'])
    .execute();
}

async function addJobs(history: Kysely<HistoryTables>): Promise<void> {
  const { schema } = history;
  const { number, double } = columnsFor(history);
  await schema
    .createTable('job')
    .addColumn('id', number.type, number.constraints)
    .addColumn('operator', 'text', (column) => column.notNull())
    .addColumn('ext_cid', 'text', (column) => column.notNull())
    .addColumn('due_at', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('token', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('worker', 'text')
    .addColumn('taken_at', 'text')
    .addColumn('lease_until', double)
    .addColumn('not_before', double, (column) => column.notNull())
    .addColumn('status', 'integer')
    .addColumn('line', 'text')
    .addColumn('run', 'integer')
    .addColumn('ended_at', 'text')
    .execute();
  await schema.createIndex('job_by_due_time').on('job').columns(['operator', 'due_at']).unique().execute();
  // At most one job of each operator is open. So two runs never play with the same players.
  await schema
    .createIndex('open_job')
    .on('job')
    .column('operator')
    .unique()
    .where(sql.ref('state'), 'in', sql`('waiting', 'running')`)
    .execute();
  await schema.createIndex('open_job_by_due_time').on('job').columns(['state', 'due_at']).execute();
  await schema
    .createTable('job_journal')
    .addColumn('id', number.type, number.constraints)
    .addColumn('job', 'integer', (column) => column.notNull())
    .addColumn('operator', 'text', (column) => column.notNull())
    .addColumn('token', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .execute();
  await schema.createIndex('job_journal_by_operator').on('job_journal').column('operator').execute();
  await schema
    .createTable('job_journal_part')
    .addColumn('journal', 'integer', (column) => column.notNull().references('job_journal.id').onDelete('cascade'))
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('job_journal_part_key', ['journal', 'part'])
    .execute();
}

async function addLoads(history: Kysely<HistoryTables>): Promise<void> {
  const { schema } = history;
  const { number, bytes, double } = columnsFor(history);
  await schema
    .createTable('load')
    .addColumn('id', number.type, number.constraints)
    .addColumn('ext_cid', 'text', (column) => column.notNull())
    .addColumn('operator', 'text', (column) => column.notNull())
    .addColumn('started', 'text', (column) => column.notNull())
    .addColumn('alive_until', double, (column) => column.notNull())
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('begin_at', double)
    .addColumn('stopped', 'integer', (column) => column.notNull())
    .addColumn('closed', 'integer', (column) => column.notNull())
    .addColumn('ended', 'integer', (column) => column.notNull())
    .execute();
  await schema
    .createTable('load_part')
    .addColumn('id', number.type, number.constraints)
    .addColumn('load', 'integer', (column) => column.notNull().references('load.id').onDelete('cascade'))
    .addColumn('step', 'integer', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('content', bytes, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('token', 'integer', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('worker', 'text')
    .addColumn('lease_until', double)
    .addColumn('result', bytes)
    .execute();
  await schema
    .createIndex('load_part_by_number')
    .on('load_part')
    .columns(['load', 'step', 'number'])
    .unique()
    .execute();
  await schema
    .createTable('load_second')
    .addColumn('part', 'integer', (column) => column.notNull().references('load_part.id').onDelete('cascade'))
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('content', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('load_second_key', ['part', 'number'])
    .execute();
}

/** Each new run asks for the runs whose journals are stored. Without an index, the database would read every run. */
async function addEvidenceIndex({ schema }: Kysely<HistoryTables>): Promise<void> {
  await schema
    .createIndex('run_with_evidence')
    .on('run')
    .columns(['started_at', 'number', 'ext_cid', 'operator'])
    .where(sql.ref('evidence'), 'is not', null)
    .where(sql.ref('pinned'), '=', 0)
    .execute();
}
