import type { Stdio } from './stdio.ts';

type SchemaOf = 'scenario' | 'config' | 'report' | 'journal';

/** `croupier schema`: the JSON Schema that the code itself checks by. */
export async function schemaCommand(of: SchemaOf, { out }: Stdio): Promise<number> {
  out.write(`${JSON.stringify(await schemaOf(of), null, 2)}\n`);
  return 0;
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
    case 'report':
      return (await import('../report/json-schema.ts')).reportJsonSchema();
    case 'journal':
      return (await import('../journal/event-schema.ts')).journalJsonSchema();
  }
}
