import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import type { CallResult, ComparedCall, Failures, ReplayVerdict } from './compare.ts';

/** The result of a replay. */
export interface ReplayOutcome {
  readonly verdict: ReplayVerdict;
  readonly compared: readonly ComparedCall[];
  readonly past: Failures;
  readonly now: Failures;
  /** The data that the record does not have, and what was replayed instead. */
  readonly notes: readonly string[];
  /** The summary line of the run. */
  readonly run: string;
  readonly journal: string | null;
}

/** The version of the JSON format of a replay. */
const REPLAY_JSON = 'croupier-replay/1';

const maybe = z.string().nullable();
const number = z.int().min(1).describe('the place of a call in the record');

const wrong = z.object({ rules: z.array(z.string().describe('the id of a rule')), calls: z.array(number) });

const result = z.object({
  status: z.int().nullable().describe('null: there was no reply, or nobody wrote down which'),
  reason: maybe.describe("why there was no reply; null: there was one, or that isn't known"),
  code: maybe.describe('the code of an error'),
  change: z
    .string()
    .regex(/^-?(0|[1-9]\d*)(\.\d+)?$/)
    .nullable()
    .describe(
      "by how much the balance differs from the one of the wallet's call before; null: not known, or not comparable",
    ),
});

/** The output of `croupier replay --json`. */
const replaySchema = z.object({
  schema: z.literal(REPLAY_JSON),
  verdict: z.enum(['fixed', 'same', 'still failing', 'regressed', 'differs', 'undecided']),
  exitCode: z.int().min(0).max(255),
  wrong: z.object({ past: wrong, now: wrong }).describe('what was found wrong in the record, and in the replay'),
  notes: z.array(z.string()).describe('what the record does not tell, and what was played in its place'),
  run: z.string().describe('the first line of the run that played it'),
  journal: maybe.describe('where the journal of the replay is'),
  calls: z.array(
    z.object({
      number,
      call: z.enum(CALL_NAMES),
      amount: maybe.describe('as it was sent then'),
      verdict: z.enum(['same', 'differs', 'unknown', 'not played']),
      differences: z.array(z.enum(['answer', 'code', 'change'])),
      past: result,
      now: result.nullable().describe('null: it was not played'),
    }),
  ),
});

/** Makes the JSON Schema of `croupier replay --json`. */
export function replayJsonSchema(): object {
  return {
    ...z.toJSONSchema(replaySchema, { io: 'input' }),
    title: `A replay, as croupier tells it (${REPLAY_JSON})`,
  };
}

type ReplayJson = z.infer<typeof replaySchema>;

/** Makes the output of `croupier replay --json`. */
export function replayJson(outcome: ReplayOutcome, exitCode: number): ReplayJson {
  const { verdict, compared, past, now, notes, run, journal } = outcome;
  return {
    schema: REPLAY_JSON,
    verdict,
    exitCode,
    wrong: { past: wrongJson(past), now: wrongJson(now) },
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
