import type { TransactionCall } from '../../contract/call-name.ts';
import type { Cause } from '../cause.ts';
import type { Owed, OwedBet } from '../event.ts';
import type { Fold } from '../fold.ts';

/** A refund or win that croupier owes. A bet with an unknown outcome and its refund are one item, as in `croupier settle`. */
export interface OwedItem {
  readonly call: TransactionCall;
  /** The txID of the refund or win. Null if no refund was sent yet. */
  readonly txID: string | null;
  /** The txID of the bet that a refund gives back. Null for a win, and if the journal does not name the bet. */
  readonly origTxID: string | null;
  readonly sessionID: string;
  readonly scenario: string | null;
  /** The amount, as it is written in the call. Null if the journal does not name it. */
  readonly amount: string | null;
  /** The status of the latest reply to the call. Null if it is not known, or if no reply came. */
  readonly status: number | null;
  /** The state of the bet of a refund. Null for a win, and if the state is not known. */
  readonly bet: OwedBet | null;
  /** The reason why no money is owed to a player: the state of the bet, or the balance. Null if a player may have lost money. */
  readonly owesNoMoney: 'bet' | 'balance' | null;
  /** Position of the likely cause in `Fold.causes`, from 0. Null if no single cause fits. */
  readonly cause: number | null;
}

/** The states of a bet whose refund gives nothing back, because the operator does not have the stake. */
const WITHOUT_STAKE: readonly OwedBet[] = ['not-received', 'declined', 'refunded'];

/**
 * Returns one event for each call that croupier owes. For a bet of uncertain outcome, this is the event of its refund, if the refund was
 * sent.
 */
export function owedCalls({ owed }: Pick<Fold, 'owed'>): readonly Owed[] {
  const refunded = new Set(owed.map(({ fields }) => fields.origTxID));
  return owed.filter((one) => !isBet(one) || !refunded.has(one.txID));
}

/** Returns what croupier owes at the end of a run, in the order in which it was first owed. */
export function owedItems(fold: Pick<Fold, 'owed' | 'scenarios' | 'causes' | 'rules'>): readonly OwedItem[] {
  const bets = fold.owed.filter(isBet);
  const refundOf = (bet: Owed): Owed | undefined => fold.owed.find(({ fields }) => fields.origTxID === bet.txID);
  const withBet = new Set(bets.map(({ txID }) => txID));
  return fold.owed
    .filter(({ fields }) => fields.origTxID === undefined || !withBet.has(fields.origTxID))
    .map((owed): OwedItem => {
      const refund = isBet(owed) ? refundOf(owed) : owed;
      const { scenario, call, sessionID, fields } = owed;
      const bet = isBet(owed) ? 'uncertain' : (owed.bet ?? null);
      return {
        call,
        txID: refund?.txID ?? null,
        origTxID: isBet(owed) ? owed.txID : (fields.origTxID ?? null),
        sessionID,
        scenario,
        amount: fields.amount ?? null,
        status: refund?.status ?? null,
        bet,
        owesNoMoney:
          bet !== null && WITHOUT_STAKE.includes(bet) ? 'bet' : isBalanceBack(scenario, fold) ? 'balance' : null,
        cause: causeOf(owed, fold),
      };
    });
}

/** True if the event is about a bet that must be refunded, and not about a refund. */
function isBet({ call, fields }: Owed): boolean {
  return call === 'refund' && fields.txID !== undefined && fields.origTxID === undefined;
}

/**
 * True if the balances after the scenario are the same as before it. False for a scenario that was retried, because the retry may
 * hide that an earlier attempt lost money.
 */
function isBalanceBack(scenario: string | null, { scenarios }: Pick<Fold, 'scenarios'>): boolean {
  const result = scenarios.find(({ planned }) => planned.id === scenario);
  return result?.restored === true && result.retries === 0;
}

/**
 * Returns the cause that explains a breach in the scenario. Prefers a cause whose own rule was broken in the scenario and is about
 * this kind of call.
 */
function causeOf({ scenario, call }: Owed, { causes, rules }: Pick<Fold, 'causes' | 'rules'>): number | null {
  const isBrokenThere = ({ scenarios }: Cause): boolean => scenarios.some((id) => id === scenario);
  const isAbout = ({ result }: Cause): boolean => result.rule.group === call;
  const explainsFinding = ({ explains }: Cause): boolean =>
    explains.some(({ rule }) =>
      rules.some((result) => result.rule.id === rule && result.findings.some((one) => one.scenario === scenario)),
    );
  const found = causes.filter((cause) => isBrokenThere(cause) || explainsFinding(cause));
  const broken = found.filter(isBrokenThere);
  const choices = [broken.filter(isAbout), broken, found.filter(isAbout), found];
  const [only] = choices.find(({ length }) => length === 1) ?? [];
  return only ? causes.indexOf(only) : null;
}

/** Items with the same call and the same cause. */
export interface OwedGroup {
  readonly call: TransactionCall;
  readonly cause: number | null;
  readonly items: readonly OwedItem[];
}

/** Groups items by their call and their cause. */
export function groupOwed(items: readonly OwedItem[]): readonly OwedGroup[] {
  const groups = Map.groupBy(items, ({ call, cause }) => `${call} ${cause}`);
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ call, cause }) => ({ call, cause, items: same })),
  );
}

/**
 * A run that ended too early may owe more than its owed calls, but croupier does not know what. These scenarios may have left the
 * debts.
 */
export interface UnknownDebts {
  /** The scenarios that had begun and not ended. Empty if the run ended between two scenarios. */
  readonly scenarios: readonly string[];
}

/**
 * Returns null if the list of owed calls is complete. A run that ended too early had no time to decide which calls it owes. So
 * calls without a reply, open rounds and changed balances are not in the list, and only `croupier settle` finds them.
 */
export function unknownDebts({ isOwedKnown, scenarios }: Pick<Fold, 'isOwedKnown' | 'scenarios'>): UnknownDebts | null {
  if (isOwedKnown) return null;
  return { scenarios: scenarios.filter(({ state }) => state === 'cut-off').map(({ planned }) => planned.id) };
}
