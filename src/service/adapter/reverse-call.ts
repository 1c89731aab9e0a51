import type { CallName } from '../../contract/call-name.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { OwedCall } from '../../contract/round.ts';
import { type ContractVersion, compareVersions } from '../../contract/versions.ts';
import type { Outcome } from '../../journal/exchange.ts';

/** A call that the adapter makes. */
export interface ReverseCall {
  readonly call: CallName;
  /** The client whose operator is called, and whose key signs. */
  readonly extCID: string;
  readonly gsID: string;
  /** null for a balance. */
  readonly roundID: string | null;
  /** The query of a balance, the body of the others. */
  readonly fields: JsonObject;
}

/**
 * Signs a call, sends it, and resolves to its outcome. Never rejects: a call that can't be made has an outcome without a reply.
 */
export type Send = (call: ReverseCall) => Promise<Outcome>;

/** Refunds carry a `roundID` since this version. */
const ROUND_IN_REFUNDS: ContractVersion = '1.5.0';

/** The body of a bet, win or refund in a version of the contract. It is the same at every attempt. */
export function fieldsOf({ call, body }: OwedCall, contract: ContractVersion): JsonObject {
  switch (call) {
    case 'bet':
    case 'win': {
      const { sessionID, txID, roundID, amount, type, frID } = body;
      return { sessionID, txID, roundID, amount, type, ...(frID !== undefined && { frID }) };
    }
    case 'refund': {
      const { sessionID, txID, origTxID, roundID, amount } = body;
      const withRound = roundID !== undefined && compareVersions(contract, ROUND_IN_REFUNDS) >= 0;
      return { sessionID, txID, origTxID, amount, ...(withRound && { roundID }) };
    }
  }
}
