import type { Exchange } from '../journal/exchange.ts';

/** Nobody closes a new connection because nothing has come over it for so short a time. */
const ANY_MS = 10;

/** The request went out, and the connection was closed without a byte of a reply. */
export function isCutOff({ outcome, stamps, connection }: Exchange): boolean {
  return (
    outcome.kind === 'none' &&
    (outcome.reason === 'reset' || outcome.reason === 'stale-connection') &&
    outcome.head === undefined &&
    connection !== null &&
    stamps.sent !== null
  );
}

/**
 * The request went out about as soon as that of its control, which was answered. Where a busy machine lets a new connection
 * wait, the operator may have closed it for that, whatever came over it then.
 */
export function wasPrompt(cutOff: Exchange, control: Exchange): boolean {
  return leavingMs(cutOff) <= 2 * leavingMs(control) + ANY_MS;
}

function leavingMs({ stamps: { start, sent } }: Exchange): number {
  return sent === null ? Number.POSITIVE_INFINITY : sent - start;
}
