import { z } from 'zod';
import type { OperatorStatus } from '../../../fleet/status.ts';
import { RUN_VERDICTS } from '../../../history/tables.ts';

/** The name and version of the JSON output of `croupier fleet status`. */
const STATUS_JSON = 'croupier-fleet-status/1';

const text = z.string();
const time = text.describe('a time in UTC (ISO 8601)');

const statusSchema = z.object({
  schema: z.literal(STATUS_JSON),
  at: time.describe('the time of this status in UTC (ISO 8601)'),
  totals: z.object({
    operators: z.int(),
    running: z.int(),
    late: z.int(),
    owing: z.int().describe('number of operators with a run that owes something'),
  }),
  operators: z.array(
    z.object({
      name: text.describe('the name in fleet.yaml'),
      extCID: text,
      latest: z
        .object({
          number: z.int().min(1).describe('the number of the run in the history'),
          runID: text,
          startedAt: time,
          durationMs: z.number().nullable().describe('null if the run ended too early'),
          operator: text.describe('the base URL of the operator'),
          verdict: z.enum(RUN_VERDICTS),
          exitCode: z.int(),
          firstLine: text,
          ended: text
            .nullable()
            .describe(
              'how the run ended, such as complete or interrupted; null if the journal has no end of the run, for example because the process was killed',
            ),
          build: text.nullable().describe('the label build; null if it is not known'),
        })
        .nullable()
        .describe('the latest run; null if no run has judged the operator'),
      lastSuccess: time.nullable().describe('the start of the latest run that found no breach, in UTC (ISO 8601)'),
      runningSince: time.nullable().describe('the start of the run in progress, in UTC (ISO 8601)'),
      isLate: z
        .boolean()
        .describe('true if the operator has become due since its latest run, and no run is in progress'),
      lateSince: time
        .nullable()
        .describe(
          'the time at which the operator was due, in UTC (ISO 8601); null if the operator is not late, or was never judged',
        ),
      owed: z
        .array(
          z.object({
            journal: text.describe(
              'the path of the journal, relative to the folder of fleet.yaml, as `croupier settle` needs it',
            ),
            worker: text
              .nullable()
              .describe('the worker whose machine has the journal, as host:process; null if this machine has it'),
            items: z
              .int()
              .min(1)
              .describe('number of wins and refunds that are not sent yet, and of balances that are not restored yet'),
          }),
        )
        .describe('the runs that owe something'),
    }),
  ),
});

/** Returns the JSON Schema for the JSON output of `croupier fleet status`. */
export function statusJsonSchema(): object {
  return {
    ...z.toJSONSchema(statusSchema, { io: 'input' }),
    title: `The result of croupier fleet status (${STATUS_JSON})`,
  };
}

/** Returns the JSON output of `croupier fleet status`. */
export function statusJson(all: readonly OperatorStatus[], now: Date): string {
  const count = (isCounted: (one: OperatorStatus) => boolean): number => all.filter(isCounted).length;
  const result: z.infer<typeof statusSchema> = {
    schema: STATUS_JSON,
    at: now.toISOString(),
    totals: {
      operators: all.length,
      running: count(({ runningSince }) => runningSince !== undefined),
      late: count(({ late }) => late !== undefined),
      owing: count(({ owed }) => owed.length > 0),
    },
    operators: all.map(({ operator, latest, lastSuccess, runningSince, late, owed }) => ({
      name: operator.name,
      extCID: operator.extCID,
      latest: latest
        ? {
            number: latest.number,
            runID: latest.run_id,
            startedAt: latest.started_at,
            durationMs: latest.duration_ms,
            operator: latest.operator,
            verdict: latest.verdict,
            exitCode: latest.exit_code,
            firstLine: latest.first_line,
            ended: latest.ended,
            build: latest.build,
          }
        : null,
      lastSuccess: lastSuccess ?? null,
      runningSince: runningSince ?? null,
      isLate: late !== undefined,
      lateSince: late?.since ?? null,
      owed: [...owed],
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}
