import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CALL_NAMES } from '../../src/contract/call-name.ts';
import {
  balanceReplySchema,
  errorReplySchema,
  REPLY_SCHEMAS,
  REQUEST_SCHEMAS,
  transactionReplySchema,
} from '../../src/contract/calls.ts';
import { AMOUNT_PATTERN } from '../../src/contract/money.ts';

const txID = '0a4cf5c1-6d2b-4a5e-9f0e-6d6f1d6b9b01';
const origTxID = '5b0ff1de-3b53-4c22-8d0c-0f7f4c1f2f02';
const roundID = '9d3f7a90-0c3e-4b8f-a3d5-2f5d3c1e4a03';

const good = {
  balance: { sessionID: 's-1' },
  bet: { sessionID: 's-1', txID, roundID, amount: '0.90', type: 'regular' },
  win: { sessionID: 's-1', txID, roundID, amount: '0', type: 'regular' },
  refund: { sessionID: 's-1', txID, origTxID, roundID, amount: '0.90' },
} as const;

function complaints(schema: z.ZodType, value: unknown): string[] {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join('.'));
}

describe('the schema of a request', () => {
  it.each(CALL_NAMES)('accepts a minimal %s, and one with a further field', (call) => {
    expect(complaints(REQUEST_SCHEMAS[call], good[call])).toEqual([]);
    const more = { ...good[call], further: 'x' };
    expect(REQUEST_SCHEMAS[call].parse(more)).toEqual(more);
  });

  it.each([
    ['balance', 'sessionID'],
    ['bet', 'sessionID'],
    ['bet', 'txID'],
    ['bet', 'roundID'],
    ['bet', 'amount'],
    ['bet', 'type'],
    ['win', 'sessionID'],
    ['win', 'txID'],
    ['win', 'roundID'],
    ['win', 'amount'],
    ['win', 'type'],
    ['refund', 'sessionID'],
    ['refund', 'txID'],
    ['refund', 'origTxID'],
    ['refund', 'amount'],
  ] as const)('refuses a %s without %s and names the field', (call, field) => {
    const { [field]: _, ...rest } = good[call] as Record<string, unknown>;
    expect(complaints(REQUEST_SCHEMAS[call], rest)).toEqual([field]);
  });

  it('accepts a refund without a roundID', () => {
    const { roundID: _, ...rest } = good.refund;
    expect(complaints(REQUEST_SCHEMAS.refund, rest)).toEqual([]);
  });

  it('refuses a txID that is not a UUID v4', () => {
    const version1 = '5b0ff1de-3b53-1c22-8d0c-0f7f4c1f2f02';
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, txID: version1 })).toEqual(['txID']);
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, roundID: version1 })).toEqual([]);
  });

  it('requires an frID in a free bet, and refuses it in a regular bet', () => {
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, type: 'free', frID: 'fr-1' })).toEqual([]);
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, type: 'free' })).toEqual(['frID']);
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, frID: 'fr-1' })).toEqual(['frID']);
  });

  it('requires an frID in a free win, and accepts it in a regular win (the bonus withdrawal)', () => {
    expect(complaints(REQUEST_SCHEMAS.win, { ...good.win, frID: 'fr-1' })).toEqual([]);
    expect(complaints(REQUEST_SCHEMAS.win, { ...good.win, type: 'free' })).toEqual(['frID']);
  });

  it('refuses any type except regular and free', () => {
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, type: 'bonus' })).toEqual(['type']);
  });
});

describe('an amount in the schemas', () => {
  it.each(['0', '0.90', '1', '10', '90071992547409.93', '0.000000000000000001'])('may be %j', (text) => {
    expect(AMOUNT_PATTERN.test(text)).toBe(true);
    expect(complaints(balanceReplySchema, { balance: text })).toEqual([]);
  });

  it.each(['', '-1', '+1', '01', '.5', '1.', '1e3', '0x10', '1,00', '1 000', ' 1', '1\n', '１', 'NaN', '1.0.0', '€1'])(
    'cannot be %j',
    (text) => {
      expect(AMOUNT_PATTERN.test(text)).toBe(false);
      expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, amount: text })).toEqual(['amount']);
      expect(complaints(balanceReplySchema, { balance: text })).toEqual(['balance']);
    },
  );

  it('cannot be a JSON number', () => {
    expect(complaints(transactionReplySchema, { txID: 't', balance: 1.5 })).toEqual(['balance']);
    expect(complaints(REQUEST_SCHEMAS.bet, { ...good.bet, amount: 1 })).toEqual(['amount']);
  });
});

describe('the schema of a reply', () => {
  it('accepts further fields, and requires a txID except for balance', () => {
    for (const call of CALL_NAMES) {
      const reply = { txID: 'op-1', balance: '1.00', further: [1] };
      expect(REPLY_SCHEMAS[call].parse(reply), call).toEqual(reply);
      expect(complaints(REPLY_SCHEMAS[call], { balance: '1.00' }), call).toEqual(call === 'balance' ? [] : ['txID']);
    }
  });

  it('accepts an error without any field, and checks the types of the fields that it has', () => {
    expect(complaints(errorReplySchema, {})).toEqual([]);
    expect(
      complaints(errorReplySchema, { message: 'No.', code: 'own_code', details: { a: 1 }, action: 'refresh' }),
    ).toEqual([]);
    expect(complaints(errorReplySchema, { message: 1, code: 2, action: 'dance' })).toEqual([
      'message',
      'code',
      'action',
    ]);
  });
});

it('every field of every schema has a description for the published documents', () => {
  for (const schema of [...Object.values(REQUEST_SCHEMAS), ...Object.values(REPLY_SCHEMAS), errorReplySchema]) {
    const { properties, description } = z.toJSONSchema(schema);
    expect(description).toBeTypeOf('string');
    for (const [name, property] of Object.entries(properties ?? {})) {
      expect(property, name).toHaveProperty('description');
    }
  }
});
