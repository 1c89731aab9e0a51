import type { RuleId } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import { breach } from './check.ts';
import type { Docket } from './docket.ts';
import { nearestDifference } from './explain.ts';
import type { Obligation } from './obligation.ts';
import type { OddReply, QuietRead, Suspicion } from './quiet-read.ts';
import { mayBeRounded } from './rounding.ts';
import { PLAIN_EFFECTS } from './suspects.ts';
import type { Wallet } from './wallet.ts';

/** Faults that spoil every number: amounts in another unit, money that others move, reads that move it. */
const UNIVERSAL: readonly RuleId[] = ['balance.read-only', 'session.isolated', 'money.main-unit'];

/** Calls that moved what they should not have: they explain a sum only where there were such calls. */
const UNWANTED: readonly RuleId[] = ['signature.no-effect', 'bet.declined-takes-nothing'];

/** Faults that make any sum come out wrong, in ways that can't all be foreseen. */
export const SYSTEMATIC: readonly RuleId[] = [...UNIVERSAL, 'money.exact', ...UNWANTED];

const WRONG_SUMS: readonly RuleId[] = [
  ...UNIVERSAL,
  'money.exact',
  'bet.debit',
  'win.credit',
  'refund.restore',
  'concurrency.no-lost-update',
];

/** What calls at once, and the refunds of those that failed, may do wrong beside losing each other. */
const BESIDE_RACES: readonly RuleId[] = ['idempotency.concurrent', 'refund.after-error'];

/** A breach of these can move money long after the call, in another story. */
const LATE: readonly RuleId[] = ['refund.broken-connection', 'refund.after-error'];

/** Calls that are of a kind of their own among those that move money, where one of them is wrong and the others are not. */
const FURTHER: readonly RuleId[] = ['bet.many-in-round', 'win.many-in-round', 'session.round-id-reuse'];

export const OF_EVERY_CALL: readonly RuleId[] = Object.values(PLAIN_EFFECTS).map(({ rule }) => rule);

/** Money that comes and goes by itself can do so in any story. */
const ELSE: RuleId = 'money.conservation';

/** Rules that predict their numbers: what they don't explain is not theirs. */
const ABOUT_ANY_SUM: readonly RuleId[] = ['money.main-unit', 'money.exact', 'money.large'];

/** Says whose fault a balance is that no known mistake explains. */
export function blameUnexplained(
  read: QuietRead,
  { suspect, odd }: { readonly suspect: Suspicion | undefined; readonly odd: OddReply | undefined },
  due: readonly Obligation[],
  docket: Docket,
): void {
  const { wallet, value } = read;
  const possible = wallet.possible();
  const difference = nearestDifference(value, possible);
  const actual = `the balance is ${value}, off by ${difference}`;
  const at = (rule: RuleId, causes: readonly RuleId[], step = read.step, exchange = read.exchange): void =>
    docket.decide(
      { rule, step, exchange },
      breach(`the balance is ${either(possible)}`, actual, [...causes, ...plainCauses(rule)]),
    );
  // A call whose own reply told the right balance is the last to be doubted.
  const doubted = new Set(wallet.moves.filter(({ vouched }) => !vouched).map(({ step }) => step));
  const fresh = due.filter(
    (one) =>
      !one.reported &&
      !ABOUT_ANY_SUM.includes(one.rule) &&
      (doubted.size === 0 || doubted.has(one.step.key) || one.rank === 0),
  );
  if (due.some((one) => one.reported)) return;
  const unwanted = UNWANTED.filter((rule) => [...due, ...wallet.obligations].some((one) => one.rule === rule));
  if (suspect) {
    const { step, exchange, expected } = suspect;
    const rule = difference.isNegative() ? suspect.rule : (suspect.ifMore ?? suspect.rule);
    docket.decide(
      { rule, step, exchange },
      breach(`${expected}: the balance is ${either(possible)}`, actual, [
        ...WRONG_SUMS,
        ...unwanted,
        ...BESIDE_RACES.filter((rule) => [...due, ...wallet.obligations].some((one) => one.rule === rule)),
      ]),
    );
    return;
  }
  if (isTiny(read)) {
    at('money.exact', UNIVERSAL);
    return;
  }
  const amount = wallet.moves.reduce((sum, { delta }) => sum.plus(delta), Money.zero).absolute();
  // No rounding takes a hundredth of a sum.
  const isRounding = difference.absolute().times(Money.of('100')).compare(amount) < 0;
  // Nor is it known what an amount becomes whose decimals are read or rounded in a way of their own.
  const withDecimals = wallet.moves.some(({ delta }) => delta.decimals() > 0);
  const causes: readonly RuleId[] = [
    ...UNIVERSAL,
    ...(isRounding || withDecimals || mayBeRounded(difference, value, wallet.unit) ? (['money.exact'] as const) : []),
    ...(withDecimals ? (['bet.decimal-amount'] as const) : []),
    ...unwanted,
  ];
  if (odd) {
    // Until that reply all replies were right, so it is that call's doing.
    const own = fresh.find(
      (one) => one.step.key === odd.step.key && (one.offsets.length === 0 || FURTHER.includes(one.rule)),
    );
    at(own?.rule ?? odd.rule, own ? [...causes, odd.rule] : causes, odd.step, odd.exchange);
    return;
  }
  // With one call since the last read there is nobody else to blame, though the number fits no known mistake.
  const steps = doubted.size > 0 ? doubted : new Set(wallet.moves.map(({ step }) => step));
  const only = steps.size === 1 ? fresh.filter((one) => one.rank === 1) : [];
  const further =
    steps.size === 1 ? fresh.find((one) => FURTHER.includes(one.rule) && steps.has(one.step.key)) : undefined;
  const [first] = only;
  if (further) {
    at(further.rule, [...causes, ...OF_EVERY_CALL], further.step, further.exchange);
    return;
  }
  if (first && new Set(only.map((one) => one.step.key)).size === 1) {
    at(first.rule, causes, first.step, first.exchange);
  } else if (new Set(fresh.map((one) => one.step.key)).size === 1 && steps.size === 0 && fresh[0])
    at(fresh[0].rule, causes, fresh[0].step, fresh[0].exchange);
  else at('money.conservation', [...new Set([...causes, ...LATE, ...involved(wallet, due)])]);
}

/** What goes wrong with every such call goes wrong in this story too. */
function plainCauses(rule: RuleId): RuleId[] {
  if (OF_EVERY_CALL.includes(rule)) return [];
  if (!rule.startsWith('refund.')) return [ELSE];
  return [
    'refund.restore',
    ELSE,
    ...(rule === 'refund.declined-bet' ? (['refund.unknown-pays-nothing'] as const) : []),
  ];
}

/** The rules that were put to the test since the last read, and those that every call is under. */
function involved(wallet: Wallet, due: readonly Obligation[]): RuleId[] {
  const plain = wallet.moves.map(({ delta }) =>
    delta.isNegative() ? ('bet.debit' as const) : ('win.credit' as const),
  );
  return [...[...due, ...wallet.obligations].map(({ rule }) => rule), ...plain, 'refund.restore'];
}

/** Less than a smallest unit is no transaction: something was not reckoned exactly. */
export function isTiny(read: QuietRead): boolean {
  const difference = nearestDifference(read.value, read.wallet.possible()).absolute();
  return !difference.isZero() && difference.compare(read.wallet.unit) < 0 && isWrittenAsDouble(read.value);
}

/** Currencies without a limit to their decimals carry more of them than a double can. */
export function isWrittenAsDouble(value: Money): boolean {
  return String(Number(value.format())) === value.format();
}

/** The balances that would be right, in words. */
export function either(possible: readonly Money[]): string {
  const sorted = [...possible].sort((a, b) => a.compare(b)).map(String);
  return sorted.length <= 1 ? (sorted[0] ?? 'unknown') : `${sorted.slice(0, -1).join(', ')} or ${sorted.at(-1)}`;
}
