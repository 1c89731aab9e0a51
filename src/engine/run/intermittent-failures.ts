import { Money } from '../../contract/money.ts';
import type { Intermittent } from '../../journal/event.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import { absoluteMoney } from '../../journal/money-sums.ts';
import { OF_EVERY_CALL } from '../../judge/attribution/wrong-balance.ts';
import type { SessionAssignment, SessionUnderTest } from '../run-options.ts';
import { sessionOf } from '../scenario-context.ts';
import { playerOf } from '../session-pool.ts';

/**
 * Number of failures of one player that prove that the operator fails now and then. Somebody else who moves the balance can cause a
 * failure, and then stop before croupier watches the balance. It is very unlikely that this happens again and again.
 */
const MIN_FAILURES = 3;

/** The number of failures of a player, with the sums by which they made the balance wrong. */
interface PlayerFailures {
  readonly session: SessionUnderTest;
  /** The sums of each failure that counts. */
  readonly counted: (readonly string[])[];
  /** For each sum that is not the amount of the call: the rules about ordinary calls that failed with this sum. */
  readonly strangeSums: Map<string, Set<string>>;
}

/**
 * Counts the failures that only a balance shows, that did not occur again when croupier repeated the scenario, and after which
 * nobody moved the balance while croupier watched it.
 */
export class IntermittentFailures {
  readonly #players = new Map<string, PlayerFailures>();
  #repeated: Intermittent | undefined;

  /** The proof that failures come from the operator, even if they occur only now and then. Undefined if there were too few failures. */
  get proof(): Intermittent | undefined {
    if (this.#repeated) return this.#repeated;
    for (const { session, counted, strangeSums } of this.#players.values()) {
      const isStrange = (sum: string): boolean => (strangeSums.get(sum)?.size ?? 0) > 1;
      const times = counted.filter((sums) => sums.length === 0 || !sums.every(isStrange)).length;
      const { sessionID, player = null } = session;
      if (times >= MIN_FAILURES) return { event: 'intermittent', sessionID, player, times };
    }
    return undefined;
  }

  /** Counts the failure of one attempt, for each player of its sessions. */
  add(assignment: SessionAssignment, findings: readonly Finding[]): void {
    const sums = findings.flatMap(({ wrongSum }) => (wrongSum ? [wrongSum.amount] : []));
    for (const { counted } of this.#failuresOf(assignment)) counted.push(sums);
  }

  /**
   * Notes the sums of failures, whether these failures count or not. If calls of different kinds fail with the same sum, and this sum is
   * not the amount of these calls, the calls are not the reason: somebody else may have moved this sum, for example with deposits.
   */
  noteSums(assignment: SessionAssignment, findings: readonly Finding[]): void {
    for (const { rule, wrongSum } of findings) {
      if (!wrongSum || rule === EXPECTATION || !OF_EVERY_CALL.includes(rule)) continue;
      const { amount, moved } = wrongSum;
      if (moved !== undefined && absoluteMoney(amount)?.equals(Money.of(moved))) continue;
      for (const { strangeSums } of this.#failuresOf(assignment))
        strangeSums.set(amount, (strangeSums.get(amount) ?? new Set()).add(rule));
    }
  }

  /** Notes a failure that occurred again in the same way. It proves too that the operator moves wrong amounts. */
  addRepeated(assignment: SessionAssignment, times: number): void {
    const { sessionID, player = null } = sessionOf(assignment, 'main');
    this.#repeated ??= { event: 'intermittent', sessionID, player, times };
  }

  #failuresOf(assignment: SessionAssignment): readonly PlayerFailures[] {
    return [...new Map([...assignment.values()].map((one) => [playerOf(one), one]))].map(([player, session]) => {
      const failures = this.#players.get(player) ?? { session, counted: [], strangeSums: new Map() };
      this.#players.set(player, failures);
      return failures;
    });
  }
}
