import type { JournalEvent, Owed } from '../../journal/event.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import type { Outgoing } from './outbox.ts';

/** Writes to the journal which calls croupier owes. If the run is aborted, `croupier settle` can send these calls. */
export class OwedCalls {
  readonly #record: (event: JournalEvent) => void;
  readonly #open = new Map<string, Owed>();

  constructor(record: (event: JournalEvent) => void) {
    this.#record = record;
  }

  /**
   * Records which calls croupier has begun to owe, and which calls it no longer owes.
   *
   * @param latest the call that was sent last, if there was one
   */
  note(context: ScenarioContext, latest?: { readonly step: CallStep; readonly outgoing: Outgoing }): void {
    for (const transaction of context.judge.effects.all()) {
      const open = transaction.state === 'unknown' && transaction.wallet !== null;
      const known = this.#open.get(transaction.txID);
      if (open === (known?.open ?? false)) continue;
      const { call } = transaction.planned.step;
      if (call === 'balance') continue;
      const owed: Owed = {
        event: 'owed',
        scenario: context.plan.id,
        call: call === 'bet' ? 'refund' : call,
        sessionID: context.names.sessionID(transaction.planned.step.session) ?? '',
        txID: transaction.txID,
        open,
        fields: known?.fields ?? (latest?.step.key === transaction.planned.step.key ? textFields(latest.outgoing) : {}),
      };
      if (open) this.#open.set(transaction.txID, owed);
      else this.#open.delete(transaction.txID);
      this.#record(owed);
    }
  }
}

function textFields({ spec }: Outgoing): Record<string, string> {
  const entries = Object.entries(spec.fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}
