import type { RuleId } from '../../../src/contract/catalogue.ts';
import type { Money } from '../../../src/contract/money.ts';
import { gatherCalls } from '../../../src/traffic/read/gather.ts';
import { logForm } from '../../../src/traffic/read/logs/log-form.ts';
import { unreadClauses } from '../../../src/traffic/read/unread.ts';
import { buildTimeline, type IncidentTimeline } from '../../../src/traffic/timeline/timeline.ts';
import { isDecided, type WalletVerdict } from '../../../src/traffic/timeline/verdict.ts';
import type { LogFile } from './damage.ts';
import type { Simulation, Truth } from './simulation.ts';

/** Reads log files as `croupier incident` does. */
export async function timelineOf(files: readonly LogFile[]): Promise<IncidentTimeline> {
  const sources = files.map(({ side, text }) => ({
    file: `${side}.log`,
    side,
    form: logForm(),
    open: () => chunks(text),
  }));
  const gathered = await gatherCalls(sources, {}, new Map(), new Map());
  return buildTimeline(gathered.calls, {}, new Map(), undefined, { unread: unreadClauses(gathered), judgements: [] });
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(text));
}

function cents(money: Money | null): number | null {
  return money === null ? null : Number(money.shift(2).toString());
}

/** Returns each claim of a timeline that is not true of the simulation. An empty list: every claim is true. */
export function falseClaims(
  timeline: IncidentTimeline,
  { truths, defect }: Simulation,
  { undamaged, isShortened }: { readonly undamaged: IncidentTimeline; readonly isShortened: boolean },
): readonly string[] {
  const broken = new Set(undamaged.breaches.map(({ rule }) => rule));
  // Without its bet, a refund that was not answered 200 breaks the rule about unknown bets.
  if (broken.has('refund.restore')) broken.add('refund.unknown');
  for (const { rules } of truths) for (const rule of rules) broken.add(rule as RuleId);
  const found: string[] = timeline.breaches.flatMap(({ rule, verdict }) =>
    verdict === 'fail' && !broken.has(rule) ? [`breaks ${rule}`] : [],
  );
  // The operator's log can't show a call that did not reach the operator, or whose reply was lost.
  const isOfService = timeline.calls.some(({ seen }) => seen.exchange.side === 'service');
  const isWell = truths.every(
    ({ booked, should, pending }) => booked === should && (pending.size === 0 || !isOfService),
  );
  // Lines that are not in the log may be those that show the defect.
  const isWholeTruth = !isShortened || defect === null;
  if (isWholeTruth && timeline.status === 0 && !isWell)
    found.push('all-clear, but money is missing or a call is pending');
  for (const wallet of timeline.wallets) {
    const truth = truths.find(
      ({ player }) => wallet.player === `p${player}` || wallet.sessions.includes(`s-${player}`),
    );
    found.push(...(truth ? walletClaims(wallet, truth, isWholeTruth) : claimsOfNobody(wallet)));
  }
  return found;
}

function walletClaims(verdict: WalletVerdict, truth: Truth, isWholeTruth: boolean): readonly string[] {
  const { should, booked, difference, debts, unknowns, serviceFaults } = verdict;
  // The service of a simulation makes no mistake.
  const found = isDecided(verdict) ? serviceFaults.map(({ text }) => `p${truth.player}: ${text}`) : [];
  const compare = (name: string, claimed: number | null, real: number): void => {
    if (isWholeTruth && claimed !== null && claimed !== real)
      found.push(`p${truth.player}: ${name} is ${real}, not ${claimed}`);
  };
  // If a round has no win in the logs, the sums are those of the calls so far.
  if (unknowns.length === 0) compare('should', cents(should), truth.should);
  compare('booked', cents(booked), truth.booked);
  if (unknowns.length === 0) compare('difference', cents(difference), truth.booked - truth.should);
  for (const { kind, transaction, deviation, owedBy } of debts) {
    if (owedBy !== 'operator' && owedBy !== 'player') continue;
    const name = `p${truth.player}: ${kind} of ${transaction?.key ?? 'nothing'} owed by ${owedBy}`;
    if (kind === 'misbooked') {
      const explanations = deviation === null ? [] : [deviation.causes, ...deviation.otherCauses];
      const isTrue = explanations.some((causes) => causes.every(({ rule }) => rule !== null && truth.rules.has(rule)));
      if (!isTrue)
        found.push(`${name} (${explanations.map((causes) => causes.map(({ rule }) => rule).join('+')).join(' or ')})`);
    } else if (!truth.pending.has(transaction?.txID ?? '')) found.push(name);
  }
  return found;
}

function claimsOfNobody({ wallet, difference, debts, booked }: WalletVerdict): readonly string[] {
  const claims = [
    difference !== null && 'a difference',
    booked !== null && 'a balance',
    debts.some(({ owedBy }) => owedBy === 'operator' || owedBy === 'player') && 'a debt',
  ];
  return claims.flatMap((claim) => (claim === false ? [] : [`${claim} of the unknown wallet ${wallet ?? 'null'}`]));
}
