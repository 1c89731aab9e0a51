import type { JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import type { Judge } from '../judge/judge.ts';
import type { Wallet } from '../judge/wallet/wallet.ts';
import type { Scope, Value } from '../scenario/expressions/evaluate.ts';
import type { CallStep } from '../scenario/plan/plan.ts';
import type { UnfinishedBet } from './run-options.ts';
import type { Denomination } from './stakes.ts';

/** The values of a scenario's names while it is played. */
export interface Names {
  readonly judge: Judge;
  readonly steps: ReadonlyMap<string, CallStep>;
  /** The amounts of the named calls that were already built, by the key of their step. */
  readonly amounts: Map<string, Money>;
  /** The stake and the decimals of the main session. */
  readonly denomination: Denomination;
  /** Returns the number of decimals of the amounts of a session. */
  decimalsOf(alias: string): number;
  readonly campaign: string;
  /** A bet of an earlier run in the main session, in a round that is not finished. Undefined if there is none. */
  readonly unfinishedBet: UnfinishedBet | undefined;
  sessionID(alias: string): string | undefined;
  walletOf(alias: string): Wallet | null;
  /**
   * The values of `drift.first` and `drift.second`: the amounts of two wins. Undefined until the scenario uses one of these two
   * names.
   */
  drift: readonly [Money, Money] | undefined;
}

/** Creates the scope in which the expressions of one step are evaluated. */
export function scopeOf(names: Names, self: CallStep | undefined): Scope {
  return {
    decimals: self ? names.decimalsOf(self.session) : names.denomination.decimals,
    name([first = '', second, ...rest]): Value | undefined {
      switch (first) {
        case 'stake':
          return names.denomination.stake;
        case 'unit':
          return names.denomination.unit;
        case 'balance':
          return inDecimals(names.walletOf(second ?? 'main')?.certain(), names.decimalsOf(second ?? 'main'));
        case 'campaign':
          return names.campaign;
        case 'session':
          return names.sessionID(second ?? 'main');
        case 'drift':
          return drift(names, second);
        case 'begun':
          return begun(names, second);
        case 'self':
          return self && ofStep(names, self, second, rest);
        default: {
          const step = names.steps.get(first);
          return step && ofStep(names, step, second, rest);
        }
      }
    },
  };
}

function drift(names: Names, which: string | undefined): Money | undefined {
  const balance = names.walletOf('main')?.certain();
  names.drift ??= balance && driftingWins(balance, names.denomination.unit);
  return names.drift?.[which === 'first' ? 0 : 1];
}

function begun({ unfinishedBet: bet }: Names, what: string | undefined): Value | undefined {
  if (what === 'txID') return bet?.txID;
  if (what === 'roundID') return bet?.roundID ?? undefined;
  return what === 'amount' ? bet?.amount : undefined;
}

function ofStep(names: Names, step: CallStep, what: string | undefined, path: readonly string[]): Value | undefined {
  if (what === 'txID') return step.txID ?? undefined;
  if (what === 'roundID') return step.roundID ?? undefined;
  if (what === 'amount') return names.amounts.get(step.key);
  return what === 'reply' ? within(names.judge.replyOf(step.key)?.object, path) : undefined;
}

function within(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let here = value;
  for (const name of path) {
    if (here === null || typeof here !== 'object' || Array.isArray(here)) return undefined;
    here = (here as { readonly [key: string]: JsonValue })[name];
  }
  return here;
}

/** Cuts a balance to the number of decimals of the currency, because a bet cannot have more decimals. */
function inDecimals(balance: Money | undefined, decimals: number): Money | undefined {
  if (!balance || balance.isNegative() || balance.decimals() <= decimals) return balance;
  return balance.truncated(decimals);
}

/**
 * Finds two small wins with this property: if a wallet adds both to this balance in binary floating point, the result is too low.
 * If possible, the result is also too low in a wallet that cuts off each sum after the last decimal.
 *
 * Random wins are not enough, because most sums of doubles are right after rounding.
 *
 * @param unit the smallest unit of the currency, below 1
 */
export function driftingWins(balance: Money, unit: Money): readonly [Money, Money] {
  const start = Number(balance.format());
  const unitsOf = 10 ** unit.decimals();
  const cutOff = (sum: number): number => Math.trunc(sum * unitsOf) / unitsOf;
  let found: readonly [Money, Money] | undefined;
  for (let first = 1; first <= 99; first += 1) {
    for (let second = first; second <= 99; second += 1) {
      const a = unit.times(Money.of(String(first)));
      const b = unit.times(Money.of(String(second)));
      const right = Number(balance.plus(a).plus(b).format());
      if (start + Number(a.format()) + Number(b.format()) >= right) continue;
      if (cutOff(cutOff(start + Number(a.format())) + Number(b.format())) < right) return [a, b];
      found ??= [a, b];
    }
  }
  return found ?? [unit, unit.times(Money.of('2'))];
}
