import { Money } from '../../contract/money.ts';
import type { JournalledExchange } from '../evidence.ts';
import type { Member } from './members.ts';
import { memberValue, type ReadExchange } from './reading.ts';

/** A stretch of a body that is not what it should be, or not what it was. */
export interface Difference {
  readonly from: number;
  readonly to: number;
  /** What it should be, or was. */
  readonly note: string;
}

/** What sets one exchange off against another, or against what croupier reckons. */
export interface Differences {
  /** The first call with the same transaction, in this scenario; null: this is the first. */
  readonly first: string | null;
  readonly request: readonly Difference[];
  readonly reply: readonly Difference[];
  /** Of the first reply, what this one leaves out. */
  readonly missing: readonly string[];
  /** What the status was the first time, where it is another now. */
  readonly status: string | null;
}

const NONE: Differences = { first: null, request: [], reply: [], missing: [], status: null };

/**
 * Compares each exchange of a scenario with the first one of the same transaction, and the balance in its reply with the one that
 * croupier reckoned.
 *
 * @param raced ids of calls that were let go together: nobody can say which balance each must see
 */
export function differencesOf(
  exchanges: readonly ReadExchange[],
  raced: ReadonlySet<string>,
): ReadonlyMap<string, Differences> {
  const firsts = new Map<string, ReadExchange>();
  return new Map(
    exchanges.map((exchange) => {
      const { id, call } = exchange.sending;
      const txID = memberValue(exchange.sent, 'txID');
      const key = txID === undefined ? undefined : `${call} ${txID}`;
      const first = key === undefined ? undefined : firsts.get(key);
      if (key !== undefined && !first) firsts.set(key, exchange);
      if (first) return [id, againstFirst(exchange, first)];
      return [id, raced.has(id) ? NONE : againstModel(exchange)];
    }),
  );
}

function againstFirst(again: ReadExchange, first: ReadExchange): Differences {
  const [status, firstStatus] = [statusOf(again), statusOf(first)];
  const request = against(again.sent, first.sent);
  if (status === undefined || firstStatus === undefined) return { ...NONE, first: first.sending.id, request };
  const names = new Set(again.replied.map(({ name }) => name));
  return {
    first: first.sending.id,
    request,
    reply: against(again.replied, first.replied),
    missing: first.replied.filter(({ name }) => !names.has(name)).map(({ name, text }) => `${name}: ${text}`),
    status: status === firstStatus ? null : firstTime(String(firstStatus)),
  };
}

function firstTime(text: string): string {
  return `first time ${text}`;
}

function against(members: readonly Member[], others: readonly Member[]): readonly Difference[] {
  const before = new Map(others.map(({ name, text }) => [name, text]));
  return members.flatMap(({ name, text, from, to }) => {
    const was = before.get(name);
    return was === text ? [] : [{ from, to, note: was === undefined ? 'not there the first time' : firstTime(was) }];
  });
}

function againstModel(exchange: ReadExchange): Differences {
  const balance = exchange.replied.find(({ name }) => name === 'balance');
  const shown = balance && saidBalance(exchange);
  const should = reckoned(exchange);
  if (!balance || !shown || should.length !== 1 || should.some((one) => one.equals(shown))) return NONE;
  const { from, to } = balance;
  return { ...NONE, reply: [{ from, to, note: `should be ${should[0]?.format(shown.decimals()) ?? ''}` }] };
}

/** No balance has more characters. */
const LONGEST = 60;

/** The balance that a reply says; null: none, or none that can be read, or one that says nothing. */
export function saidBalance({ sending, replied }: ReadExchange): Money | null {
  const text = memberValue(replied, 'balance');
  const balance = text === undefined || text.length > LONGEST ? undefined : Money.read(text);
  // The contract lets the reply to a refund say 0.
  return balance === undefined || (sending.call === 'refund' && balance.isZero()) ? null : balance;
}

/** What the balance had to be once the call was answered, as croupier reckoned it; empty: not known. */
export function reckoned({ sending, received }: JournalledExchange): readonly Money[] {
  if (!received?.model) return [];
  const { before, after } = received.model;
  // A read moves nothing. What stands after it has been corrected by what it said.
  const texts = sending.call === 'balance' && before.length > 0 ? before : after;
  return texts.flatMap((text) => Money.read(text) ?? []);
}

function statusOf({ received }: ReadExchange): number | undefined {
  return received?.outcome.kind === 'reply' ? received.outcome.reply.status : undefined;
}
