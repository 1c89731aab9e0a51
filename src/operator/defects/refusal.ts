import { failure } from '../../sdk/reply.ts';
import { bodyOf, rewriting, withheld } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/** Defects in the handling of calls with a wrong signature. */
export const REFUSAL_DEFECTS: readonly Defect[] = [
  {
    name: 'signature-403',
    breaks: ['signature.mismatch'],
    description: 'A wrong signature is answered 403 instead of 401.',
    change: (right) => rewriting(right, (reply) => (reply.status === 401 ? { ...reply, status: 403 } : reply)),
  },
  {
    name: 'signature-401-text',
    breaks: ['signature.message'],
    description: 'A wrong signature is answered 401 with the plain text "Unauthorized", not with JSON.',
    change: (right) =>
      rewriting(right, (reply) =>
        reply.status === 401 ? { status: 401, headers: [['Content-Type', 'text/plain']], body: 'Unauthorized' } : reply,
      ),
  },
  {
    name: 'signature-401-no-message',
    breaks: ['signature.message'],
    description: 'A wrong signature is answered 401 with JSON that has no message.',
    change: (right) =>
      rewriting(right, (reply) => (reply.status === 401 ? { ...reply, body: '{"error":"unauthorized"}' } : reply)),
  },
  {
    name: 'signature-401-null-message',
    breaks: ['signature.message'],
    description: 'A wrong signature is answered 401 with a message that is null.',
    change: (right) =>
      rewriting(right, (reply) => (reply.status === 401 ? { ...reply, body: '{"message":null}' } : reply)),
  },
  {
    name: 'signature-500',
    breaks: ['signature.mismatch'],
    description: 'A wrong signature is answered 500, because the wallet does not catch the exception.',
    change: (right) => rewriting(right, (reply) => (reply.status === 401 ? { ...reply, status: 500 } : reply)),
  },
  {
    name: 'signature-missing-crashes',
    breaks: ['signature.missing'],
    description: 'A call without a signature gets no reply: the handler crashes, and the connection is closed.',
    change: (right) => ({
      deliver: (reply, request) =>
        right.signatureOf(request.headers) ? right.deliver(reply, request) : withheld(right.deliver(reply, request)),
    }),
  },
  {
    name: 'refused-call-moves-money',
    breaks: ['signature.no-effect'],
    mayBreak: ['signature.tampered-body', 'signature.mismatch'],
    description:
      'The wallet answers 401 to a call with a wrong signature, but has already carried out the call, because it checks the signature last.',
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
      'Anybody can block a transaction: the txID of a call with a wrong signature counts as used, and the right call is refused.',
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
