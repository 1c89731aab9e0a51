import { type Deed, FIT, newRound } from './ledger.ts';
import type { Operation } from './operation.ts';
import type { Teller } from './teller.ts';
import { amountText, atSession } from './wording.ts';

type Of<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** The service does not know what became of it. */
function lose({ round, player }: Deed, teller: Teller): void {
  round.lost += 1;
  teller.ledger.purse(player).lost += 1;
}

export function tellBet(operation: Of<'bet'>, teller: Teller): Of<'bet'> | undefined {
  const { id, player, sum, round, broken } = operation;
  const mate = round && teller.ledger.choose(round, (deed) => deed.player === player && FIT.bet?.(deed) === true);
  const purse = teller.ledger.purse(player);
  if ((round && !mate) || !purse.covers(sum) || !teller.enter(player)) return undefined;
  const state = broken ? 'lost' : 'accepted';
  const bet = teller.ledger.add({ id, call: 'bet', player, sum, round: mate?.round ?? newRound(), state });
  purse.spend(sum);
  if (broken) lose(bet, teller);
  teller.step({
    bet: { ...(mate && { round: mate.name }), amount: amountText(sum), ...atSession(bet) },
    as: bet.name,
    ...(broken && { break: broken }),
  });
  return { ...operation, round: mate ? { id: mate.id } : null };
}

export function tellReuse(operation: Of<'reuse'>, teller: Teller): Of<'reuse'> | undefined {
  return teller.about(operation, (bet) => {
    const purse = teller.ledger.purse('second');
    const round = bet.round.twin ?? newRound();
    const isOver = round.wins > 0 || round.refunded || round.lost > 0;
    if (isOver || !purse.covers(operation.sum) || !teller.enter('second')) return false;
    bet.round.twin = round;
    round.twin = bet.round;
    const { id, sum } = operation;
    const reused = teller.ledger.add({ id, call: 'bet', player: 'second', sum, round, state: 'accepted' });
    purse.spend(sum);
    teller.step({ bet: { round: bet.name, amount: amountText(sum), ...atSession(reused) }, as: reused.name });
    return true;
  });
}

export function tellWin(operation: Of<'win'>, teller: Teller): Of<'win'> | undefined {
  return teller.about(operation, (bet) => {
    const { id, sum, broken } = operation;
    const { player, round } = bet;
    const state = broken ? 'lost' : 'accepted';
    const win = teller.ledger.add({ id, call: 'win', player, sum, round, of: bet, state });
    round.wins += 1;
    if (broken) lose(win, teller);
    else teller.ledger.purse(player).gain(sum);
    teller.step({
      win: { round: bet.name, amount: amountText(sum), ...atSession(bet) },
      as: win.name,
      ...(broken && { break: broken }),
    });
    return true;
  });
}

export function tellRefund(operation: Of<'refund'>, teller: Teller): Of<'refund'> | undefined {
  return teller.about(operation, (bet) => {
    const { id, roundless, broken } = operation;
    const { player, round, sum, free } = bet;
    // What a free bet took is not known, so that a refund of it must not be uncertain too.
    if (free && broken) return false;
    teller.ledger.settle(bet);
    bet.state = 'reversed';
    round.refunded = true;
    const state = broken ? 'lost' : 'accepted';
    const refund = teller.ledger.add({ id, call: 'refund', player, sum, round, of: bet, state });
    const purse = teller.ledger.purse(player);
    if (broken) lose(refund, teller);
    else purse.gain(sum);
    if (free) purse.open = true;
    teller.step({
      refund: { of: bet.name, ...(roundless && { round: 'none' }), ...atSession(bet) },
      as: refund.name,
      ...(broken && { break: broken }),
    });
    return true;
  });
}

export function tellRefundUnknown(operation: Of<'refund-unknown'>, teller: Teller): Of<'refund-unknown'> | undefined {
  const { id, sum, round } = operation;
  const bet = round && teller.ledger.choose(round, (deed) => FIT['refund-unknown']?.(deed) === true);
  if (round && !bet) return undefined;
  const refund = teller.ledger.add({ id, call: 'refund', player: 'main', sum, round: newRound(), state: 'accepted' });
  refund.empty = true;
  teller.step({
    refund: { of: 'unknown', ...(bet && { round: bet.name }), amount: amountText(sum) },
    as: refund.name,
  });
  return { ...operation, round: bet ? { id: bet.id } : null };
}

export function tellResend(operation: Of<'resend'>, teller: Teller): Of<'resend'> | undefined {
  return teller.about(operation, (deed) => {
    const open = deed.state === 'reversed' || deed.odd;
    teller.step({ resend: deed.name, ...(open && { expect: 'either' }) });
    if (deed.state !== 'lost') return true;
    teller.ledger.settle(deed);
    deed.state = 'accepted';
    teller.ledger.purse(deed.player).gain(deed.sum);
    return true;
  });
}

export function tellMany(operation: Of<'many'>, teller: Teller): Of<'many'> | undefined {
  const spent = { stakes: 0, units: operation.times };
  const purse = teller.ledger.purse('main');
  if (!purse.covers(spent)) return undefined;
  purse.spend(spent);
  teller.step({ bet: { amount: '${unit}' }, times: operation.times });
  return operation;
}
