import type { CallName } from '../../contract/call-name.ts';

/** How one call is disturbed on purpose. */
export type Fault =
  /** It leaves so many milliseconds later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection is broken as soon as the call is sent, so that no reply can come. */
  | { readonly kind: 'drop' }
  /** It is sent a second time once the first is answered; the second answer counts for nothing. */
  | { readonly kind: 'repeat' }
  /** Its signature is wrong. */
  | { readonly kind: 'sign-wrongly' }
  /** A bet is given up and refunded before it is sent; it still arrives afterwards. */
  | { readonly kind: 'refund-first' };

/** What disturbs the next call that it fits. */
export interface ArmedFault {
  readonly id: number;
  readonly call: CallName;
  /** Of this game session alone; null: of any. */
  readonly gsID: string | null;
  readonly fault: Fault;
}

/** The disturbances that wait for their call. Each strikes once. */
export class Faults {
  readonly #armed: ArmedFault[] = [];
  #count = 0;

  /** @throws RangeError when the fault makes no sense for the call, or a delay is no number of milliseconds up to a minute */
  arm(call: CallName, fault: Fault, gsID: string | null = null): ArmedFault {
    if (fault.kind === 'refund-first' && call !== 'bet')
      throw new RangeError('only a bet can have its refund sent first');
    if (fault.kind === 'delay' && !(fault.ms >= 0 && fault.ms <= LONGEST_DELAY_MS)) {
      throw new RangeError(`a call can be delayed by 0 to ${LONGEST_DELAY_MS} ms`);
    }
    this.#count += 1;
    const armed = { id: this.#count, call, gsID, fault };
    this.#armed.push(armed);
    return armed;
  }

  get armed(): readonly ArmedFault[] {
    return [...this.#armed];
  }

  /** @returns false when it has struck already */
  disarm(id: number): boolean {
    const at = this.#armed.findIndex((one) => one.id === id);
    if (at < 0) return false;
    this.#armed.splice(at, 1);
    return true;
  }

  /** The faults that strike this call now, by how they work; they wait no longer. */
  strike(call: CallName, gsID: string, kinds: readonly Fault['kind'][]): readonly Fault[] {
    const struck = this.#armed.filter(
      (one) => one.call === call && (one.gsID === null || one.gsID === gsID) && kinds.includes(one.fault.kind),
    );
    for (const { id } of struck) this.disarm(id);
    return struck.map(({ fault }) => fault);
  }
}

const LONGEST_DELAY_MS = 60_000;
