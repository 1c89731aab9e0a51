import type { z } from 'zod';
import { isThere } from '../../contract/since.ts';
import type { ContractVersion } from '../../contract/versions.ts';
import { jsonReply, type ListenReply } from '../../listen/message.ts';

/** Why a request is not done, as the operator reads it. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly status: 400 | 401 | 403 | 404 | 409;
  /** What is wrong and what to change. */
  readonly message: string;
  /** One of the contract's codes, where it has one for the case. */
  readonly code?: 'currency_not_supported' | 'locale_not_supported' | 'account_blocked' | 'game_not_found';
  /** For developers. Text, as the published clients read it. */
  readonly details?: string;
}

/** One wrong field. */
export interface Complaint {
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

/** Every wrong field of a request. `carrier`: where the fields stand. */
export function wrongFields(carrier: 'body' | 'query', complaints: readonly Complaint[]): Refusal {
  const named = complaints.map(({ field }) => field).filter(Boolean);
  const message =
    named.length === 0
      ? `The ${carrier} must be an object with the fields of this operation.`
      : `Mend ${[...new Set(named)].join(', ')} in the ${carrier} and send it again.`;
  return refusal(400, message, {
    details: complaints.map(({ field, message }) => `${field || carrier}: ${message}`).join('; '),
  });
}

/** Reads a value by its schema, with complaints that an operator's developer can act on. */
export function check<T>(schema: z.ZodType<T>, value: unknown): { readonly data: T } | readonly Complaint[] {
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
