import type { Stdio } from './stdio.ts';

/** What there is a JSON Schema of. */
export const SCHEMAS = ['scenario', 'config', 'baseline', 'report', 'journal', 'incident', 'doctor', 'replay'] as const;

export type SchemaOf = (typeof SCHEMAS)[number];

/** `croupier schema`: the JSON Schema that the code itself checks by. */
export async function schemaCommand(of: SchemaOf, { out }: Stdio): Promise<number> {
  out.write(await schemaText(of));
  return 0;
}

/** The text of `schema/OF.json`, which is published beside the code. */
export async function schemaText(of: SchemaOf): Promise<string> {
  return `${JSON.stringify(await schemaOf(of), null, 2)}\n`;
}

/** Each comes with what it describes; nothing else is imported. */
async function schemaOf(of: SchemaOf): Promise<unknown> {
  switch (of) {
    case 'scenario':
      return (await import('../scenario/schema.ts')).scenarioSchema();
    case 'config': {
      const [{ z }, { configSchema }] = await Promise.all([import('zod'), import('./config-schema.ts')]);
      return z.toJSONSchema(configSchema, { io: 'input', reused: 'inline' });
    }
    case 'baseline': {
      const [{ z }, { baselineSchema }] = await Promise.all([import('zod'), import('./baseline-file.ts')]);
      return z.toJSONSchema(baselineSchema, { io: 'input', reused: 'inline' });
    }
    case 'report':
      return (await import('../report/json-schema.ts')).reportJsonSchema();
    case 'journal':
      return (await import('../journal/event-schema.ts')).journalJsonSchema();
    case 'incident':
      return (await import('../incident/incident-json.ts')).incidentJsonSchema();
    case 'doctor':
      return (await import('./doctor-json.ts')).doctorJsonSchema();
    case 'replay':
      return (await import('../incident/replay/replay-json.ts')).replayJsonSchema();
  }
}
