import type { CallName } from '../../contract/call-name.ts';
import type { SignKind } from '../../contract/deviation.ts';
import type { Money } from '../../contract/money.ts';
import type { Answer } from '../../reply/classify.ts';
import { NO_NEEDS } from '../../scenario/needs.ts';
import type { CallStep, Expect, Plan } from '../../scenario/plan/plan.ts';
import { readStep } from '../scenario-context.ts';

/** A call that the user sends with `croupier call`. */
export interface ManualCall {
  readonly call: CallName;
  /** The fields of the body, or of the query for a balance call. The sessionID is one of them. */
  readonly fields: Readonly<Record<string, string>>;
  /** The amount in the fields. Undefined for a balance call, and for an amount that the contract does not allow. */
  readonly amount: Money | undefined;
  readonly sign: SignKind;
  /** The number of times that the call is sent, with the same bytes each time. */
  readonly times: number;
  /** False if croupier invented the id of the refunded bet. Then this bet cannot exist. */
  readonly namesBet: boolean;
  /** False if croupier invented the id of the round. Then this round cannot have begun before. */
  readonly namesRound: boolean;
}

const PLACE = { file: 'croupier call', line: 1, column: 1 };
const ALIAS = 'main';
/** The key that stands for an earlier bet outside this plan. No step of the plan has this key. */
const EARLIER_BET = 'before';

/** Creates the step of a balance call before or after the user's call. */
export function readByHand(key: string): CallStep {
  return readStep(PLACE, ALIAS, key);
}

/**
 * Makes a plan for the user's call. The user may send a call that the operator must decline. If croupier cannot know whether the
 * operator must accept or decline the call, the plan expects the answer that the operator has already given.
 *
 * @param answer the answer to the first call
 */
export function planByHand(manual: ManualCall, answer: Answer): Plan {
  const first = firstStep(manual, answer);
  const again = Array.from(
    { length: manual.times - 1 },
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
    title: `A ${manual.call} by hand`,
    place: PLACE,
    rules: [],
    tags: [],
    last: false,
    needs: NO_NEEDS,
    steps: [first, ...again],
    always: [],
  };
}

function firstStep({ call, fields, sign, namesBet, namesRound }: ManualCall, answer: Answer): CallStep {
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
    ...(call === 'win' && namesRound && { winOf: EARLIER_BET }),
    ...((type === 'free' || type === 'regular') && { type }),
    campaign: frID !== undefined,
    deviations: sign === 'valid' ? {} : { sign },
    expect: expected(call, sign, answer),
  };
}

function expected(call: CallName, sign: SignKind, answer: Answer): Expect {
  // The contract does not define whether the operator accepts a signature in upper-case hexadecimal.
  if (sign === 'upper-case') return { outcome: 'either', stated: false };
  if (sign !== 'valid') return { outcome: 'refused', stated: false };
  const declined = call !== 'refund' && (answer === 'declined' || answer === 'error-200');
  return { outcome: declined ? 'declined' : 'accepted', stated: false };
}

/** Returns text that says what the real service would do after this answer. Null if it would do nothing in particular. */
export function nextAction({ call, fields, sign }: ManualCall, answer: Answer): string | null {
  const { txID, roundID, amount } = fields;
  if (call === 'balance' || sign !== 'valid') return null;
  switch (answer) {
    case 'accepted':
    case 'error-200':
      return null;
    case 'broken':
    case 'lost':
      return `It is unknown whether the ${call} was carried out. If it is sent again with the same txID (--tx-id ${String(txID)}), it must take effect only once.`;
    case 'late':
    case 'failed':
      return call === 'bet'
        ? `The service would now send a refund of this bet until the refund is answered 200. To send it: croupier call refund --orig-tx-id ${String(txID)} --round ${String(roundID)} --amount ${String(amount)}`
        : untilAccepted(call, txID);
    case 'refused':
    case 'declined':
      return call === 'bet' ? 'The service treats the bet as declined and sends no refund.' : untilAccepted(call, txID);
  }
}

function untilAccepted(call: CallName, txID: string | undefined): string {
  return `The service would send this ${call} again with the same txID (--tx-id ${String(txID)}) until it is answered 200.`;
}
