import type { JsonObject } from '../../contract/json.ts';
import { type Deed, FIT, isAlone, newRound } from './ledger.ts';
import type { Operation, Sum } from './operation.ts';
import type { Teller } from './teller.ts';
import { amountText, atSession } from './wording.ts';

type Race = Extract<Operation, { readonly kind: 'at-once' }>;

/** What the main wallet must hold so that it can be overdrawn by two bets that are smaller than it. */
const OVERDRAFT: Sum = { stakes: 4, units: 0 };

/** Calls that leave at the same instant. @returns undefined: they can't happen here */
export function tellAtOnce(race: Race, teller: Teller): Race | undefined {
  switch (race.what) {
    case 'bets':
    case 'bets-of-two':
      return bets(race, teller);
    case 'wins':
      return wins(race, teller);
    case 'bet-copies':
      return betCopies(race, teller);
    case 'win-copies':
      return about(race, teller, FIT.win, (bet) => {
        const win = teller.ledger.add({
          id: race.id,
          call: 'win',
          player: bet.player,
          sum: race.sum,
          round: bet.round,
          of: bet,
          state: 'accepted',
          odd: true,
        });
        bet.round.wins += 1;
        teller.ledger.purse(bet.player).gain(race.sum);
        const fields = { round: bet.name, amount: amountText(race.sum), ...atSession(bet) };
        return [{ win: fields, as: win.name, copies: race.size, expect: 'either' }];
      });
    case 'refund-copies':
      return about(race, teller, isRefundable, (bet) => {
        const refund = reverse(race, bet, teller);
        return [{ refund: { of: bet.name, ...atSession(bet) }, as: refund.name, copies: race.size, expect: 'either' }];
      });
    case 'refunds':
      return about(race, teller, isRefundable, (bet) => {
        reverse(race, bet, teller).spoilt = true;
        bet.odd = true;
        return [{ refund: { of: bet.name, ...atSession(bet) }, times: race.size, expect: 'either' }];
      });
    case 'bet-and-refund':
      return betAndRefund(race, teller);
    case 'overdraft':
      return overdraft(race, teller);
  }
}

/** In a round with other bets the rules about those would speak as well. */
function isRefundable(deed: Deed): boolean {
  return !deed.free && isAlone(deed) && FIT.refund?.(deed) === true;
}

function about(
  race: Race,
  teller: Teller,
  isFit: ((deed: Deed) => boolean) | undefined,
  steps: (deed: Deed) => JsonObject[],
): Race | undefined {
  const deed = teller.ledger.choose(race.of, (one) => isFit?.(one) === true && !one.free);
  if (!deed) return undefined;
  teller.step({ together: steps(deed) });
  return { ...race, of: { id: deed.id } };
}

function reverse({ id }: Race, bet: Deed, teller: Teller): Deed {
  const { player, round, sum } = bet;
  bet.state = 'reversed';
  round.refunded = true;
  teller.ledger.purse(player).gain(sum);
  return teller.ledger.add({ id, call: 'refund', player, sum, round, of: bet, state: 'accepted', odd: true });
}

function bets(race: Race, teller: Teller): Race | undefined {
  const two = race.what === 'bets-of-two';
  const sums = Array.from({ length: race.size }, (_, more) => ({ ...race.sum, stakes: race.sum.stakes + more }));
  const playerOf = (at: number) => (two && at % 2 === 1 ? 'other' : 'main');
  const wanted = (player: 'main' | 'other'): Sum =>
    sums
      .filter((_, at) => playerOf(at) === player)
      .reduce((sum, each) => ({ stakes: sum.stakes + each.stakes, units: sum.units + each.units }), {
        stakes: 0,
        units: 0,
      });
  const { ledger } = teller;
  if (!ledger.purse('main').covers(wanted('main'))) return undefined;
  if (two && (!ledger.purse('other').covers(wanted('other')) || !teller.enter('other'))) return undefined;
  const steps = sums.map((sum, at) => {
    const player = playerOf(at);
    // Only the first can be referred to: the others have no number of their own.
    const bet =
      at === 0 ? ledger.add({ id: race.id, call: 'bet', player, sum, round: newRound(), state: 'accepted' }) : null;
    ledger.purse(player).spend(sum);
    return { bet: { amount: amountText(sum), ...atSession({ player }) }, ...(bet && { as: bet.name }) };
  });
  teller.step({ together: steps });
  return race;
}

function wins(race: Race, teller: Teller): Race | undefined {
  const open = teller.ledger.deeds.filter((deed) => FIT.win?.(deed) && deed.round.wins === 0 && deed.player === 'main');
  const rounds = [...new Map(open.map((bet) => [bet.round, bet])).values()].slice(-race.size);
  if (rounds.length < 2) return undefined;
  const steps = rounds.map((bet, more) => {
    const sum = { ...race.sum, stakes: race.sum.stakes + more };
    bet.round.wins += 1;
    teller.ledger.purse(bet.player).gain(sum);
    return { win: { round: bet.name, amount: amountText(sum) } };
  });
  teller.step({ together: steps });
  return race;
}

function betCopies(race: Race, teller: Teller): Race | undefined {
  const { id, sum, size } = race;
  const purse = teller.ledger.purse('main');
  if (!purse.covers(sum)) return undefined;
  purse.spend(sum);
  const bet = teller.ledger.add({
    id,
    call: 'bet',
    player: 'main',
    sum,
    round: newRound(),
    state: 'accepted',
    odd: true,
  });
  teller.step({ together: [{ bet: { amount: amountText(sum) }, as: bet.name, copies: size, expect: 'either' }] });
  return race;
}

function betAndRefund(race: Race, teller: Teller): Race | undefined {
  const { id, sum } = race;
  const purse = teller.ledger.purse('main');
  if (!purse.covers(sum)) return undefined;
  purse.spend(sum);
  purse.gain(sum);
  const round = newRound();
  round.refunded = true;
  const bet = teller.ledger.add({ id, call: 'bet', player: 'main', sum, round, state: 'reversed', odd: true });
  teller.step({
    together: [{ bet: { amount: amountText(sum) }, as: bet.name, expect: 'either' }, { refund: { of: bet.name } }],
  });
  return race;
}

/**
 * All but three stakes are bet first, and won back in the end: a wallet that was overdrawn is then below zero by a little, for a
 * moment, and not by all that it held and for good.
 */
function overdraft(race: Race, teller: Teller): Race | undefined {
  const { ledger } = teller;
  const purse = ledger.purse('main');
  if (purse.open || !purse.covers(OVERDRAFT)) return undefined;
  purse.spend(OVERDRAFT);
  purse.empty();
  const sum = { stakes: 0, units: 0 };
  const most = ledger.add({
    id: race.id,
    call: 'bet',
    player: 'main',
    sum,
    round: newRound(),
    state: 'accepted',
    odd: true,
  });
  most.whole = true;
  teller.step({ bet: { amount: '${balance - 3 * stake}' }, as: most.name });
  teller.step({ together: [{ bet: { amount: '${2 * stake}' }, times: race.size, expect: 'either' }] });
  return race;
}
