import type { z } from 'zod';
import { type ContractVersion, isThere } from '../../contract/versions.ts';
import { jsonReply, type ListenReply } from '../../listen/message.ts';

/** The error with which a request is answered. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: 400 | 401 | 403 | 404 | 409;
  /** Says what is wrong and what to change. */
  readonly message: string;
  /** A code of the contract, where it has one for the error. */
  readonly code?: 'currency_not_supported' | 'locale_not_supported' | 'account_blocked' | 'game_not_found';
  /** For developers. A text, because the published clients read one. */
  readonly details?: string;
}

/** One wrong field. */
export interface FieldProblem {
  /** As `user.id`, or `gameIDs.0`; empty for the whole. */
  readonly field: string;
  readonly message: string;
}

export function refusal(
  status: Refusal['status'],
  message: string,
  more: Omit<Refusal, 'kind' | 'status' | 'message'> = {},
): Refusal {
  return { kind: 'refusal', status, message, ...more };
}

/** Refuses a request for all its wrong fields. @param carrier the part of the request with the fields */
export function wrongFields(carrier: 'body' | 'query', problems: readonly FieldProblem[]): Refusal {
  const named = problems.map(({ field }) => field).filter(Boolean);
  const message =
    named.length === 0
      ? `The ${carrier} must be an object with the fields of this operation.`
      : `Fix ${[...new Set(named)].join(', ')} in the ${carrier} and send it again.`;
  return refusal(400, message, {
    details: problems.map(({ field, message }) => `${field || carrier}: ${message}`).join('; '),
  });
}

/** Checks a value against its schema. */
export function check<T>(schema: z.ZodType<T>, value: unknown): { readonly data: T } | readonly FieldProblem[] {
  const result = schema.safeParse(value, { error: ({ input }) => (input === undefined ? 'required' : undefined) });
  if (result.success) return { data: result.data };
  return result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
}

/** The reply to a refused request. Error codes came with version 1.0.1. */
export function refusalReply({ status, message, code, details }: Refusal, version: ContractVersion): ListenReply {
  return jsonReply(status, {
    message,
    ...(code !== undefined && isThere('1.0.1', version) && { code }),
    ...(details !== undefined && { details }),
  });
}
