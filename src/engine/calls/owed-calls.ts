import type { JournalEvent, Owed, OwedBet } from '../../journal/event.ts';
import type { Exchange } from '../../journal/exchange.ts';
import type { Transaction } from '../../judge/wallet/transaction.ts';
import type { TransactionState } from '../../ledger/transaction.ts';
import type { Answer } from '../../reply/classify.ts';
import { isTemporary, replyStatus } from '../../reply/status.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import type { Outgoing } from './outbox.ts';

/** The latest call with a txID: its fields, and the status of its reply. */
interface Latest {
  readonly fields: Readonly<Record<string, string>>;
  readonly status: number | undefined;
}

/** Writes to the journal which calls croupier owes. If the run is aborted, `croupier settle` can send these calls. */
export class OwedCalls {
  readonly #record: (event: JournalEvent) => void;
  readonly #open = new Map<string, Owed>();
  readonly #latest = new Map<string, Latest>();

  constructor(record: (event: JournalEvent) => void) {
    this.#record = record;
  }

  /**
   * Records which calls croupier has begun to owe, which calls it no longer owes, and what has changed about the calls that it
   * still owes.
   *
   * @param sent the call that was answered last, if there was one
   */
  note(context: ScenarioContext, sent?: { readonly outgoing: Outgoing; readonly exchange: Exchange }): void {
    if (sent) this.#remember(sent.outgoing, sent.exchange);
    for (const transaction of context.judge.effects.all()) {
      const { txID } = transaction;
      const open =
        transaction.state === 'unknown' && transaction.wallet !== null && !this.#mayBeDeclined(transaction, context);
      const known = this.#open.get(txID);
      if (!open && !known) continue;
      const { call } = transaction.planned.step;
      if (call === 'balance') continue;
      // All calls of a race are judged before the first of them is noted here. So the fields of a call may be missing at first.
      const { fields, status } = this.#latest.get(txID) ?? { fields: known?.fields ?? {}, status: known?.status };
      const bet = betOf(transaction, context) ?? known?.bet;
      if (open && known && known.fields === fields && known.status === status && known.bet === bet) continue;
      const owed: Owed = {
        event: 'owed',
        scenario: context.plan.id,
        call: call === 'bet' ? 'refund' : call,
        sessionID: context.names.sessionID(transaction.planned.step.session) ?? '',
        txID,
        open,
        fields,
        ...(bet !== undefined && { bet }),
        ...(status !== undefined && { status }),
      };
      if (open) this.#open.set(txID, owed);
      else this.#open.delete(txID);
      this.#record(owed);
    }
    if (sent) this.#forgetIfSettled(context, sent.outgoing);
  }

  /** Forgets a call that no later step can refer to, if its outcome is known. So a scenario with many calls needs little memory. */
  #forgetIfSettled({ judge }: ScenarioContext, { spec }: Outgoing): void {
    const { txID } = spec.fields;
    if (typeof txID === 'string' && !this.#open.has(txID) && !judge.effects.ofTxID(txID)) this.#latest.delete(txID);
  }

  /**
   * True for a win that the operator has declined and may decline. Then croupier does not owe it. There are two such wins: a further win
   * of a round (the rule `win.many-in-round` only warns), and a win of an amount above 2^53 units (the rule `money.large` is skipped).
   */
  #mayBeDeclined({ txID, planned: { step }, answer }: Transaction, { judge, plan }: ScenarioContext): boolean {
    const status = this.#latest.get(txID)?.status;
    if (step.call !== 'win' || step.roundID === null || answer !== 'declined' || isTemporary(status)) return false;
    if (plan.needs.largeAmounts) return true;
    const wins = Array.from(judge.effects.all()).filter(({ planned }) => planned.step.call === 'win');
    return wins.some(({ planned, state }) => planned.step.roundID === step.roundID && state === 'applied');
  }

  #remember({ spec }: Outgoing, exchange: Exchange): void {
    const fields = textFields(spec.fields);
    const { txID } = fields;
    if (txID === undefined) return;
    const known = this.#latest.get(txID);
    // A call that is sent again has the same fields. The same object is kept, so that nothing is recorded again.
    this.#latest.set(txID, { fields: known?.fields ?? fields, status: replyStatus(exchange) ?? known?.status });
  }
}

function textFields(fields: Outgoing['spec']['fields']): Record<string, string> {
  const entries = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(entries);
}

/** Returns the state of the bet that a refund names. Undefined for other calls, and if the state is not known. */
function betOf({ planned: { target } }: Transaction, { judge }: ScenarioContext): OwedBet | undefined {
  if (target?.step.call !== 'bet') return undefined;
  const bet = judge.effects.ofStep(target.step.key);
  if (!bet) return undefined;
  return bet.state === 'none' && hasNoReply(bet.answer) ? 'not-received' : BET_IN_STATE[bet.state];
}

function hasNoReply(answer: Answer): boolean {
  return answer === 'late' || answer === 'broken' || answer === 'lost';
}

const BET_IN_STATE: Readonly<Record<TransactionState, OwedBet>> = {
  sent: 'uncertain',
  applied: 'accepted',
  none: 'declined',
  refused: 'declined',
  unknown: 'uncertain',
  reversed: 'refunded',
};
