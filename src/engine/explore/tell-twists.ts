import { type Deed, FIT, newRound } from './ledger.ts';
import type { Operation } from './operation.ts';
import type { Teller } from './teller.ts';
import { A_WHILE, amountText, atSession } from './wording.ts';

type Of<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** A refund that must pay nothing, however it is answered. */
export function tellOpenRefund<O extends Of<'refund-again' | 'refund-declined'>>(
  operation: O,
  teller: Teller,
): O | undefined {
  return teller.about(operation, (bet) => {
    teller.step({ refund: { of: bet.name, ...atSession(bet) }, expect: 'either' });
    return true;
  });
}

/** What the refund of a bet does whose round was won is left open. */
export function tellSettledRefund(operation: Of<'refund-settled'>, teller: Teller): Of<'refund-settled'> | undefined {
  return teller.about(operation, (bet) => {
    teller.step({ refund: { of: bet.name, ...atSession(bet) }, expect: 'either' });
    leaveAlone(bet);
    teller.ledger.purse(bet.player).open = true;
    return true;
  });
}

/** An operator may give the bet back to its owner. */
export function tellForeignRefund(operation: Of<'refund-foreign'>, teller: Teller): Of<'refund-foreign'> | undefined {
  return teller.about(operation, (bet) => {
    if (!teller.enter('other')) return false;
    teller.step({ refund: { session: 'other', of: bet.name, amount: `\${${bet.name}.amount}` }, expect: 'either' });
    leaveAlone(bet);
    teller.ledger.purse('main').open = true;
    return true;
  });
}

/** Nothing more may happen in the round of a bet, for what has become of it is open. */
function leaveAlone(bet: Deed): void {
  bet.odd = true;
  bet.round.refunded = true;
}

export function tellRefundAhead(operation: Of<'refund-ahead'>, teller: Teller): Of<'refund-ahead'> | undefined {
  const { id, sum } = operation;
  const purse = teller.ledger.purse('main');
  if (!purse.covers(sum)) return undefined;
  purse.spend(sum);
  purse.gain(sum);
  const bet = teller.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'reversed' });
  leaveAlone(bet);
  teller.step({ refund: { of: bet.name } });
  if (operation.late) teller.step({ wait: A_WHILE });
  teller.step({ bet: { amount: amountText(sum) }, as: bet.name, expect: 'either' });
  return operation;
}

/** Only the amount differs: an operator may well tell a txID in one round from the same in another. */
export function tellConflict(operation: Of<'conflict'>, teller: Teller): Of<'conflict'> | undefined {
  return teller.about(operation, ({ call, name, of, sum, ...deed }) => {
    const other = operation.sum;
    if (other.stakes === sum.stakes && other.units === sum.units) return false;
    const fields = { txID: `\${${name}.txID}`, round: name, amount: amountText(other), ...atSession(deed) };
    teller.step({ [call]: call === 'refund' && of ? { of: of.name, ...fields } : fields, expect: 'either' });
    return true;
  });
}

export function tellAcross(operation: Of<'across'>, teller: Teller): Of<'across'> | undefined {
  return teller.about(operation, (bet) => {
    const fields = { txID: `\${${bet.name}.txID}`, round: bet.name, amount: amountText(operation.sum) };
    teller.step({ win: { ...fields, ...atSession(bet) }, expect: 'either' });
    leaveAlone(bet);
    bet.spoilt = true;
    teller.ledger.purse(bet.player).open = true;
    return true;
  });
}

export function tellBeyond(operation: Of<'beyond'>, teller: Teller): Of<'beyond'> | undefined {
  const { id, sum, round } = operation;
  const mate = round && teller.ledger.choose(round, (deed) => FIT.beyond?.(deed) === true);
  if ((round && !mate) || teller.ledger.purse('main').open) return undefined;
  const bet = teller.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'declined' });
  if (mate) mate.round.bets += 1;
  const more = amountText(sum).replace(/^\$\{(.*)\}$/, '$1');
  teller.step({
    bet: { ...(mate && { round: mate.name }), amount: `\${balance + ${more}}` },
    as: bet.name,
    expect: { outcome: 'declined', code: 'insufficient_funds' },
  });
  return { ...operation, round: mate ? { id: mate.id } : null };
}

export function tellEverything(operation: Of<'everything'>, teller: Teller): Of<'everything'> | undefined {
  const purse = teller.ledger.purse('main');
  if (purse.open) return undefined;
  purse.empty();
  const { id } = operation;
  const sum = { stakes: 0, units: 0 };
  const bet = teller.ledger.add({ id, call: 'bet', player: 'main', sum, round: newRound(), state: 'accepted' });
  bet.whole = true;
  teller.step({ bet: { amount: '${balance}' }, as: bet.name });
  return operation;
}

/** A call with a wrong signature; where it is sent again with the right one, it is a new call. */
export function tellForged(operation: Of<'forged'>, teller: Teller): Of<'forged'> | undefined {
  const { call, of } = operation;
  if (call === 'bet') return forge(operation, null, teller) ? operation : undefined;
  const bet = teller.ledger.choose(of, (deed) => deed.state === 'accepted' && !deed.free && FIT[call]?.(deed) === true);
  return bet && forge(operation, bet, teller) ? { ...operation, of: { id: bet.id } } : undefined;
}

/** The signature was right, and is of another body. */
export function tellTampered(operation: Of<'tampered'>, teller: Teller): Of<'tampered'> | undefined {
  return teller.about(operation, ({ name, sum }) => {
    const other = operation.sum;
    if (other.stakes === sum.stakes && other.units === sum.units) return false;
    teller.step({ resend: name, tamper: { body: { amount: amountText(other) } }, expect: 'refused' });
    return true;
  });
}

function forge({ id, call, sum, sign, again }: Of<'forged'>, bet: Deed | null, teller: Teller): boolean {
  const player = bet?.player ?? 'main';
  const purse = teller.ledger.purse(player);
  if (call === 'bet' && !purse.covers(sum)) return false;
  const moved = call === 'refund' && bet ? bet.sum : sum;
  const round = bet?.round ?? newRound();
  const state = again ? 'accepted' : 'declined';
  const deed = teller.ledger.add({ id, call, player, sum: moved, round, of: bet, state, odd: true });
  deed.spoilt = !again;
  const fields = {
    ...(bet && (call === 'win' ? { round: bet.name } : { of: bet.name })),
    ...(call !== 'refund' && { amount: amountText(sum) }),
    ...atSession(deed),
  };
  teller.step({ [call]: fields, as: deed.name, sign, expect: 'refused' });
  if (!again) return true;
  teller.step({ resend: deed.name, sign: 'valid' });
  if (call === 'bet') purse.spend(sum);
  else purse.gain(moved);
  if (call === 'win') round.wins += 1;
  if (call === 'refund' && bet) {
    bet.state = 'reversed';
    leaveAlone(bet);
  }
  return true;
}
