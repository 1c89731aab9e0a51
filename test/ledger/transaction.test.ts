import { describe, expect, it } from 'vitest';
import { JOURNAL_TRANSACTIONS, JUDGE_TRANSACTIONS, type TransactionPolicy } from '../../src/ledger/policies.ts';
import {
  type BetFacts,
  type CallFacts,
  nextState,
  type RefundFacts,
  reversalOf,
  type TransactionState,
  type WinFacts,
} from '../../src/ledger/transaction.ts';
import type { Answer } from '../../src/reply/classify.ts';

const BET: BetFacts = { call: 'bet', isFree: false, mustBeDeclined: false };
const WIN: WinFacts = { call: 'win', isFree: false, hasBet: true, isPaidAlready: false, mustBeAccepted: true };
const REFUND: RefundFacts = { call: 'refund', target: { state: 'applied', isRegular: true }, mustBeAccepted: true };

const STATUS: Readonly<Record<Answer, number | undefined>> = {
  accepted: 200,
  'error-200': 200,
  refused: 401,
  declined: 402,
  failed: 500,
  late: undefined,
  broken: undefined,
  lost: undefined,
};
const OPEN_ANSWERS: readonly Answer[] = ['failed', 'late', 'broken', 'lost'];
const ALL_ANSWERS = Object.keys(STATUS) as Answer[];

/** The next state and the change of money, as one text. */
function outcomeOf(
  facts: CallFacts,
  answer: Answer,
  {
    state = 'sent',
    status = STATUS[answer],
    policy = JUDGE_TRANSACTIONS,
  }: { state?: TransactionState; status?: number | undefined; policy?: TransactionPolicy } = {},
): string {
  const next = nextState(state, facts, answer, status, policy);
  return `${next.state}, ${next.money}`;
}

describe.each([
  ['judge', JUDGE_TRANSACTIONS],
  ['journal', JOURNAL_TRANSACTIONS],
] as const)('the first answer to a regular call, under the policy of the %s', (_name, policy) => {
  it.each<[CallFacts['call'], CallFacts, Answer, string]>([
    ['bet', BET, 'accepted', 'applied, moves'],
    ['bet', BET, 'error-200', 'none, either'],
    ['bet', BET, 'refused', 'refused, nothing'],
    ['bet', BET, 'declined', 'none, nothing'],
    ['win', WIN, 'accepted', 'applied, moves'],
    ['win', WIN, 'error-200', 'unknown, unanswered'],
    ['win', WIN, 'refused', 'refused, nothing'],
    ['win', WIN, 'declined', 'unknown, unanswered'],
    ['refund', REFUND, 'accepted', 'applied, gives-back'],
    ['refund', REFUND, 'error-200', 'unknown, unanswered'],
    ['refund', REFUND, 'refused', 'refused, nothing'],
    ['refund', REFUND, 'declined', 'unknown, unanswered'],
  ])('makes of a %s (%j) answered "%s": %s', (_call, facts, answer, expected) => {
    expect(outcomeOf(facts, answer, { policy })).toBe(expected);
  });

  it.each(OPEN_ANSWERS)('leaves the outcome of a call open if the answer is "%s"', (answer) => {
    expect([BET, WIN, REFUND].map((facts) => outcomeOf(facts, answer, { policy }))).toEqual([
      'unknown, lost',
      'unknown, unanswered',
      'unknown, unanswered',
    ]);
  });

  it('lets the operator decide whether an accepted free bet or free win moves money', () => {
    expect(outcomeOf({ ...BET, isFree: true }, 'accepted', { policy })).toBe('applied, either');
    expect(outcomeOf({ ...WIN, isFree: true }, 'accepted', { policy })).toBe('applied, either');
    expect(outcomeOf({ ...BET, isFree: true }, 'accepted', { state: 'unknown', policy })).toBe('applied, either');
    expect(outcomeOf({ ...WIN, isFree: true }, 'accepted', { state: 'unknown', policy })).toBe('applied, either');
  });

  it('opens nothing by a failed refund of a bet that was never taken or was given back', () => {
    for (const state of ['none', 'refused', 'reversed', 'unknown'] as const) {
      expect(outcomeOf({ ...REFUND, target: { state, isRegular: true } }, 'failed', { policy })).toBe(
        'unknown, nothing',
      );
    }
  });

  it('changes nothing by any answer to a transaction that was applied or reversed', () => {
    for (const answer of ALL_ANSWERS) {
      for (const facts of [BET, WIN, REFUND]) {
        expect(outcomeOf(facts, answer, { state: 'applied', policy })).toBe('applied, nothing');
        expect(outcomeOf(facts, answer, { state: 'reversed', policy })).toBe('reversed, nothing');
      }
    }
  });

  it('settles a call without a known outcome by 200 and by no other answer', () => {
    expect(outcomeOf(BET, 'accepted', { state: 'unknown', policy })).toBe('applied, settles');
    expect(outcomeOf(WIN, 'accepted', { state: 'unknown', policy })).toBe('applied, settles');
    expect(outcomeOf(REFUND, 'accepted', { state: 'unknown', policy })).toBe('applied, gives-back');
    for (const answer of ALL_ANSWERS.filter((one) => one !== 'accepted')) {
      expect(outcomeOf(WIN, answer, { state: 'unknown', policy })).toBe('unknown, nothing');
      expect(outcomeOf(REFUND, answer, { state: 'unknown', policy })).toBe('unknown, nothing');
    }
  });
});

describe('the policies differ', () => {
  const both = (facts: CallFacts, answer: Answer, more: { state?: TransactionState; status?: number } = {}): string[] =>
    [JUDGE_TRANSACTIONS, JOURNAL_TRANSACTIONS].map((policy) => outcomeOf(facts, answer, { ...more, policy }));

  it.each([
    [409, 'unknown, lost'],
    [429, 'unknown, lost'],
    [502, 'unknown, lost'],
    [503, 'unknown, lost'],
    [504, 'unknown, lost'],
    [402, 'none, nothing'],
    [404, 'none, nothing'],
  ])(
    'about a bet declined with %i: it took nothing by the contract, and for a journal it is "%s"',
    (status, journal) => {
      expect(both(BET, 'declined', { status })).toEqual(['none, nothing', journal]);
    },
  );

  it('about a win without a bet', () => {
    const facts = { ...WIN, hasBet: false };
    expect(both(facts, 'accepted')).toEqual(['applied, undecided', 'applied, either']);
    expect(both(facts, 'declined')).toEqual(['none, undecided', 'none, nothing']);
    expect(both(facts, 'failed')).toEqual(['none, undecided', 'unknown, unanswered']);
    expect(both(facts, 'lost')).toEqual(['unknown, undecided', 'unknown, unanswered']);
  });

  it('about a declined bet that is sent again', () => {
    expect(both(BET, 'accepted', { state: 'none' })).toEqual(['applied, undecided', 'applied, either']);
    expect(both(BET, 'declined', { state: 'none' })).toEqual(['none, undecided', 'none, nothing']);
  });

  it('about a bet that is accepted after a 401', () => {
    expect(both(BET, 'accepted', { state: 'refused' })).toEqual(['applied, moves', 'applied, either']);
  });

  it('about a failed refund that gives nothing back by the contract', () => {
    const facts: RefundFacts = { ...REFUND, target: { state: 'applied', isRegular: false } };
    expect(both(facts, 'failed')).toEqual(['unknown, undecided', 'unknown, nothing']);
    expect(both({ ...REFUND, target: undefined }, 'failed')).toEqual(['none, nothing', 'unknown, nothing']);
  });

  it('about a copy of an open bet that is answered 200 with an error body', () => {
    expect(both(BET, 'error-200', { state: 'unknown' })).toEqual(['unknown, nothing', 'unknown, either']);
  });
});

describe('what the judge knows from the plan', () => {
  it('leaves open how much was taken for a bet that had to be declined', () => {
    expect(outcomeOf({ ...BET, mustBeDeclined: true }, 'accepted')).toBe('applied, undecided');
  });

  it('expects nothing of a withdrawal whose amount free wins have credited', () => {
    expect(outcomeOf({ ...WIN, isPaidAlready: true }, 'accepted')).toBe('applied, nothing');
  });

  it('leaves to the next read what such a withdrawal did whose reply was lost, before and after it is sent again', () => {
    const facts = { ...WIN, isPaidAlready: true };
    expect(outcomeOf(facts, 'lost')).toBe('unknown, unanswered');
    expect(outcomeOf(facts, 'accepted', { state: 'unknown' })).toBe('applied, either');
  });

  it('leaves to the next read what a declined call did that the contract does not require to be accepted', () => {
    expect(outcomeOf({ ...WIN, mustBeAccepted: false }, 'declined')).toBe('none, either');
    expect(outcomeOf({ ...REFUND, mustBeAccepted: false }, 'declined')).toBe('none, either');
  });
});

describe('a refund that is answered 200', () => {
  const reversal = (
    state: TransactionState,
    policy: TransactionPolicy,
    { isRegular = true, isSameWallet = true } = {},
  ): string => {
    const next = reversalOf(state, { isRegular, isSameWallet }, policy);
    return `${next.state}, ${next.money}`;
  };

  it.each([
    ['applied', 'reversed, moves'],
    ['unknown', 'reversed, settles'],
    ['none', 'reversed, nothing'],
    ['refused', 'reversed, nothing'],
    ['reversed', 'reversed, nothing'],
    ['sent', 'reversed, nothing'],
  ] as const)('makes of its bet in state "%s": %s', (state, expected) => {
    expect(reversal(state, JUDGE_TRANSACTIONS)).toBe(expected);
    expect(reversal(state, JOURNAL_TRANSACTIONS)).toBe(expected);
  });

  it('gives back what the contract leaves open if its round is settled', () => {
    expect(reversal('applied', JUDGE_TRANSACTIONS, { isRegular: false })).toBe('reversed, undecided');
    expect(reversal('applied', JOURNAL_TRANSACTIONS, { isRegular: false })).toBe('reversed, either');
  });

  it('may give nothing back if it was sent in the session of another wallet', () => {
    expect(reversal('applied', JUDGE_TRANSACTIONS, { isSameWallet: false })).toBe('applied, either');
    expect(reversal('applied', JOURNAL_TRANSACTIONS, { isSameWallet: false })).toBe('reversed, either');
  });
});
