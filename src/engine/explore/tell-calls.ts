import { type Deed, FIT, newRound } from './ledger.ts';
import type { Operation } from './operation.ts';
import type { Teller } from './teller.ts';
import { amountText, atSession } from './wording.ts';

type Of<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** What the service does at once where a connection broke, until it is answered 200. */
function askAgain(deed: Deed, broken: NonNullable<Of<'win'>['broken']>, teller: Teller): void {
  if (broken === 'raced') {
    // One of them may be told to come back later.
    const again = { resend: deed.name, expect: 'either' };
    teller.step({ together: [again, again] });
  }
  teller.step({ resend: deed.name });
}

function breakOf(broken: NonNullable<Of<'win'>['broken']>): string {
  return broken === 'raced' ? 'sent' : broken;
}

export function tellBet(operation: Of<'bet'>, teller: Teller): Of<'bet'> | undefined {
  const { id, player, sum, round, broken } = operation;
  const { ledger } = teller;
  const mate = round && ledger.choose(round, (deed) => deed.player === player && FIT.bet?.(deed) === true);
  const purse = ledger.purse(player);
  if ((round && !mate) || !purse.covers(sum) || !teller.enter(player)) return undefined;
  const bet = ledger.add({ id, call: 'bet', player, sum, round: mate?.round ?? newRound(), state: 'accepted' });
  purse.spend(sum);
  teller.step({
    bet: { ...(mate && { round: mate.name }), amount: amountText(sum), ...atSession(bet) },
    as: bet.name,
    ...(broken && { break: breakOf(broken) }),
  });
  if (broken) {
    // Numbers of operations are not negative.
    const refund = reverse(-1 - id, bet, teller);
    teller.step({ refund: { of: bet.name, ...atSession(bet) }, as: refund.name });
  }
  return { ...operation, round: mate ? { id: mate.id } : null };
}

/** Writes down that a bet was refunded. */
function reverse(id: number, bet: Deed, teller: Teller): Deed {
  const { player, round, sum } = bet;
  bet.state = 'reversed';
  round.refunded = true;
  const purse = teller.ledger.purse(player);
  purse.gain(sum);
  // What a free bet took is not known.
  if (bet.free) purse.open = true;
  return teller.ledger.add({ id, call: 'refund', player, sum, round, of: bet, state: 'accepted' });
}

export function tellReuse(operation: Of<'reuse'>, teller: Teller): Of<'reuse'> | undefined {
  return teller.about(operation, (bet) => {
    const purse = teller.ledger.purse('second');
    const round = bet.round.twin ?? newRound();
    const isOver = round.wins > 0 || round.refunded;
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
    const win = teller.ledger.add({ id, call: 'win', player, sum, round, of: bet, state: 'accepted' });
    round.wins += 1;
    teller.ledger.purse(player).gain(sum);
    teller.step({
      win: { round: bet.name, amount: amountText(sum), ...atSession(bet) },
      as: win.name,
      ...(broken && { break: breakOf(broken) }),
    });
    if (broken) askAgain(win, broken, teller);
    return true;
  });
}

export function tellRefund(operation: Of<'refund'>, teller: Teller): Of<'refund'> | undefined {
  return teller.about(operation, (bet) => {
    const { id, roundless, broken } = operation;
    // What a free bet took is not known, so that a refund of it must not be uncertain too.
    if (bet.free && broken) return false;
    const refund = reverse(id, bet, teller);
    teller.step({
      refund: { of: bet.name, ...(roundless && { round: 'none' }), ...atSession(bet) },
      as: refund.name,
      ...(broken && { break: breakOf(broken) }),
    });
    if (broken) askAgain(refund, broken, teller);
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
