import { breach, type Decision, PASS, type Seen } from './check.ts';

/** So many are kept: a story that sends more has told by then. */
const MOST = 10_000;

/** The operator's own ids of the transactions of a story: each belongs to one call. */
export class OperatorTxIDs {
  readonly #owners = new Map<string, string>();

  /** What a reply says about `reply.tx-id-distinct`. undefined: nothing, as it tells no id of something that was done. */
  take({ part, reading, answer }: Seen): Decision | undefined {
    const txID = reading?.txID;
    if (answer !== 'accepted' || !txID) return undefined;
    const owner = this.#owners.get(txID);
    if (this.#owners.size < MOST) this.#owners.set(txID, part.step.key);
    return owner === undefined || owner === part.step.key
      ? PASS
      : breach(
          'different bets and wins get different operator txIDs',
          `${JSON.stringify(txID)} was the txID of step ${owner} already`,
        );
  }
}
