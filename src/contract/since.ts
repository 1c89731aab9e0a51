import type { z } from 'zod';
import { type ContractVersion, compareVersions } from './versions.ts';

/** Marks in a schema's metadata, and in the JSON Schema made of it, with which version of the contract a field came. */
export const SINCE = 'x-since';

/** The metadata of a field: what it means, and since when there is such a field, where that is not always. */
export function field(description: string, since?: ContractVersion): z.core.GlobalMeta {
  return since === undefined ? { description } : { description, [SINCE]: since };
}

/** Whether something that came with one version is there in another. What has no version was always there. */
export function isThere(since: string | undefined, version: ContractVersion): boolean {
  return since === undefined || compareVersions(since, version) <= 0;
}

/**
 * What an API of that version reads of a request: without the fields that came later, which it ignores like any field that
 * it does not know. Looks at the outermost fields only.
 */
export function knownFields(
  value: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
  version: ContractVersion,
): Readonly<Record<string, unknown>> {
  const shape: Readonly<Record<string, z.ZodType | undefined>> = schema.shape;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => {
      const since = Object.hasOwn(shape, name) ? shape[name]?.meta()?.[SINCE] : undefined;
      return isThere(typeof since === 'string' ? since : undefined, version);
    }),
  );
}
