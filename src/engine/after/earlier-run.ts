import type { TransactionCall } from '../../contract/call-name.ts';
import { DAY_MS, TX_ID_WINDOW_DAYS, TX_ID_WINDOW_MONTHS } from '../../contract/limits.ts';
import type { Money } from '../../contract/money.ts';
import type { Plan } from '../../scenario/plan/plan.ts';
import { buildRequest } from '../../wire/request.ts';
import type { AcceptedCall } from '../accepted-calls.ts';
import {
  addressOf,
  type ClientUnderTest,
  type EarlierTransactions,
  type NotPlayable,
  type SessionAssignment,
  type SessionUnderTest,
  type UnfinishedBet,
} from '../run-options.ts';
import { walletIdOf } from '../session-pool.ts';
import type { AfterRun } from './after-run.ts';

/** The journal of an earlier run against the same client. */
export interface EarlierJournal {
  readonly afterRun: AfterRun;
  /** Time since the beginning of the earlier run, in milliseconds, by the clock of the system. */
  readonly ageMs: number;
}

/**
 * Finds accepted transactions of an earlier run that can be sent again.
 *
 * Uses a wallet only if its balance has not changed since that run. If the balance has changed, the operator may have reset the
 * wallet and deleted its transactions. Then the operator is right to treat an old transaction as new, so the reply cannot be
 * judged.
 */
export class EarlierRun implements EarlierTransactions {
  readonly #afterRun: AfterRun;
  readonly #client: ClientUnderTest;
  readonly #ageDays: number;
  /** The transactions that can be sent again, by call and wallet. */
  readonly #transactions = new Map<string, AcceptedCall>();
  /** A bet whose round is not finished, by session. */
  readonly #unfinished = new Map<string, UnfinishedBet>();
  /** The reason why the transactions of a wallet cannot be judged, by wallet. */
  readonly #doubts = new Map<string, string>();
  #isUsed = false;
  #whyUnused = 'the run played no scenario that sends old transactions again';

  /** @param client the client of the new run, whose key signs the transactions again */
  constructor({ afterRun, ageMs }: EarlierJournal, client: ClientUnderTest) {
    this.#afterRun = afterRun;
    this.#client = client;
    this.#ageDays = Math.floor(ageMs / DAY_MS);
    for (const { call, walletID, state, purpose, reply, effect } of afterRun.transactions) {
      const key = `${call.call} ${walletID}`;
      // A refunded bet is left out, because the contract allows any answer that takes no money when such a bet is sent again. So
      // the answer would show nothing.
      const isPlain = purpose === 'step' && state === 'applied' && !call.free && !call.campaign;
      // A call that moved no money is left out: if the operator carried out such a call a second time, the balance would not show
      // this.
      if (!isPlain || !reply || reply.status !== 200 || !effect || effect.isZero() || this.#transactions.has(key))
        continue;
      const request = buildRequest({ call: call.call, ...addressOf(client), fields: {}, rawBody: call.body });
      this.#transactions.set(key, { request, amount: call.amountText, reply, effect });
    }
    const finished = new Set(afterRun.transactions.flatMap(({ call }) => (call.call === 'bet' ? [] : [call.roundID])));
    for (const { call, state, effect } of afterRun.transactions) {
      const isUnfinished =
        call.call === 'bet' && state === 'applied' && effect !== undefined && !finished.has(call.roundID);
      if (isUnfinished && !call.campaign) this.#unfinished.set(call.sessionID, call);
    }
  }

  unfinishedBet(sessionID: string): UnfinishedBet | undefined {
    return this.#unfinished.get(sessionID);
  }

  earliest(walletID: string, call: TransactionCall): AcceptedCall | undefined {
    return this.#transactions.get(`${call} ${walletID}`);
  }

  async compareBalances(
    read: (session: SessionUnderTest) => Promise<Money | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const wallets = new Map<string, SessionUnderTest>();
    for (const session of this.#client.sessions) {
      const walletID = walletIdOf(session);
      const known = wallets.get(walletID);
      // The operator may refuse a balance call in an expired session. So croupier prefers another session of the same wallet.
      if (this.#afterRun.estimateOf(walletID) && (!known || known.state === 'expired')) wallets.set(walletID, session);
    }
    for (const [walletID, session] of wallets) {
      if (signal.aborted) return;
      const { sessionID } = session;
      const now = await read(session);
      const left = this.#afterRun.estimateOf(walletID)?.possible() ?? [];
      if (!now) this.#doubts.set(walletID, `the balance of ${sessionID} could not be read before the run`);
      else if (!left.some((money) => money.equals(now))) {
        const then = left.length === 0 ? 'at an unknown amount' : `at ${left.slice(0, 3).join(' or ')}`;
        this.#doubts.set(
          walletID,
          `the balance of ${sessionID} is ${now}, but the earlier run left it ${then}, so somebody has played since, or the wallet was reset`,
        );
      }
    }
  }

  get notice(): string | undefined {
    return this.#isUsed
      ? undefined
      : `No transaction of the earlier run was sent again, because ${this.#whyUnused}. So the run did not test whether the operator still knows the old transactions.`;
  }

  fitting(plan: Plan, assignments: readonly SessionAssignment[]): readonly SessionAssignment[] | NotPlayable {
    const found = this.#fitting(plan, assignments);
    if ('reason' in found) this.#whyUnused = found.reason;
    else this.#isUsed ||= found.length > 0;
    return found;
  }

  #fitting(plan: Plan, assignments: readonly SessionAssignment[]): readonly SessionAssignment[] | NotPlayable {
    const needed = plan.steps.flatMap((step) =>
      step.kind === 'call' && step.origin.kind === 'earlier' && step.origin.from === 'journal'
        ? [{ session: step.session, call: step.origin.call }]
        : [],
    );
    if (this.#ageDays > TX_ID_WINDOW_DAYS) {
      return {
        verdict: 'skip',
        reason: `the earlier run is ${this.#ageDays} days old, but the contract keeps a txID unique for only ${TX_ID_WINDOW_MONTHS} months`,
      };
    }
    const walletOf = (assignment: SessionAssignment, alias: string): string => {
      const session = assignment.get(alias);
      return session ? walletIdOf(session) : '';
    };
    // Some plans repeat transactions of the earlier run. All other plans continue a round that the earlier run left unfinished,
    // so they need such a round.
    const having = assignments.filter((assignment) =>
      needed.length === 0
        ? this.unfinishedBet(assignment.get('main')?.sessionID ?? '') !== undefined
        : needed.every(({ session, call }) => this.earliest(walletOf(assignment, session), call) !== undefined),
    );
    if (having.length === 0 && needed.length === 0)
      return {
        verdict: 'skip',
        reason:
          'the earlier run has no unfinished round in a session that is configured now (docs/settle.md says how to leave one)',
      };
    if (having.length === 0) {
      const calls = [...new Set(needed.map(({ call }) => call))].join(' and ');
      return {
        verdict: 'skip',
        reason: `the earlier run has no accepted ${calls} in a wallet of the sessions that are configured now`,
      };
    }
    const doubtOf = (assignment: SessionAssignment): string | undefined =>
      ['main', ...needed.map(({ session }) => session)]
        .map((alias) => this.#doubts.get(walletOf(assignment, alias)))
        .find((doubt) => doubt !== undefined);
    const certain = having.filter((assignment) => doubtOf(assignment) === undefined);
    const [first] = having;
    return certain.length > 0
      ? certain
      : {
          verdict: 'inconclusive',
          reason: (first && doubtOf(first)) ?? 'the balances have changed since the earlier run',
        };
  }
}
