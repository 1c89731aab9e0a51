import type { CallName } from '../contract/call-name.ts';
import type { RuleId } from '../contract/catalogue.ts';
import type { Money } from '../contract/money.ts';
import type { Tally } from '../journal/event.ts';
import { EXPECTATION, type Finding, graver, type Verdict } from '../journal/finding.ts';
import { readReply } from '../judge/reading.ts';
import type { Wallet } from '../judge/wallet.ts';
import { evaluateMoney } from '../scenario/evaluate.ts';
import type { Plan } from '../scenario/plan.ts';
import { buildRequest } from '../wire/request.ts';
import type { Account, Cashier } from './cashier.ts';
import type { History } from './history.ts';
import { type Halt, Performance } from './performance.ts';
import type { Casting } from './pool.ts';
import type { RunOptions } from './run-options.ts';
import { scopeOf } from './scope.ts';
import type { Sender } from './sender.ts';
import { settle } from './settlement.ts';
import { type Stage, sessionOf, setStage } from './stage.ts';

export interface PlayOptions {
  readonly plan: Plan;
  readonly casting: Casting;
  readonly run: RunOptions;
  readonly sender: Sender;
  readonly cashier: Cashier;
  readonly history: History;
  readonly proven: (rule: string) => boolean;
  readonly report: (finding: Finding) => void;
  /** Whether what the scenario states beyond the rules is a demand of its own. */
  readonly demanding: boolean;
}

/** What became of one attempt at a scenario. */
export interface Played {
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly restored: boolean | null;
  readonly passes: Tally;
  /** Rules that were found broken with nothing else to explain it. */
  readonly broken: readonly RuleId[];
  /** Endpoints that carried out a call with a wrong signature. */
  readonly letIn: readonly CallName[];
  /** Another attempt may decide what this one could not. */
  readonly again: 'stale-connection' | 'connection' | 'no-overlap' | null;
  /** By wallet: the balance that was read last. */
  readonly left: ReadonlyMap<string, Money>;
}

/** Plays one scenario once, from its opening read to the balance being back where it was. */
export async function playScenario(options: PlayOptions): Promise<Played> {
  const findings: Finding[] = [];
  const report = (finding: Finding): void => {
    findings.push(finding);
    options.report(finding);
  };
  const written = await openingBalance(options);
  const stage = setStage({ ...options, report, written });
  const performance = new Performance({ ...options, stage });
  const openings = new Map<Wallet, Money>();
  const opened = await open(stage, performance, options, openings);
  const halt = opened ?? (await performance.steps(stage.plan.steps, true));
  let restored: boolean | null = null;
  if (!opened) {
    await performance.steps(stage.plan.always, false);
    await settle(stage, performance, options.run.uuid);
    await lastLook(stage, performance);
    stage.judge.close();
    restored = await restore(stage, openings, options.cashier);
  } else stage.judge.close();
  leaveClaims(stage, halt, performance.missedRaces > 0);
  const { verdict, reason } = verdictOf(findings, halt, stage, performance.missedRaces > 0);
  return {
    verdict,
    reason,
    restored,
    passes: stage.judge.passes,
    broken: findings.flatMap((finding) => (isBreach(finding) && finding.rule !== EXPECTATION ? [finding.rule] : [])),
    letIn: [...stage.judge.letIn],
    again: performance.stale
      ? 'stale-connection'
      : halt?.connection
        ? 'connection'
        : performance.missedRaces > 0
          ? 'no-overlap'
          : null,
    left: new Map(
      stage.wallets.flatMap(({ wallet }) => {
        const last = stage.judge.reads.lastRead(wallet);
        return last ? [[wallet.id, restored === true ? (openings.get(wallet) ?? last) : last] as const] : [];
      }),
    ),
  };
}

function isBreach({ verdict, causes }: Finding): boolean {
  return (verdict === 'fail' || verdict === 'warn') && causes.length === 0;
}

/** How the operator writes a balance tells the decimals of a currency that isn't configured. */
async function openingBalance({ casting, run, sender, plan }: PlayOptions): Promise<string> {
  const main = sessionOf(casting, 'main');
  if (main.currency !== undefined) return '';
  const { integratorBaseUrl, paths, headers, integrationApiKey } = run.client;
  const request = buildRequest({
    call: 'balance',
    target: { baseUrl: integratorBaseUrl, paths, headers },
    key: integrationApiKey,
    fields: { sessionID: main.sessionID },
  });
  const { outcome } = await sender.send({
    call: 'balance',
    request,
    scenario: plan.id,
    step: null,
    purpose: 'prepare',
  });
  return outcome.kind === 'reply' ? (readReply(outcome.reply).balance.written ?? '') : '';
}

/** Reads every wallet of the story, notes what was found in it, and sees to it that there is enough. */
async function open(
  stage: Stage,
  performance: Performance,
  { cashier }: PlayOptions,
  openings: Map<Wallet, Money>,
): Promise<Halt | null> {
  for (const { alias, wallet } of stage.wallets) {
    const { halt } = await performance.read(alias);
    if (halt) return halt;
    const found = stage.judge.reads.lastRead(wallet);
    if (found) openings.set(wallet, found);
  }
  const wanted = stage.plan.needs.balance;
  const wallet = stage.names.walletOf('main');
  const has = wallet?.certain();
  if (!wanted || !wallet || !has) return null;
  const needed = evaluateMoney(wanted, scopeOf(stage.names, undefined));
  if (has.compare(needed) >= 0) return null;
  const raised = await cashier.bring(accountOf(stage, 'main'), has, needed, 'prepare');
  if (raised) stage.judge.reads.open(wallet, raised);
  return raised && raised.compare(needed) >= 0
    ? null
    : {
        verdict: 'skip',
        reason: `needs a balance of ${needed}; the session has ${has}, and could not be given more`,
        connection: false,
        causes: [],
      };
}

/** Decides what only a last read can decide: effects that were not read yet, and calls that might have landed late. */
async function lastLook(stage: Stage, performance: Performance): Promise<void> {
  const late = stage.wallets.some(({ wallet }) => wallet.obligations.some(({ until }) => until === 'linger'));
  if (late) await performance.linger();
  for (const { alias, wallet } of stage.wallets) {
    const pending =
      wallet.moves.length > 0 ||
      wallet.forks.length > 0 ||
      wallet.openSince !== null ||
      wallet.obligations.some(({ reported }) => !reported);
    if (pending && wallet.known) await performance.read(alias);
  }
}

async function restore(stage: Stage, openings: ReadonlyMap<Wallet, Money>, cashier: Cashier): Promise<boolean | null> {
  let all: boolean | null = null;
  for (const { alias, wallet } of stage.wallets) {
    const from = openings.get(wallet);
    const now = stage.judge.reads.lastRead(wallet);
    if (!from || !now || from.equals(now)) continue;
    // A wallet that books wrongly would only be led further astray.
    const wrong = ['bet.debit', 'win.credit', 'money.main-unit', 'money.exact', 'balance.read-only'].some((rule) =>
      stage.judge.docket.isBroken(rule),
    );
    const uncertain = wallet.forks.some(({ kind }) => kind !== 'either');
    const back = wrong || uncertain ? now : await cashier.bring(accountOf(stage, alias), now, from, 'restore');
    if (back) stage.judge.reads.open(wallet, back);
    all = (all ?? true) && back?.equals(from) === true;
  }
  return all;
}

function accountOf(stage: Stage, alias: string): Account {
  return {
    sessionID: sessionOf(stage.casting, alias).sessionID,
    denomination: stage.names.denomination,
    scenario: stage.plan.id,
  };
}

function leaveClaims(stage: Stage, halt: Halt | null, missed: boolean): void {
  for (const rule of stage.judge.undecidedClaims()) {
    if (halt) stage.judge.docket.leave(rule, halt.verdict, halt.reason, halt.causes);
    else if (missed) stage.judge.docket.leave(rule, 'inconclusive', NO_OVERLAP);
    else stage.judge.docket.leave(rule, 'skip', 'nothing happened that the rule could be judged by');
  }
}

const NO_OVERLAP = 'no two of the calls that were sent at once were in flight together';

function verdictOf(
  findings: readonly Finding[],
  halt: Halt | null,
  stage: Stage,
  missed: boolean,
): { verdict: Verdict; reason: string | null } {
  if (halt?.verdict === 'skip') return { verdict: 'skip', reason: halt.reason };
  const passed = Object.keys(stage.judge.passes).length > 0;
  const claims = new Set<string>([...stage.plan.rules, EXPECTATION]);
  const start: Verdict = passed ? 'pass' : 'skip';
  // A skip of one rule beside what was decided doesn't make a skipped scenario.
  const gravest = findings
    .filter(({ verdict, rule }) => verdict !== 'skip' && (claims.has(rule) || verdict === 'fail'))
    .reduce<Verdict>((worst, { verdict }) => graver(worst, verdict), start);
  const skipped = findings.find(({ verdict, rule }) => verdict === 'skip' && claims.has(rule));
  if (halt) return { verdict: graver(gravest, 'inconclusive'), reason: halt.reason };
  if (missed) return { verdict: graver(gravest, 'inconclusive'), reason: NO_OVERLAP };
  const decided = stage.plan.rules.some((rule) => stage.judge.docket.hasDecided(rule)) || stage.plan.rules.length === 0;
  if (!decided && gravest === 'pass') return { verdict: 'skip', reason: skipped?.actual ?? null };
  return { verdict: gravest, reason: null };
}
