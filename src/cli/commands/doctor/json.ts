import { z } from 'zod';
import { CHECK_NAMES, CHECK_STATES, firstToFix } from '../../../engine/doctor/check.ts';
import type { Examined } from './text.ts';

/** The name and version of the JSON output of `croupier doctor`. */
const DOCTOR_JSON = 'croupier-doctor/1';

const name = z.enum(['configuration', ...CHECK_NAMES]);
const about = z.string().nullable().describe('the sessionID, if the check is about one session; otherwise null');

const doctorSchema = z.object({
  schema: z.literal(DOCTOR_JSON),
  exitCode: z
    .union([z.literal(0), z.literal(1), z.literal(3)])
    .describe('0 a run is possible, 1 something must be fixed, 3 a client is unreachable'),
  clients: z.array(
    z.object({
      extCID: z.string(),
      integratorBaseUrl: z.string(),
      mendFirst: z
        .object({ name, about })
        .nullable()
        .describe('the problem to fix first; null if nothing must be fixed'),
      checks: z.array(
        z.object({
          name,
          about,
          state: z
            .enum(CHECK_STATES)
            .describe(
              'good: there is no problem; warn: there is a problem, but a run is possible; bad: the problem must be fixed; unreachable: the problem must be fixed before the operator can be checked further; not-tried: this check depends on an earlier check that failed; not-needed: there is nothing to check',
            ),
          seen: z.string(),
          advice: z.string().nullable(),
        }),
      ),
    }),
  ),
});

/** Returns the JSON Schema for the JSON output of `croupier doctor`. */
export function doctorJsonSchema(): object {
  return {
    ...z.toJSONSchema(doctorSchema, { io: 'input' }),
    title: `The result of croupier doctor (${DOCTOR_JSON})`,
  };
}

/** Returns the JSON output of `croupier doctor`. */
export function doctorJson(examined: readonly Examined[], exitCode: 0 | 1 | 3): string {
  const clients = examined.map(({ client, checks }) => {
    const first = firstToFix(checks);
    return {
      extCID: client.extCID,
      integratorBaseUrl: client.integratorBaseUrl,
      mendFirst: first && { name: first.name, about: first.about },
      checks: [...checks],
    };
  });
  const result: z.infer<typeof doctorSchema> = { schema: DOCTOR_JSON, exitCode, clients };
  return `${JSON.stringify(result, null, 2)}\n`;
}
