import { z } from 'zod';
import { CHECK_NAMES, CHECK_STATES, firstToMend } from '../engine/doctor/check.ts';
import type { Examined } from './doctor-text.ts';

/** Version of the JSON of a doctor's look. */
const DOCTOR_JSON = 'croupier-doctor/1';

const name = z.enum(['configuration', ...CHECK_NAMES]);
const about = z.string().nullable().describe('which of several: the sessionID of a session');

const doctorSchema = z.object({
  schema: z.literal(DOCTOR_JSON),
  exitCode: z
    .union([z.literal(0), z.literal(1), z.literal(3)])
    .describe('0 a run can be made, 1 something must be mended, 3 a client is unreachable'),
  clients: z.array(
    z.object({
      extCID: z.string(),
      integratorBaseUrl: z.string(),
      mendFirst: z.object({ name, about }).nullable().describe('null: nothing must be mended'),
      checks: z.array(
        z.object({
          name,
          about,
          state: z
            .enum(CHECK_STATES)
            .describe(
              'good; warn: a run is possible; bad: must be mended; unreachable: must be mended, and until then nobody can be asked; not-tried: an earlier check came out so that this one cannot be made; not-needed: there is nothing of the kind',
            ),
          seen: z.string(),
          advice: z.string().nullable(),
        }),
      ),
    }),
  ),
});

/** The JSON Schema of it. */
export function doctorJsonSchema(): object {
  return {
    ...z.toJSONSchema(doctorSchema, { io: 'input' }),
    title: `What croupier doctor saw (${DOCTOR_JSON})`,
  };
}

/** What a machine reads. */
export function doctorJson(examined: readonly Examined[], exitCode: 0 | 1 | 3): string {
  const clients = examined.map(({ client, checks }) => {
    const first = firstToMend(checks);
    return {
      extCID: client.extCID,
      integratorBaseUrl: client.integratorBaseUrl,
      mendFirst: first && { name: first.name, about: first.about },
      checks: [...checks],
    };
  });
  const told: z.infer<typeof doctorSchema> = { schema: DOCTOR_JSON, exitCode, clients };
  return `${JSON.stringify(told, null, 2)}\n`;
}
