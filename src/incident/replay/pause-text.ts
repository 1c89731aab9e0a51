const LONGEST_MS = 86_400_000;

/** A duration as a person writes it in a scenario, no more exact than it matters: `300ms`, `1.2s`, `45s`, `12m`. At most a day. */
export function pauseText(ms: number): string {
  const most = Math.min(ms, LONGEST_MS);
  if (most < 1000) return `${Math.max(1, Math.round(most < 100 ? most : Math.round(most / 10) * 10))}ms`;
  if (most < 10_000) return `${Math.round(most / 100) / 10}s`;
  if (most < 600_000) return `${Math.round(most / 1000)}s`;
  return `${Math.round(most / 60_000)}m`;
}
