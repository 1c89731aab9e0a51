import { FIT, type LedgerEntry, newRound } from './history-ledger.ts';
import type { OperationOf } from './operation.ts';
import { A_WHILE, amountText, atSession, type ScenarioBuilder } from './scenario-builder.ts';

/** Builds a refund that must pay nothing, whatever the operator answers to it. */
export function buildOpenRefund<O extends OperationOf<'refund-again' | 'refund-declined'>>(
  operation: O,
  builder: ScenarioBuilder,
): O | undefined {
  return builder.about(operation, (bet) => {
    builder.step({ refund: { of: bet.name, ...atSession(bet) }, expect: 'either' });
    return true;
  });
}

/** Builds the refund of a bet whose round was won. The contract does not define the effect. */
export function buildSettledRefund(
  operation: OperationOf<'refund-settled'>,
  builder: ScenarioBuilder,
): OperationOf<'refund-settled'> | undefined {
  return builder.about(operation, (bet) => {
    builder.step({ refund: { of: bet.name, ...atSession(bet) }, expect: 'either' });
    closeRound(bet);
    builder.ledger.knownBalance(bet.player).uncertain = true;
    return true;
  });
}

/** Builds a refund that is sent in another player's session. The operator may give the amount back to the player of the bet. */
export function buildForeignRefund(
  operation: OperationOf<'refund-foreign'>,
  builder: ScenarioBuilder,
): OperationOf<'refund-foreign'> | undefined {
  return builder.about(operation, (bet) => {
    if (!builder.enter('other')) return false;
    builder.step({ refund: { session: 'other', of: bet.name, amount: `\${${bet.name}.amount}` }, expect: 'either' });
    closeRound(bet);
    builder.ledger.knownBalance('main').uncertain = true;
    return true;
  });
}

/** Closes the round of a bet whose outcome the contract does not define. So no later call uses this round. */
function closeRound(bet: LedgerEntry): void {
  bet.uncertain = true;
  bet.round.refunded = true;
}

export function buildRefundAhead(
  operation: OperationOf<'refund-ahead'>,
  builder: ScenarioBuilder,
): OperationOf<'refund-ahead'> | undefined {
  const { id, sum } = operation;
  const knownBalance = builder.ledger.knownBalance('main');
  if (!knownBalance.covers(sum)) return undefined;
  knownBalance.spend(sum);
  knownBalance.gain(sum);
  const bet = builder.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'reversed' });
  closeRound(bet);
  builder.step({ refund: { of: bet.name } });
  if (operation.late) builder.step({ wait: A_WHILE });
  builder.step({ bet: { amount: amountText(sum) }, as: bet.name, expect: 'either' });
  return operation;
}

/**
 * Builds a call with the txID of an earlier call and a different amount. The call stays in the round of the earlier call. In a
 * different round, the operator might accept the same txID as a new transaction.
 */
export function buildConflict(
  operation: OperationOf<'conflict'>,
  builder: ScenarioBuilder,
): OperationOf<'conflict'> | undefined {
  return builder.about(operation, ({ call, name, of, sum, ...entry }) => {
    const other = operation.sum;
    if (other.stakes === sum.stakes && other.units === sum.units) return false;
    const fields = { txID: `\${${name}.txID}`, round: name, amount: amountText(other), ...atSession(entry) };
    builder.step({ [call]: call === 'refund' && of ? { of: of.name, ...fields } : fields, expect: 'either' });
    return true;
  });
}

export function buildAcross(
  operation: OperationOf<'across'>,
  builder: ScenarioBuilder,
): OperationOf<'across'> | undefined {
  return builder.about(operation, (bet) => {
    const fields = { txID: `\${${bet.name}.txID}`, round: bet.name, amount: amountText(operation.sum) };
    builder.step({ win: { ...fields, ...atSession(bet) }, expect: 'either' });
    closeRound(bet);
    bet.unusable = true;
    builder.ledger.knownBalance(bet.player).uncertain = true;
    return true;
  });
}

export function buildBeyond(
  operation: OperationOf<'beyond'>,
  builder: ScenarioBuilder,
): OperationOf<'beyond'> | undefined {
  const { id, sum, round } = operation;
  const earlier = round && builder.ledger.choose(round, (entry) => FIT.beyond?.(entry) === true);
  if ((round && !earlier) || builder.ledger.knownBalance('main').uncertain) return undefined;
  const bet = builder.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'declined' });
  if (earlier) earlier.round.bets += 1;
  const more = amountText(sum).replace(/^\$\{(.*)\}$/, '$1');
  builder.step({
    bet: { ...(earlier && { round: earlier.name }), amount: `\${balance + ${more}}` },
    as: bet.name,
    expect: { outcome: 'declined', code: 'insufficient_funds' },
  });
  return { ...operation, round: earlier ? { id: earlier.id } : null };
}

export function buildEverything(
  operation: OperationOf<'everything'>,
  builder: ScenarioBuilder,
): OperationOf<'everything'> | undefined {
  const knownBalance = builder.ledger.knownBalance('main');
  if (knownBalance.uncertain) return undefined;
  knownBalance.empty();
  const { id } = operation;
  const sum = { stakes: 0, units: 0 };
  const bet = builder.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'accepted' });
  bet.isWholeBalance = true;
  builder.step({ bet: { amount: '${balance}' }, as: bet.name });
  return operation;
}

/**
 * Builds a call with a wrong signature. The same call may be sent again with the right signature. Then the operator must treat it
 * as a new call.
 */
export function buildForged(
  operation: OperationOf<'forged'>,
  builder: ScenarioBuilder,
): OperationOf<'forged'> | undefined {
  const { call, of } = operation;
  if (call === 'bet') return forge(operation, null, builder) ? operation : undefined;
  const bet = builder.ledger.choose(
    of,
    (entry) => entry.state === 'accepted' && !entry.free && FIT[call]?.(entry) === true,
  );
  return bet && forge(operation, bet, builder) ? { ...operation, of: { id: bet.id } } : undefined;
}

/** Builds a call whose signature is right for another body. */
export function buildTampered(
  operation: OperationOf<'tampered'>,
  builder: ScenarioBuilder,
): OperationOf<'tampered'> | undefined {
  return builder.about(operation, ({ name, sum }) => {
    const other = operation.sum;
    if (other.stakes === sum.stakes && other.units === sum.units) return false;
    builder.step({ resend: name, tamper: { body: { amount: amountText(other) } }, expect: 'refused' });
    return true;
  });
}

function forge(
  { id, call, sum, sign, again }: OperationOf<'forged'>,
  bet: LedgerEntry | null,
  builder: ScenarioBuilder,
): boolean {
  const player = bet?.player ?? 'main';
  const knownBalance = builder.ledger.knownBalance(player);
  if (call === 'bet' && !knownBalance.covers(sum)) return false;
  const moved = call === 'refund' && bet ? bet.sum : sum;
  const round = bet?.round ?? newRound();
  const state = again ? 'accepted' : 'declined';
  const entry = builder.ledger.add({ id, call, player, sum: moved, round, of: bet, state, uncertain: true });
  entry.unusable = !again;
  const fields = {
    ...(bet && (call === 'win' ? { round: bet.name } : { of: bet.name })),
    ...(call !== 'refund' && { amount: amountText(sum) }),
    ...atSession(entry),
  };
  builder.step({ [call]: fields, as: entry.name, sign, expect: 'refused' });
  if (!again) return true;
  builder.step({ resend: entry.name, sign: 'valid' });
  if (call === 'bet') knownBalance.spend(sum);
  else knownBalance.gain(moved);
  if (call === 'win') round.wins += 1;
  if (call === 'refund' && bet) {
    bet.state = 'reversed';
    closeRound(bet);
  }
  return true;
}
