import type { Stdio } from '../../../app/stdio.ts';
import type { SchemaName } from './flags.ts';

/** `croupier schema`: prints the JSON Schema that croupier itself uses. @returns 0 */
export async function schemaCommand(of: SchemaName, { out }: Stdio): Promise<number> {
  out.write(await schemaText(of));
  return 0;
}

/**
 * Returns the text of a schema, which is also the file `schema/NAME.json` of the package. It is indented by one blank,
 * because schemas are deep: two blanks would make the files larger by a quarter.
 */
export async function schemaText(of: SchemaName): Promise<string> {
  return `${JSON.stringify(await schemaOf(of), null, 1)}\n`;
}

/** Returns one schema. Imports only the module of this schema, because loading the modules of all schemas is slow. */
async function schemaOf(of: SchemaName): Promise<unknown> {
  switch (of) {
    case 'scenario':
      return (await import('../../../scenario/shapes/schema.ts')).scenarioSchema();
    case 'config': {
      const [{ z }, { configSchema }] = await Promise.all([import('zod'), import('../../../app/config/schema.ts')]);
      return z.toJSONSchema(configSchema, { io: 'input', reused: 'inline' });
    }
    case 'baseline': {
      const [{ z }, { baselineSchema }] = await Promise.all([import('zod'), import('../../../app/baseline-file.ts')]);
      return z.toJSONSchema(baselineSchema, { io: 'input', reused: 'inline' });
    }
    case 'report':
      return (await import('../../../report/json/json-schema.ts')).reportJsonSchema();
    case 'journal':
      return (await import('../../../journal/event-schema.ts')).journalJsonSchema();
    case 'incident':
      return (await import('../../../traffic/timeline/incident-json.ts')).incidentJsonSchema();
    case 'doctor':
      return (await import('../doctor/json.ts')).doctorJsonSchema();
    case 'load': {
      const [{ z }, { loadResultSchema }] = await Promise.all([
        import('zod'),
        import('../../../journal/load/result.ts'),
      ]);
      return z.toJSONSchema(loadResultSchema);
    }
    case 'mix': {
      const [{ z }, { mixSchema }] = await Promise.all([import('zod'), import('../../../app/load/mix-file.ts')]);
      return z.toJSONSchema(mixSchema, { io: 'input' });
    }
    case 'fleet': {
      const [{ z }, { fleetSchema }] = await Promise.all([import('zod'), import('../../../fleet/fleet-file.ts')]);
      return z.toJSONSchema(fleetSchema, { io: 'input', reused: 'inline' });
    }
    case 'fleet-status':
      return (await import('../fleet/json.ts')).statusJsonSchema();
    case 'history':
      return (await import('../history/json.ts')).historyJsonSchema();
    case 'replay':
      return (await import('../../../traffic/replay/replay-json.ts')).replayJsonSchema();
  }
}
