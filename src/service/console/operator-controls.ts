import type { CallName } from '../../contract/call-name.ts';
import type { ReplyFaultKind } from '../exchange-log.ts';

/** The wallet of a player at croupier's own operator. */
export interface OperatorWallet {
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
}

/** A change of a balance. The amount is a plain decimal in the main unit. */
type WalletChange =
  | { readonly kind: 'add'; readonly amount: string }
  | { readonly kind: 'take'; readonly amount: string }
  | { readonly kind: 'empty' };

/** A defect of the operator, and whether the operator has it now. */
interface DefectState {
  readonly name: string;
  readonly description: string;
  /** The ids of the rules that the defect breaks. */
  readonly breaks: readonly string[];
  readonly isOn: boolean;
}

/** A fault that is waiting for the next reply of the operator. */
interface WaitingReplyFault {
  readonly id: number;
  readonly call: CallName;
  readonly sessionID: string | null;
  readonly kind: ReplyFaultKind;
}

/** The controls of croupier's own operator. The operators of users have none. */
export interface OperatorControls {
  /** Returns all wallets with their balances in the main unit. */
  readonly wallets: () => readonly (OperatorWallet & { readonly balance: string })[];
  /**
   * Changes a balance, and returns the new balance.
   *
   * @throws RangeError with a message for the user if the change is not possible
   */
  readonly changeBalance: (wallet: OperatorWallet, change: WalletChange) => string;
  readonly waiting: () => readonly WaitingReplyFault[];
  /** @param sessionID the session whose next call is answered wrongly; null for any session */
  readonly addFault: (call: CallName, kind: ReplyFaultKind, sessionID: string | null) => void;
  /** Returns false if the fault was already used. */
  readonly removeFault: (id: number) => boolean;
  /** Calls the listener with the signature of each call whose reply gets a fault, before the reply. */
  readonly onFaultUsed: (listener: (kind: ReplyFaultKind, signature: string) => void) => void;
  readonly defects: () => readonly DefectState[];
  /** Switches a defect on or off. Returns false if there is no such defect. */
  readonly setDefect: (name: string, isOn: boolean) => boolean;
  /**
   * Calls the listener after each change.
   *
   * @returns a function that removes the listener
   */
  readonly subscribe: (listener: () => void) => () => void;
}
