import { currencyByCode } from '../contract/currencies.ts';
import type { Finding } from '../journal/finding.ts';
import { Judge } from '../judge/judge.ts';
import type { Lateness } from '../judge/lateness.ts';
import type { RightUnit } from '../judge/right-unit.ts';
import { Story } from '../judge/story.ts';
import { Wallet } from '../judge/wallet.ts';
import type { CallStep, Plan, Step } from '../scenario/plan.ts';
import type { Account } from './cashier.ts';
import type { EarlierRun } from './earlier-run.ts';
import { type Casting, walletIdOf } from './pool.ts';
import { readStep } from './read-step.ts';
import type { RunOptions, SessionUnderTest } from './run-options.ts';
import type { Names } from './scope.ts';
import { type Denomination, denominationOf } from './stakes.ts';

/** A scenario with its players: who plays whom, whose wallet is whose, what the names mean. */
export interface Stage {
  readonly plan: Plan;
  readonly casting: Casting;
  readonly judge: Judge;
  readonly lateness: Lateness;
  readonly names: Names;
  readonly wallets: readonly { readonly alias: string; readonly wallet: Wallet }[];
  /** By alias: sessions may be in other currencies than the main one, whose stakes the story is told in. */
  readonly denominations: ReadonlyMap<string, Denomination>;
  /** The step of a read that croupier makes by itself. */
  readStep(alias: string, key: string): CallStep;
}

/** Whose story is told to whom, and who is told of what is found. */
export interface StoryOptions {
  readonly plan: Plan;
  readonly casting: Casting;
  readonly run: RunOptions;
  readonly proven: (rule: string) => boolean;
  readonly report: (finding: Finding) => void;
  /** What the run has seen of effects that show late. */
  readonly lateness: Lateness;
  /** What the run has seen to be in the right unit. */
  readonly rightUnit: RightUnit;
  /** Whether what the scenario states beyond the rules is a demand of its own. */
  readonly demanding: boolean;
  /** True when the same was seen in an earlier attempt at the scenario. Left out: there was none. */
  readonly seenBefore?: (what: string) => boolean;
}

export interface StageOptions extends StoryOptions {
  /** undefined: no journal was given. */
  readonly earlier: EarlierRun | undefined;
  /** A balance of the main session, as the operator wrote it. */
  readonly written: string;
  /** True when the step failed in every attempt at the scenario, so that it is no accident. */
  readonly isLasting: (step: string) => boolean;
  /** By id: those of earlier tellings of the story, to which the new ones are added. */
  readonly wallets: Map<string, Wallet>;
}

/** Sets a scenario up. */
export function setStage(options: StageOptions): Stage {
  const { plan, casting, run, proven, report, demanding, written, wallets, isLasting, earlier, lateness } = options;
  const main = sessionOf(casting, 'main');
  const byAlias = new Map<string, Wallet>();
  const denominations = new Map<string, Denomination>();
  for (const [alias, session] of casting) {
    const id = walletIdOf(session);
    const denomination = denominationOf(session.currency, run.stakes, alias === 'main' ? written : '');
    denominations.set(alias, denomination);
    const wallet = wallets.get(id) ?? new Wallet(id, denomination.unit);
    wallets.set(id, wallet);
    byAlias.set(alias, wallet);
  }
  const story = new Story(plan);
  const judge = new Judge(story, {
    strict: run.strict,
    contract: run.client.contract,
    demanding,
    isLasting,
    seenBefore: options.seenBefore ?? (() => false),
    deadlineMs: run.deadlineMs,
    campaignKnown: run.campaign !== null,
    walletOf: (alias) => byAlias.get(alias) ?? null,
    wallets: [...wallets.values()],
    currencyOf: (alias) => {
      const code = casting.get(alias)?.currency;
      return code === undefined ? undefined : currencyByCode(code);
    },
    proven,
    lateness,
    rightUnit: options.rightUnit,
    report,
  });
  const unknownSession = run.uuid();
  const names: Names = {
    judge,
    steps: namedSteps([...plan.steps, ...plan.always]),
    denomination: denominationOf(main.currency, run.stakes, written),
    campaign: run.campaign ?? `croupier-${run.uuid()}`,
    sessionID: (alias) => (alias === 'unknown' ? unknownSession : casting.get(alias)?.sessionID),
    walletOf: (alias) => byAlias.get(alias) ?? null,
    drift: undefined,
    begun: earlier?.begun(main.sessionID),
  };
  return {
    plan,
    casting,
    judge,
    lateness,
    names,
    denominations,
    wallets: [...new Map([...byAlias].map(([alias, wallet]) => [wallet, alias])).entries()].map(([wallet, alias]) => ({
      alias,
      wallet,
    })),
    readStep: (alias, key) => readStep(plan.place, alias, key),
  };
}

export function sessionOf(casting: Casting, alias: string): SessionUnderTest {
  const session = casting.get(alias);
  if (!session) throw new RangeError(`no session plays ${JSON.stringify(alias)}`);
  return session;
}

export function accountOf(stage: Stage, alias: string): Account {
  return {
    sessionID: sessionOf(stage.casting, alias).sessionID,
    denomination: stage.denominations.get(alias) ?? stage.names.denomination,
    scenario: stage.plan.id,
  };
}

function namedSteps(steps: readonly Step[]): Map<string, CallStep> {
  const named = new Map<string, CallStep>();
  for (const step of steps) {
    const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
    for (const call of calls) if (call.name !== undefined && !named.has(call.name)) named.set(call.name, call);
  }
  return named;
}
