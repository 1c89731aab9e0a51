import { randomUUID } from 'node:crypto';
import type { RuleId } from '../../contract/catalogue.ts';
import type { ListenReply } from '../../listen/message.ts';
import { type Behaviour, CONFLICT } from '../behaviour.ts';
import type { Decision } from '../decision.ts';
import { bodyOf, rewritingSuccess, withheld } from '../rewriting.ts';
import type { Claim, Store } from '../store.ts';
import type { Defect } from '../variation.ts';

/** Decides a repeated call correctly, and then changes the decision with `answer`. */
function answeringAgain(
  right: Behaviour,
  answer: (decision: Decision, store: Store, claim: Claim) => Decision,
): Partial<Behaviour> {
  return {
    recall: (earlier, again, store) => {
      const decision = right.recall(earlier, again, store);
      return decision?.kind === 'done' ? answer(decision, store, again) : decision;
    },
  };
}

/** Replaces the whole reply to a repeated call by the reply `to`. */
function answeringRepeats(right: Behaviour, to: (reply: ListenReply) => ListenReply): Partial<Behaviour> {
  const done = new Set<unknown>();
  return rewritingSuccess(right, (reply, request) => {
    const txID = bodyOf(request)?.txID;
    if (txID === undefined) return reply;
    if (done.has(txID)) return to(reply);
    done.add(txID);
    return reply;
  });
}

/** Rules whose scenarios also send a call again. A wallet that refuses every repeated call may break them too. */
const BROKEN_BY_REFUSED_REPEATS: readonly RuleId[] = [
  'free-rounds.replay',
  'idempotency.concurrent',
  'idempotency.same-reply',
  'refund.broken-connection',
  'idempotency.durable',
  'idempotency.after-refund',
];

export const REPEAT_DEFECTS: readonly Defect[] = [
  {
    name: 'repeats-called-duplicates',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund', 'free-rounds.replay'],
    description: 'A repeated call is answered 200 with only {"status":"DUPLICATE"} instead of the first reply.',
    change: (right) => answeringRepeats(right, (reply) => ({ ...reply, body: '{"status":"DUPLICATE"}' })),
  },
  {
    name: 'repeats-not-modified',
    breaks: ['reply.success-is-200'],
    description: 'A repeated call is answered 304, without a balance.',
    change: (right) => answeringRepeats(right, (reply) => ({ ...reply, status: 304, body: '' })),
  },
  {
    name: 'replay-409',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: BROKEN_BY_REFUSED_REPEATS,
    description:
      'A repeated transaction is answered 409 "duplicate" instead of the first reply: the service sees a failure instead of a success.',
    change: () => ({ recall: () => CONFLICT }),
  },
  {
    name: 'replay-500-of-database',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund', 'reply.error-message'],
    mayBreak: BROKEN_BY_REFUSED_REPEATS,
    description:
      'A repeated call is answered 500, and the player is shown an error of the database: the index refuses a second entry with the same txID.',
    change: (right) =>
      answeringRepeats(right, (reply) => ({
        ...reply,
        status: 500,
        body: '{"message":"SQLSTATE[23000]: Integrity constraint violation: 19 UNIQUE constraint failed: tx.txID"}',
      })),
  },
  {
    name: 'replay-crashes',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: BROKEN_BY_REFUSED_REPEATS,
    description: 'A repeated call gets no reply: the handler crashes on the known txID, and the connection is closed.',
    change: (right) => {
      const done = new Set<unknown>();
      return {
        deliver: (reply, request) => {
          const delivered = right.deliver(reply, request);
          const txID = bodyOf(request)?.txID;
          if (txID === undefined || reply.status !== 200) return delivered;
          if (done.has(txID)) return withheld(delivered);
          done.add(txID);
          return delivered;
        },
      };
    },
  },
  {
    name: 'replay-400-for-wins',
    breaks: ['idempotency.win'],
    mayBreak: ['free-rounds.replay', 'idempotency.concurrent', 'idempotency.same-reply', 'idempotency.durable'],
    description:
      'The wallet refuses a win that is sent again with 400. So the service sends the win again and again, and the round never ends.',
    change: (right) => ({
      recall: (earlier, again, store) =>
        again.call === 'win' ? { kind: 'declined', reason: 'win-repeated' } : right.recall(earlier, again, store),
    }),
  },
  {
    name: 'replay-other-tx-id',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: [
      'idempotency.same-reply',
      'free-rounds.replay',
      'refund.retried',
      'win.retried',
      'idempotency.durable',
      'idempotency.after-refund',
    ],
    description:
      'The reply to a repeated call has a new txID instead of the txID of the first reply, so the records of the operator and the service do not match. No money moves twice.',
    change: (right) =>
      answeringAgain(right, (decision) =>
        decision.kind === 'done' ? { ...decision, txID: `op-${randomUUID()}` } : decision,
      ),
  },
  {
    name: 'replay-current-balance',
    breaks: ['idempotency.same-reply'],
    description: 'The reply to a repeated call has the current balance instead of the balance of the first reply.',
    change: (right) =>
      answeringAgain(right, (decision, store, { walletID }) => {
        if (decision.kind !== 'done' || walletID === null) return decision;
        const wallet = store.wallet(walletID);
        return { ...decision, balance: right.show(wallet, wallet.balance) };
      }),
  },
];
