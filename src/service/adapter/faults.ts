import type { CallName } from '../../contract/call-name.ts';

/** A fault that disturbs one call on purpose. */
export type Fault =
  /** The call is sent later, by this number of milliseconds. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection is broken as soon as the call is sent, so that no reply can be received. */
  | { readonly kind: 'drop' }
  /** The call is sent a second time after the first is answered. The second answer is ignored. */
  | { readonly kind: 'repeat' }
  /** The call is sent with a wrong signature. */
  | { readonly kind: 'sign-wrongly' }
  /** The refund of a bet is sent before the bet. */
  | { readonly kind: 'refund-first' };

/** A fault that is waiting for the next call to which it applies. */
export interface PendingFault {
  readonly id: number;
  readonly call: CallName;
  /** The game session whose calls are disturbed; null for any session. */
  readonly gsID: string | null;
  readonly fault: Fault;
}

/** The faults that are waiting for a call. Each fault disturbs one call only. */
export class Faults {
  readonly #pending: PendingFault[] = [];
  #count = 0;

  /**
   * Adds a fault for the next matching call.
   *
   * @throws RangeError when the call can't have this fault, or when a delay is not between 0 and 60 000 ms
   */
  add(call: CallName, fault: Fault, gsID: string | null = null): PendingFault {
    if (fault.kind === 'refund-first' && call !== 'bet')
      throw new RangeError('only a bet can be refunded before it is sent');
    if (fault.kind === 'delay' && !(fault.ms >= 0 && fault.ms <= MAX_DELAY_MS)) {
      throw new RangeError(`the delay must be from 0 to ${MAX_DELAY_MS} ms`);
    }
    this.#count += 1;
    const added = { id: this.#count, call, gsID, fault };
    this.#pending.push(added);
    return added;
  }

  get pending(): readonly PendingFault[] {
    return [...this.#pending];
  }

  /**
   * Removes a fault.
   *
   * @returns false when the fault has already been used
   */
  remove(id: number): boolean {
    const at = this.#pending.findIndex((one) => one.id === id);
    if (at < 0) return false;
    this.#pending.splice(at, 1);
    return true;
  }

  /** Removes the faults of the given kinds that apply to a call, and returns them. */
  take(call: CallName, gsID: string, kinds: readonly Fault['kind'][]): readonly Fault[] {
    const taken = this.#pending.filter(
      (one) => one.call === call && (one.gsID === null || one.gsID === gsID) && kinds.includes(one.fault.kind),
    );
    for (const { id } of taken) this.remove(id);
    return taken.map(({ fault }) => fault);
  }
}

const MAX_DELAY_MS = 60_000;
