import { type RuleId, ruleById } from '../contract/catalogue.ts';
import type { Behaviour } from '../operator/behaviour.ts';
import { DEFECTS, defectByName } from '../operator/defects.ts';
import { VARIANTS, variantByName } from '../operator/variants.ts';
import { behaviourWith, type Defect, type Scale, type Variant } from '../operator/variation.ts';

/**
 * The kind of operator: correct, a correct variant, with one defect, or with several defects. Operators of the kinds that begin
 * with `load-` are judged by a load test. All others are judged by the suite.
 */
export type TrialKind = 'correct' | 'variant' | 'defect' | 'several' | 'load-variant' | 'load-defect';

/** One operator, and the rules that the judge must report about it. */
export interface Trial {
  /**
   * The name on the command line: `correct`, a variant, a defect, or defects joined by `+`. If a load test judges the operator,
   * its name begins with {@link UNDER_LOAD}.
   */
  readonly name: string;
  readonly kind: TrialKind;
  /**
   * One list of rules for each defect of the operator; empty for a correct operator. The judge must report every rule. If
   * there are several defects, one rule of each list is enough, because a defect can hide a rule of another. In a load test,
   * one rule is enough too, but the report must name the transaction that broke it.
   */
  readonly breaks: readonly (readonly RuleId[])[];
  /** Rules that the judge may report, but need not report. */
  readonly mayBreak: readonly RuleId[];
  /**
   * True if the operator is restarted on its database after a first run. A second run then sends transactions of the
   * first run again.
   */
  readonly restarted: boolean;
  /** True if the run must end as not conforming, with exit status 1. */
  readonly mustFail: boolean;
  /** True if the run may end as undecided, with exit status 3, because a correct operator declines calls that tests need. */
  readonly mayBeUndecided: boolean;
  /** False if the run must not end as conforming, with exit status 0, because the operator leaves MUST rules untested. */
  readonly mayConform: boolean;
  /** True if accounts have a credit line, and the configuration of the run says so. */
  readonly credit?: true | undefined;
  readonly behaviour: (scale: Scale) => Behaviour;
}

/**
 * Pairs of independent defects. The judge must report the rules of both defects, and no other rules. In the first pairs, one
 * defect can hide the other one. The other pairs combine defects of different kinds.
 */
const PAIRS: readonly (readonly [string, string])[] = [
  ['replayed-bet-charged', 'lost-update'],
  ['replayed-win-paid', 'lost-update-on-wins'],
  ['duplicates-race', 'overdraft-race'],
  ['refund-paid-twice', 'refund-half'],
  ['refund-paid-twice', 'replayed-refund-paid'],
  ['refund-half', 'late-bet-taken'],
  ['refund-moves-nothing', 'late-bet-taken'],
  ['refund-moves-nothing', 'replayed-bet-charged'],
  ['refund-unknown-credited', 'late-bet-taken'],
  ['refund-unknown-404', 'refund-needs-round'],
  ['refund-declined-bet-paid', 'insufficient-funds-taken'],
  ['refund-whole-round', 'refunded-bet-charged-again'],
  ['refund-foreign-paid', 'replayed-refund-paid'],
  ['refund-by-round', 'second-win-ignored'],
  ['late-bet-taken', 'shared-wallet'],
  ['replayed-win-paid', 'shared-wallet'],
  ['float-hidden', 'replayed-bet-charged'],
  ['float-shown', 'refund-paid-twice'],
  ['amount-truncated', 'replayed-win-paid'],
  ['amounts-in-cents', 'replayed-bet-charged'],
  ['cents', 'refund-paid-twice'],
  ['bets-in-cents', 'refund-moves-nothing'],
  ['fee-on-wins', 'replayed-bet-charged'],
  ['win-plus-bet', 'replayed-win-paid'],
  ['bet-free-of-charge', 'refund-unknown-credited'],
  ['bet-reply-before-debit', 'replay-current-balance'],
  ['unit-vanishes', 'replayed-refund-paid'],
  ['balance-read-costs', 'replayed-bet-charged'],
  ['win-zero-consoles', 'refund-without-round-400'],
  ['failed-win-returns-bet', 'refused-call-moves-money'],
  ['refused-call-uses-up-tx-id', 'replay-409'],
  ['bet-overdrawn', 'overdraft-race'],
  ['idempotency-forgets', 'replay-other-amount-processed'],
  ['signature-ignored-on-refund', 'refund-paid-twice'],
  ['signature-ignored-on-balance', 'signature-403'],
  ['signature-cached', 'refunded-bet-charged-again'],
  ['all-errors-200', 'refund-unknown-credited'],
  ['slow-win', 'refund-paid-twice'],
  ['fee-on-bets', 'refund-moves-nothing'],
  ['fee-on-bets', 'refund-half'],
  ['bet-charged-twice', 'refund-moves-nothing'],
];

/** A correct operator that is restarted on the same database between two runs. */
const RESTARTED: Variant = {
  name: 'restarted',
  description: 'The operator is restarted between two runs, and keeps its database.',
  change: () => ({}),
};

/** The name of a trial that is judged by a load test begins with this text. */
export const UNDER_LOAD = 'load:';

/**
 * Most of these defects lose or invent money only if calls are processed at the same moment, or if connections break. Each one has
 * the rules that a load test may find broken. Chance decides which calls meet, so the load test must find at least one of them.
 */
const DEFECTS_UNDER_LOAD: Readonly<Record<string, readonly RuleId[]>> = {
  'lost-update': ['concurrency.no-lost-update'],
  'lost-update-on-wins': ['concurrency.no-lost-update'],
  'lock-given-up': ['concurrency.no-lost-update'],
  'amount-parser-shared': ['concurrency.no-lost-update'],
  'formatter-shared': ['concurrency.no-lost-update', 'bet.debit', 'win.credit'],
  'overdraft-race': ['concurrency.no-overdraft'],
  'bet-overdrawn': ['bet.insufficient-funds'],
  'duplicates-race': ['idempotency.concurrent'],
  'replayed-bet-charged': ['idempotency.concurrent', 'idempotency.bet'],
  'replayed-win-paid': ['idempotency.concurrent', 'idempotency.win'],
  'replayed-refund-paid': ['idempotency.concurrent', 'idempotency.refund'],
  'idempotency-forgets': ['idempotency.durable', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
  'calls-at-once-503-booked': ['bet.declined-takes-nothing'],
  'slow-bet-after-refund-taken': ['refund.broken-connection'],
  'abandoned-bet-lands-late': ['refund.broken-connection'],
  'refund-moves-nothing': ['refund.broken-connection'],
};

/** Under load, an operator behind a gateway that fails now and then: some 5 of 100 calls are answered 503. */
const UNRELIABLE = variantByName('gateway-503-now-and-then');

/**
 * All trials of the selftest: correct operators first, then each defect, then pairs of defects. The load tests come last,
 * because they measure times, and the suite needs more of the processor.
 */
export const TRIALS: readonly Trial[] = [
  {
    name: 'correct',
    kind: 'correct',
    breaks: [],
    mayBreak: [],
    restarted: false,
    mustFail: false,
    mayBeUndecided: false,
    mayConform: true,
    behaviour: (scale) => behaviourWith([], scale),
  },
  { ...trialOfVariant(RESTARTED), restarted: true },
  ...VARIANTS.map(trialOfVariant),
  ...DEFECTS.map((defect) => trialOfDefects([defect])),
  ...PAIRS.map((names) => trialOfDefects(names.map(named))),
  ...VARIANTS.map((variant) => trialUnderLoad('load-variant', variant, [], variant.mayWarn)),
  ...Object.entries(DEFECTS_UNDER_LOAD).map(([name, rules]) => trialUnderLoad('load-defect', named(name), [rules])),
];

/** True if a load test judges the operator of the trial. */
export function isUnderLoad({ kind }: Pick<Trial, 'kind'>): boolean {
  return kind === 'load-variant' || kind === 'load-defect';
}

const BY_NAME = new Map(TRIALS.map((trial) => [trial.name, trial]));

/**
 * Finds one of {@link TRIALS} by its name, or creates a trial from several defects joined by `+`. Returns undefined if
 * a name is unknown.
 */
export function trialByName(name: string): Trial | undefined {
  const known = BY_NAME.get(name);
  if (known) return known;
  const names = name.split('+');
  const defects = names.map(defectByName).filter((defect) => defect !== undefined);
  return defects.length === names.length ? trialOfDefects(defects) : undefined;
}

function trialOfVariant(variant: Variant): Trial {
  return {
    name: variant.name,
    kind: 'variant',
    breaks: [],
    mayBreak: variant.mayWarn ?? [],
    restarted: false,
    mustFail: false,
    mayBeUndecided: variant.declines === true,
    mayConform: true,
    credit: variant.credit,
    behaviour: (scale) => behaviourWith([variant], scale),
  };
}

function trialOfDefects(defects: readonly Defect[]): Trial {
  return {
    name: defects.map(({ name }) => name).join('+'),
    kind: defects.length === 1 ? 'defect' : 'several',
    breaks: defects.map(({ breaks }) => breaks),
    mayBreak: defects.flatMap(({ mayBreak }): readonly RuleId[] => mayBreak ?? []),
    restarted: defects.some(({ restarted }) => restarted === true),
    mustFail: defects.some(
      ({ breaks, onlyWarns }) => !onlyWarns && breaks.some((rule) => ruleById(rule).level === 'MUST'),
    ),
    mayBeUndecided: true,
    mayConform: !defects.some(({ leavesUntested }) => leavesUntested),
    behaviour: (scale) => behaviourWith(defects, scale),
  };
}

function trialUnderLoad(
  kind: 'load-variant' | 'load-defect',
  variation: Variant | Defect,
  breaks: Trial['breaks'],
  mayWarn: readonly RuleId[] = [],
): Trial {
  return {
    name: `${UNDER_LOAD}${variation.name}`,
    kind,
    breaks,
    mayBreak: [...mayWarn, ...(UNRELIABLE?.mayWarn ?? [])],
    restarted: false,
    mustFail: kind === 'load-defect',
    mayBeUndecided: 'declines' in variation,
    mayConform: true,
    credit: 'credit' in variation ? variation.credit : undefined,
    behaviour: (scale) => behaviourWith(UNRELIABLE ? [UNRELIABLE, variation] : [variation], scale),
  };
}

function named(name: string): Defect {
  const defect = defectByName(name);
  if (!defect) throw new RangeError(`there is no defect ${name}`);
  return defect;
}
