import type { CallName } from '../contract/call-name.ts';
import type { Answer } from '../judge/check.ts';
import { NO_NEEDS } from '../scenario/needs.ts';
import type { CallStep, Expect, Plan } from '../scenario/plan.ts';
import type { SignKind } from '../wire/sign-kind.ts';
import { readStep } from './read-step.ts';

/** What a person has said about a call that is made by hand. */
export interface HandCall {
  readonly call: CallName;
  /** Of the body, or of the query of a balance call; with the sessionID. */
  readonly fields: Readonly<Record<string, string>>;
  readonly sign: SignKind;
  /** How often the same bytes are sent in all. */
  readonly times: number;
  /** The bet that a refund names may exist: false when its id was made up for the call. */
  readonly namesBet: boolean;
  /** The round is one that was begun before: false when its id was made up for the call. */
  readonly namesRound: boolean;
}

const PLACE = { file: 'croupier call', line: 1, column: 1 };
const ALIAS = 'main';
/** No step has this key: the bet was made before, by somebody. */
const BET_BEFORE = 'before';

/** A read beside the call. */
export function readByHand(key: string): CallStep {
  return readStep(PLACE, ALIAS, key);
}

/**
 * The story of a call by hand. Whether it was to be accepted is taken from how it was answered, where that is the
 * operator's right: a person may well send what has to be declined.
 *
 * @param answer to the first of the calls
 */
export function planByHand(hand: HandCall, answer: Answer): Plan {
  const first = firstStep(hand, answer);
  const again = Array.from(
    { length: hand.times - 1 },
    (_, index): CallStep => ({
      ...first,
      key: String(index + 2),
      origin: { kind: 'resend', of: first.key },
      fields: [],
      deviations: {},
      expect: first.expect.outcome === 'declined' ? { outcome: 'either', stated: false } : first.expect,
    }),
  );
  return {
    id: 'by-hand',
    title: `A ${hand.call} by hand`,
    place: PLACE,
    rules: [],
    tags: [],
    last: false,
    needs: NO_NEEDS,
    steps: [first, ...again],
    always: [],
  };
}

function firstStep({ call, fields, sign, namesBet, namesRound }: HandCall, answer: Answer): CallStep {
  const { type, frID } = fields;
  return {
    ...readByHand('1'),
    call,
    fields: Object.entries(fields)
      .filter(([name]) => name !== 'sessionID')
      .map(([name, value]) => [name, { kind: 'literal', value }] as const),
    txID: fields.txID ?? null,
    roundID: fields.roundID ?? null,
    ...(call === 'refund' && { refund: { kind: namesBet ? 'id' : 'unknown' } as const }),
    ...(call === 'win' && namesRound && { winOf: BET_BEFORE }),
    ...((type === 'free' || type === 'regular') && { type }),
    campaign: frID !== undefined,
    deviations: sign === 'valid' ? {} : { sign },
    expect: expected(call, sign, answer),
  };
}

function expected(call: CallName, sign: SignKind, answer: Answer): Expect {
  // Whether upper-case hexadecimal is taken, the contract leaves open.
  if (sign === 'upper-case') return { outcome: 'either', stated: false };
  if (sign !== 'valid') return { outcome: 'refused', stated: false };
  const declined = call !== 'refund' && (answer === 'declined' || answer === 'error-200');
  return { outcome: declined ? 'declined' : 'accepted', stated: false };
}

/** What the service would do now that a call was answered so; null: nothing in particular. */
export function whatFollows({ call, fields, sign }: HandCall, answer: Answer): string | null {
  const { txID, roundID, amount } = fields;
  if (call === 'balance' || sign !== 'valid') return null;
  switch (answer) {
    case 'accepted':
    case 'error-200':
      return null;
    case 'broken':
    case 'lost':
      return `It is not known whether the ${call} was carried out. Sent again with the same txID (--tx-id ${String(txID)}), it must take effect once.`;
    case 'late':
    case 'failed':
      return call === 'bet'
        ? `The service would refund this bet now, until it is answered 200: croupier call refund --orig-tx-id ${String(txID)} --round ${String(roundID)} --amount ${String(amount)}`
        : untilAccepted(call, txID);
    case 'refused':
    case 'declined':
      return call === 'bet' ? 'The service takes the bet as declined: it sends no refund.' : untilAccepted(call, txID);
  }
}

function untilAccepted(call: CallName, txID: string | undefined): string {
  return `The service would send this ${call} again with the same txID (--tx-id ${String(txID)}), until it is answered 200.`;
}
