import { newRound } from './ledger.ts';
import type { Operation } from './operation.ts';
import type { Teller } from './teller.ts';
import { amountText } from './wording.ts';

type Of<Kind extends Operation['kind']> = Extract<Operation, { readonly kind: Kind }>;

/** Whether a free bet takes its amount is the operator's affair, so that it is reckoned as taken and never as won. */
export function tellFreeBet(operation: Of<'free-bet'>, teller: Teller): Of<'free-bet'> | undefined {
  const { id, sum } = operation;
  const purse = teller.ledger.purse('main');
  if (!purse.covers(sum)) return undefined;
  purse.spend(sum);
  purse.open = true;
  const round = newRound();
  const bet = teller.ledger.add({ id, call: 'bet', player: 'main', sum, round, state: 'accepted', free: true });
  teller.step({ bet: { type: 'free', amount: amountText(sum) }, as: bet.name });
  return operation;
}

export function tellFreeWin(operation: Of<'free-win'>, teller: Teller): Of<'free-win'> | undefined {
  return teller.about(operation, (bet) => {
    const { id, sum } = operation;
    const { player, round } = bet;
    const win = teller.ledger.add({ id, call: 'win', player, sum, round, of: bet, state: 'accepted', free: true });
    round.wins += 1;
    teller.ledger.purse(player).open = true;
    teller.step({ win: { type: 'free', round: bet.name, amount: amountText(sum) }, as: win.name });
    return true;
  });
}

/** Where free wins were credited already, paying them again would be wrong: the next read tells. */
export function tellWithdrawal(operation: Of<'withdrawal'>, teller: Teller): Of<'withdrawal'> | undefined {
  return teller.about(operation, (bet) => {
    const { id, sum } = operation;
    const { player, round } = bet;
    const win = teller.ledger.add({ id, call: 'win', player, sum, round, of: bet, state: 'accepted', odd: true });
    round.wins += 1;
    teller.ledger.purse(player).open = true;
    teller.step({
      win: { frID: '${campaign}', round: bet.name, amount: amountText(sum) },
      as: win.name,
      expect: 'either',
    });
    return true;
  });
}
