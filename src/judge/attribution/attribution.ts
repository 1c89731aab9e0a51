import type { CallName } from '../../contract/call-name.ts';
import { type RuleId, ruleById } from '../../contract/catalogue.ts';
import type { Attributed, Tally } from '../../journal/event.ts';
import { EXPECTATION, type Finding } from '../../journal/finding.ts';
import type { Fold } from '../../journal/fold.ts';
import { absoluteMoney, type WrongSum } from '../../journal/money-sums.ts';
import { isOfSeveral, OF_CALLS } from '../../journal/results/explained-sums.ts';
import { needsMovedMoney } from '../../journal/second-effect.ts';
import { OF_EVERY_CALL, SYSTEMATIC } from './wrong-balance.ts';

/**
 * Rules that croupier cannot judge on an endpoint that accepts wrong signatures, because such an endpoint may accept every call.
 */
const SPECIAL_SIGNATURE_RULES: readonly RuleId[] = [
  'signature.missing',
  'signature.tampered-body',
  'signature.tampered-query',
  'signature.client-key',
  'signature.accepted',
  'signature.raw-body',
  'signature.raw-body-escapes',
  'signature.query-canonical',
  'signature.query-unicode',
  'signature.header-case',
];

/** One player or one session. A fault of the operator may concern only the calls of this player, or in this session. */
interface Scope {
  readonly kind: 'player' | 'session';
  readonly name: string;
}

function scopesOf({ players, sessionIDs }: Pick<RuleBreach, 'players' | 'sessionIDs'>): readonly Scope[] {
  return [
    ...players.map((name) => ({ kind: 'player', name }) as const),
    ...sessionIDs.map((name) => ({ kind: 'session', name }) as const),
  ];
}

function isOf(breach: RuleBreach, { kind, name }: Scope): boolean {
  return (kind === 'player' ? breach.players : breach.sessionIDs).includes(name);
}

/** Maximum number of breaches that are compared with each other. */
const MAX_BREACHES = 5000;

/** A rule is broken about as often as it is kept if it is kept at most this many times for each breach. */
const ABOUT_AS_OFTEN = 1.25;
/**
 * The number of failures of a rule that nobody takes for a single event. If none of them occurred again, the operator breaks the rule
 * now and then.
 */
const SURELY_NOT_BY_CHANCE = 3;

/** After this number of passes, a player's calls of a kind count as right. */
const MIN_KEPT = 3;

/** @param of the kind and the name of a player or of a session */
function keyOf(rule: string, { kind, name }: Scope): string {
  return `${rule} ${kind} ${name}`;
}

/** True if two wrong sums are the same, or the same part of the amounts of their calls. */
function isSameError(one: WrongSum, other: WrongSum): boolean {
  const [sum, otherSum] = [absoluteMoney(one.amount), absoluteMoney(other.amount)];
  if (!sum || !otherSum) return false;
  const [of, ofOther] = [one, other].map(({ moved, movedOneWay }) => absoluteMoney(movedOneWay ?? moved ?? ''));
  return sum.equals(otherSum) || (of && ofOther ? sum.times(ofOther).equals(otherSum.times(of)) : false);
}

/** A finding that is kept until the end of the run, because another finding may explain this finding. */
interface RuleBreach {
  /** True if the breach can explain a fail. This is so if the breach is itself a fail, or a warning about money. */
  readonly fails: boolean;
  readonly players: readonly string[];
  readonly walletIDs: readonly string[];
  /** The ids of the sessions that the scenario used. */
  readonly sessionIDs: readonly string[];
  readonly alone: boolean;
  readonly unaware: boolean;
  /** True if the breach took money from the player that did not arrive late either. */
  readonly lacksMoney: boolean;
  readonly wrongSum: WrongSum | undefined;
  readonly scenario: string;
  readonly rule: RuleId;
  readonly endpoint: CallName | null;
  readonly causes: readonly RuleId[];
  /** The rules that explain this breach only if their own breach moved money. */
  readonly causesWithMoney: readonly RuleId[];
  /** True if the replies to calls show the wrong sum, so that stale reads do not explain it. */
  readonly shownByReplies: boolean;
  /** True if croupier repeated the scenario, and the breach did not occur again. */
  readonly unrepeated: boolean;
}

/** The rule that the operator breaks with its stale reads, and whether enough stale reads were seen to be sure. */
interface StaleReadRule {
  readonly rule: RuleId | undefined;
  readonly isSure: boolean;
  /** True if an old balance was right when it was read again a little later. */
  readonly hasCaughtUp: boolean;
  /** Returns true if the stale reads concern other wallets only. */
  isOnlyOfOthers(walletIDs: readonly string[]): boolean;
  /** Returns true if the replies have proven that the reads of the wallet are old. */
  areReadsOld(walletID: string): boolean;
}

const NO_STALE_READS: StaleReadRule = {
  rule: undefined,
  isSure: false,
  hasCaughtUp: false,
  isOnlyOfOthers: () => false,
  areReadsOld: () => false,
};

/** Facts about a scenario that decide how its findings can be explained. */
export interface ScenarioFacts {
  readonly passes?: Tally;
  /** The rules whose breach made a balance wrong. */
  readonly moved?: readonly RuleId[];
  /** The rules whose breach took money from the player that did not arrive late either. */
  readonly lackingMoney?: readonly RuleId[];
  /**
   * True if croupier knew of no stale read when the scenario began. In such a scenario, croupier did not wait before a read until
   * the operator showed the current balance.
   */
  readonly unaware?: boolean;
  /** True if no other player was active during this scenario, neither in this scenario nor in another scenario. */
  readonly alone?: boolean;
  /** The players who took part in the scenario. Left out if they are not known. */
  readonly players?: readonly string[];
  /** The ids of the wallets that the scenario used. Left out if they are not known. */
  readonly walletIDs?: readonly string[];
  /** The ids of the sessions that the scenario used. Left out if they are not known. */
  readonly sessionIDs?: readonly string[];
}

/** The rules that croupier can judge only if nothing changes the balance after it was read. */
const OF_UNCHANGED_BALANCE: readonly RuleId[] = [
  'bet.insufficient-funds',
  'concurrency.no-overdraft',
  'balance.read-only',
];

/**
 * Decides which findings of a run explain other findings. If a scenario has proven a breach, this breach is the simplest
 * explanation of all other findings that the breach can cause.
 */
export class Attribution {
  readonly #failing = new Set<RuleId>();
  readonly #letIn = new Set<CallName>();
  readonly #breaches: RuleBreach[] = [];
  readonly #moved = new Set<RuleId>();
  readonly #passes = new Map<string, number>();
  /** The number of passes in the scenarios of a player or of a session. The key is made by `keyOf`. */
  readonly #passesOf = new Map<string, number>();
  readonly #staleReads: StaleReadRule;
  /** The rules for which `isProven` returns true. undefined until they are needed for the first time. */
  #proven: ReadonlySet<string> | undefined;
  #alsoWarned: ReadonlySet<RuleId> | undefined;

  /** @param staleReads the stale reads that the run has seen; left out means none */
  constructor(staleReads = NO_STALE_READS) {
    this.#staleReads = staleReads;
  }

  /**
   * Adds the findings of one scenario. If a scenario was played several times, only the attempt that counts is added.
   *
   * @param letIn the endpoints that carried out a call with a wrong signature
   */
  add(
    scenario: string,
    findings: readonly Finding[],
    letIn: readonly CallName[] = [],
    shown: ScenarioFacts = {},
  ): void {
    for (const endpoint of letIn) this.#letIn.add(endpoint);
    this.#proven = undefined;
    this.#alsoWarned = undefined;
    for (const rule of shown.moved ?? []) this.#moved.add(rule);
    const { players = [], walletIDs = [], sessionIDs = [] } = shown;
    for (const [rule, counts] of Object.entries(shown.passes ?? {})) {
      const passes = Object.values(counts).reduce((sum, one) => sum + one, 0);
      this.#passes.set(rule, (this.#passes.get(rule) ?? 0) + passes);
      // A pass of a scenario with several sessions does not say in which session the operator kept the rule.
      const own = { players, sessionIDs: sessionIDs.length === 1 ? sessionIDs : [] };
      for (const key of scopesOf(own).map((scope) => keyOf(rule, scope)))
        this.#passesOf.set(key, (this.#passesOf.get(key) ?? 0) + passes);
    }
    for (const finding of findings) {
      const { rule, verdict, endpoint, causes } = finding;
      if (rule === EXPECTATION || (verdict !== 'fail' && verdict !== 'warn')) continue;
      const fails = verdict === 'fail' || isWarningAboutMoney(rule);
      if (fails) this.#failing.add(rule);
      if (this.#breaches.length < MAX_BREACHES)
        this.#breaches.push({
          scenario,
          rule,
          endpoint,
          causes,
          causesWithMoney: causes.filter((cause) => needsMovedMoney(cause, finding)),
          fails,
          players,
          walletIDs,
          sessionIDs,
          wrongSum: finding.wrongSum,
          shownByReplies: finding.shownByReplies === true,
          unrepeated: finding.unrepeated === true,
          alone: shown.alone === true,
          unaware: shown.unaware === true,
          lacksMoney: shown.lackingMoney?.includes(rule) === true,
        });
    }
  }

  /**
   * Returns true if the rule belongs to the smallest set of broken rules that explains all findings. The set contains each rule
   * whose breach no other failing rule explains. If several rules explain each other, the set contains the one that explains the
   * most findings.
   */
  isProven(rule: string): boolean {
    this.#proven ??= this.#fewest();
    return this.#proven.has(rule);
  }

  /** Returns true if the rule was broken in the run, even if the breach of another rule explains this. */
  hasFailed(rule: string): boolean {
    return this.#breaches.some((one) => one.fails && one.rule === rule);
  }

  /** Returns each finding that a breach of another rule explains, together with this other rule. */
  conclude(): Attributed[] {
    return [...this.#explained(), ...this.#signatureRules()];
  }

  #fewest(): ReadonlySet<string> {
    const fails = this.#breaches.filter(({ fails }) => fails);
    const isOpen = (one: RuleBreach): boolean => this.#causesOf(one).length > 0;
    const late = this.#lateRule;
    const proven = new Set<string>([
      ...(late ? [late] : []),
      ...fails.filter((one) => !isOpen(one)).map(({ rule }) => rule),
    ]);
    let rest = fails.filter(isOpen);
    for (;;) {
      rest = rest.filter((one) => !proven.has(one.rule) && !this.#causesOf(one).some((cause) => proven.has(cause)));
      const next = this.#mostCommon(rest);
      if (next === undefined) return proven;
      proven.add(next);
    }
  }

  /** The broken SHOULD rules whose breach no other broken rule explains. They can explain other warnings. */
  get #warned(): ReadonlySet<RuleId> {
    this.#alsoWarned ??= new Set(this.#ownWarnings());
    return this.#alsoWarned;
  }

  #ownWarnings(): RuleId[] {
    const warnings = this.#breaches.filter(({ fails, rule }) => !fails && ruleById(rule).level === 'SHOULD');
    const broken = new Set<RuleId>([...this.#failing, ...warnings.map(({ rule }) => rule)]);
    return warnings.filter(({ causes }) => !causes.some((cause) => broken.has(cause))).map(({ rule }) => rule);
  }

  /**
   * The rule that the operator breaks with its stale reads, if this rule fails. undefined if croupier has seen too few stale reads
   * to be sure.
   */
  get #lateRule(): RuleId | undefined {
    const { rule, isSure } = this.#staleReads;
    return isSure && rule && this.#failing.has(rule) ? rule : undefined;
  }

  /**
   * True if a refund was wrong by the same sum or by the same part as a bet that took a wrong sum. Such a refund gave back what its bet
   * had taken.
   */
  #isOfWrongBet(wrongSum: WrongSum | undefined): boolean {
    if (wrongSum === undefined) return true;
    return this.#breaches.some(
      (one) => one.rule === 'bet.debit' && one.wrongSum !== undefined && isSameError(one.wrongSum, wrongSum),
    );
  }

  /**
   * True if the body of a reply to a new call was no JSON. If only replies to repeated calls are no JSON, the operator repeats its first
   * replies wrongly.
   */
  get #hasUnreadableFirstReply(): boolean {
    return this.#breaches.some(({ rule, causes }) => rule === 'reply.json' && causes.length === 0);
  }

  /** Returns the failing rules that would explain a breach. */
  #causesOf(breach: RuleBreach): RuleId[] {
    const { rule, endpoint, causes, causesWithMoney, walletIDs, alone, unaware, fails, wrongSum } = breach;
    const failing = causes.filter(
      (cause) =>
        (this.#failing.has(cause) || (!fails && this.#warned.has(cause))) &&
        (breach.unrepeated || !this.#isSeenOnce(cause, breach.scenario)) &&
        (!this.#isIntermittent(cause) || scopesOf(breach).some((scope) => this.#isUsualFor(scope, cause))) &&
        (!causesWithMoney.includes(cause) || this.#moved.has(cause)) &&
        !this.#isOfOtherPlayers(cause, breach) &&
        !(rule === 'refund.restore' && cause === 'bet.debit' && !this.#isOfWrongBet(wrongSum)) &&
        !(alone && cause === 'session.isolated') &&
        !(cause === 'reply.json' && isAboutRepeats(rule) && !this.#hasUnreadableFirstReply) &&
        !(rule === 'signature.mismatch' && cause === 'signature.accepted' && !this.#refusesRight(endpoint)),
    );
    // A read that did not wait may show an old balance. Then a wrong balance proves only that the operator shows old balances.
    const late = this.#lateRule;
    const isOfRead = !breach.shownByReplies && (rule === 'session.isolated' || causes.includes('session.isolated'));
    // Wins and refunds that are paid late make a balance too high. A balance that stays too low lacks other money.
    const isOfOtherMoney = breach.lacksMoney && (late === 'win.credit' || late === 'refund.restore');
    // If money arrives late, it may arrive between any two reads, or between a read and the bets after it.
    const isOfMoment = this.#staleReads.hasCaughtUp && OF_UNCHANGED_BALANCE.includes(rule) && !breach.shownByReplies;
    const isLate =
      ((unaware && isOfRead && !isOfOtherMoney) || isOfMoment) &&
      rule !== late &&
      !this.#staleReads.isOnlyOfOthers(walletIDs);
    return late && isLate ? [late, ...failing] : failing;
  }

  /**
   * The rule about old reads, if the replies have proven another breach of the rule, and only old reads show this breach. Otherwise
   * undefined.
   */
  #lateCauseOf(breach: RuleBreach): RuleId | undefined {
    const late = this.#lateRule;
    const ofRule = this.#breaches.filter(({ rule }) => rule === breach.rule);
    const isShownElsewhere = ofRule.some((one) => one.shownByReplies);
    const isShownHere = ofRule.some((one) => one.shownByReplies && one.scenario === breach.scenario);
    if (late === undefined || !isShownElsewhere || isShownHere || breach.rule === late) return undefined;
    return breach.walletIDs.some((id) => this.#staleReads.areReadsOld(id)) ? late : undefined;
  }

  /**
   * True if croupier saw the wrong balances of a rule only in one or two other scenarios, and not again when it repeated them. Then the
   * rule explains no failure that occurs again. A repeated call that is declined shows no wrong balance.
   */
  #isSeenOnce(rule: RuleId, scenario: string): boolean {
    const fails = this.#breaches.filter((one) => one.fails && one.rule === rule);
    const isOfBalance = (one: RuleBreach): boolean => one.wrongSum !== undefined || rule.startsWith('money.');
    const isSeen = fails.length > 0 && fails.length < SURELY_NOT_BY_CHANCE;
    return isSeen && fails.every((one) => one.unrepeated && isOfBalance(one) && one.scenario !== scenario);
  }

  /**
   * True if only calls of other players break a rule about the amount of one kind of call, the players of the breach saw it kept, and the
   * same error of the calls before the read does not give the wrong sum.
   */
  #isOfOtherPlayers(cause: RuleId, { players, wrongSum }: RuleBreach): boolean {
    const call = OF_CALLS.find(([, rule]) => rule === cause)?.[0];
    if (call === undefined || wrongSum?.calls === undefined || players.length === 0) return false;
    const own = this.#breaches.filter((one) => one.fails && one.rule === cause);
    const isKept = players.every(
      (player) => (this.#passesOf.get(keyOf(cause, { kind: 'player', name: player })) ?? 0) >= MIN_KEPT,
    );
    return (
      isKept &&
      own.every((one) => one.players.length > 0 && !one.players.some((player) => players.includes(player))) &&
      !own.some((one) => one.wrongSum && isOfSeveral(wrongSum, call, one.wrongSum))
    );
  }

  /**
   * True if the operator breaks the rule only rarely. In another scenario, the operator probably kept the rule. So the rule
   * explains no breach in that scenario.
   */
  #isIntermittent(rule: RuleId): boolean {
    const fails = this.#breaches.filter((one) => one.fails && one.rule === rule).length;
    const passes = this.#passes.get(rule) ?? 0;
    return rule === 'bet.exact-balance' ? passes > 0 : OF_EVERY_CALL.includes(rule) && passes > 6 * fails;
  }

  /**
   * True if the rule is broken about as often as it is kept in the scenarios of a player or of a session, or more often. If only the replies
   * are wrong, each call breaks the rule once and keeps it once, and some scenarios only keep it. The fault may concern this
   * player or session only, so the other calls say nothing about it. A single breach can occur by chance, so it counts only if the rule
   * is never kept.
   * `bet.exact-balance` depends on the amount, and not on the player: rounding errors break it for some amounts only.
   */
  #isUsualFor(scope: Scope, rule: RuleId): boolean {
    if (rule === 'bet.exact-balance') return false;
    const breaches = this.#breaches.filter((one) => one.fails && one.rule === rule && isOf(one, scope));
    const passes = this.#passesOf.get(keyOf(rule, scope)) ?? 0;
    return breaches.length > 0 && passes <= (breaches.length === 1 ? 0 : breaches.length * ABOUT_AS_OFTEN);
  }

  /**
   * Returns the rule that explains the most breaches. If several rules explain the same number, returns the rule that was itself
   * broken most often.
   */
  #mostCommon(breaches: readonly RuleBreach[]): RuleId | undefined {
    const votes = new Map<RuleId, number>();
    const vote = (rule: RuleId, weight: number): void => void votes.set(rule, (votes.get(rule) ?? 0) + weight);
    for (const one of breaches) {
      vote(one.rule, 1.01);
      // A breach of this rule can have almost any cause, so its causes say nothing.
      if (one.rule === 'money.conservation') continue;
      // The rule would also explain every other breach, so it never counts as a cause.
      for (const cause of this.#causesOf(one))
        if (!SYSTEMATIC.includes(cause) && cause !== 'money.conservation') vote(cause, 1);
    }
    return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0];
  }

  *#explained(): Generator<Attributed> {
    for (const one of this.#breaches) {
      const { scenario, rule, endpoint } = one;
      const because = this.isProven(rule)
        ? this.#lateCauseOf(one)
        : this.#causesOf(one).find((cause) => this.isProven(cause) || this.#warned.has(cause));
      if (because === undefined) continue;
      yield {
        event: 'blamed',
        rule,
        endpoint,
        scenario,
        verdict: 'inconclusive',
        because,
        reason: `the breach of \`${because}\` in this run explains this finding; the rule says: ${ruleById(because).sentence}`,
      };
    }
  }

  /** True if the endpoint replied 401 to calls with a right signature. */
  #refusesRight(endpoint: CallName | null): boolean {
    return this.#breaches.some((one) => one.fails && one.rule === 'signature.accepted' && one.endpoint === endpoint);
  }

  *#signatureRules(): Generator<Attributed> {
    if (!this.#failing.has('signature.mismatch')) return;
    for (const endpoint of this.#letIn) {
      const refusesRight = this.#refusesRight(endpoint);
      for (const rule of SPECIAL_SIGNATURE_RULES) {
        // If an endpoint refuses right signatures and accepts a wrong signature, the endpoint verifies different bytes from those
        // that croupier sent. So its breach of `signature.accepted` stays a finding, and explains the breaches of the other rules.
        if (refusesRight && rule === 'signature.accepted') continue;
        const judged = ruleById(rule).endpoints;
        if (judged ? !judged.includes(endpoint) : !isOnlyAbout(rule, endpoint)) continue;
        yield {
          event: 'blamed',
          rule,
          endpoint: judged ? endpoint : null,
          scenario: null,
          verdict: 'inconclusive',
          because: refusesRight ? 'signature.accepted' : 'signature.mismatch',
          reason: `${endpoint === 'balance' ? 'GET' : 'POST'} /${endpoint} ${refusesRight ? 'refuses right signatures' : 'accepts wrong signatures'}, so its replies cannot show whether this rule is kept`,
        };
      }
    }
  }
}

function isAboutRepeats(rule: RuleId): boolean {
  return rule.startsWith('idempotency.') || rule === 'free-rounds.replay';
}

/**
 * True for a SHOULD rule about money. Its breach moves money, so it can explain breaches of MUST rules, such as a wrong balance.
 */
export function isWarningAboutMoney(rule: RuleId): boolean {
  const { level, money } = ruleById(rule);
  return level === 'SHOULD' && money;
}

/**
 * True for a rule that is only about calls to this endpoint. Such a rule has one verdict, and not one verdict for each endpoint.
 */
function isOnlyAbout(rule: RuleId, endpoint: CallName): boolean {
  return (
    endpoint === 'balance' &&
    ['signature.tampered-query', 'signature.query-canonical', 'signature.query-unicode'].includes(rule)
  );
}

/**
 * Returns the findings of one shard (one part of a divided run) that a breach in another shard explains. Within a shard, findings
 * are already explained.
 *
 * @param shards the journals of the shards, each folded without the explanations of the shard itself
 */
export function attributeAcrossShards(shards: readonly Fold[]): readonly Attributed[] {
  const attribution = new Attribution();
  const shardOf = new Map<string, Fold>();
  for (const shard of shards) {
    for (const { planned, findings } of shard.scenarios) {
      shardOf.set(planned.id, shard);
      attribution.add(planned.id, findings);
    }
    attribution.add('', [], [], { passes: passesOf(shard), moved: movedBy(shard) });
  }
  return attribution.conclude().filter(({ scenario, because }) => {
    const own = scenario === null ? undefined : shardOf.get(scenario);
    // Only explanations from other shards are wanted. If the rule `because` is also broken in the shard of the finding, this shard
    // has already compared the two, and has decided that `because` does not explain the finding.
    return own !== undefined && !isBroken(own, because);
  });
}

function isBroken({ rules }: Fold, id: RuleId): boolean {
  return rules.some(({ rule, verdict }) => rule.id === id && verdict === 'fail');
}

function movedBy({ rules }: Fold): RuleId[] {
  return rules.filter(({ wrongSums }) => Object.keys(wrongSums).length > 0).map(({ rule }) => rule.id);
}

function passesOf({ rules }: Fold): Tally {
  return Object.fromEntries(rules.map(({ rule, checks, breaches }) => [rule.id, { '*': checks - breaches }]));
}
