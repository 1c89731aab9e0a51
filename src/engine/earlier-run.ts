import type { Plan } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import type { Aftermath } from './aftermath.ts';
import type { Cashier } from './cashier.ts';
import type { Kind, PastTransaction } from './history.ts';
import type { PastCall } from './past-call.ts';
import { type Casting, walletIdOf } from './pool.ts';
import type { ClientUnderTest, SessionUnderTest } from './run-options.ts';
import { denominationOf } from './stakes.ts';
import { addressOf } from './target.ts';

/** The journal of an earlier run against the same client. */
export interface EarlierJournal {
  readonly aftermath: Aftermath;
  /** How long ago that run began, in ms of the calendar. */
  readonly ageMs: number;
}

/** A reason why nothing can be said about transactions of the earlier run. */
export interface Unfit {
  readonly verdict: 'skip' | 'inconclusive';
  readonly reason: string;
}

const DAY_MS = 86_400_000;
/** The contract promises that a txID is unique within a rolling window of 3 months ("Limits"); the shortest have 89 days. */
const WINDOW_DAYS = 89;

/**
 * What an earlier run has to offer: accepted transactions that can be sent again, in wallets that nobody has moved since.
 *
 * A wallet that doesn't go on from where that run ended may have been set up anew, its books with it: there a transaction is new
 * again, and rightly so.
 */
export class EarlierRun {
  readonly #aftermath: Aftermath;
  readonly #client: ClientUnderTest;
  readonly #ageDays: number;
  readonly #transactions = new Map<string, PastTransaction>();
  /** By session: a bet whose round has neither been won nor given back. */
  readonly #begun = new Map<string, PastCall>();
  /** By wallet: why nothing can be said about it. */
  readonly #doubts = new Map<string, string>();
  #asked = false;
  #whyNot = 'no scenario that does so was played';

  constructor({ aftermath, ageMs }: EarlierJournal, client: ClientUnderTest) {
    this.#aftermath = aftermath;
    this.#client = client;
    this.#ageDays = Math.floor(ageMs / DAY_MS);
    for (const { call, walletID, state, purpose, reply, effect } of aftermath.transactions) {
      const key = `${call.call} ${walletID}`;
      // A bet that was given back may be answered in any way, as long as it takes nothing.
      const isPlain = purpose === 'step' && state === 'applied' && !call.free && !call.campaign;
      // What moved nothing then would show nothing now.
      if (!isPlain || !reply || reply.status !== 200 || !effect || effect.isZero() || this.#transactions.has(key))
        continue;
      const request = buildRequest({ call: call.call, ...addressOf(client), fields: {}, rawBody: call.body });
      this.#transactions.set(key, { request, reply, effect });
    }
    const finished = new Set(aftermath.transactions.flatMap(({ call }) => (call.call === 'bet' ? [] : [call.roundID])));
    for (const { call, state, effect } of aftermath.transactions) {
      const isBegun = call.call === 'bet' && state === 'applied' && effect !== undefined && !finished.has(call.roundID);
      if (isBegun && !call.campaign) this.#begun.set(call.sessionID, call);
    }
  }

  /** A bet that the operator had accepted in a session, and whose round that run left unfinished. */
  begun(sessionID: string): PastCall | undefined {
    return this.#begun.get(sessionID);
  }

  /** The first transaction of a kind that the operator had accepted in a wallet. It is signed anew. */
  earliest(walletID: string, kind: Kind): PastTransaction | undefined {
    return this.#transactions.get(`${kind} ${walletID}`);
  }

  /** Reads, before anything else is sent, whether the balances go on from where the earlier run left them. */
  async look(cashier: Cashier, signal: AbortSignal): Promise<void> {
    const wallets = new Map<string, SessionUnderTest>();
    for (const session of this.#client.sessions) {
      const walletID = walletIdOf(session);
      const known = wallets.get(walletID);
      // In a session that has expired the balance can perhaps not be read any more.
      if (this.#aftermath.reckoningOf(walletID) && (!known || known.state === 'expired'))
        wallets.set(walletID, session);
    }
    for (const [walletID, session] of wallets) {
      if (signal.aborted) return;
      const { sessionID, currency } = session;
      const now = await cashier.read(
        { sessionID, denomination: denominationOf(currency, {}, ''), scenario: null },
        'read',
      );
      const left = this.#aftermath.reckoningOf(walletID)?.possible() ?? [];
      if (!now) this.#doubts.set(walletID, `the balance of ${sessionID} could not be read before the run`);
      else if (!left.some((money) => money.equals(now))) {
        const then = left.length === 0 ? 'somewhere' : `at ${left.slice(0, 3).join(' or ')}`;
        this.#doubts.set(
          walletID,
          `the earlier run left the balance of ${sessionID} ${then}, and it is ${now}: somebody has played since, or the wallet was set up anew`,
        );
      }
    }
  }

  /** What the reader of the report should know: that nothing of the earlier run was asked, and why. */
  get notice(): string | undefined {
    return this.#asked
      ? undefined
      : `Nothing that the earlier run sent was asked for: ${this.#whyNot}. Whether it is known still is not answered.`;
  }

  /** Those castings in which the transactions that a plan sends again can be judged, or why there are none. */
  fitting(plan: Plan, castings: readonly Casting[]): readonly Casting[] | Unfit {
    const found = this.#fitting(plan, castings);
    if ('reason' in found) this.#whyNot = found.reason;
    else this.#asked ||= found.length > 0;
    return found;
  }

  #fitting(plan: Plan, castings: readonly Casting[]): readonly Casting[] | Unfit {
    const needed = plan.steps.flatMap((step) =>
      step.kind === 'call' && step.origin.kind === 'earlier' && step.origin.from === 'journal'
        ? [{ session: step.session, kind: step.origin.call }]
        : [],
    );
    if (this.#ageDays > WINDOW_DAYS) {
      return {
        verdict: 'skip',
        reason: `the earlier run is ${this.#ageDays} days old, and a txID is held unique for 3 months`,
      };
    }
    const walletOf = (casting: Casting, session: string): string => {
      const played = casting.get(session);
      return played ? walletIdOf(played) : '';
    };
    // Nothing is sent again: then it is about a round that was begun.
    const having = castings.filter((casting) =>
      needed.length === 0
        ? this.begun(casting.get('main')?.sessionID ?? '') !== undefined
        : needed.every(({ session, kind }) => this.earliest(walletOf(casting, session), kind) !== undefined),
    );
    if (having.length === 0 && needed.length === 0)
      return { verdict: 'skip', reason: 'the earlier run left no round unfinished in a session that would do now' };
    if (having.length === 0) {
      const kinds = [...new Set(needed.map(({ kind }) => kind))].join(' and ');
      return {
        verdict: 'skip',
        reason: `the earlier run has no accepted ${kinds} in a wallet of the sessions that are configured now`,
      };
    }
    const doubtOf = (casting: Casting): string | undefined =>
      ['main', ...needed.map(({ session }) => session)]
        .map((session) => this.#doubts.get(walletOf(casting, session)))
        .find((doubt) => doubt !== undefined);
    const certain = having.filter((casting) => doubtOf(casting) === undefined);
    const [first] = having;
    return certain.length > 0
      ? certain
      : { verdict: 'inconclusive', reason: (first && doubtOf(first)) ?? 'the balances do not go on' };
  }
}
