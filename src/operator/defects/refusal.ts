import { failure } from '../../sdk/reply.ts';
import type { Defect } from '../defect.ts';
import { bodyOf, rewriting } from './rewriting.ts';

/** Defects in what happens to calls with a wrong signature. */
export const REFUSAL_DEFECTS: readonly Defect[] = [
  {
    name: 'signature-403',
    breaks: ['signature.mismatch'],
    description: 'A wrong signature is answered 403 and not 401.',
    change: (right) => rewriting(right, (reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply)),
  },
  {
    name: 'signature-401-text',
    breaks: ['signature.message'],
    description: 'A wrong signature is answered 401 with a plain text and no JSON.',
    change: (right) =>
      rewriting(right, (reply) =>
        reply.status === 401 ? { status: 401, headers: [['Content-Type', 'text/plain']], body: 'Unauthorized' } : reply,
      ),
  },
  {
    name: 'signature-401-no-message',
    breaks: ['signature.message'],
    description: 'A wrong signature is answered 401 with JSON, but without a message.',
    change: (right) =>
      rewriting(right, (reply) => (reply.status === 401 ? { ...reply, body: '{"error":"unauthorized"}' } : reply)),
  },
  {
    name: 'refused-call-moves-money',
    breaks: ['signature.no-effect'],
    mayBreak: ['signature.tampered-body', 'signature.mismatch'],
    description: 'A call with a wrong signature is answered 401, but has been carried out by then.',
    change: (right) => ({
      refuse: async (refused, anyway) => {
        if (refused.reason === 'bad-signature') await anyway();
        return right.refuse(refused, anyway);
      },
    }),
  },
  {
    name: 'refused-call-uses-up-tx-id',
    breaks: ['signature.no-effect'],
    description:
      'The txID of a call with a wrong signature is taken for used: sent again with the right one, it is refused.',
    change: (right) => {
      const used = new Set<unknown>();
      return {
        receive: async (request, answer) => {
          const txID = bodyOf(request)?.txID;
          if (txID !== undefined && used.has(txID)) {
            return failure({ status: 409, message: 'This transaction was already processed.' });
          }
          const reply = await right.receive(request, answer);
          if (reply.status === 401 && txID !== undefined) used.add(txID);
          return reply;
        },
      };
    },
  },
];
