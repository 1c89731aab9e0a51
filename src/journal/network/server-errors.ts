import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import { plural } from '../../contract/plural.ts';

const SERVER_ERROR = 500;
/** A smaller number of replies is not worth a notice. */
const ENOUGH = 5;

const NOUNS: Readonly<Record<CallName, string>> = { balance: 'balance call', bet: 'bet', win: 'win', refund: 'refund' };

/**
 * Counts the calls that the operator answered 500. It may do so now and then, because a bet is refunded after a 500, and all other calls
 * are sent again. But people should know how often it does.
 */
export class ServerErrors {
  readonly #replies = new Map<CallName, { all: number; failed: number }>();

  note(call: CallName, status: number): void {
    const { all, failed } = this.#replies.get(call) ?? { all: 0, failed: 0 };
    this.#replies.set(call, { all: all + 1, failed: failed + (status === SERVER_ERROR ? 1 : 0) });
  }

  /** The message for the end of the report. Null if too few calls were answered 500. */
  get text(): string | null {
    const kinds = CALL_NAMES.flatMap((call) => {
      const counts = this.#replies.get(call);
      return counts && counts.failed > 0 ? [{ call, ...counts }] : [];
    });
    const failed = kinds.reduce((sum, one) => sum + one.failed, 0);
    const all = [...this.#replies.values()].reduce((sum, one) => sum + one.all, 0);
    if (failed < ENOUGH) return null;
    const each = kinds.map((one) => `${one.failed} of ${plural(one.all, NOUNS[one.call])}`).join(', ');
    const percent = ((failed / all) * 100).toFixed(1);
    return `The operator answered ${failed} of ${plural(all, 'call')} (${percent} %) with status 500: ${each}. Look for the reason in the logs of the operator.`;
  }
}
