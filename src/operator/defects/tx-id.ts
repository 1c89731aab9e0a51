import type { Defect } from '../defect.ts';
import { bodyOf, callOf, rewritingFields } from './rewriting.ts';

export const TX_ID_DEFECTS: readonly Defect[] = [
  {
    name: 'tx-id-missing',
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown', 'idempotency.bet', 'idempotency.win', 'idempotency.refund'],
    description: 'Replies to bets, wins and refunds have no txID, so disputes can’t be traced.',
    change: (right) => rewritingFields(right, ({ txID: _left, ...fields }) => fields),
  },
  {
    name: 'tx-id-null-on-refund',
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown', 'idempotency.refund'],
    description: 'The txID in replies to refunds is null.',
    change: (right) =>
      rewritingFields(right, (fields, request) => (callOf(request) === 'refund' ? { ...fields, txID: null } : fields)),
  },
  {
    name: 'tx-id-number',
    onlyWarns: true,
    breaks: ['reply.tx-id'],
    mayBreak: ['refund.unknown'],
    description: 'The txID in replies is a number and not a string.',
    change: (right) =>
      rewritingFields(right, (fields, request) =>
        callOf(request) === 'balance' ? fields : { ...fields, txID: Number(String(fields.txID).replace('op-', '')) },
      ),
  },
  {
    name: 'tx-id-of-round',
    breaks: ['reply.tx-id-distinct'],
    description: 'The bet and the win of a round are answered with the same txID: it is the round’s id.',
    change: (right) =>
      rewritingFields(right, (fields, request) => {
        const call = callOf(request);
        return call === 'bet' || call === 'win' ? { ...fields, txID: bodyOf(request)?.roundID } : fields;
      }),
  },
];
