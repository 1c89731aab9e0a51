import type { ActionType } from '../contract/call-name.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { Judge } from '../judge/judge.ts';
import { isSameTxIDAtOnce, type PlannedCall } from '../judge/planned-calls.ts';
import { answerOf } from '../reply/classify.ts';
import { readReply } from '../reply/read.ts';
import type { CallStep } from '../scenario/plan/plan.ts';

/** A round that still needs a win: one of its bets was accepted and not refunded, and no win was accepted. */
export interface OpenRound {
  /** The alias of its session. */
  readonly alias: string;
  readonly roundID: string;
  readonly type: ActionType;
  /** The campaign of a free round. Undefined for other rounds. */
  readonly frID: string | undefined;
  /** The step with the first accepted bet of the round. */
  readonly bet: CallStep;
  /** The key of the `together` step in which the round began. Null if its bet was sent alone. */
  readonly group: string | null;
}

interface Round extends OpenRound {
  /** The txIDs of all accepted bets of the round. */
  readonly known: Set<string>;
  /** The txIDs of the accepted bets that were not refunded. */
  readonly bets: Set<string>;
  isOpen: boolean;
}

/**
 * Keeps a list of the rounds of a scenario that the service must still complete. The service completes each round with a win, which
 * is 0 if the player has lost the round. Without this win, some operators decline the next bet of the session.
 */
export class OpenRounds {
  readonly #judge: Pick<Judge, 'plannedCalls' | 'effects'>;
  readonly #byKey = new Map<string, Round>();

  constructor(judge: Pick<Judge, 'plannedCalls' | 'effects'>) {
    this.#judge = judge;
  }

  /**
   * Applies the answer to a call. Must be called after the judge has processed the answer.
   *
   * @param fields the fields of the call's body
   */
  note(step: CallStep, fields: JsonObject, exchange: Exchange): void {
    const { outcome } = exchange;
    const reading = outcome.kind === 'reply' ? readReply(outcome.reply) : undefined;
    if (step.session === 'unknown' || answerOf(exchange, reading) !== 'accepted') return;
    const roundID = textOf(fields.roundID);
    const key = `${step.session} ${roundID}`;
    switch (step.call) {
      case 'balance':
        return;
      case 'bet':
        this.#begin(key, step, fields);
        return;
      case 'win': {
        const round = this.#byKey.get(key);
        // The operator may treat a win with the txID of a bet as a repeated bet, and send the first reply to the bet again. Then
        // the round is still open.
        if (!round || round.known.has(textOf(fields.txID) ?? '')) return;
        // The operator may have booked the same win in the other session, and have sent that reply again in this session. Then an
        // operator that allows one open round per session still takes the round of this session for open.
        if (!this.#isAlsoInOtherSession(step)) round.isOpen = false;
        return;
      }
      case 'refund': {
        const txID = textOf(fields.origTxID) ?? '';
        for (const round of this.#byKey.values())
          if (round.alias === step.session && round.bets.delete(txID) && round.bets.size === 0) round.isOpen = false;
        return;
      }
    }
  }

  #begin(key: string, step: CallStep, fields: JsonObject): void {
    const { plannedCalls, effects } = this.#judge;
    const planned = plannedCalls.planned(step);
    const roundID = textOf(fields.roundID);
    const txID = textOf(fields.txID);
    if (roundID === undefined || txID === undefined || !planned.signedRight) return;
    // A bet that arrives after its own refund takes nothing.
    if (effects.ofTxID(txID)?.state === 'reversed') return;
    const round = this.#byKey.get(key) ?? {
      alias: step.session,
      roundID,
      type: step.type ?? 'regular',
      frID: textOf(fields.frID),
      bet: step,
      group: planned.group,
      known: new Set<string>(),
      bets: new Set<string>(),
      isOpen: false,
    };
    this.#byKey.set(key, round);
    // If this bet is sent again, the round does not become open again.
    if (round.known.has(txID)) return;
    round.known.add(txID);
    round.bets.add(txID);
    round.isOpen = true;
  }

  /**
   * Returns the open rounds, in the order in which they began. Leaves out a round if the outcome of one of its calls is
   * unknown.
   */
  all(): readonly OpenRound[] {
    const open = [...this.#byKey.values()].filter(({ isOpen }) => isOpen);
    if (open.length === 0) return [];
    const unknown = [...this.#judge.effects.all()].filter(({ state }) => state === 'unknown');
    return open.filter((round) => !unknown.some(({ planned }) => refersTo(planned, round)));
  }

  /**
   * Returns the open rounds that the service would complete before it sends these bets, because the bets begin other rounds in the
   * same session. Leaves out each round to which these bets or later steps of the scenario refer.
   */
  before(bets: readonly CallStep[]): readonly OpenRound[] {
    const { plannedCalls } = this.#judge;
    const beginning = bets.filter((bet) => this.#beginsRound(bet));
    if (beginning.length === 0) return [];
    const from = Math.min(...bets.map((bet) => plannedCalls.planned(bet).index));
    return this.all().filter(
      (round) =>
        beginning.some(({ session }) => session === round.alias) &&
        !plannedCalls.calls.some((planned) => planned.index >= from && refersTo(planned, round)),
    );
  }

  /** Removes a round that was completed, or that the operator refuses to complete. */
  remove({ alias, roundID }: OpenRound): void {
    this.#byKey.delete(`${alias} ${roundID}`);
  }

  /** True for a call that is sent at the same instant from two sessions, with the same txID. */
  #isAlsoInOtherSession(step: CallStep): boolean {
    const { calls } = this.#judge.plannedCalls;
    return calls.some(
      (planned) =>
        isSameTxIDAtOnce(planned) && (planned.step.key === step.key || planned.sameTxID?.step.key === step.key),
    );
  }

  /** False for a further bet of an open round, and for a bet that was accepted before and is sent again. */
  #beginsRound({ session, roundID, txID }: CallStep): boolean {
    return ![...this.#byKey.values()].some(
      (round) =>
        (round.isOpen && round.alias === session && round.roundID === roundID) ||
        (txID !== null && round.known.has(txID)),
    );
  }
}

/** True if a call belongs to a round, or refunds a bet of the round. */
function refersTo({ step, target }: PlannedCall, { alias, roundID }: OpenRound): boolean {
  return (step.session === alias && step.roundID === roundID) || target?.step.roundID === roundID;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
