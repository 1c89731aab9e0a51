import type { Intermittent } from '../../journal/event.ts';
import type { SessionAssignment, SessionUnderTest } from '../run-options.ts';
import { sessionOf } from '../scenario-context.ts';
import { playerOf } from '../session-pool.ts';

/**
 * Number of failures of one player that prove that the operator fails now and then. Somebody else who moves the balance can cause a
 * failure, and then stop before croupier watches the balance. It is very unlikely that this happens again and again.
 */
const MIN_FAILURES = 3;

/**
 * Counts the failures that only a balance shows, that did not occur again when croupier repeated the scenario, and after which
 * nobody moved the balance while croupier watched it.
 */
export class IntermittentFailures {
  readonly #times = new Map<string, { readonly session: SessionUnderTest; times: number }>();
  #proof: Intermittent | undefined;

  /** The proof that failures come from the operator, even if they occur only now and then. Undefined if there were too few failures. */
  get proof(): Intermittent | undefined {
    return this.#proof;
  }

  /** Counts the failure of one attempt, for each player of its sessions. */
  add(assignment: SessionAssignment): void {
    for (const [player, session] of new Map([...assignment.values()].map((one) => [playerOf(one), one]))) {
      const failures = this.#times.get(player) ?? { session, times: 0 };
      this.#times.set(player, failures);
      failures.times += 1;
      const { sessionID, player: name = null } = session;
      if (failures.times >= MIN_FAILURES)
        this.#proof ??= { event: 'intermittent', sessionID, player: name, times: failures.times };
    }
  }

  /** Notes a failure that occurred again in the same way. It proves too that the operator moves wrong amounts. */
  addRepeated(assignment: SessionAssignment, times: number): void {
    const { sessionID, player = null } = sessionOf(assignment, 'main');
    this.#proof ??= { event: 'intermittent', sessionID, player, times };
  }
}
