import { RULES, type RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import type { CallStep } from '../scenario/plan.ts';
import { breach, PASS } from './check.ts';
import type { Docket } from './docket.ts';
import type { Effects } from './effects.ts';
import { type Breach, explain, nearestDifference, wouldHaveShown } from './explain.ts';
import type { Obligation, Observation, Offset } from './obligation.ts';
import type { Wallet } from './wallet.ts';

/** What is to be done after a quiet read. */
export type ReadResult =
  /** It fits, or what is wrong with it has been said. */
  | { readonly kind: 'settled' }
  /** It shows a late bet that its refund may still undo: read again when nothing can land any more. */
  | { readonly kind: 'wait' }
  /** Nothing explains it: read twice more, to see whether the balance moves by itself. */
  | { readonly kind: 'probe' };

/** A quiet read: nothing of ours was in flight when it was sent. */
export interface QuietRead {
  readonly wallet: Wallet;
  readonly value: Money;
  readonly step: CallStep;
  readonly exchange: string;
  /** True when nothing that was sent before can land any more. */
  readonly lingered: boolean;
}

/** What is remembered of a wallet between two quiet reads. */
interface Memory {
  last: Money | undefined;
  observations: Observation[];
  /** A bet was seen to be taken after its refund; forgiven when it heals within the linger. */
  dip: Obligation | undefined;
  /** The rule that an unexplained balance goes to: of the calls that were sent at once. */
  suspect: Suspicion | undefined;
  /** A reply whose balance did not fit, to be weighed when the wallet has been read. */
  odd: OddReply | undefined;
}

export interface Suspicion {
  readonly rule: RuleId;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
}

export interface OddReply {
  readonly rule: RuleId;
  readonly warnOnly: boolean;
  readonly step: CallStep;
  readonly exchange: string;
  readonly expected: string;
  readonly actual: string;
}

/** Decides at each quiet read what the balance says about the rules. */
export class QuietReads {
  readonly #docket: Docket;
  readonly #effects: Effects;
  readonly #claims: readonly RuleId[];
  readonly #proven: (rule: string) => boolean;
  readonly #memories = new Map<Wallet, Memory>();
  #pending: QuietRead | undefined;

  /** @param claims the rules that the story is about: of the others it need not be said that nothing could be told */
  constructor(docket: Docket, effects: Effects, claims: readonly RuleId[], proven: (rule: string) => boolean) {
    this.#claims = claims;
    this.#docket = docket;
    this.#effects = effects;
    this.#proven = (rule) => docket.isBroken(rule) || proven(rule);
  }

  lastRead(wallet: Wallet): Money | undefined {
    return this.#memory(wallet).last;
  }

  observe(wallet: Wallet, observation: Observation): void {
    this.#memory(wallet).observations.push(observation);
  }

  suspect(wallet: Wallet, suspicion: Suspicion): void {
    this.#memory(wallet).suspect ??= suspicion;
  }

  oddReply(wallet: Wallet, odd: OddReply): void {
    this.#memory(wallet).odd ??= odd;
  }

  hasOddReply(wallet: Wallet): boolean {
    return this.#memory(wallet).odd !== undefined;
  }

  /** The first read of a story: what it says is where reckoning starts. */
  open(wallet: Wallet, value: Money): void {
    wallet.anchor(value);
    this.#memory(wallet).last = value;
  }

  take(read: QuietRead): ReadResult {
    const { wallet, value } = read;
    if (!wallet.known) {
      this.open(wallet, value);
      return { kind: 'settled' };
    }
    const memory = this.#memory(wallet);
    if (wallet.allows(value)) {
      this.#fits(read, memory);
      return { kind: 'settled' };
    }
    const late = read.lingered ? undefined : this.#lateBet(read);
    if (late) {
      memory.dip = late;
      return { kind: 'wait' };
    }
    const suspects = [...wallet.obligations, ...this.#movesOfNoRule(read), ...inAnotherUnit(read)];
    const explained = explain(value, wallet.possible(), suspects, this.#proven);
    if (!explained && !this.#isTiny(read)) {
      this.#pending = read;
      return { kind: 'probe' };
    }
    this.#differs(read, memory, explained?.breaches ?? [], explained?.rivals ?? []);
    return { kind: 'settled' };
  }

  /**
   * The two reads that followed one that nothing explains. When every read moves the balance by the same amount,
   * reading is what moves it; when it moves otherwise, somebody else is playing; when it stays, it is wrong.
   */
  probed(values: readonly (Money | undefined)[]): 'stays' | 'reads-move-it' | 'somebody-else' {
    const read = this.#pending;
    this.#pending = undefined;
    const [second, third] = values;
    if (!read || !second || !third) return 'somebody-else';
    const { wallet, value } = read;
    const memory = this.#memory(wallet);
    if (second.equals(value) && third.equals(value)) {
      const silent =
        wallet.moves.length === 0 &&
        wallet.forks.length === 0 &&
        wallet.obligations.every(({ rule }) => rule === 'session.isolated') &&
        !memory.suspect &&
        !memory.odd;
      if (!silent) {
        this.#differs(read, memory, [], []);
        return 'stays';
      }
      wallet.anchor(value);
      memory.last = value;
      return 'somebody-else';
    }
    wallet.dropObligations();
    wallet.anchor(third);
    memory.last = third;
    const step = second.minus(value);
    if (!step.isZero() && third.minus(second).equals(step)) {
      this.#docket.decide(
        { rule: 'balance.read-only', step: read.step, exchange: read.exchange },
        breach('reading the balance changes nothing', `three reads in a row said ${value}, ${second} and ${third}`),
      );
      return 'reads-move-it';
    }
    return 'somebody-else';
  }

  #fits(read: QuietRead, memory: Memory): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const open = wallet.openSince !== null;
    const moved = wallet.moves.length > 0;
    for (const obligation of wallet.takeObligations(lingered)) {
      if (obligation.reported || open) continue;
      const matter = { rule: obligation.rule, step: obligation.step, exchange: obligation.exchange };
      if (wouldHaveShown(obligation, value, possible)) this.#docket.decide(matter, PASS);
      else if (this.#claims.includes(obligation.rule)) {
        this.#docket.decide(matter, {
          kind: 'undecided',
          reason: `a breach could not be told from what may have happened: the balance is ${value}`,
        });
      }
    }
    if (memory.odd) {
      const { rule, step, exchange, expected, actual, warnOnly } = memory.odd;
      this.#docket.decide(
        { rule, step, exchange },
        warnOnly ? { kind: 'warn', expected, actual } : breach(expected, actual),
      );
    }
    if (moved && !open)
      this.#docket.decide({ rule: 'money.conservation', step: read.step, exchange: read.exchange }, PASS);
    this.#writeDown(memory, value, wallet);
    const { happened, never } = wallet.collapse(value);
    for (const fork of happened) this.#effects.learned(fork.txID, true);
    for (const fork of never) this.#effects.learned(fork.txID, false);
    if (memory.dip && lingered) {
      const { rule, step, exchange } = memory.dip;
      this.#docket.decide(
        { rule, step, exchange },
        { kind: 'note', actual: 'the bet was taken after its refund for a moment, and given back by itself' },
      );
      memory.dip = undefined;
    }
    this.#turn(memory, value);
  }

  /** The balance is not what it must be: says whose breach explains it, and goes on from what was read. */
  #differs(read: QuietRead, memory: Memory, breaches: readonly Breach[], rivals: readonly Breach[]): void {
    const { wallet, value, lingered } = read;
    const possible = wallet.possible();
    const due = wallet.takeObligations(lingered);
    if (breaches.length > 0) {
      for (const { obligation, offset } of breaches) this.#blame(obligation, offset, value, possible, rivals);
      for (const obligation of due) {
        if (obligation.reported || breaches.some((one) => one.obligation === obligation)) continue;
        if (rivals.some((rival) => rival.obligation === obligation)) continue;
        this.#docket.decide({ rule: obligation.rule, step: obligation.step, exchange: obligation.exchange }, PASS);
      }
    } else this.#unexplained(read, memory, due);
    const blamed = breaches.map(({ obligation }) => obligation);
    if (!lingered) for (const late of wallet.dropObligations()) if (!blamed.includes(late)) wallet.owe(late);
    // What such a call really moved is not known any more: nor is what giving it back would move.
    const wrong =
      breaches.length > 0
        ? breaches.map(({ obligation }) => obligation.step.key)
        : wallet.moves.map(({ step }) => step);
    for (const step of wrong) this.#effects.misbooked(step);
    this.#writeDown(memory, value, wallet);
    wallet.anchor(value);
    this.#turn(memory, value);
  }

  #blame(
    obligation: Obligation,
    offset: Offset,
    value: Money,
    possible: readonly Money[],
    rivals: readonly Breach[],
  ): void {
    if (obligation.reported) return;
    const causes = [
      ...new Set([...rivals.map((rival) => rival.obligation.rule), ...(offset.causes ?? []), ...UNIVERSAL]),
    ];
    this.#docket.decide(
      { rule: obligation.rule, step: obligation.step, exchange: obligation.exchange },
      breach(
        `${obligation.expected}: the balance is ${either(possible)}`,
        `the balance is ${value}: ${offset.meaning}`,
        causes,
      ),
    );
  }

  #unexplained(read: QuietRead, memory: Memory, due: readonly Obligation[]): void {
    const { wallet, value } = read;
    const possible = wallet.possible();
    const difference = nearestDifference(value, possible);
    const actual = `the balance is ${value}, off by ${difference}`;
    const at = (rule: RuleId, causes: readonly RuleId[], step = read.step, exchange = read.exchange): void =>
      this.#docket.decide({ rule, step, exchange }, breach(`the balance is ${either(possible)}`, actual, causes));
    // A call whose own reply told the right balance is the last to be doubted.
    const doubted = new Set(wallet.moves.filter(({ vouched }) => !vouched).map(({ step }) => step));
    const fresh = due.filter(
      (one) => !one.reported && (doubted.size === 0 || doubted.has(one.step.key) || one.rank === 0),
    );
    if (due.some((one) => one.reported)) return;
    if (memory.suspect) {
      const { rule, step, exchange, expected } = memory.suspect;
      this.#docket.decide(
        { rule, step, exchange },
        breach(`${expected}: the balance is ${either(possible)}`, actual, WRONG_SUMS),
      );
      return;
    }
    if (this.#isTiny(read)) {
      at('money.exact', UNIVERSAL);
      return;
    }
    // With one call since the last read there is nobody else to blame, though the number fits no known mistake.
    const steps = doubted.size > 0 ? doubted : new Set(wallet.moves.map(({ step }) => step));
    const only = steps.size === 1 ? fresh.filter((one) => one.rank === 1) : [];
    const [first] = only;
    if (first && new Set(only.map((one) => one.step.key)).size === 1) {
      const amount = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero).absolute();
      // No rounding takes a hundredth of a sum.
      const isRounding = difference.absolute().times(Money.of('100')).compare(amount) < 0;
      const causes = SYSTEMATIC.filter((rule) => rule !== 'money.exact' || isRounding);
      at(first.rule, causes, first.step, first.exchange);
    } else if (new Set(fresh.map((one) => one.step.key)).size === 1 && steps.size === 0 && fresh[0])
      at(fresh[0].rule, SYSTEMATIC, fresh[0].step, fresh[0].exchange);
    else at('money.conservation', OTHER_MONEY_RULES);
  }

  /**
   * A call with a twist moves money as any other does. The rules that hold for every call are not judged by it, but it
   * must not be forgotten where a number is to be explained, or its plain neighbour is blamed.
   */
  #movesOfNoRule({ wallet, exchange }: QuietRead): Obligation[] {
    return wallet.moves.flatMap(({ step: key, delta }): Obligation[] => {
      const part = this.#effects.ofStep(key)?.part;
      // Calls that were sent at once are weighed together, as a race.
      if (!part || part.group !== null || part.step.call === 'balance' || part.step.expect.outcome !== 'accepted')
        return [];
      const { rule, expected } = PLAIN_EFFECTS[part.step.call];
      if (wallet.obligations.some((one) => one.rule === rule && one.step.key === key)) return [];
      return [
        {
          rule,
          endpoint: null,
          step: part.step,
          exchange,
          offsets: [
            { by: delta.negated(), meaning: `the accepted ${part.step.call} had no effect` },
            { by: delta, meaning: `the accepted ${part.step.call} took effect twice` },
          ],
          rank: 1,
          until: 'read',
          expected,
          reported: false,
        },
      ];
    });
  }

  /** Less than a smallest unit is no transaction: something was not reckoned exactly. */
  #isTiny(read: QuietRead): boolean {
    const difference = nearestDifference(read.value, read.wallet.possible()).absolute();
    return !difference.isZero() && difference.compare(read.wallet.unit) < 0;
  }

  #lateBet({ wallet, value }: QuietRead): Obligation | undefined {
    return wallet.obligations.find(
      (one) =>
        one.until === 'linger' &&
        !one.reported &&
        one.offsets.some(
          ({ by }) => by.isNegative() && wallet.possible().some((expected) => expected.plus(by).equals(value)),
        ) &&
        one.step.call !== 'win',
    );
  }

  #writeDown(memory: Memory, value: Money, wallet: Wallet): void {
    const before = memory.last ?? value;
    const sure = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
    const moved = value.minus(before).minus(sure);
    const effect = moved.isZero()
      ? 'nothing moved'
      : `the balance ${moved.isNegative() ? 'fell' : 'rose'} by ${moved.absolute()}`;
    for (const { rule, step, exchange, answered } of memory.observations) {
      this.#docket.decide({ rule, step, exchange }, { kind: 'note', actual: `${answered}; ${effect}` });
    }
    memory.observations = [];
  }

  #turn(memory: Memory, value: Money): void {
    memory.last = value;
    memory.suspect = undefined;
    memory.odd = undefined;
  }

  #memory(wallet: Wallet): Memory {
    const known = this.#memories.get(wallet);
    if (known) return known;
    const memory: Memory = { last: undefined, observations: [], dip: undefined, suspect: undefined, odd: undefined };
    this.#memories.set(wallet, memory);
    return memory;
  }
}

const PLAIN_EFFECTS: Readonly<Record<'bet' | 'win' | 'refund', { readonly rule: RuleId; readonly expected: string }>> =
  {
    bet: { rule: 'bet.debit', expected: 'an accepted bet lowers the balance by exactly its amount' },
    win: { rule: 'win.credit', expected: 'an accepted win raises the balance by exactly its amount' },
    refund: { rule: 'refund.restore', expected: 'refunding an accepted bet gives back exactly its amount' },
  };

function either(possible: readonly Money[]): string {
  const sorted = [...possible].sort((a, b) => a.compare(b)).map(String);
  return sorted.length <= 1 ? (sorted[0] ?? 'unknown') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}

/** A wallet that counts in another unit is off by the same power of ten for whatever was moved. */
function inAnotherUnit({ wallet, step, exchange }: QuietRead): Obligation[] {
  const net = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero);
  if (net.isZero() || wallet.moves.length < 2) return [];
  const offsets = POWERS.map((power) => ({
    by: net.shift(power).minus(net),
    meaning: `what was moved, ${net}, moved the balance by ${net.shift(power)}`,
  }));
  return [
    {
      rule: 'money.main-unit',
      endpoint: null,
      step,
      exchange,
      offsets,
      rank: 1,
      until: 'read',
      expected: 'amounts are in the main unit of the currency',
      reported: false,
    },
  ];
}

/** Faults that spoil every number: amounts in another unit, money that others move, reads that move it. */
const UNIVERSAL: readonly RuleId[] = ['money.main-unit', 'session.isolated', 'balance.read-only'];

/** Faults that make any sum come out wrong, in ways that can't all be foreseen. */
const SYSTEMATIC: readonly RuleId[] = [...UNIVERSAL, 'money.exact', 'signature.no-effect'];

const WRONG_SUMS: readonly RuleId[] = [
  ...SYSTEMATIC,
  'bet.debit',
  'win.credit',
  'refund.restore',
  'idempotency.concurrent',
  'bet.declined-takes-nothing',
];

/** Conservation is reported only where no other breach explains the difference. */
const OTHER_MONEY_RULES: readonly RuleId[] = RULES.filter(
  ({ id, money, level }) => money && level === 'MUST' && id !== 'money.conservation',
).map(({ id }) => id);

const POWERS = [1, 2, 3, 8, -1, -2, -3, -8];
