import type { JsonObject } from '../../contract/json.ts';
import { FIT, isAlone, type LedgerEntry, newRound } from './history-ledger.ts';
import type { OperationOf, Sum } from './operation.ts';
import { amountText, atSession, type ScenarioBuilder } from './scenario-builder.ts';

type Race = OperationOf<'at-once'>;

/**
 * The balance that the main wallet needs for an overdraft test: each of two bets is smaller than the balance, but both together
 * exceed it.
 */
const OVERDRAFT: Sum = { stakes: 4, units: 0 };

/**
 * Builds calls that are sent at the same instant.
 *
 * @returns undefined if the calls are not possible at this place
 */
export function buildAtOnce(race: Race, builder: ScenarioBuilder): Race | undefined {
  switch (race.what) {
    case 'bets':
    case 'bets-of-two':
      return bets(race, builder);
    case 'wins':
      return wins(race, builder);
    case 'bet-copies':
      return betCopies(race, builder);
    case 'win-copies':
      return about(race, builder, FIT.win, (bet) => {
        const win = builder.ledger.add({
          id: race.id,
          call: 'win',
          player: bet.player,
          sum: race.sum,
          round: bet.round,
          of: bet,
          state: 'accepted',
          uncertain: true,
        });
        bet.round.wins += 1;
        builder.ledger.knownBalance(bet.player).gain(race.sum);
        const fields = { round: bet.name, amount: amountText(race.sum), ...atSession(bet) };
        return [{ win: fields, as: win.name, copies: race.size, expect: 'either' }];
      });
    case 'refund-copies':
      return about(race, builder, isRefundable, (bet) => {
        const refund = reverse(race, bet, builder);
        return [{ refund: { of: bet.name, ...atSession(bet) }, as: refund.name, copies: race.size, expect: 'either' }];
      });
    case 'refunds':
      return about(race, builder, isRefundable, (bet) => {
        reverse(race, bet, builder).unusable = true;
        bet.uncertain = true;
        return [{ refund: { of: bet.name, ...atSession(bet) }, times: race.size, expect: 'either' }];
      });
    case 'bet-and-refund':
      return betAndRefund(race, builder);
    case 'overdraft':
      return overdraft(race, builder);
  }
}

/** True if the bet can be refunded and is the only bet of its round. With several bets in a round, other rules apply too. */
function isRefundable(entry: LedgerEntry): boolean {
  return !entry.free && isAlone(entry) && FIT.refund?.(entry) === true;
}

function about(
  race: Race,
  builder: ScenarioBuilder,
  isFit: ((entry: LedgerEntry) => boolean) | undefined,
  steps: (entry: LedgerEntry) => JsonObject[],
): Race | undefined {
  const entry = builder.ledger.choose(race.of, (one) => isFit?.(one) === true && !one.free);
  if (!entry) return undefined;
  builder.step({ together: steps(entry) });
  return { ...race, of: { id: entry.id } };
}

function reverse({ id }: Race, bet: LedgerEntry, builder: ScenarioBuilder): LedgerEntry {
  const { player, round, sum } = bet;
  bet.state = 'reversed';
  round.refunded = true;
  builder.ledger.knownBalance(player).gain(sum);
  return builder.ledger.add({ id, call: 'refund', player, sum, round, of: bet, state: 'accepted', uncertain: true });
}

function bets(race: Race, builder: ScenarioBuilder): Race | undefined {
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
  const { ledger } = builder;
  if (!ledger.knownBalance('main').covers(wanted('main'))) return undefined;
  if (two && (!ledger.knownBalance('other').covers(wanted('other')) || !builder.enter('other'))) return undefined;
  const steps = sums.map((sum, at) => {
    const player = playerOf(at);
    // Later operations refer to a call by the id of its operation. All bets of this race have the same id, so only the first bet
    // gets a name.
    const bet =
      at === 0 ? ledger.add({ id: race.id, call: 'bet', player, sum, round: newRound(), state: 'accepted' }) : null;
    ledger.knownBalance(player).spend(sum);
    return { bet: { amount: amountText(sum), ...atSession({ player }) }, ...(bet && { as: bet.name }) };
  });
  builder.step({ together: steps });
  return race;
}

function wins(race: Race, builder: ScenarioBuilder): Race | undefined {
  const open = builder.ledger.entries.filter(
    (entry) => FIT.win?.(entry) && entry.round.wins === 0 && entry.player === 'main',
  );
  const rounds = [...new Map(open.map((bet) => [bet.round, bet])).values()].slice(-race.size);
  if (rounds.length < 2) return undefined;
  const steps = rounds.map((bet, more) => {
    const sum = { ...race.sum, stakes: race.sum.stakes + more };
    bet.round.wins += 1;
    builder.ledger.knownBalance(bet.player).gain(sum);
    return { win: { round: bet.name, amount: amountText(sum) } };
  });
  builder.step({ together: steps });
  return race;
}

function betCopies(race: Race, builder: ScenarioBuilder): Race | undefined {
  const { id, sum, size } = race;
  const knownBalance = builder.ledger.knownBalance('main');
  if (!knownBalance.covers(sum)) return undefined;
  knownBalance.spend(sum);
  const bet = builder.ledger.add({
    id,
    call: 'bet',
    player: 'main',
    sum,
    round: newRound(),
    state: 'accepted',
    uncertain: true,
  });
  builder.step({ together: [{ bet: { amount: amountText(sum) }, as: bet.name, copies: size, expect: 'either' }] });
  return race;
}

function betAndRefund(race: Race, builder: ScenarioBuilder): Race | undefined {
  const { id, sum } = race;
  const knownBalance = builder.ledger.knownBalance('main');
  if (!knownBalance.covers(sum)) return undefined;
  knownBalance.spend(sum);
  knownBalance.gain(sum);
  const round = newRound();
  round.refunded = true;
  const bet = builder.ledger.add({ id, call: 'bet', player: 'main', sum, round, state: 'reversed', uncertain: true });
  builder.step({
    together: [{ bet: { amount: amountText(sum) }, as: bet.name, expect: 'either' }, { refund: { of: bet.name } }],
  });
  return race;
}

/**
 * Tries to overdraw the wallet with bets at the same instant. First bets the whole balance except three stakes, and wins this
 * amount back at the end. So if the operator allows overdrafts, the negative balance is small and exists only for a short time.
 */
function overdraft(race: Race, builder: ScenarioBuilder): Race | undefined {
  const { ledger } = builder;
  const knownBalance = ledger.knownBalance('main');
  if (knownBalance.uncertain || !knownBalance.covers(OVERDRAFT)) return undefined;
  knownBalance.spend(OVERDRAFT);
  knownBalance.empty();
  const sum = { stakes: 0, units: 0 };
  const max = ledger.add({
    id: race.id,
    call: 'bet',
    player: 'main',
    sum,
    round: newRound(),
    state: 'accepted',
    uncertain: true,
  });
  max.isWholeBalance = true;
  builder.step({ bet: { amount: '${balance - 3 * stake}' }, as: max.name });
  builder.step({ together: [{ bet: { amount: '${2 * stake}' }, times: race.size, expect: 'either' }] });
  return race;
}
