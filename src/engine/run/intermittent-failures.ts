import { Money } from '../../contract/money.ts';
import type { Intermittent } from '../../journal/event.ts';
import type { Finding } from '../../journal/finding.ts';
import { isAboutRaces } from '../../journal/judged-outcome.ts';
import { absoluteMoney, type WrongSum } from '../../journal/money-sums.ts';
import type { SessionAssignment, SessionUnderTest } from '../run-options.ts';
import { sessionOf } from '../scenario-context.ts';
import { playerOf } from '../session-pool.ts';

/**
 * Number of failures of one player that prove that the operator fails now and then. Somebody else who moves the balance can cause a
 * failure, and then stop before croupier watches the balance. It is very unlikely that this happens again and again.
 */
const MIN_FAILURES = 3;

type Kind = 'bet' | 'win' | 'refund';

/** The sums by which the findings of one attempt made the balance wrong. */
interface Sums {
  readonly total: string;
  readonly each: readonly string[];
  /** True if a finding is about one kind of call. */
  readonly isOfOneKind: boolean;
}

/** The failures of one player. */
interface PlayerFailures {
  readonly session: SessionUnderTest;
  /** For each failure that counts: the sums by which the balance was wrong. */
  readonly counted: Sums[];
}

/**
 * Counts the failures that only a balance shows, that did not occur again when croupier repeated the scenario, and after which
 * nobody moved the balance while croupier watched it.
 */
export class IntermittentFailures {
  readonly #players = new Map<string, PlayerFailures>();
  /**
   * For each wrong sum that is not the amount of the call: the kinds of calls that each failure with this sum could come from. A kind is
   * here only if all these failures could come from it.
   */
  readonly #kindsOfSum = new Map<string, ReadonlySet<Kind>>();
  #repeated: Intermittent | undefined;

  /** The proof that failures come from the operator, even if they occur only now and then. Undefined if there were too few failures. */
  get proof(): Intermittent | undefined {
    if (this.#repeated) return this.#repeated;
    for (const { session, counted } of this.#players.values()) {
      const times = counted.filter((sums) => this.#comesFromCall(sums)).length;
      const { sessionID, player = null } = session;
      if (times >= MIN_FAILURES) return { event: 'intermittent', sessionID, player, times };
    }
    return undefined;
  }

  /** Counts the failure of one attempt, for each player of its sessions. */
  add(assignment: SessionAssignment, findings: readonly Finding[]): void {
    for (const { counted } of this.#failuresOf(assignment)) counted.push(sumsOf(findings));
  }

  /**
   * Notes the failures of one attempt, whether they count or not. If failures have the same sum but no kind of call in common, and the
   * sum is not the amount of a call, then no kind of call is the reason: somebody else may have moved this sum, for example with
   * deposits. The failures of all players are compared, because somebody else may use all of them.
   */
  noteSum(findings: readonly Finding[]): void {
    // In a race, chance decides about the sums.
    const wrong = findings.filter(({ rule, wrongSum }) => wrongSum !== undefined && !isAboutRaces(rule));
    const { total, each } = sumsOf(wrong);
    if (wrong.length === 0 || (wrong.length === 1 && isAmountOfCall(wrong[0]?.wrongSum))) return;
    const kindsBySum = Map.groupBy(wrong, ({ wrongSum }) => wrongSum?.amount ?? '');
    for (const sum of new Set([total, ...each])) {
      const kinds = (sum === total ? wrong : (kindsBySum.get(sum) ?? [])).flatMap(({ rule }) => kindsOf(rule));
      const known = this.#kindsOfSum.get(sum);
      this.#kindsOfSum.set(sum, new Set(known ? kinds.filter((kind) => known.has(kind)) : kinds));
    }
  }

  /**
   * True if a failure has the amount of a call, or another sum with which only calls of one kind fail. Somebody else may move any sum,
   * and at any time.
   */
  #comesFromCall({ total, each, isOfOneKind }: Sums): boolean {
    const isStrange = (sum: string): boolean => {
      const kinds = this.#kindsOfSum.get(sum);
      return kinds !== undefined && (kinds.size === 0 || !isOfOneKind);
    };
    return !isStrange(total) && (each.length === 0 || !each.every(isStrange));
  }

  /** Notes a failure that occurred again in the same way. It proves too that the operator moves wrong amounts. */
  addRepeated(assignment: SessionAssignment, times: number): void {
    const { sessionID, player = null } = sessionOf(assignment, 'main');
    this.#repeated ??= { event: 'intermittent', sessionID, player, times };
  }

  #failuresOf(assignment: SessionAssignment): readonly PlayerFailures[] {
    return [...new Map([...assignment.values()].map((one) => [playerOf(one), one]))].map(([player, session]) => {
      const failures = this.#players.get(player) ?? { session, counted: [] };
      this.#players.set(player, failures);
      return failures;
    });
  }
}

function sumsOf(findings: readonly Finding[]): Sums {
  const each = findings.flatMap(({ wrongSum }) => (wrongSum ? [wrongSum.amount] : []));
  return {
    total: each.reduce((sum, amount) => sum.plus(signedMoney(amount)), Money.zero).toString(),
    each,
    isOfOneKind: findings.some(({ rule }) => isAboutRaces(rule) || kindsOf(rule).length < EVERY_KIND.length),
  };
}

function signedMoney(amount: string): Money {
  const money = absoluteMoney(amount) ?? Money.zero;
  return amount.startsWith('-') ? money.negated() : money;
}

/** True if the balance was wrong by the amount of the calls since the last read. So these calls had no effect, or two. */
function isAmountOfCall(wrongSum: WrongSum | undefined): boolean {
  if (wrongSum?.moved === undefined) return false;
  return absoluteMoney(wrongSum.amount)?.equals(Money.of(wrongSum.moved)) === true;
}

const EVERY_KIND: readonly Kind[] = ['bet', 'win', 'refund'];

/** The kinds of calls whose wrong effect breaks a rule. Every kind of call may break a rule that is not here. */
const KINDS: Readonly<Partial<Record<Finding['rule'], readonly Kind[]>>> = {
  'bet.debit': ['bet'],
  'bet.many-in-round': ['bet'],
  'idempotency.bet': ['bet'],
  'win.credit': ['win'],
  'win.retried': ['win'],
  'win.zero': ['win'],
  'win.many-in-round': ['win'],
  'idempotency.win': ['win'],
  'refund.restore': ['refund'],
  'refund.retried': ['refund'],
  'idempotency.refund': ['refund'],
  'refund.broken-connection': ['bet', 'refund'],
  'refund.after-error': ['bet', 'refund'],
  'refund.one-of-many': ['bet', 'refund'],
};

function kindsOf(rule: Finding['rule']): readonly Kind[] {
  return KINDS[rule] ?? EVERY_KIND;
}
