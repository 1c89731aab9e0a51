import { randomUUID } from 'node:crypto';
import { UsageError } from '../../../app/exit-status.ts';
import type { CallName } from '../../../contract/call-name.ts';
import { REQUEST_SCHEMAS } from '../../../contract/calls.ts';
import { Money } from '../../../contract/money.ts';
import { quoteWord } from '../../../report/curl.ts';
import type { CallFlags } from './flags.ts';

type CallFieldFlags = Pick<CallFlags, 'amount' | 'type' | 'frId' | 'round' | 'txId' | 'origTxId' | 'field'>;

/**
 * The fields of a call, and remarks for the user. A remark is about a value that croupier invented, or that the service would not
 * send.
 */
export interface CallFields {
  readonly fields: Readonly<Record<string, string>>;
  readonly remarks: readonly string[];
}

const TAKES: Readonly<Record<CallName, readonly (keyof CallFieldFlags)[]>> = {
  balance: ['field'],
  bet: ['amount', 'type', 'frId', 'round', 'txId', 'field'],
  win: ['amount', 'type', 'frId', 'round', 'txId', 'field'],
  refund: ['amount', 'round', 'txId', 'origTxId', 'field'],
};

const FLAG_NAMES: Readonly<Record<keyof CallFieldFlags, string>> = {
  amount: '--amount',
  type: '--type',
  frId: '--fr-id',
  round: '--round',
  txId: '--tx-id',
  origTxId: '--orig-tx-id',
  field: '--field',
};

/**
 * Builds the fields of a call. A missing id is generated, and any other missing field gets the value that the service
 * would send.
 *
 * @param stake the amount of a call without `--amount`
 * @throws UsageError for a flag that does not belong to the call
 */
export function callFields(call: CallName, sessionID: string, flags: CallFieldFlags, stake: string): CallFields {
  for (const flag of Object.keys(FLAG_NAMES) as (keyof CallFieldFlags)[]) {
    if (flags[flag] !== undefined && !TAKES[call].includes(flag)) {
      const takes = TAKES[call].map((each) => FLAG_NAMES[each]).join(', ');
      throw new UsageError(`A ${call} call does not have the flag ${FLAG_NAMES[flag]}. It has these flags: ${takes}.`);
    }
  }
  refuseWrongAmount(flags.amount);
  const fields = {
    sessionID,
    ...ownFields(call, flags, stake),
    ...Object.fromEntries((flags.field ?? []).map(readField)),
  };
  return { fields, remarks: [...madeUp(call, flags), ...unusual(call, fields)] };
}

function ownFields(call: CallName, flags: CallFieldFlags, stake: string): Readonly<Record<string, string>> {
  const { amount = stake, frId, round, txId = randomUUID(), origTxId = randomUUID() } = flags;
  switch (call) {
    case 'balance':
      return {};
    case 'bet':
    case 'win': {
      const type = flags.type ?? (frId === undefined ? 'regular' : 'free');
      return { amount, type, roundID: round ?? randomUUID(), txID: txId, ...(frId !== undefined && { frID: frId }) };
    }
    case 'refund':
      return { amount, origTxID: origTxId, txID: txId, ...(round !== undefined && { roundID: round }) };
  }
}

/**
 * Refuses an amount that the service would never send, because it is probably mistyped. `--field` sends every text.
 *
 * @throws UsageError
 */
function refuseWrongAmount(amount: string | undefined): void {
  if (amount === undefined || Money.read(amount)) return;
  const withPoint = amount.replace(',', '.');
  const example = Money.read(withPoint) ? withPoint : '2.50';
  throw new UsageError(
    `--amount ${amount}: write the amount as a decimal with a point, such as ${example}. To send exactly this text, write --field ${quoteWord(`amount=${amount}`)}.`,
  );
}

function readField(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--field ${text}: write a name and a value, as in --field name=value.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function madeUp(call: CallName, { round, origTxId }: CallFieldFlags): readonly string[] {
  if (call === 'win' && round === undefined)
    return ['Without --round, the win belongs to a new round, which has no bet.'];
  if (call === 'refund' && origTxId === undefined) {
    return [
      'Without --orig-tx-id, the refund names a bet that the operator does not know. The operator must answer 200 in this case, too.',
    ];
  }
  return [];
}

function unusual(call: CallName, fields: Readonly<Record<string, string>>): readonly string[] {
  const { error } = REQUEST_SCHEMAS[call].safeParse(fields);
  return (error?.issues ?? []).map(
    ({ path, message }) => `The service would not send this: ${path.join('.') || 'the call'}: ${message}`,
  );
}
