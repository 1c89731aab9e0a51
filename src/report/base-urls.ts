import type { RunStarted } from '../journal/event.ts';

/** Returns the base URL of a run. If the parts of a divided run used several base URLs, returns all of them, with commas. */
export function baseUrlsText({ client }: Pick<RunStarted, 'client'>): string {
  return [client.integratorBaseUrl, ...(client.otherBaseUrls ?? [])].join(', ');
}
