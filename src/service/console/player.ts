import type { LoggedExchange } from '../exchange-log.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Whose game session an exchange is about; null where it is about none, or one that is forgotten. */
export function playerOf({ sessions }: Pick<ServiceParts, 'sessions'>, { gsID }: LoggedExchange): string | null {
  return gsID === null ? null : (sessions.byId(gsID)?.player ?? null);
}
