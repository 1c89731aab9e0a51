import type { JournalEvent, Owed } from '../journal/event.ts';
import type { CallStep } from '../scenario/plan.ts';
import type { Outgoing } from './outgoing.ts';
import type { Stage } from './stage.ts';

/** Keeps the journal's account of what is owed, so that an aborted run can be settled. */
export class Debts {
  readonly #record: (event: JournalEvent) => void;
  readonly #open = new Map<string, Owed>();

  constructor(record: (event: JournalEvent) => void) {
    this.#record = record;
  }

  /** Writes down what has come to be owed, or is no longer. @param latest the call that has just been sent, if one was */
  note(stage: Stage, latest?: { readonly step: CallStep; readonly outgoing: Outgoing }): void {
    for (const transaction of stage.judge.effects.all()) {
      const open = transaction.state === 'unknown' && transaction.wallet !== null;
      const known = this.#open.get(transaction.txID);
      if (open === (known?.open ?? false)) continue;
      const { call } = transaction.part.step;
      if (call === 'balance') continue;
      const owed: Owed = {
        event: 'owed',
        scenario: stage.plan.id,
        call: call === 'bet' ? 'refund' : call,
        sessionID: stage.names.sessionID(transaction.part.step.session) ?? '',
        txID: transaction.txID,
        open,
        fields: known?.fields ?? (latest?.step.key === transaction.part.step.key ? textFields(latest.outgoing) : {}),
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
