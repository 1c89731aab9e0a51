import { randomUUID } from 'node:crypto';
import type { ListenReply } from '../../listen/message.ts';
import { type Behaviour, CONFLICT } from '../behaviour.ts';
import type { Decision } from '../decision.ts';
import type { Defect } from '../defect.ts';
import type { Claim, Store } from '../store.ts';
import { bodyOf, rewritingSuccess } from './rewriting.ts';

/** A repeat that was carried out before is decided as it was then, but for what `answer` changes. */
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

/** What a repeat is answered is not what the first was: `to` replaces the whole reply. */
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

export const REPEAT_DEFECTS: readonly Defect[] = [
  {
    name: 'repeats-called-duplicates',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund', 'free-rounds.replay'],
    description:
      'A txID that was processed is answered 200 with nothing but {"status":"DUPLICATE"}, not with the first reply.',
    change: (right) => answeringRepeats(right, (reply) => ({ ...reply, body: '{"status":"DUPLICATE"}' })),
  },
  {
    name: 'repeats-not-modified',
    breaks: ['reply.success-is-200'],
    description: 'A txID that was processed is answered 304, which says nothing of the balance.',
    change: (right) => answeringRepeats(right, (reply) => ({ ...reply, status: 304, body: '' })),
  },
  {
    name: 'replay-409',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: [
      'win.retried',
      'refund.retried',
      'free-rounds.replay',
      'idempotency.concurrent',
      'idempotency.same-reply',
      'refund.broken-connection',
      'idempotency.durable',
      'idempotency.after-refund',
    ],
    description:
      'A transaction that is sent again is answered 409 "duplicate", not with the first reply: the service takes a success for a failure.',
    change: () => ({ recall: () => CONFLICT }),
  },
  {
    name: 'replay-400-for-wins',
    breaks: ['idempotency.win', 'win.retried'],
    mayBreak: ['free-rounds.replay', 'idempotency.concurrent', 'idempotency.same-reply', 'idempotency.durable'],
    description:
      'A win that is sent again is refused, so the service keeps sending it for ever and the round never ends.',
    change: (right) => ({
      recall: (earlier, again, store) => (again.call === 'win' ? CONFLICT : right.recall(earlier, again, store)),
    }),
  },
  {
    name: 'replay-other-tx-id',
    breaks: ['idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    mayBreak: [
      'idempotency.same-reply',
      'idempotency.concurrent',
      'free-rounds.replay',
      'refund.retried',
      'win.retried',
      'idempotency.durable',
      'idempotency.after-refund',
    ],
    description:
      'A repeated call is answered with a new txID of ours, not with that of the first reply, so the two sides’ records never match. No money moves twice.',
    change: (right) =>
      answeringAgain(right, (decision) =>
        decision.kind === 'done' ? { ...decision, txID: `op-${randomUUID()}` } : decision,
      ),
  },
  {
    name: 'replay-current-balance',
    breaks: ['idempotency.same-reply'],
    description: 'A repeated call is answered with the balance of now, not with that of the first reply.',
    change: (right) =>
      answeringAgain(right, (decision, store, { walletID }) => {
        if (decision.kind !== 'done' || walletID === null) return decision;
        const wallet = store.wallet(walletID);
        return { ...decision, balance: right.show(wallet, wallet.balance) };
      }),
  },
];
