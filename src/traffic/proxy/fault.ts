import { CALL_NAMES, type CallName } from '../../contract/call-name.ts';
import { readDuration } from '../../scenario/duration.ts';

/** A fault that the proxy injects into a call. */
export type FaultAction =
  | { readonly kind: 'delay'; readonly ms: number; readonly what: 'request' | 'reply' }
  /** Breaks the service's connection. `request`: before the operator gets the request. `reply`: after the operator has replied. */
  | { readonly kind: 'drop'; readonly what: 'request' | 'reply' }
  /** Sends the same bytes to the operator again, after the first reply. */
  | { readonly kind: 'repeat'; readonly times: number };

/** A fault and the calls to which it applies. */
export interface Fault {
  readonly action: FaultAction;
  /** The call to which the fault applies; null for any call. */
  readonly call: CallName | null;
  /** The fault applies to every Nth matching call. */
  readonly every: number;
  /** Maximum number of times that the fault is injected. */
  readonly max: number;
}

const GRAMMAR =
  'Write one action: delay=DURATION, delay-request=DURATION, drop=request, drop=reply or repeat=TIMES. Limits can follow: call=bet, every=10, times=1. Example: --fault delay=6s,call=win,every=10';

/**
 * Parses the value of `--fault`.
 *
 * @throws RangeError whose message says what is wrong, and what the correct syntax is
 */
export function readFault(text: string): Fault {
  let action: FaultAction | undefined;
  let fault: Omit<Fault, 'action'> = { call: null, every: 1, max: Number.POSITIVE_INFINITY };
  for (const part of text.split(',')) {
    const [name = '', value = ''] = split(part);
    const found = readAction(name, value);
    if (found !== undefined) {
      if (action) throw new RangeError(`it has two actions; give --fault once for each. ${GRAMMAR}`);
      action = found;
    } else if (name === 'call' && isCall(value)) fault = { ...fault, call: value };
    else if (name === 'every' && isCount(value)) fault = { ...fault, every: Number(value) };
    else if (name === 'times' && isCount(value)) fault = { ...fault, max: Number(value) };
    else throw new RangeError(`${JSON.stringify(part)} is not valid. ${GRAMMAR}`);
  }
  if (!action) throw new RangeError(`it has no action. ${GRAMMAR}`);
  return { action, ...fault };
}

function split(part: string): readonly string[] {
  const at = part.indexOf('=');
  return at < 0 ? [part] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

const MAX_REPEATS = 20;

function readAction(name: string, value: string): FaultAction | undefined {
  if (name === 'delay' || name === 'delay-request') {
    const ms = readDuration(value);
    return ms === undefined ? undefined : { kind: 'delay', ms, what: name === 'delay' ? 'reply' : 'request' };
  }
  if (name === 'drop' && (value === 'request' || value === 'reply')) return { kind: 'drop', what: value };
  if (name === 'repeat' && isCount(value) && Number(value) <= MAX_REPEATS)
    return { kind: 'repeat', times: Number(value) };
  return undefined;
}

function isCall(text: string): text is CallName {
  return (CALL_NAMES as readonly string[]).includes(text);
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

/** Selects the calls into which faults are injected. */
export class Faults {
  readonly #faults: readonly { readonly fault: Fault; matched: number; injected: number }[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.map((fault) => ({ fault, matched: 0, injected: 0 }));
  }

  /** Returns the action of the first fault that applies to the next call, or null. */
  next(call: CallName): FaultAction | null {
    for (const state of this.#faults) {
      const { fault } = state;
      if (fault.call !== null && fault.call !== call) continue;
      state.matched += 1;
      if (state.matched % fault.every !== 0 || state.injected >= fault.max) continue;
      state.injected += 1;
      return fault.action;
    }
    return null;
  }
}

/** Describes what croupier did, as the end of a sentence that begins with "croupier". */
export function describeAction(action: FaultAction): string {
  switch (action.kind) {
    case 'delay':
      return `delayed the ${action.what} by ${action.ms} ms`;
    case 'drop':
      return action.what === 'request'
        ? 'broke the connection before the operator got the call'
        : "broke the connection and did not pass on the operator's reply";
    case 'repeat':
      return `sent the same bytes ${action.times === 1 ? 'once' : `${action.times} times`} more`;
  }
}
