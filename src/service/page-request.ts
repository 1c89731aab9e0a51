import type { z } from 'zod';
import { headerOf, type ListenRequest } from '../listen/message.ts';

/** What a page sent. */
export type PageWish<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'wrong'; readonly status: 400 | 415; readonly message: string };

/**
 * Reads the JSON that a page of ours sends. Only what calls itself JSON is read: a page of another site can't send that without
 * asking first, and is never allowed to.
 */
export function readJson<T>({ headers, body }: ListenRequest, schema: z.ZodType<T>): PageWish<T> {
  const type = headerOf(headers, 'content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    return { kind: 'wrong', status: 415, message: 'Send JSON, with Content-Type: application/json.' };
  }
  const parsed = schema.safeParse(parse(body));
  if (parsed.success) return { kind: 'read', value: parsed.data };
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'the body';
  return {
    kind: 'wrong',
    status: 400,
    message: `This can't be read: ${place}: ${issue?.message ?? 'not as expected'}.`,
  };
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
