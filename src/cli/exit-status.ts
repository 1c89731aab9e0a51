/** Gravest first: of several, the first that holds counts. */
const ORDER: readonly number[] = [70, 130, 143, 2, 1, 3, 0];

/** The exit status of a command that did several things, each with a status of its own. */
export function gravestStatus(statuses: readonly number[]): number {
  return ORDER.find((status) => statuses.includes(status)) ?? 0;
}
