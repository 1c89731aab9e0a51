/**
 * Thrown when a worker wants to write something although it has lost its work: another worker has it, or may have it soon. Nothing
 * was written.
 */
export class LeaseLost extends Error {
  override readonly name: string = 'LeaseLost';
}
