import type { Money } from '../../../src/contract/money.ts';
import type { IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { isDecided, type WalletVerdict } from '../../../src/traffic/timeline/verdict.ts';
import type { MixedIncident, MixedTruth } from './mixed-simulation.ts';

/** Facts about the logs of a simulation. */
interface LogFacts {
  /** The result for the same logs without damage. */
  readonly undamaged: IncidentTimeline;
  /** True if lines are missing without a trace. */
  readonly isShortened: boolean;
  /** True if the end of a file is missing. */
  readonly isCut: boolean;
}

/** Returns each claim of a timeline that is not true of the simulation. An empty list: every claim is true. */
export function falseMixedClaims(
  timeline: IncidentTimeline,
  simulation: MixedIncident,
  facts: LogFacts,
): readonly string[] {
  const { truths, defect } = simulation;
  const broken = new Set<string>(facts.undamaged.breaches.map(({ rule }) => rule));
  // Without its bet, a refund that was not answered 200 breaks the rule about unknown bets.
  if (broken.has('refund.restore')) broken.add('refund.unknown');
  for (const { rules, replyRules } of truths) for (const rule of [...rules, ...replyRules]) broken.add(rule);
  const found = timeline.breaches.flatMap(({ rule, verdict }) =>
    verdict === 'fail' && !broken.has(rule) ? [`breaks ${rule}`] : [],
  );
  const isOfService = timeline.calls.some(({ seen }) => seen.exchange.side === 'service');
  // Lines that are not in the log may be those that show the defect.
  const isWholeTruth = !facts.isShortened || defect === null;
  const isWell = truths.every(
    ({ booked, should, pending }) => (should === null || booked === should) && (pending.size === 0 || !isOfService),
  );
  if (timeline.status === 0 && isWholeTruth && !isWell)
    found.push('all-clear, but money is missing or a call is pending');
  if (timeline.status === 0 && isOfService && !facts.isShortened && truths.some(({ isFaulty }) => isFaulty))
    found.push('all-clear, but the service made a mistake');
  for (const wallet of timeline.wallets) {
    const truth = truthOf(wallet, truths);
    if (truth) found.push(...walletClaims(wallet, truth, { ...facts, isOfService, isWholeTruth }));
    else if (hasClaims(wallet)) found.push(`a claim about the unknown wallet ${wallet.wallet ?? 'null'}`);
  }
  return found;
}

/** Returns the wallet of the simulation that a verdict is about. Returns undefined if the verdict is about none or several of them. */
function truthOf({ player, currency, sessions }: WalletVerdict, truths: readonly MixedTruth[]): MixedTruth | undefined {
  const [truth, ...others] = truths.filter(
    ({ wallet }) =>
      (currency === null || currency === wallet.currency) &&
      (player === null
        ? sessions.some((session) => wallet.sessions.includes(session))
        : player === `p${wallet.player}`),
  );
  return others.length === 0 ? truth : undefined;
}

function hasClaims({ difference, debts, booked }: WalletVerdict): boolean {
  return difference !== null || booked !== null || debts.some(isOfMoney);
}

function isOfMoney({ owedBy }: WalletVerdict['debts'][number]): boolean {
  return owedBy === 'operator' || owedBy === 'player';
}

function walletClaims(
  verdict: WalletVerdict,
  truth: MixedTruth,
  { isCut, isOfService, isWholeTruth }: LogFacts & { readonly isOfService: boolean; readonly isWholeTruth: boolean },
): readonly string[] {
  const name = `p${truth.wallet.player} ${truth.wallet.currency}`;
  const { decimals } = truth.wallet;
  const units = (money: Money | null): number | null =>
    money === null ? null : Number(money.shift(decimals).toString());
  const found: string[] = [];
  const compare = (what: string, claimed: Money | null, real: number): void => {
    if (claimed !== null && units(claimed) !== real) found.push(`${name}: ${what} is ${real}, not ${units(claimed)}`);
  };
  if (isDecided(verdict) && !truth.isFaulty)
    for (const { text } of verdict.serviceFaults) found.push(`${name}: ${text}`);
  // The operator's log does not show a call that did not reach the operator.
  const isWhole = isDecided(verdict) && isWholeTruth && (isOfService || truth.pending.size === 0);
  if (isWhole && truth.should !== null) {
    compare('should', verdict.should, truth.should);
    compare('difference', verdict.difference, truth.booked - truth.should);
  }
  if (isWhole && truth.should === null && verdict.should !== null && isOfService)
    found.push(`${name}: should is claimed, but the service made a mistake`);
  if (!isCut && isWholeTruth) compare('booked', verdict.booked, truth.booked);
  for (const debt of verdict.debts.filter(isOfMoney)) {
    const { kind, transaction, deviation, owedBy } = debt;
    const text = `${name}: ${kind} of ${transaction?.key ?? 'nothing'} owed by ${owedBy}`;
    if (kind !== 'misbooked') {
      if (!truth.pending.has(transaction?.txID?.toLowerCase() ?? '')) found.push(text);
      continue;
    }
    const explanations = deviation === null ? [] : [deviation.causes, ...deviation.otherCauses];
    const isTrue = explanations.some((causes) => causes.every(({ rule }) => rule !== null && truth.rules.has(rule)));
    if (!isTrue)
      found.push(`${text} (${explanations.map((causes) => causes.map(({ rule }) => rule).join('+')).join(' or ')})`);
  }
  return found;
}
