import type { RunStarted } from '../journal/event.ts';

/** The name of the embedded reference operator, whose port is another one in each run. */
const REFERENCE = 'reference operator';

/** Returns the name that the operator of a run has in the history: its base URL, or `reference operator` with its defects and variants. */
export function operatorOf({ flags = [], client }: RunStarted): string {
  if (!flags.includes('--reference')) return withoutUser(client.integratorBaseUrl);
  const changes = flags.flatMap((flag, at) =>
    flag === '--defect' || flag === '--variant' ? [`${flag.slice(2)} ${flags[at + 1] ?? ''}`] : [],
  );
  return [REFERENCE, ...changes].join(', ');
}

function withoutUser(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.origin}${parsed.pathname.replace(/(?<!\/)\/+$/, '')}` : url;
}
