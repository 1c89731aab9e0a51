import type { z } from 'zod';
import { type ContractVersion, isThere } from '../../contract/versions.ts';
import { jsonReply, type ListenReply } from '../../listen/message.ts';

/** An error reply to a request that the Core API refuses. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: 400 | 401 | 403 | 404 | 409;
  /** The message for the operator, which says what is wrong and what to change. */
  readonly message: string;
  /** The contract's code for the error, if there is one. */
  readonly code?: 'currency_not_supported' | 'locale_not_supported' | 'account_blocked' | 'game_not_found';
  /** Details for developers. Always a string, because the operators' client libraries expect a string. */
  readonly details?: string;
}

/** A field that is missing or invalid. */
export interface FieldProblem {
  /** The path of the field, such as `user.id` or `gameIDs.0`. Empty if the problem is not in a single field. */
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

/**
 * Returns the refusal of a request with invalid fields. The refusal lists all these fields.
 *
 * @param carrier the part of the request that contains the fields
 */
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

/** Checks a value against a schema. Returns the data, or the problems of its fields. */
export function check<T>(schema: z.ZodType<T>, value: unknown): { readonly data: T } | readonly FieldProblem[] {
  const result = schema.safeParse(value, { error: ({ input }) => (input === undefined ? 'required' : undefined) });
  if (result.success) return { data: result.data };
  return result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
}

/** Returns the reply to a refused request. Versions before 1.0.1 have no error codes. */
export function refusalReply({ status, message, code, details }: Refusal, version: ContractVersion): ListenReply {
  return jsonReply(status, {
    message,
    ...(code !== undefined && isThere('1.0.1', version) && { code }),
    ...(details !== undefined && { details }),
  });
}
