import type { RuleId } from '../../contract/catalogue.ts';
import { Money } from '../../contract/money.ts';
import { isRedirect } from '../../reply/status.ts';
import { PLAIN_EFFECTS } from '../attribution/candidates.ts';
import { CREDIT } from '../checks/check.ts';
import { isOverdraft } from '../checks/concurrency.ts';
import { BY_SESSION, inOtherSession } from '../checks/idempotency.ts';
import { breach, PASS } from '../decision.ts';
import type { FindingCollector } from '../finding-collector.ts';
import type { ObservedCall } from '../observed-call.ts';
import { isSameTxIDAtOnce, type PlannedCall } from '../planned-calls.ts';
import type { IdleReads } from '../reads/idle-reads.ts';
import type { Wallet } from '../wallet/wallet.ts';
import { isOneOrder, judgeRepliedBalance } from './replied-balances.ts';

/** Calls of one wallet that were sent at the same instant. */
export interface Race {
  readonly calls: readonly ObservedCall[];
  readonly wallet: Wallet;
  /** The balance before the calls, if it was certain. */
  readonly before: Money | undefined;
}

/** True if a call was declined, or failed with a reply. In both cases, the service refunds a bet and sends a win again. */
function isRejected({ answer, reading }: ObservedCall): boolean {
  return answer === 'declined' || (answer === 'failed' && !isRedirect(reading?.status));
}

/** Returns how many of the calls were in flight at the same time as at least one other call. */
export function overlapCount(calls: readonly ObservedCall[]): number {
  return calls.filter((one) =>
    calls.some(
      (other) =>
        other !== one && inFlightFrom(one) < other.exchange.stamps.end && inFlightFrom(other) < one.exchange.stamps.end,
    ),
  ).length;
}

/**
 * Returns the time from which a call is in flight: the time when its last byte was sent. If its body is sent in pieces, this is the
 * time when its first byte was sent.
 */
function inFlightFrom({ planned, exchange: { stamps } }: ObservedCall): number {
  return planned.step.deviations.trickle ? stamps.start : (stamps.sent ?? Number.POSITIVE_INFINITY);
}

/** Judges the replies to calls of one wallet that were sent at the same instant. The next balance read judges their effects. */
export function judgeRace(race: Race, collector: FindingCollector, reads: IdleReads): void {
  judgeCopies(race, collector);
  const movers = race.calls.filter(
    ({ planned }) =>
      planned.step.origin.kind === 'fresh' &&
      (planned.step.call === 'bet' || planned.step.call === 'win') &&
      planned.step.type !== 'free' &&
      planned.regular &&
      !isSameTxIDAtOnce(planned),
  );
  const overdrafts = movers.filter(({ planned }) => isOverdraft(planned));
  if (overdrafts.length > 1) judgeOverdraft(race, overdrafts, collector, reads);
  else if (movers.length > 1) judgeUpdates(race, movers, collector, reads);
  else judgeRefunds(race, reads);
}

/**
 * Makes the next balance read check that the refunds of one instant give the bet back. Another check judges that they give it back
 * only once.
 */
function judgeRefunds({ calls, wallet }: Race, reads: IdleReads): void {
  const accepted = calls.filter(({ planned, answer }) => planned.step.call === 'refund' && answer === 'accepted');
  const [first] = accepted;
  if (!first || accepted.length < 2) return;
  reads.candidate(wallet, {
    rule: 'refund.restore',
    step: first.planned.step,
    exchange: first.exchange.id,
    expected: 'one of several refunds at the same instant gives the bet back',
    ...(new Set(accepted.map(({ planned }) => planned.target?.step.key)).size === 1 && {
      ifMore: 'refund.once' as const,
    }),
  });
}

function judgeOverdraft(
  { before, wallet, calls }: Race,
  bets: readonly ObservedCall[],
  collector: FindingCollector,
  reads: IdleReads,
): void {
  const [first] = bets;
  if (!first) return;
  const subject = { rule: 'concurrency.no-overdraft', step: first.planned.step, exchange: first.exchange.id } as const;
  if (before === undefined) {
    collector.decide(subject, { kind: 'undecided', reason: 'the balance before the bets was not certain' });
    return;
  }
  const accepted = bets.filter(({ answer }) => answer === 'accepted');
  const sum = accepted.reduce((total, { amount }) => total.plus(amount ?? Money.zero), Money.zero);
  const won = calls
    .filter(({ planned, answer }) => planned.step.call === 'win' && answer === 'accepted')
    .reduce((total, { effect }) => total.plus(effect), Money.zero);
  const expected = `the accepted bets together are at most the balance, ${before}`;
  // If no bet was accepted, nothing was overdrawn. The balance may have been below zero before.
  const excess = sum.minus(before.plus(won));
  const isOverdrawn = accepted.length > 0 && excess.compare(Money.zero) > 0;
  // If the excess is at most one bet, perhaps only the last bet was above the balance. The operator may also accept such a bet if it is
  // sent alone.
  const isOfOneBet = accepted.every(({ amount }) => amount !== undefined && excess.compare(amount) <= 0);
  if (isOverdrawn && !first.hasCredit) {
    const covered = balanceByReplies(accepted, sum);
    const isCovered = covered !== undefined && won.isZero() && covered.compare(sum) >= 0;
    const actual = `${accepted.length} bets were accepted, ${sum} in total`;
    collector.decide(
      subject,
      isCovered
        ? {
            kind: 'undecided',
            reason: `${actual}: the balance before the bets was ${before} when it was read, but ${covered} according to the replies`,
          }
        : {
            ...breach(expected, actual, [
              'bet.debit',
              'money.main-unit',
              'money.exact',
              // If a call overwrites the balance that another call has written, it also compares its amount with an old balance.
              'concurrency.no-lost-update',
              ...(isOfOneBet ? (['bet.insufficient-funds'] as const) : []),
            ]),
            ...(accepted.some(({ reading }) => reading?.balance.money?.isNegative()) && { shownByReplies: true }),
          },
    );
    // After an overdraft, any balance is possible. So if the next balance is wrong, the overdraft explains it.
    wallet.expectLater({
      ...subject,
      endpoint: null,
      hypotheses: [],
      rank: 0,
      until: 'read',
      expected,
      reported: true,
    });
    return;
  }
  if (bets.every(({ reading }) => !reading)) collector.decide(subject, { kind: 'undecided', reason: 'no reply came' });
  else collector.decide(subject, isOverdrawn ? { kind: 'skip', reason: CREDIT } : PASS);
  reads.candidate(wallet, {
    rule: 'concurrency.no-lost-update',
    step: first.planned.step,
    exchange: first.exchange.id,
    expected: 'each accepted call takes effect exactly once',
  });
}

/**
 * Returns the balance before accepted bets, if the replies to the bets show it: in some order, each bet lowers the balance in the reply
 * before it. The balance that was read before the bets may be old, or somebody else may have paid something in.
 */
function balanceByReplies(accepted: readonly ObservedCall[], sum: Money): Money | undefined {
  const said = accepted.map(({ reading }) => reading?.balance.money).filter((one) => one !== undefined);
  const [last] = said.toSorted((a, b) => a.compare(b));
  const before = last?.plus(sum);
  return before && isOneOrder(before, accepted) ? before : undefined;
}

/**
 * The reason to skip `concurrency.no-lost-update`. The contract allows an operator to decline a call while another call is in
 * progress. A declined call moves nothing, so no update can be lost.
 */
const ONE_AT_A_TIME = 'the operator declines every call of the player while another call is in progress';

/**
 * The statuses with which an operator says that another call is in progress: Conflict (RFC 9110, 15.5.10) and Locked (RFC 4918,
 * 11.3).
 */
const IN_CONFLICT: ReadonlySet<number | undefined> = new Set([409, 423]);

/**
 * A wallet that answers overlapping calls with these statuses protects its balance. So the rule is not tested, but the wallet is
 * not suspected either. A limit or a blocked account is no reason to decline only the calls that overlap.
 */
function isAcceptedOrInConflict({ answer, reading }: ObservedCall): boolean {
  return answer === 'accepted' || IN_CONFLICT.has(reading?.status);
}

function judgeUpdates(
  race: Race,
  movers: readonly ObservedCall[],
  collector: FindingCollector,
  reads: IdleReads,
): void {
  const [first] = movers;
  if (!first) return;
  const expected = 'each accepted call takes effect exactly once';
  const subject = {
    rule: 'concurrency.no-lost-update',
    step: first.planned.step,
    exchange: first.exchange.id,
  } as const;
  reads.candidate(race.wallet, { ...subject, expected });
  const accepted = movers.filter(({ answer }) => answer === 'accepted');
  if (accepted.length < 2) {
    const isOnlyOne = movers.every((mover) => mover.answer === 'accepted' || isRejected(mover));
    collector.decide(
      subject,
      isOnlyOne
        ? { kind: 'skip', reason: ONE_AT_A_TIME, ...(!movers.every(isAcceptedOrInConflict) && { declined: true }) }
        : { kind: 'undecided', reason: `too few calls were accepted: ${accepted.length} of ${movers.length}` },
    );
    return;
  }
  race.wallet.expectLater({
    rule: subject.rule,
    endpoint: null,
    step: subject.step,
    exchange: subject.exchange,
    hypotheses: accepted.map(({ effect, amount, planned }) => ({
      by: effect.negated(),
      meaning: `the ${planned.step.call} of ${amount} was answered 200 but had no effect`,
      // An operator that loses every call of this kind also loses the call if it arrives alone.
      causes: [planned.step.call === 'bet' ? 'bet.debit' : 'win.credit'] as const,
    })),
    rank: 0,
    until: 'read',
    expected,
    reported: false,
  });
  if (race.before === undefined) return;
  const readings = race.calls.filter(({ planned, answer }) => planned.step.call === 'balance' && answer === 'accepted');
  for (const observed of [...accepted, ...readings]) judgeRepliedBalance(observed, race.calls, race.before, collector);
  const fits = isOneOrder(race.before, accepted);
  collector.decide(
    { rule: 'concurrency.order', step: first.planned.step, exchange: first.exchange.id },
    {
      kind: 'note',
      actual: fits
        ? 'an order of the calls exists that fits the balances in all replies'
        : 'no order of the calls fits the balances in all replies',
    },
  );
}

/**
 * Judges copies of one call that were sent at the same instant. Together, they must have one effect and belong to one transaction
 * of the operator.
 */
function judgeCopies({ calls, wallet }: Race, collector: FindingCollector): void {
  const sets = new Map<string, ObservedCall[]>();
  for (const observed of calls) {
    const { origin, key } = observed.planned.step;
    if (!observed.planned.regular) continue;
    const { sameTxID } = observed.planned;
    const of =
      origin.kind === 'copy' ? origin.of : sameTxID && isSameTxIDAtOnce(observed.planned) ? sameTxID.step.key : key;
    sets.set(of, [...(sets.get(of) ?? []), observed]);
  }
  for (const set of sets.values()) {
    const [first] = set;
    if (!first || set.length < 2) continue;
    // The service sends no call in two sessions. So croupier judges this case like every txID that is sent again with a different
    // body.
    const isInTwoSessions = set.some(({ planned }) => isSameTxIDAtOnce(planned));
    const rule = isInTwoSessions ? 'idempotency.conflicting-body' : 'idempotency.concurrent';
    const subject = { rule, step: first.planned.step, exchange: first.exchange.id } as const;
    const answered = set.filter(({ answer }) => answer === 'accepted');
    const txIDs = new Set(
      answered.map(({ reading }) => reading?.txID).filter((txID) => txID !== undefined && txID !== ''),
    );
    if (answered.length === 0) {
      const reason = `none of the ${set.length} copies was answered 200`;
      collector.decide(
        subject,
        set.every(isRejected) ? { kind: 'skip', reason, declined: true } : { kind: 'undecided', reason },
      );
      continue;
    }
    const differ = txIDs.size > 1;
    if (differ) {
      collector.decide(
        subject,
        breach(
          `${set.length} copies of one call that are sent at once are one transaction`,
          `they were answered with ${txIDs.size} different operator txIDs${isInTwoSessions ? BY_SESSION : ''}`,
          causesOfReplay(first.planned, rule),
        ),
      );
    }
    const effect = first.effect;
    if (effect.isZero()) {
      if (!differ) collector.decide(subject, PASS);
      continue;
    }
    // Perhaps the operator also carries out a single call of this kind twice, or not at all. Then the rule about single calls
    // explains the breach.
    const plain = PLAIN_EFFECTS[first.planned.step.call];
    const sameCauses = [...(plain ? [plain.rule] : []), ...causesOfFurtherCall(first.planned)];
    const times = set.map((_, extra) => ({
      by: effect.times(Money.of(String(extra + 1))),
      meaning: isInTwoSessions ? inOtherSession(first.planned.step.call) : `the call took effect ${extra + 2} times`,
      causes: [...causesOfReplay(first.planned, rule), ...(extra === 0 ? sameCauses : [])],
    }));
    wallet.expectLater({
      rule,
      endpoint: null,
      step: first.planned.step,
      exchange: first.exchange.id,
      hypotheses: [
        ...times.slice(0, -1),
        {
          by: effect.negated(),
          meaning: 'the call had no effect at all',
          causes: [...sameCauses, 'concurrency.no-lost-update'],
        },
      ],
      rank: 0,
      until: 'read',
      expected: `${set.length} copies of one call that are sent at once have one effect`,
      reported: differ,
    });
  }
}

/**
 * Returns the rules that explain why the operator carries out copies at the same instant more than once. Perhaps the operator
 * carries out every repeated call again. Or it carries out all copies that arrive at the same instant, also within one session.
 *
 * @param rule the rule that the copies break
 */
function causesOfReplay({ step: { call } }: PlannedCall, rule: RuleId): RuleId[] {
  const ofReplay = call === 'balance' ? [] : [`idempotency.${call}` as const];
  return rule === 'idempotency.concurrent' ? ofReplay : [...ofReplay, 'idempotency.concurrent'];
}

/**
 * If the call is a further bet or win of a round, returns the rule about such calls. If the operator handles all of them wrongly,
 * this rule explains the breach.
 */
function causesOfFurtherCall({ step, betsBefore, winsBefore }: PlannedCall): RuleId[] {
  if (step.call === 'bet' && betsBefore > 0) return ['bet.many-in-round'];
  return step.call === 'win' && winsBefore > 0 ? ['win.many-in-round'] : [];
}
