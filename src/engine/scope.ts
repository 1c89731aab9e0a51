import type { JsonValue } from '../contract/json.ts';
import { Money } from '../contract/money.ts';
import type { Judge } from '../judge/judge.ts';
import type { Wallet } from '../judge/wallet.ts';
import type { Scope, Value } from '../scenario/evaluate.ts';
import type { CallStep } from '../scenario/plan.ts';
import { driftingWins } from './drift.ts';
import type { PastCall } from './past-call.ts';
import type { Denomination } from './stakes.ts';

/** What a scenario's names stand for while it is played. */
export interface Names {
  readonly judge: Judge;
  readonly steps: ReadonlyMap<string, CallStep>;
  readonly denomination: Denomination;
  readonly campaign: string;
  /** A bet that an earlier run has placed in the main session, and whose round it left unfinished. */
  readonly begun: PastCall | undefined;
  sessionID(alias: string): string | undefined;
  walletOf(alias: string): Wallet | null;
  /** The two wins of `drift`, once they are reckoned. */
  drift: readonly [Money, Money] | undefined;
}

/** The scope of one step. */
export function scopeOf(names: Names, self: CallStep | undefined): Scope {
  return {
    decimals: names.denomination.decimals,
    name([first = '', second, ...rest]): Value | undefined {
      switch (first) {
        case 'stake':
          return names.denomination.stake;
        case 'unit':
          return names.denomination.unit;
        case 'balance':
          return inDecimals(names.walletOf(second ?? 'main')?.certain(), names.denomination.decimals);
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

function begun({ begun: bet }: Names, what: string | undefined): Value | undefined {
  if (what === 'txID') return bet?.txID;
  if (what === 'roundID') return bet?.roundID ?? undefined;
  return what === 'amount' ? bet?.amount : undefined;
}

function ofStep(names: Names, step: CallStep, what: string | undefined, path: readonly string[]): Value | undefined {
  if (what === 'txID') return step.txID ?? undefined;
  if (what === 'roundID') return step.roundID ?? undefined;
  if (what === 'amount') return names.judge.amountOf(step.key);
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

/** A balance that is shown with more decimals than the currency has can only be bet down to what an amount may say. */
function inDecimals(balance: Money | undefined, decimals: number): Money | undefined {
  if (!balance || balance.isNegative() || balance.decimals() <= decimals) return balance;
  const [whole = '0', fraction = ''] = balance.format().split('.');
  return Money.of(decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`);
}
