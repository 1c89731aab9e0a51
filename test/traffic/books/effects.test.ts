import { describe, expect, it } from 'vitest';
import { type Effect, effectOf } from '../../../src/traffic/books/effects.ts';
import { beginning, type World } from '../../../src/traffic/books/worlds.ts';
import { betsOf, transactionsOf } from '../../../src/traffic/calls/transaction.ts';
import { Log } from '../timeline/calls.ts';

/** Books all calls of a log one after the other, and returns the effect of the last one. */
function lastEffect(log: Log): Effect {
  const { calls } = log.timeline();
  const transactions = transactionsOf(calls);
  const bets = betsOf(transactions);
  let effect: Effect = { worlds: [beginning()], candidates: [], unknown: null };
  for (const call of calls) {
    const transaction = transactions.find(({ attempts }) => attempts.includes(call));
    if (!transaction) continue;
    const isRepeat = transaction.attempts.some(({ number, done }) => number < call.number && done === 'yes');
    effect = effectOf({ call, transaction, isRepeat, isBetUnsent: false, isUndue: false, bets }, effect.worlds);
  }
  return effect;
}

const balances = (worlds: readonly World[]): string[] => worlds.map(({ balance }) => balance.toString()).sort();
const rules = ({ candidates }: Effect): readonly (string | null)[] => candidates.map(({ rule }) => rule);

describe('the effect of a bet', () => {
  it('is its amount if it was accepted, and nothing if it was declined', () => {
    expect(balances(lastEffect(new Log().bet('b', '5.00', {})).worlds)).toEqual(['-5']);
    expect(balances(lastEffect(new Log().bet('b', '5.00', { status: 402 })).worlds)).toEqual(['0']);
  });

  it('is open if it was answered 500 or not at all', () => {
    expect(balances(lastEffect(new Log().bet('b', '5.00', { status: 500 })).worlds)).toEqual(['-5', '0']);
    expect(balances(lastEffect(new Log().bet('b', '5.00', { none: 'reset' })).worlds)).toEqual(['-5', '0']);
  });

  it('is nothing if it never reached the operator', () => {
    expect(balances(lastEffect(new Log().bet('b', '5.00', { none: 'refused' })).worlds)).toEqual(['0']);
  });

  it('is open if it belongs to a campaign of free rounds', () => {
    const log = new Log().bet('b', '5.00', {}, { type: 'free' });
    expect(balances(lastEffect(log).worlds)).toEqual(['-5', '0']);
  });

  it('is counted once if it is sent again, and a second debit would break idempotency', () => {
    const effect = lastEffect(new Log().bet('b', '5.00', {}).bet('b', '5.00', {}));
    expect([balances(effect.worlds), rules(effect)]).toEqual([['-5'], ['idempotency.bet']]);
  });

  it('names the rule that a debit after each kind of rejection would break', () => {
    expect(rules(lastEffect(new Log().bet('b', '5.00', { status: 402 })))).toEqual(['bet.declined-takes-nothing']);
    expect(rules(lastEffect(new Log().bet('b', '5.00', { status: 401 })))).toEqual(['signature.no-effect']);
  });

  it('is not known if its amount is missing, unless it was declined', () => {
    expect(lastEffect(new Log().bet('b', 'five', {})).unknown).toBe('the amount of the bet (call 1) is not known');
    expect(lastEffect(new Log().bet('b', 'five', { status: 402 })).unknown).toBeNull();
  });
});

describe('the effect of a win', () => {
  it('is open after any error but 401, because the service sends it again until it is answered 200', () => {
    for (const status of [404, 500, 503]) {
      expect(balances(lastEffect(new Log().win('w', '5.00', { status })).worlds)).toEqual(['0', '5']);
    }
    expect(balances(lastEffect(new Log().win('w', '5.00', { status: 401 })).worlds)).toEqual(['0']);
  });

  it('is counted once if it fails first and is answered 200 then, and a second credit would break win.retried', () => {
    const effect = lastEffect(new Log().win('w', '5.00', { status: 500 }).win('w', '5.00', {}));
    expect(balances(effect.worlds)).toEqual(['5']);
    expect(rules(effect)).toContain('win.retried');
  });
});

describe('the effect of a refund', () => {
  it('depends on its bet: it gives back only in the worlds in which the bet was taken', () => {
    const log = new Log().bet('b', '5.00', { none: 'reset' }).refund('r', 'b', '5.00', {});
    expect(balances(lastEffect(log).worlds)).toEqual(['0']);
    const open = new Log().bet('b', '5.00', { none: 'reset' }).refund('r', 'b', '5.00', { status: 500 });
    expect(balances(lastEffect(open).worlds)).toEqual(['-5', '0', '0']);
  });

  it('keeps its bet from being taken later', () => {
    const log = new Log().refund('r', 'b', '5.00', {}).bet('b', '5.00', {});
    const effect = lastEffect(log);
    expect(balances(effect.worlds)).toEqual(['0']);
    expect(rules(effect)).toContain('refund.before-bet');
  });

  it('is open if its bet is not in the log', () => {
    expect(balances(lastEffect(new Log().refund('r', 'b', '5.00', {})).worlds)).toEqual(['0', '5']);
  });

  it('names the rule by the state of its bet', () => {
    const rulesOfRefundIn = (log: Log): readonly (string | null)[] =>
      rules(lastEffect(log.refund('r', 'b', '5.00', {})));
    expect(rulesOfRefundIn(new Log().bet('b', '5.00', {}))).toEqual(['refund.restore', 'refund.restore']);
    expect(rulesOfRefundIn(new Log().bet('b', '5.00', { status: 402 }))).toEqual(['refund.declined-bet']);
    expect(rulesOfRefundIn(new Log().bet('b', '5.00', { status: 500 }))).toEqual([
      'refund.after-error',
      'refund.restore',
      'refund.unknown-pays-nothing',
    ]);
    expect(rulesOfRefundIn(new Log().bet('b', '5.00', { none: 'reset' }))[0]).toBe('refund.broken-connection');
    expect(rulesOfRefundIn(new Log().bet('b', '5.00', {}).refund('q', 'b', '5.00', {}))).toEqual(['refund.once']);
  });
});
