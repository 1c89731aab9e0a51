import { plural } from '../../contract/plural.ts';
import type { NoReplyReason } from '../exchange.ts';

/**
 * A text for each reason that the network may have caused. The other reasons are not listed: croupier broke the connection on
 * purpose, or the reply was late.
 */
const LOST: Readonly<Partial<Record<NoReplyReason, string>>> = {
  reset: 'the connection was reset',
  'stale-connection': 'a kept-alive connection was closed',
  'closed-early': 'the connection was closed within the reply',
  refused: 'the connection was refused',
  'connect-timeout': 'no connection was made in time',
  'send-timeout': 'the request could not be sent in time',
  unreachable: 'the network was unreachable',
  unresolved: 'the name of the host was not found',
  proxy: 'the proxy refused the call',
};

/** The calls of a run that the network lost. */
export class LostCalls {
  readonly #counts = new Map<string, number>();

  /** Records a call without a reply. */
  note(reason: NoReplyReason): void {
    const why = LOST[reason];
    if (why !== undefined) this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1);
  }

  /**
   * Says how many calls got no reply because of the network, and why. Null if there is no such call, or if croupier
   * never reached the operator.
   */
  text({ sent, answered }: { readonly sent: number; readonly answered: number }): string | null {
    const counts = [...this.#counts].toSorted(([, a], [, b]) => b - a);
    const lost = counts.reduce((sum, [, count]) => sum + count, 0);
    if (lost === 0 || answered === 0) return null;
    const why = counts.map(([reason, count]) => `${reason} (${count})`).join(', ');
    return `Network: ${lost} of ${plural(sent, 'call')} got no reply: ${why}. A lost call alone breaks no rule. croupier sends a lost call again if the contract allows this.`;
  }
}
