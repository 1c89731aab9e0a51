import { Money } from '../../contract/money.ts';
import type { JournalledExchange } from '../exchanges.ts';
import type { Member } from './reading.ts';
import { memberValue, type ReadExchange } from './reading.ts';

/** A part of a body that differs from the expected value, or from the first exchange of the same transaction. */
export interface Difference {
  readonly from: number;
  readonly to: number;
  /** A note with the expected value or the value in the first exchange, as in `first: 5.00`. */
  readonly note: string;
}

/**
 * The differences between an exchange and the first exchange of its transaction. For the first exchange, they are the differences
 * between the balance in its reply and the expected balance.
 */
export interface Differences {
  /** The id of the first exchange with the same transaction in this scenario. Null if this exchange is the first. */
  readonly first: string | null;
  readonly request: readonly Difference[];
  readonly reply: readonly Difference[];
  /** The members of the first reply that are missing in this reply, each as `name: value`. */
  readonly missing: readonly string[];
  /** A note with the status of the first reply. Null if this reply has the same status. */
  readonly status: string | null;
}

const NONE: Differences = { first: null, request: [], reply: [], missing: [], status: null };

/**
 * Compares each exchange of a scenario with the first exchange of the same transaction. For a first exchange, compares the balance
 * in its reply with the expected balance.
 *
 * @param raced ids of the calls of races. The balance in a single reply of a race cannot be predicted.
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
  return `first: ${text}`;
}

function against(members: readonly Member[], others: readonly Member[]): readonly Difference[] {
  const before = new Map(others.map(({ name, text }) => [name, text]));
  return members.flatMap(({ name, text, from, to }) => {
    const was = before.get(name);
    return was === text ? [] : [{ from, to, note: was === undefined ? 'not in the first exchange' : firstTime(was) }];
  });
}

function againstModel(exchange: ReadExchange): Differences {
  const balance = exchange.replied.find(({ name }) => name === 'balance');
  const shown = balance && repliedBalance(exchange);
  const should = expectedBalance(exchange);
  if (!balance || !shown || should.length !== 1 || should.some((one) => one.equals(shown))) return NONE;
  const { from, to } = balance;
  return { ...NONE, reply: [{ from, to, note: `expected ${should[0]?.format(shown.decimals()) ?? ''}` }] };
}

/** Maximum number of characters of a balance. Longer text is not read. */
const MAX_BALANCE = 60;

/**
 * Returns the balance in a reply. Returns null if the reply has no balance, or if the balance can't be read. Also returns null for
 * a 0 in the reply to a refund, because such a 0 says nothing about the balance.
 */
export function repliedBalance({ sending, replied }: ReadExchange): Money | null {
  const text = memberValue(replied, 'balance');
  const balance = text === undefined || text.length > MAX_BALANCE ? undefined : Money.read(text);
  // The contract allows 0 as the balance in every reply to a refund.
  return balance === undefined || (sending.call === 'refund' && balance.isZero()) ? null : balance;
}

/** Returns the balances that croupier expected after the call. Returns an empty list if they are unknown. */
export function expectedBalance({ sending, received }: JournalledExchange): readonly Money[] {
  if (!received?.model) return [];
  const { before, after } = received.model;
  // A read changes no balance. After the reply of a read, croupier has already corrected its expected balance. So the expected
  // balance before the read is used.
  const texts = sending.call === 'balance' && before.length > 0 ? before : after;
  return texts.flatMap((text) => Money.read(text) ?? []);
}

function statusOf({ received }: ReadExchange): number | undefined {
  return received?.outcome.kind === 'reply' ? received.outcome.reply.status : undefined;
}
