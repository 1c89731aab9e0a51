import { Money } from '../../contract/money.ts';
import { bodyFields } from '../../journal/call-amount.ts';
import type { JournalEvent } from '../../journal/event.ts';
import type { LostBet, LostBets } from '../../judge/wallet/lost-bets.ts';
import { isSuccess } from '../../reply/status.ts';

import type { SessionUnderTest } from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';

interface SentBet extends LostBet {
  readonly walletID: string;
}

/** Finds the lost bets in the events of a run: the bets without a reply, whose refund is answered 200. */
export class LostCalls {
  readonly #bets: LostBets;
  readonly #walletIDs: ReadonlyMap<string, string>;
  /** The bets that wait for their reply, by exchange. */
  readonly #sent = new Map<string, SentBet>();
  /** The bets without a reply, by txID. */
  readonly #unanswered = new Map<string, SentBet>();
  /** The txIDs of the refunded bets, by the exchange of the refund. */
  readonly #refunds = new Map<string, string>();

  constructor(bets: LostBets, sessions: readonly SessionUnderTest[]) {
    this.#bets = bets;
    this.#walletIDs = new Map(sessions.map((session) => [session.sessionID, walletIdOf(session)]));
  }

  note(event: JournalEvent): void {
    if (event.event === 'sending' && (event.call === 'bet' || event.call === 'refund')) {
      const { txID, origTxID, sessionID } = (event.request.body && bodyFields(event.request.body)) ?? {};
      const walletID = typeof sessionID === 'string' ? this.#walletIDs.get(sessionID) : undefined;
      const amount = event.amount === undefined ? undefined : Money.read(event.amount);
      if (event.call === 'refund' && typeof origTxID === 'string') this.#refunds.set(event.id, origTxID);
      if (event.call !== 'bet' || typeof txID !== 'string' || walletID === undefined || !amount) return;
      const { id, scenario } = event;
      this.#sent.set(id, { walletID, txID, amount, scenario, rule: 'refund.broken-connection' });
    } else if (event.event === 'received') {
      const { outcome } = event;
      const bet = this.#sent.get(event.id);
      this.#sent.delete(event.id);
      if (bet && outcome.kind === 'none')
        this.#unanswered.set(bet.txID, outcome.reason === 'too-late' ? { ...bet, rule: 'refund.after-error' } : bet);
      const refunded = this.#unanswered.get(this.#refunds.get(event.id) ?? '');
      this.#refunds.delete(event.id);
      if (!refunded || outcome.kind !== 'reply' || !isSuccess(outcome.reply.status)) return;
      this.#unanswered.delete(refunded.txID);
      this.#bets.add(refunded.walletID, refunded);
    }
  }
}
