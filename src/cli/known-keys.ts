import { z } from 'zod';

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** The keys that a file of that schema may have at a path. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let shape: Shape | undefined = z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as Shape;
  for (const part of path) {
    const parent: Shape | undefined = shape?.anyOf?.find((choice) => choice.properties) ?? shape;
    shape = typeof part === 'number' ? parent?.items : parent?.properties?.[String(part)];
  }
  return Object.keys((shape?.anyOf?.find((choice) => choice.properties) ?? shape)?.properties ?? {});
}
