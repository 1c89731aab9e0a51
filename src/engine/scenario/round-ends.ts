import type { Wallet } from '../../judge/wallet/wallet.ts';
import { readReply } from '../../reply/read.ts';
import type { CallStep } from '../../scenario/plan/plan.ts';
import type { Account, BalanceAdjuster } from '../balances/balance-adjuster.ts';
import type { CompletedRound } from '../balances/known-balances.ts';
import type { OpenRound } from '../open-rounds.ts';
import { type ScenarioContext, sessionOf } from '../scenario-context.ts';

/**
 * Completes the open rounds of a wallet with wins of 0, as the service does at the end of each lost round.
 *
 * @param except a round that the caller completes itself
 * @returns `fits`: false if a reply had a balance that differs from the last read; `completed`: the wins whose reply had the
 * balance of the last read; `isAnyEnded`: true if a win was sent
 */
export async function endRounds(
  context: ScenarioContext,
  adjuster: BalanceAdjuster,
  wallet: Wallet,
  except?: OpenRound,
): Promise<{ readonly fits: boolean; readonly completed: readonly CompletedRound[]; readonly isAnyEnded: boolean }> {
  const completed: CompletedRound[] = [];
  const rounds = roundsOf(context, wallet).filter((round) => round !== except);
  const last = context.judge.reads.lastRead(wallet);
  const end = async (round: OpenRound): Promise<boolean> => {
    const exchange = await adjuster.endRound(accountOf(context, round.alias), round, 'restore');
    if (!exchange) return true;
    context.openRounds.remove(round);
    const said = exchange.outcome.kind === 'reply' ? readReply(exchange.outcome.reply).balance.money : undefined;
    if (!said || !last) return true;
    const isSame = said.equals(last);
    if (isSame) completed.push({ step: winOfRound(round), exchange });
    return isSame;
  };
  // Rounds that began at the same instant are also completed at the same instant. A race has many rounds, so it would take too long
  // to complete them one after another.
  const fits = await Promise.all(rounds.filter(({ group }) => group !== null).map(end));
  // A busy operator may decline some wins if they come at the same instant. These wins are sent again, one after another.
  for (const round of roundsOf(context, wallet)) {
    if (!rounds.includes(round)) continue;
    fits.push(await end(round));
    context.openRounds.remove(round);
  }
  return { fits: fits.every(Boolean), completed, isAnyEnded: rounds.length > 0 };
}

/** Returns an open round of a wallet that can be completed with a win of more than 0. Undefined if there is none. */
export function roundToPay(context: ScenarioContext, wallet: Wallet): OpenRound | undefined {
  return roundsOf(context, wallet).findLast(({ type }) => type === 'regular');
}

/** Returns the open rounds that the service would complete. */
function roundsOf({ openRounds, names, plan }: ScenarioContext, wallet: Wallet): readonly OpenRound[] {
  if (plan.rounds === 'unfinished') return [];
  return openRounds.all().filter(({ alias }) => names.walletOf(alias) === wallet);
}

/**
 * Returns a step that completes a round with a win of 0. The scenario does not contain this step: croupier adds it between the
 * steps of the scenario.
 */
export function winOfRound({ alias, bet, roundID, type }: OpenRound): CallStep {
  return {
    kind: 'call',
    key: `settle.${bet.key}`,
    place: bet.place,
    call: 'win',
    session: alias,
    origin: { kind: 'fresh' },
    fields: [],
    txID: null,
    roundID,
    winOf: bet.key,
    type,
    campaign: type === 'free',
    deviations: {},
    expect: { outcome: 'accepted', stated: false },
  };
}

/** Returns the account with which croupier changes the balance of a session. */
export function accountOf(context: ScenarioContext, alias: string): Account {
  return {
    sessionID: sessionOf(context.assignment, alias).sessionID,
    denomination: context.denominations.get(alias) ?? context.names.denomination,
    scenario: context.plan.id,
  };
}
