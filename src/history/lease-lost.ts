/**
 * Thrown when a worker wants to write something although it no longer holds its work: another worker has taken the work, or may
 * take it soon. Nothing was written.
 */
export class LeaseLost extends Error {
  override readonly name: string = 'LeaseLost';
}
