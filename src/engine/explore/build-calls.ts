import { FIT, type LedgerEntry, newRound } from './history-ledger.ts';
import type { OperationOf } from './operation.ts';
import { amountText, atSession, type ScenarioBuilder } from './scenario-builder.ts';

/** Repeats a call whose connection was broken. The real service also repeats such a call until it is answered 200. */
function repeatCall(
  entry: LedgerEntry,
  broken: NonNullable<OperationOf<'win'>['broken']>,
  builder: ScenarioBuilder,
): void {
  if (broken === 'raced') {
    // While the operator still processes one of these two calls, it may decline the other one, and then croupier sends it again. So
    // the scenario allows every answer.
    const again = { resend: entry.name, expect: 'either' };
    builder.step({ together: [again, again] });
  }
  builder.step({ resend: entry.name });
}

function breakOf(broken: NonNullable<OperationOf<'win'>['broken']>): string {
  return broken === 'raced' ? 'sent' : broken;
}

export function buildBet(operation: OperationOf<'bet'>, builder: ScenarioBuilder): OperationOf<'bet'> | undefined {
  const { id, player, sum, round, broken } = operation;
  const { ledger } = builder;
  const earlier = round && ledger.choose(round, (entry) => entry.player === player && FIT.bet?.(entry) === true);
  const knownBalance = ledger.knownBalance(player);
  if ((round && !earlier) || !knownBalance.covers(sum) || !builder.enter(player)) return undefined;
  const bet = ledger.add({ id, call: 'bet', player, sum, round: earlier?.round ?? newRound(), state: 'accepted' });
  knownBalance.spend(sum);
  builder.step({
    bet: { ...(earlier && { round: earlier.name }), amount: amountText(sum), ...atSession(bet) },
    as: bet.name,
    ...(broken && { break: breakOf(broken) }),
  });
  if (broken) {
    // The ids of operations are never negative, so a negative id for the refund is unique.
    const refund = reverse(-1 - id, bet, builder);
    builder.step({ refund: { of: bet.name, ...atSession(bet) }, as: refund.name });
  }
  return { ...operation, round: earlier ? { id: earlier.id } : null };
}

/** Adds the refund of a bet to the ledger. */
function reverse(id: number, bet: LedgerEntry, builder: ScenarioBuilder): LedgerEntry {
  const { player, round, sum } = bet;
  bet.state = 'reversed';
  round.refunded = true;
  const knownBalance = builder.ledger.knownBalance(player);
  knownBalance.gain(sum);
  // croupier does not know whether the operator took the amount of the free bet. So it does not know how much the refund gives
  // back.
  if (bet.free) knownBalance.uncertain = true;
  return builder.ledger.add({ id, call: 'refund', player, sum, round, of: bet, state: 'accepted' });
}

export function buildReuse(
  operation: OperationOf<'reuse'>,
  builder: ScenarioBuilder,
): OperationOf<'reuse'> | undefined {
  return builder.about(operation, (bet) => {
    const knownBalance = builder.ledger.knownBalance('second');
    const round = bet.round.sameIDRound ?? newRound();
    const isOver = round.wins > 0 || round.refunded;
    if (isOver || !knownBalance.covers(operation.sum) || !builder.enter('second')) return false;
    bet.round.sameIDRound = round;
    round.sameIDRound = bet.round;
    const { id, sum } = operation;
    const reused = builder.ledger.add({ id, call: 'bet', player: 'second', sum, round, state: 'accepted' });
    knownBalance.spend(sum);
    builder.step({ bet: { round: bet.name, amount: amountText(sum), ...atSession(reused) }, as: reused.name });
    return true;
  });
}

export function buildWin(operation: OperationOf<'win'>, builder: ScenarioBuilder): OperationOf<'win'> | undefined {
  return builder.about(operation, (bet) => {
    const { id, sum, broken } = operation;
    const { player, round } = bet;
    const win = builder.ledger.add({ id, call: 'win', player, sum, round, of: bet, state: 'accepted' });
    round.wins += 1;
    builder.ledger.knownBalance(player).gain(sum);
    builder.step({
      win: { round: bet.name, amount: amountText(sum), ...atSession(bet) },
      as: win.name,
      ...(broken && { break: breakOf(broken) }),
    });
    if (broken) repeatCall(win, broken, builder);
    return true;
  });
}

export function buildRefund(
  operation: OperationOf<'refund'>,
  builder: ScenarioBuilder,
): OperationOf<'refund'> | undefined {
  return builder.about(operation, (bet) => {
    const { id, roundless, broken } = operation;
    // It is unknown how much the refund of a free bet gives back. With a broken connection, it would also be unknown whether the
    // refund was carried out. So such a history is not built.
    if (bet.free && broken) return false;
    const refund = reverse(id, bet, builder);
    builder.step({
      refund: { of: bet.name, ...(roundless && { round: 'none' }), ...atSession(bet) },
      as: refund.name,
      ...(broken && { break: breakOf(broken) }),
    });
    if (broken) repeatCall(refund, broken, builder);
    return true;
  });
}

export function buildRefundUnknown(
  operation: OperationOf<'refund-unknown'>,
  builder: ScenarioBuilder,
): OperationOf<'refund-unknown'> | undefined {
  const { id, sum, round } = operation;
  const bet = round && builder.ledger.choose(round, (entry) => FIT['refund-unknown']?.(entry) === true);
  if (round && !bet) return undefined;
  const refund = builder.ledger.add({ id, call: 'refund', player: 'main', sum, round: newRound(), state: 'accepted' });
  refund.movesNothing = true;
  builder.step({
    refund: { of: 'unknown', ...(bet && { round: bet.name }), amount: amountText(sum) },
    as: refund.name,
  });
  return { ...operation, round: bet ? { id: bet.id } : null };
}

export function buildResend(
  operation: OperationOf<'resend'>,
  builder: ScenarioBuilder,
): OperationOf<'resend'> | undefined {
  return builder.about(operation, (entry) => {
    const open = entry.state === 'reversed' || entry.uncertain;
    builder.step({ resend: entry.name, ...(open && { expect: 'either' }) });
    return true;
  });
}

export function buildMany(operation: OperationOf<'many'>, builder: ScenarioBuilder): OperationOf<'many'> | undefined {
  const spent = { stakes: 0, units: operation.times };
  const knownBalance = builder.ledger.knownBalance('main');
  if (!knownBalance.covers(spent)) return undefined;
  knownBalance.spend(spent);
  builder.step({ bet: { amount: '${unit}' }, times: operation.times });
  return operation;
}

/**
 * Builds a free bet. The operator decides whether the bet takes its amount. The ledger assumes that it does, because then the
 * balance is certainly high enough.
 */
export function buildFreeBet(
  operation: OperationOf<'free-bet'>,
  builder: ScenarioBuilder,
): OperationOf<'free-bet'> | undefined {
  const { id, sum } = operation;
  const knownBalance = builder.ledger.knownBalance('main');
  if (!knownBalance.covers(sum)) return undefined;
  knownBalance.spend(sum);
  knownBalance.uncertain = true;
  const round = newRound();
  const bet = builder.ledger.add({ id, call: 'bet', player: 'main', sum, round, state: 'accepted', free: true });
  builder.step({ bet: { type: 'free', amount: amountText(sum) }, as: bet.name });
  return operation;
}

export function buildFreeWin(
  operation: OperationOf<'free-win'>,
  builder: ScenarioBuilder,
): OperationOf<'free-win'> | undefined {
  return builder.about(operation, (bet) => {
    const { id, sum } = operation;
    const { player, round } = bet;
    const win = builder.ledger.add({ id, call: 'win', player, sum, round, of: bet, state: 'accepted', free: true });
    round.wins += 1;
    builder.ledger.knownBalance(player).uncertain = true;
    builder.step({ win: { type: 'free', round: bet.name, amount: amountText(sum) }, as: win.name });
    return true;
  });
}

/**
 * Builds the regular win that pays out a campaign. If the operator has already credited the free wins, it must not pay their
 * amount again. The next read of the balance shows whether it does.
 */
export function buildWithdrawal(
  operation: OperationOf<'withdrawal'>,
  builder: ScenarioBuilder,
): OperationOf<'withdrawal'> | undefined {
  return builder.about(operation, (bet) => {
    const { id, sum } = operation;
    const { player, round } = bet;
    const win = builder.ledger.add({
      id,
      call: 'win',
      player,
      sum,
      round,
      of: bet,
      state: 'accepted',
      uncertain: true,
    });
    round.wins += 1;
    builder.ledger.knownBalance(player).uncertain = true;
    builder.step({
      win: { frID: '${campaign}', round: bet.name, amount: amountText(sum) },
      as: win.name,
      expect: 'either',
    });
    return true;
  });
}
