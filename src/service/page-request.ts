import type { z } from 'zod';
import { headerOf, type ListenRequest } from '../listen/message.ts';

/** The body of a page's request. */
export type PageRequest<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'wrong'; readonly status: 400 | 415; readonly message: string };

/**
 * Reads the JSON that one of croupier's pages sends. The content type has to be JSON: a browser lets a page of another site send
 * that only after a CORS preflight, which is never answered.
 */
export function readJson<T>({ headers, body }: ListenRequest, schema: z.ZodType<T>): PageRequest<T> {
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
