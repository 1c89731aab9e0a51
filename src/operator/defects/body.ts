import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { signBody } from '../../contract/signature.ts';
import { headerOf } from '../../listen/message.ts';
import { failure, type Reply } from '../../sdk/reply.ts';
import type { SignedBody } from '../../sdk/reverse-call.ts';
import { readAmount } from '../amount.ts';
import type { Behaviour } from '../behaviour.ts';
import { bodyOf, type Fields, withheld } from '../rewriting.ts';
import type { Defect } from '../variation.ts';

/** Replaces the content of a body whose signature is correct, before the body is read. */
function reading({ verify }: Behaviour, change: (fields: Fields) => Fields): Partial<Behaviour> {
  const otherwise =
    <C>(right: (signed: SignedBody) => C) =>
    (signed: SignedBody): C => {
      if (signed.signature !== signBody(signed.body, signed.key)) return right(signed);
      try {
        const fields = JSON.parse(Buffer.from(signed.body).toString()) as Fields;
        const body = Buffer.from(JSON.stringify(change(fields)));
        return right({ body, key: signed.key, signature: signBody(body, signed.key) });
      } catch {
        return right(signed);
      }
    };
  return {
    verify: { ...verify, bet: otherwise(verify.bet), win: otherwise(verify.win), refund: otherwise(verify.refund) },
  };
}

const MALFORMED_500: Reply = failure({ status: 500, message: 'Something went wrong.' });

export const BODY_DEFECTS: readonly Defect[] = [
  {
    name: 'malformed-json-500',
    breaks: ['robustness.malformed-json'],
    description:
      'The wallet answers 500 to a body that is not JSON, because it does not catch the exception of the parser.',
    change: (right) => ({
      refuse: (refused, anyway) => (refused.reason === 'malformed' ? MALFORMED_500 : right.refuse(refused, anyway)),
    }),
  },
  {
    name: 'malformed-json-hangs',
    breaks: ['robustness.malformed-json'],
    mayBreak: ['reply.deadline'],
    description: 'A body that is not JSON gets no reply, because the exception ends the handler.',
    change: (right, { deadlineMs }) => ({
      refuse: async (refused, anyway) => {
        if (refused.reason === 'malformed') await sleep(deadlineMs * 1.5);
        return right.refuse(refused, anyway);
      },
    }),
  },
  {
    name: 'malformed-json-crashes',
    breaks: ['robustness.malformed-json'],
    description:
      'A body that is not JSON gets no reply: the exception of the parser ends the handler, and the connection is closed.',
    change: (right) => ({
      deliver: (reply, request) => {
        const delivered = right.deliver(reply, request);
        return request.body.length > 0 && !bodyOf(request) ? withheld(delivered) : delivered;
      },
    }),
  },
  {
    name: 'unknown-field-refused',
    breaks: ['robustness.unknown-field'],
    description:
      'All calls will fail when the service adds a field: the wallet answers 400 to a body with an unknown field.',
    change: (right) => {
      const known = new Set(['sessionID', 'txID', 'roundID', 'origTxID', 'amount', 'type', 'frID']);
      return {
        receive: async (request, answer) => {
          const reply = Object.keys(bodyOf(request) ?? {}).every((name) => known.has(name));
          return reply
            ? right.receive(request, answer)
            : failure({ status: 400, message: 'This request has an unknown field.' });
        },
      };
    },
  },
  {
    name: 'first-piece-only',
    breaks: ['robustness.slow-body'],
    description: 'Some calls are refused: only the first packet of a body is read.',
    change: (right) => ({
      receive: (request, answer) => right.receive({ ...request, body: request.pieces?.[0] ?? request.body }, answer),
    }),
  },
  {
    name: 'charset-required',
    breaks: ['signature.accepted'],
    description:
      'The wallet answers 415 to every bet, win and refund, because its framework requires a charset in the Content-Type.',
    change: (right) => ({
      receive: async (request, answer) =>
        request.method === 'GET' || /charset=/i.test(headerOf(request.headers, 'Content-Type') ?? '')
          ? right.receive(request, answer)
          : failure({ status: 415, message: 'This kind of request is not supported.' }),
    }),
  },
  {
    name: 'negative-amount-accepted',
    breaks: ['robustness.bad-amount'],
    description: 'A bet of a negative amount pays the player.',
    change: (right) => {
      // The schema of the call allows no minus sign. So these digits before the amount stand for a minus sign, until the amount is
      // read.
      const sign = '900000000000';
      return {
        ...reading(right, (fields) =>
          typeof fields.amount === 'string' && fields.amount.startsWith('-')
            ? { ...fields, amount: `${sign}${fields.amount.slice(1)}` }
            : fields,
        ),
        readAmount: (text, scale) => {
          if (!text.startsWith(sign)) return right.readAmount(text, scale);
          const units = right.readAmount(text.slice(sign.length), scale);
          return units === undefined ? undefined : -units;
        },
      };
    },
  },
  {
    name: 'exponent-accepted',
    breaks: ['robustness.bad-amount'],
    description: 'The wallet accepts a bet of 1e0, because it reads amounts with a general number parser.',
    change: (right) =>
      reading(right, (fields) =>
        typeof fields.amount === 'string' && /e/i.test(fields.amount)
          ? { ...fields, amount: String(Number(fields.amount)) }
          : fields,
      ),
  },
  {
    name: 'excess-decimals-rounded',
    breaks: ['robustness.bad-amount'],
    description: 'The wallet accepts and rounds a bet of 1.001, so the sums of the operator and the service differ.',
    change: () => ({
      readAmount: (text, scale) => {
        const decimals = text.split('.')[1]?.length ?? 0;
        return decimals > scale.decimals
          ? readAmount(Number(text).toFixed(scale.decimals), scale)
          : readAmount(text, scale);
      },
    }),
  },
  {
    name: 'missing-amount-is-zero',
    breaks: ['robustness.missing-field'],
    description: 'A call without an amount is accepted with the amount 0.',
    change: (right) => reading(right, (fields) => ({ amount: '0', ...fields })),
  },
  {
    name: 'missing-tx-id-made-up',
    breaks: ['robustness.missing-field'],
    description:
      'The wallet carries out a call without a txID under a generated txID. So the same call is carried out again when it is repeated.',
    change: (right) => reading(right, (fields) => ({ txID: randomUUID(), ...fields })),
  },
];
