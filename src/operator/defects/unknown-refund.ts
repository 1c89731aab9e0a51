import { randomUUID } from 'node:crypto';
import { failure } from '../../sdk/reply.ts';
import type { Behaviour } from '../behaviour.ts';
import { WORDINGS } from '../decision.ts';
import { bodyOf, type Fields, textOf, withheld } from '../rewriting.ts';
import type { Defect } from '../variation.ts';
import { answeringLateBets, restoring } from './changed-steps.ts';

/** Notes the txID of each refund of an unknown transaction in a set. */
function notingUnknown(right: Behaviour, noted: Set<unknown>): Pick<Behaviour, 'originalOf'> {
  return {
    originalOf: (store, refund) => {
      const original = right.originalOf(store, refund);
      if (!original) noted.add(refund.txID);
      return original;
    },
  };
}

/** Changes the reply to a refund of an unknown transaction. */
function onUnknownRefund(right: Behaviour, change: (fields: Fields) => Fields): Partial<Behaviour> {
  const nothing = new Set<unknown>();
  return {
    ...notingUnknown(right, nothing),
    receive: async (request, answer) => {
      const reply = await right.receive(request, answer);
      const body = bodyOf(request);
      if (!body || reply.status !== 200 || !nothing.has(body.txID)) return reply;
      return { ...reply, body: JSON.stringify(change(JSON.parse(textOf(reply)) as Fields)) };
    },
  };
}

/**
 * Carries out each refund of an unknown transaction, but answers with an error and this status. If the bet arrives later, answers it
 * with 200, and takes nothing.
 */
function failingUnknown(right: Behaviour, status: number): Partial<Behaviour> {
  const error = failure({ status: 500, message: 'This bet is unknown.' });
  const nothing = new Set<unknown>();
  return {
    ...notingUnknown(right, nothing),
    ...answeringLateBets(right),
    receive: async (request, answer) => {
      const reply = await right.receive(request, answer);
      return reply.status === 200 && nothing.has(bodyOf(request)?.txID) ? { ...error, status } : reply;
    },
  };
}

export const UNKNOWN_REFUND_DEFECTS: readonly Defect[] = [
  {
    name: 'refund-unknown-404',
    breaks: ['refund.unknown'],
    mayBreak: [
      'refund.before-bet',
      'refund.declined-bet',
      'refund.broken-connection',
      'idempotency.refund',
      'session.isolated',
    ],
    description:
      'The refund of a bet that never reached the operator is answered 404, so the service repeats it without end.',
    change: (right) => ({
      objection: (store, claim, session) =>
        claim.call === 'refund' && claim.origTxID !== null && !store.transaction(claim.extCID, claim.origTxID)
          ? 'bet-unknown'
          : right.objection(store, claim, session),
    }),
  },
  {
    name: 'refund-unknown-crashes',
    breaks: ['refund.unknown'],
    mayBreak: ['refund.before-bet', 'refund.declined-bet', 'refund.broken-connection', 'idempotency.refund'],
    description:
      'The refund of a bet that never reached the operator gets no reply: the handler crashes, and the connection is closed.',
    change: (right) => {
      const nothing = new Set<unknown>();
      return {
        ...notingUnknown(right, nothing),
        deliver: (reply, request) => {
          const delivered = right.deliver(reply, request);
          return nothing.has(bodyOf(request)?.txID) ? withheld(delivered) : delivered;
        },
      };
    },
  },
  {
    name: 'refund-unknown-stored-500',
    breaks: ['refund.unknown'],
    mayBreak: ['refund.declined-bet', 'refund.broken-connection', 'refund.without-round', 'idempotency.refund'],
    description:
      'The refund of a bet that never reached the operator is stored, so the bet costs nothing when it arrives. But the refund is answered 500, so the service repeats it without end.',
    change: (right) => failingUnknown(right, 500),
  },
  {
    name: 'refund-unknown-stored-error-200',
    breaks: ['reply.error-is-not-200'],
    mayBreak: ['refund.declined-bet', 'refund.broken-connection', 'refund.without-round', 'idempotency.refund'],
    description:
      'The refund of a bet that never reached the operator is stored, so the bet costs nothing when it arrives. But the refund is answered 200 with an error.',
    change: (right) => failingUnknown(right, 200),
  },
  {
    name: 'refund-unknown-credited',
    breaks: ['refund.unknown-pays-nothing'],
    mayBreak: ['refund.before-bet', 'refund.declined-bet', 'refund.broken-connection', 'idempotency.refund'],
    description:
      'The player gains money from the refund of a bet that never reached the operator: the amount of the request is paid.',
    change: (right) => restoring(right, (refund, original) => (original ? undefined : (refund.amount ?? 0n))),
  },
  {
    name: 'refund-unknown-taken',
    breaks: ['refund.unknown-pays-nothing'],
    mayBreak: ['refund.declined-bet', 'refund.before-bet', 'refund.broken-connection', 'idempotency.refund'],
    description:
      'The player loses money when a bet is refunded that never reached the operator: the wallet subtracts the amount from the balance.',
    change: (right) => restoring(right, (refund, original) => (original ? undefined : -(refund.amount ?? 0n))),
  },
  {
    name: 'refund-unknown-without-balance',
    breaks: ['refund.unknown'],
    mayBreak: ['money.decimal-string'],
    description: 'A refund of an unknown bet is answered 200, but the reply has no balance.',
    change: (right) => onUnknownRefund(right, ({ balance: _left, ...fields }) => fields),
  },
  {
    name: 'refund-unknown-empty-body',
    breaks: ['refund.unknown'],
    mayBreak: ['money.decimal-string', 'reply.tx-id'],
    description: 'A refund of an unknown bet is answered 200 with the empty object {}.',
    change: (right) => onUnknownRefund(right, () => ({})),
  },
  {
    name: 'refund-unknown-new-tx-id',
    onlyWarns: true,
    breaks: ['idempotency.same-reply'],
    description:
      'If the refund of an unknown bet is repeated, each reply has another txID, because the wallet does not store the first txID.',
    change: (right) => onUnknownRefund(right, (fields) => ({ ...fields, txID: `op-${randomUUID()}` })),
  },
  {
    name: 'refund-declined-bet-paid',
    breaks: ['refund.declined-bet'],
    mayBreak: ['bet.declined-takes-nothing', 'refund.before-bet'],
    description:
      'The player gains money: a bet was declined because the balance was too low, and its refund pays the amount of the bet, although the wallet never took it.',
    change: (right) =>
      restoring(right, (refund, original) =>
        original?.call === 'bet' && original.outcome === 'insufficient-funds' && original.walletID === refund.walletID
          ? (original.amount ?? 0n)
          : undefined,
      ),
  },
  {
    name: 'refund-declined-bet-404',
    breaks: ['refund.declined-bet'],
    mayBreak: ['refund.before-bet'],
    description:
      'The refund of a bet that was declined because the balance was too low is answered 404. If the service never got the decline, it repeats the refund without end.',
    change: (right) => ({
      objection: (store, claim, session) => {
        const original = claim.call === 'refund' ? right.originalOf(store, claim) : undefined;
        return original?.call === 'bet' && original.outcome === 'insufficient-funds'
          ? 'round-unknown'
          : right.objection(store, claim, session);
      },
    }),
  },
  {
    name: 'failed-bet-paid-back',
    breaks: ['refund.after-error', 'bet.insufficient-funds'],
    description:
      'A bet above the balance fails in the database and is answered 500. The wallet took nothing, but the refund pays out the amount of the bet.',
    change: (right) => ({
      reply: (decision) =>
        decision.kind === 'declined' && decision.reason === 'insufficient-funds'
          ? failure({ ...WORDINGS['insufficient-funds'], status: 500 })
          : right.reply(decision),
      ...restoring(right, (refund, original) =>
        original?.call === 'bet' &&
        original.outcome === 'insufficient-funds' &&
        original.reversedBy === null &&
        original.walletID === refund.walletID
          ? (original.amount ?? 0n)
          : undefined,
      ),
    }),
  },
];
