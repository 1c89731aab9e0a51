import type { CallName } from '../../contract/call-name.ts';

/** A deliberate disturbance of one call. */
export type Fault =
  /** It is sent this many milliseconds later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection is broken as soon as the call is sent, so that no reply can come. */
  | { readonly kind: 'drop' }
  /** It is sent a second time once the first is answered; the second answer counts for nothing. */
  | { readonly kind: 'repeat' }
  /** Its signature is wrong. */
  | { readonly kind: 'sign-wrongly' }
  /** The refund of a bet is sent before the bet. */
  | { readonly kind: 'refund-first' };

/** A fault that waits for the next call that it applies to. */
export interface PendingFault {
  readonly id: number;
  readonly call: CallName;
  /** Only calls of this game session; null: of any. */
  readonly gsID: string | null;
  readonly fault: Fault;
}

/** The faults that wait for their call. Each is used once. */
export class Faults {
  readonly #pending: PendingFault[] = [];
  #count = 0;

  /** @throws RangeError when the call can't have the fault, or a delay is not between 0 and 60 000 ms */
  add(call: CallName, fault: Fault, gsID: string | null = null): PendingFault {
    if (fault.kind === 'refund-first' && call !== 'bet')
      throw new RangeError('only a bet can have its refund sent first');
    if (fault.kind === 'delay' && !(fault.ms >= 0 && fault.ms <= MAX_DELAY_MS)) {
      throw new RangeError(`a call can be delayed by 0 to ${MAX_DELAY_MS} ms`);
    }
    this.#count += 1;
    const added = { id: this.#count, call, gsID, fault };
    this.#pending.push(added);
    return added;
  }

  get pending(): readonly PendingFault[] {
    return [...this.#pending];
  }

  /** @returns false when it was used already */
  remove(id: number): boolean {
    const at = this.#pending.findIndex((one) => one.id === id);
    if (at < 0) return false;
    this.#pending.splice(at, 1);
    return true;
  }

  /** Removes and returns the faults of these kinds that apply to a call. */
  take(call: CallName, gsID: string, kinds: readonly Fault['kind'][]): readonly Fault[] {
    const taken = this.#pending.filter(
      (one) => one.call === call && (one.gsID === null || one.gsID === gsID) && kinds.includes(one.fault.kind),
    );
    for (const { id } of taken) this.remove(id);
    return taken.map(({ fault }) => fault);
  }
}

const MAX_DELAY_MS = 60_000;
