import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { type CallResult, type ComparedCall, type Failures, REPLAY_VERDICTS, type ReplayVerdict } from './compare.ts';

/** The result of a replay. */
export interface ReplayOutcome {
  readonly verdict: ReplayVerdict;
  readonly compared: readonly ComparedCall[];
  readonly past: Failures;
  readonly now: Failures;
  /** True if the record does not show for certain how much money the player should have. */
  readonly isUnexplained: boolean;
  /** The conditions of the recorded problem that did not exist in the replay. */
  readonly missing: readonly string[];
  /** The data that is missing in the record, and what was sent instead in the replay. */
  readonly notes: readonly string[];
  /** The summary line of the run. */
  readonly run: string;
  readonly journal: string | null;
}

/** The version of the JSON format of a replay. */
const REPLAY_JSON = 'croupier-replay/1';

const maybe = z.string().nullable();
const number = z.int().min(1).describe('the number of the call in the record, from 1');

const wrong = z.object({ rules: z.array(z.string().describe('the id of a rule')), calls: z.array(number) });

const result = z.object({
  status: z.int().nullable().describe('the HTTP status of the reply; null if there was no reply or it was not logged'),
  reason: maybe.describe('the reason why there was no reply; null if there was a reply, or if the reason is not known'),
  code: maybe.describe('the error code in the reply; null if there was none'),
  change: z
    .string()
    .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/)
    .nullable()
    .describe(
      'the change of the balance since the previous call of the same wallet; null if it is not known or cannot be compared',
    ),
});

/** The output of `croupier replay --json`. */
const replaySchema = z.object({
  schema: z.literal(REPLAY_JSON),
  verdict: z.enum(REPLAY_VERDICTS),
  exitCode: z.int().min(0).max(255),
  wrong: z
    .object({ past: wrong, now: wrong })
    .describe('the broken rules, in the record (`past`) and in the replay (`now`), and the calls that break them'),
  missing: z
    .array(z.string())
    .describe('what the replay did not repeat of the recorded problem; not empty for the verdict `not reproduced`'),
  notes: z.array(z.string()).describe('the data that the record does not contain, and what was replayed instead'),
  run: z.string().describe('the summary line of the run that replayed the calls'),
  journal: maybe.describe('the path of the journal of the replay; null if none was written'),
  calls: z.array(
    z.object({
      number,
      call: z.enum(CALL_NAMES),
      amount: maybe.describe('the amount in the record; null if it is not in the record, or if the call has no amount'),
      verdict: z.enum(['same', 'differs', 'unknown', 'not played']),
      differences: z.array(z.enum(['answer', 'code', 'change'])),
      past: result,
      now: result.nullable().describe('the new reply; null if the call was not replayed'),
    }),
  ),
});

/** Returns the JSON Schema of `croupier replay --json`. */
export function replayJsonSchema(): object {
  return {
    ...z.toJSONSchema(replaySchema, { io: 'input' }),
    title: `The result of croupier replay (${REPLAY_JSON})`,
  };
}

type ReplayJson = z.infer<typeof replaySchema>;

/** Returns the output of `croupier replay --json`. */
export function replayJson(outcome: ReplayOutcome, exitCode: number): ReplayJson {
  const { verdict, compared, past, now, missing, notes, run, journal } = outcome;
  return {
    schema: REPLAY_JSON,
    verdict,
    exitCode,
    wrong: { past: wrongJson(past), now: wrongJson(now) },
    missing: [...missing],
    notes: [...notes],
    run,
    journal,
    calls: compared.map((row) => ({
      number: row.number,
      call: row.call.seen.call,
      amount: row.call.seen.amount,
      verdict: row.verdict,
      differences: [...row.differences],
      past: resultJson(row.past),
      now: row.now && resultJson(row.now),
    })),
  };
}

function wrongJson({ rules, calls }: Failures): ReplayJson['wrong']['past'] {
  return { rules: [...rules], calls: [...calls] };
}

function resultJson(one: CallResult): ReplayJson['calls'][number]['past'] {
  return { ...one, change: one.change?.toString() ?? null };
}
