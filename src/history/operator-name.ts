import type { RunStarted } from '../journal/event.ts';

/** Returns the name that the operator of a run has in the history: its base URL, without a user and a slash at the end. */
export function operatorOf({ client: { integratorBaseUrl } }: Pick<RunStarted, 'client'>): string {
  const parsed = URL.parse(integratorBaseUrl);
  return parsed ? `${parsed.origin}${parsed.pathname.replace(/(?<!\/)\/+$/, '')}` : integratorBaseUrl;
}
