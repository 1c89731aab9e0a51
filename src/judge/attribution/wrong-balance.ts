import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import type { WrongSum } from '../../journal/money-sums.ts';
import type { OpenEffect } from '../../ledger/worlds.ts';
import { type Breach, breach } from '../decision.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ConcurrentCalls, IdleRead, UnexpectedReply } from '../idle-read.ts';
import type { PendingCheck } from '../pending-check.ts';
import type { Effects } from '../wallet/effects.ts';
import type { Move, Wallet } from '../wallet/wallet.ts';
import { PLAIN_EFFECTS } from './candidates.ts';
import { nearestDifference, type PossibleBreach } from './explain.ts';
import { isWrittenAsDouble, mayBeRounded } from './units.ts';

/**
 * Reports one breach that explains the balance that was read.
 *
 * @param together the other breaches that explain the balance together with this one. If one of them is about every call of a kind,
 * its rule is named as a cause: an operator that breaks this rule always may book other sums than the explanation says
 * @param rivals breaches of other rules that would explain the same balance; these rules are named as causes
 * @param due all checks that the read decides
 * @param odd the first wrong reply since the last read. If several breaches are needed to explain the balance, or if the reply shows the
 * same wrong balance as the read, the call with this reply may also have moved a wrong sum alone
 */
export function attributeExplained(
  { pendingCheck, hypothesis }: PossibleBreach,
  {
    together,
    rivals,
    due,
    odd,
  }: {
    readonly together: readonly PossibleBreach[];
    readonly rivals: readonly PossibleBreach[];
    readonly due: readonly PendingCheck[];
    readonly odd: UnexpectedReply | undefined;
  },
  read: IdleRead,
  { collector, effects }: { readonly collector: FindingCollector; readonly effects: Effects },
): void {
  const { wallet, value } = read;
  if (pendingCheck.reported) {
    collector.addSum(pendingCheck, wrongSum(wallet, pendingCheck.rule, hypothesis.by, effects));
    return;
  }
  const possible = wallet.possible();
  const causes = causesOf(pendingCheck.rule, isUnit(hypothesis.by, wallet), [
    // If the player's own calls moved money too, one of these calls may have moved a wrong sum.
    ...(pendingCheck.rule === 'session.isolated' ? plainRules(wallet, effects) : []),
    ...(OF_EVERY_CALL.includes(pendingCheck.rule)
      ? together.map((other) => other.pendingCheck.rule).filter((rule) => OF_EVERY_CALL.includes(rule))
      : []),
    ...(odd && (together.length > 0 || mayBeOfReply(odd, pendingCheck, read)) ? [odd.rule] : []),
    ...rivals.flatMap((rival) => [rival.pendingCheck.rule, ...(rival.hypothesis.causes ?? [])]),
    ...(hypothesis.causes ?? []),
    ...generalCauses(wallet, hypothesis.by),
    ...causesOfZeroWin(due, hypothesis.by),
    ...(mayBeRounded(nearestDifference(value, possible), value, wallet.unit) ? (['money.exact'] as const) : []),
  ]);
  collector.decide(
    { rule: pendingCheck.rule, step: pendingCheck.step, exchange: pendingCheck.exchange },
    {
      ...breach(
        `${pendingCheck.expected}: the balance is ${listBalances(possible)}`,
        `the balance is ${value}: ${hypothesis.meaning}`,
        causes,
      ),
      wrongSum: wrongSum(wallet, pendingCheck.rule, hypothesis.by, effects),
      ...lackedMoney(read, hypothesis.by),
      ...(odd?.step.key === pendingCheck.step.key && wrongReply(odd, read, effects)),
    },
  );
}

/**
 * True if the call with the first wrong reply may itself have moved a wrong sum, although another breach fits the sum exactly: the
 * reply and the read show the same wrong balance.
 */
function mayBeOfReply({ step, said }: UnexpectedReply, { rule, step: own }: PendingCheck, read: IdleRead): boolean {
  if (said === undefined || (step.key === own.key && !FURTHER_CALLS.includes(rule))) return false;
  const { moves } = read.wallet;
  const at = moves.findIndex((move) => move.step === step.key);
  const later = at < 0 ? [] : moves.slice(at + 1);
  return later.reduce((sum, { delta }) => sum.plus(delta), said).equals(read.value);
}

/**
 * True if the replies contradict a breach by an ordinary call: the reply to this call had the right balance, and the first wrong reply,
 * to another call, shows the same wrong balance as the read.
 */
export function isContradicted({ pendingCheck }: PossibleBreach, odd: UnexpectedReply, read: IdleRead): boolean {
  const { rule, step } = pendingCheck;
  const isVouched = read.wallet.moves.some((move) => move.step === step.key && move.vouched);
  return OF_EVERY_CALL.includes(rule) && isVouched && mayBeOfReply(odd, pendingCheck, read);
}

/** Returns the marks of a breach by a call whose reply has another balance than the read. A difference below one unit is rounding. */
function wrongReply(odd: UnexpectedReply, read: IdleRead, effects: Effects): Pick<Breach, 'wrongReply' | 'repliedSum'> {
  const difference = odd.said?.minus(read.value).absolute();
  const isWrong = odd.ifReadFits === 'breach' && difference !== undefined && difference.compare(read.wallet.unit) >= 0;
  return isWrong ? { wrongReply: true, ...repliedSum(odd, read, effects) } : {};
}

/** Returns the sum by which the balance in a reply is wrong, compared with the next read. Empty if the reply has no amount. */
export function repliedSum(
  { said, step }: UnexpectedReply,
  { value, wallet }: IdleRead,
  effects: Effects,
): Pick<Breach, 'repliedSum'> {
  if (!said) return {};
  const amount = effects.ofStep(step.key)?.effect.absolute();
  return {
    repliedSum: {
      amount: said.minus(value).toString(),
      currency: wallet.currency,
      ...(amount && { moved: amount.toString() }),
    },
  };
}

/** Returns the mark of a breach that took money from the player, if croupier has waited long enough for money that arrives late. */
function lackedMoney({ waited }: IdleRead, by: Money): Pick<Breach, 'lacksMoney'> {
  return waited && by.isNegative() ? { lacksMoney: true } : {};
}

function isUnit(sum: Money, { unit }: Wallet): boolean {
  return sum.absolute().equals(unit);
}

/** The largest sum that faulty reads add to a balance between two judged reads, in smallest units of the currency. */
const MAX_ADDED_BY_READS = Money.of('16');

/**
 * Returns the rules whose breach can make any balance wrong: reads that move money, calls that are lost, and calls that
 * move another player's money.
 */
function generalCauses(wallet: Wallet, by: Money): RuleId[] {
  // A faulty read takes money, or adds one smallest unit. So `balance.read-only` is named only for the sum of a few such reads.
  const isOfReads = by.isNegative() || by.compare(wallet.unit.times(MAX_ADDED_BY_READS)) <= 0;
  const spoilers: RuleId[] = isOfReads ? ['balance.read-only'] : [];
  // A bet whose connection broke may still be in progress while croupier sends later calls. A bet that failed with a reply is no
  // longer in progress.
  const mayBeAtWork = ({ rule, until, hypotheses }: PendingCheck): boolean =>
    until === 'linger' &&
    (rule !== 'refund.after-error' ||
      hypotheses.some(({ causes }) => causes?.includes('concurrency.no-lost-update') === true));
  if (wallet.pendingChecks.some(mayBeAtWork)) spoilers.push('concurrency.no-lost-update');
  return [...spoilers, 'session.isolated'];
}

/**
 * If a free win that must not move money made the balance wrong, returns the rule about wins of 0. An operator that books free wins as
 * wins of 0 may take or pay something for a win of 0.
 */
function causesOfFreeWin({ step }: UnexpectedReply): RuleId[] {
  return step.call === 'win' && step.type === 'free' ? ['win.zero'] : [];
}

/**
 * If the balance is too high and a win of 0 was sent since the last read, returns the rule about such wins. The operator may pay
 * something for a win of 0.
 */
function causesOfZeroWin(due: readonly PendingCheck[], by: Money): RuleId[] {
  return by.isNegative() ? [] : due.filter(({ rule }) => rule === 'win.zero').map(({ rule }) => rule);
}

/**
 * Returns the causes without the rule itself and without duplicates.
 *
 * @param isSmallest true if the balance is wrong by the smallest unit of the currency
 */
function causesOf(rule: RuleId, isSmallest: boolean, others: readonly RuleId[]): RuleId[] {
  // If an operator cuts off the decimals of a bet, its balances become inexact too. Both breaches are one fault, so `money.exact`
  // is not named as the cause of `bet.decimal-amount`. But if a bet with decimals is wrong by one smallest unit, this may also be a
  // rounding error, as in the amounts of all other calls.
  const isCutOff = rule === 'bet.decimal-amount' && !isSmallest;
  const causes = isCutOff ? others.filter((other) => other !== 'money.exact') : others;
  return [...new Set(causes)].filter((cause) => cause !== rule);
}

/** Rules whose breach makes every balance wrong: amounts in another unit, calls of other players, reads that move money. */
const UNIVERSAL: readonly RuleId[] = ['balance.read-only', 'session.isolated', 'money.main-unit'];

/**
 * Rules about calls that must not move money. A scenario must have sent such a call before one of these rules can explain a wrong
 * balance.
 */
const UNWANTED: readonly RuleId[] = ['signature.no-effect', 'bet.declined-takes-nothing'];

/** Rules whose breach can make each later balance wrong, by a sum that croupier cannot predict. */
export const SYSTEMATIC: readonly RuleId[] = [...UNIVERSAL, 'money.exact', ...UNWANTED];

const WRONG_SUMS: readonly RuleId[] = [
  ...UNIVERSAL,
  'money.exact',
  'bet.debit',
  'win.credit',
  'refund.restore',
  'concurrency.no-lost-update',
];

/**
 * Further rules that can explain a wrong balance. They count only after calls that were sent at the same instant, or after a failed
 * refund of one of these calls.
 */
const POSSIBLE_WITH_RACES: readonly RuleId[] = ['idempotency.concurrent', 'refund.after-error'];

/** Rules whose breach can move money long after the call, even during another scenario. */
const LATE: readonly RuleId[] = ['refund.broken-connection', 'refund.after-error'];

/**
 * Rules about a second bet or win of a round, and about reused round ids. An operator may break one of these rules and still handle
 * all other calls correctly.
 */
const FURTHER_CALLS: readonly RuleId[] = ['bet.many-in-round', 'win.many-in-round', 'session.round-id-reuse'];

export const OF_EVERY_CALL: readonly RuleId[] = Object.values(PLAIN_EFFECTS).map(({ rule }) => rule);

/** The rule that money appears or disappears only through calls. It can be broken in every scenario. */
const CONSERVATION: RuleId = 'money.conservation';

/** Rules whose breach gives a difference that croupier can predict exactly. They explain no other difference. */
const ABOUT_ANY_SUM: readonly RuleId[] = ['money.main-unit', 'money.exact', 'money.large'];

/**
 * A floating-point number with 32 bits holds an amount with an error of less than a millionth. If the difference after a very large
 * amount is smaller, the operator has rounded the amount.
 */
const OF_LARGE_AMOUNT = Money.of('1000000');

/**
 * Reports a wrong balance that no known breach explains exactly. Chooses the most likely rule for the report.
 *
 * @param less rules whose breach explains the balance too, but is less likely; they are named as causes
 */
export function attributeUnexplained(
  read: IdleRead,
  { candidate, odd }: { readonly candidate: ConcurrentCalls | undefined; readonly odd: UnexpectedReply | undefined },
  due: readonly PendingCheck[],
  { collector, effects }: { readonly collector: FindingCollector; readonly effects: Effects },
  less: readonly RuleId[] = [],
): void {
  const { wallet, value } = read;
  const possible = wallet.possible();
  const difference = nearestDifference(value, possible);
  const actual = `the balance is ${value}, wrong by ${difference}`;
  const at = (rule: RuleId, causes: readonly RuleId[], step = read.step, exchange = read.exchange): void =>
    collector.decide(
      { rule, step, exchange },
      {
        ...breach(`the balance is ${listBalances(possible)}`, actual, [...causes, ...less, ...plainCauses(rule)]),
        wrongSum: wrongSum(wallet, rule, difference, effects),
        ...lackedMoney(read, difference),
        ...(odd?.step.key === step.key && wrongReply(odd, read, effects)),
      },
    );
  // If the reply to a call had the right balance, this call is the least likely cause of the wrong balance.
  const doubted = new Set(wallet.moves.filter(({ vouched }) => !vouched).map(({ step }) => step));
  const fresh = due.filter(
    (one) =>
      !one.reported &&
      !ABOUT_ANY_SUM.includes(one.rule) &&
      (doubted.size === 0 || doubted.has(one.step.key) || one.rank === 0),
  );
  if (due.some((one) => one.reported)) return;
  const unwanted = UNWANTED.filter((rule) => [...due, ...wallet.pendingChecks].some((one) => one.rule === rule));
  if (candidate) {
    const { step, exchange, expected } = candidate;
    const rule = difference.isNegative() ? candidate.rule : (candidate.ifMore ?? candidate.rule);
    collector.decide(
      { rule, step, exchange },
      {
        ...breach(`${expected}: the balance is ${listBalances(possible)}`, actual, [
          ...WRONG_SUMS,
          ...unwanted,
          ...POSSIBLE_WITH_RACES.filter((rule) => [...due, ...wallet.pendingChecks].some((one) => one.rule === rule)),
        ]),
        wrongSum: wrongSum(wallet, rule, difference, effects),
        ...lackedMoney(read, difference),
      },
    );
    return;
  }
  if (isBelowUnit(read)) {
    // An operator that counts in a smaller unit than the currency has may pay a few of these small units for a win of 0.
    const ofZero = due.filter(({ rule }) => rule === 'win.zero').map(({ rule }) => rule);
    at('money.exact', [...UNIVERSAL, ...ofZero, ...plainRules(wallet, effects)]);
    return;
  }
  const amount = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero).absolute();
  const large = due.find(({ rule }) => rule === 'money.large');
  if (large && difference.absolute().times(OF_LARGE_AMOUNT).compare(amount) < 0) {
    at('money.large', [...UNIVERSAL, 'money.exact', ...plainRules(wallet, effects)], large.step, large.exchange);
    return;
  }
  // Rounding changes less than a hundredth of a sum.
  const isRounding = difference.absolute().times(Money.of('100')).compare(amount) < 0;
  // An operator may read or round decimals in ways that nobody can predict.
  const withDecimals = wallet.moves.some(({ delta }) => delta.decimals() > 0);
  const causes: readonly RuleId[] = [
    ...UNIVERSAL,
    ...(isRounding || withDecimals || mayBeRounded(difference, value, wallet.unit) ? (['money.exact'] as const) : []),
    ...(withDecimals ? (['bet.decimal-amount'] as const) : []),
    ...causesOfZeroWin(due, difference),
    ...unwanted,
  ];
  if (odd) {
    // All earlier replies were right, so the call that got this first wrong reply is the cause.
    const own = fresh.find(
      (one) => one.step.key === odd.step.key && (one.hypotheses.length === 0 || FURTHER_CALLS.includes(one.rule)),
    );
    const others = [...causes, ...causesOfFreeWin(odd)];
    at(own?.rule ?? odd.rule, own ? [...others, odd.rule] : others, odd.step, odd.exchange);
    return;
  }
  const declined = onlyDeclined(wallet, fresh);
  if (declined && difference.isNegative()) {
    at(declined.rule, [...causes, 'win.zero'], declined.step, declined.exchange);
    return;
  }
  // If only one call was sent since the last read, this call is the cause, even if no known mistake gives the difference.
  const steps = doubted.size > 0 ? doubted : new Set(wallet.moves.map(({ step }) => step));
  const only = steps.size === 1 ? fresh.filter((one) => one.rank === 1) : [];
  const further =
    steps.size === 1 ? fresh.find((one) => FURTHER_CALLS.includes(one.rule) && steps.has(one.step.key)) : undefined;
  const [first] = only;
  if (further) {
    at(further.rule, [...causes, ...OF_EVERY_CALL], further.step, further.exchange);
    return;
  }
  if (first && new Set(only.map((one) => one.step.key)).size === 1) {
    at(first.rule, causes, first.step, first.exchange);
  } else if (new Set(fresh.map((one) => one.step.key)).size === 1 && steps.size === 0 && fresh[0])
    at(fresh[0].rule, causes, fresh[0].step, fresh[0].exchange);
  else at('money.conservation', [...new Set([...causes, ...LATE, ...involved(wallet, due)])]);
}

/** Returns the rules about the calls that moved money since the last read. A fee may be smaller than the unit that croupier assumes. */
function plainRules({ moves }: Wallet, effects: Effects): RuleId[] {
  return moves.flatMap(({ step }) => {
    const call = effects.callOf(step);
    return (call && PLAIN_EFFECTS[call]?.rule) ?? [];
  });
}

/**
 * Returns the check of a call that the operator declined, if all other calls since the last read were wins of 0, with the right
 * balance in their replies. Before a bet, croupier itself completes the last round with such a win.
 */
function onlyDeclined({ moves }: Wallet, fresh: readonly PendingCheck[]): PendingCheck | undefined {
  const [first, ...others] = fresh.filter(({ rule }) => rule !== 'win.zero');
  const isOnly =
    first !== undefined &&
    UNWANTED.includes(first.rule) &&
    others.every(({ step }) => step.key === first.step.key) &&
    moves.every(({ delta }) => delta.isZero());
  return isOnly ? first : undefined;
}

/**
 * Returns the rules about ordinary calls. If the operator handles every ordinary call wrongly, this fault also explains a wrong
 * special call of this scenario.
 */
function plainCauses(rule: RuleId): RuleId[] {
  if (rule === 'refund.restore') return ['bet.debit'];
  if (OF_EVERY_CALL.includes(rule)) return [];
  if (!rule.startsWith('refund.')) return [CONSERVATION];
  return [
    'refund.restore',
    // A refund gives back what the bet took. If bets take wrong amounts, refunds give back wrong amounts.
    'bet.debit',
    CONSERVATION,
    ...(rule === 'refund.declined-bet' ? (['refund.unknown-pays-nothing'] as const) : []),
  ];
}

/**
 * Returns the rules that were tested since the last read, and the rules about ordinary calls. A bet whose outcome is unknown is no
 * move yet, but an operator that takes wrong amounts takes them for this bet too. A refund gives back what the bet took, which may
 * be a wrong amount, also if the read before it was right.
 */
function involved(wallet: Wallet, due: readonly PendingCheck[]): RuleId[] {
  const tested = [...due, ...wallet.pendingChecks].map(({ rule }) => rule);
  const isUp = [...wallet.moves, ...wallet.branches].some(({ delta }) => !delta.isNegative());
  const plain: readonly RuleId[] = isUp ? ['win.credit'] : [];
  return [...tested, ...plain, 'bet.debit', 'refund.restore'];
}

/**
 * True if the balance is wrong by less than the smallest unit of the currency. No transaction moves such a small sum, so the
 * operator has rounded or computed wrongly.
 */
export function isBelowUnit(read: IdleRead): boolean {
  const difference = nearestDifference(read.value, read.wallet.possible()).absolute();
  return !difference.isZero() && difference.compare(read.wallet.unit) < 0 && isWrittenAsDouble(read.value);
}

/** For a rule about one kind of call: whether such a call lowers or raises the balance. */
const DIRECTIONS: Readonly<Partial<Record<RuleId, 'down' | 'up'>>> = {
  'bet.debit': 'down',
  'win.credit': 'up',
  'refund.restore': 'up',
};

/**
 * Returns the sum by which a breach of a rule made the balance of a wallet wrong. A rule about one kind of call also gets the amount of
 * these calls alone: a fee of a tenth of each win is not a smaller share because a bet or a refund came before the win.
 */
function wrongSum({ currency, moves }: Wallet, rule: RuleId, by: Money, effects: Effects): WrongSum {
  const direction = DIRECTIONS[rule];
  const isOwn = ({ step, delta }: Move): boolean => {
    // The call of a step that is long over may have been forgotten. Then only the direction is known.
    const call = effects.callOf(step);
    return delta.isNegative() === (direction === 'down') && (call === undefined || PLAIN_EFFECTS[call]?.rule === rule);
  };
  const own = direction === undefined ? moves : moves.filter(isOwn);
  const [moved, movedOneWay] = [amountOf(moves), amountOf(own)];
  const calls = moves.slice(-MAX_CALLS).flatMap(({ step, delta }) => {
    const call = effects.callOf(step);
    return call === undefined ? [] : [{ call, amount: delta.absolute().toString() }];
  });
  const isPart = !movedOneWay.isZero() && !movedOneWay.equals(moved);
  return {
    amount: by.toString(),
    currency,
    ...(!moved.isZero() && { moved: moved.toString() }),
    ...(isPart && { movedOneWay: movedOneWay.toString() }),
    ...(direction === undefined && calls.length > 0 && { calls }),
  };
}

/** Maximum number of calls that are named with a wrong sum. */
const MAX_CALLS = 12;

function amountOf(moves: readonly Move[]): Money {
  return moves.reduce((sum, { delta }) => sum.plus(delta.absolute()), Money.zero);
}

/** Lists balances as text: `1, 2 or 3`. */
export function listBalances(possible: readonly Money[]): string {
  const sorted = [...possible].sort((a, b) => a.compare(b)).map(String);
  return sorted.length <= 1 ? (sorted[0] ?? 'unknown') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

/**
 * Reports a balance that has changed although the scenario sent calls only in another player's session. A single change may have
 * another reason, for example a person who plays with the same wallet. But if a second attempt shows the same change at the same
 * step, the calls in the other player's session have caused it.
 *
 * @returns true if the change was reported
 */
export function reportOtherPlayers(
  { wallet, value, step, exchange }: IdleRead,
  seenBefore: (observation: string) => boolean,
  { collector, effects }: { readonly collector: FindingCollector; readonly effects: Effects },
): boolean {
  const possible = wallet.possible();
  const by = nearestDifference(value, possible);
  const others = wallet.pendingChecks.at(-1);
  if (!others || !seenBefore(`${step.key} ${by}`)) return false;
  collector.decide(
    { rule: others.rule, step, exchange },
    {
      ...breach(
        `${others.expected}: the balance is ${listBalances(possible)}`,
        `in every attempt, the balance is ${value}, wrong by ${by}, although calls were sent only in another player's session`,
        ['balance.read-only'],
      ),
      wrongSum: wrongSum(wallet, others.rule, by, effects),
    },
  );
  return true;
}

/**
 * Warns that the operator paid a refund to the owner of the bet, although the refund was sent in another player's session. This is
 * only a warning, because the owner loses nothing.
 */
export function reportPaidOwner(
  { txID, kind }: OpenEffect,
  { exchange }: IdleRead,
  effects: Effects,
  collector: FindingCollector,
): void {
  const refund = kind === 'either' ? effects.ofTxID(txID) : undefined;
  if (refund?.planned.step.call !== 'refund' || refund.planned.target?.step.session === refund.planned.step.session)
    return;
  collector.decide(
    { rule: 'refund.foreign-session', step: refund.planned.step, exchange },
    {
      kind: 'warn',
      expected: "a refund in one player's session that names another player's bet moves nothing",
      actual: 'the bet was given back to the player who had placed it',
      why: 'the sender was paid nothing, and the owner of the bet lost nothing',
    },
  );
}
