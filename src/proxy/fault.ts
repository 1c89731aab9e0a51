import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import { readDuration } from '../scenario/duration.ts';

/** What the proxy does to a call on purpose. */
export type Deed =
  | { readonly kind: 'delay'; readonly ms: number; readonly what: 'request' | 'reply' }
  /** The service's connection is broken: before the operator sees the request, or once it has answered. */
  | { readonly kind: 'drop'; readonly what: 'request' | 'reply' }
  /** The operator gets the same bytes again, once the first were answered. */
  | { readonly kind: 'repeat'; readonly times: number };

/** What is done, and to which calls. */
export interface Fault {
  readonly deed: Deed;
  /** null: to any. */
  readonly call: CallName | null;
  /** Each so-and-so-manieth of the calls that fit. */
  readonly every: number;
  /** No more than so often. */
  readonly most: number;
}

const GRAMMAR =
  'Write one of delay=DURATION, delay-request=DURATION, drop=request, drop=reply, repeat=TIMES, and then, as needed, call=bet, every=10, times=1; such as --fault delay=6s,call=win,every=10';

/** Reads what `--fault` says. @throws RangeError that says what is wrong and how it is written */
export function readFault(text: string): Fault {
  let deed: Deed | undefined;
  let fault: Omit<Fault, 'deed'> = { call: null, every: 1, most: Number.POSITIVE_INFINITY };
  for (const part of text.split(',')) {
    const [name = '', value = ''] = split(part);
    const said = deedOf(name, value);
    if (said !== undefined) {
      if (deed) throw new RangeError(`it says two things to do at once; give --fault once for each. ${GRAMMAR}`);
      deed = said;
    } else if (name === 'call' && isCall(value)) fault = { ...fault, call: value };
    else if (name === 'every' && isCount(value)) fault = { ...fault, every: Number(value) };
    else if (name === 'times' && isCount(value)) fault = { ...fault, most: Number(value) };
    else throw new RangeError(`${JSON.stringify(part)} can't be read. ${GRAMMAR}`);
  }
  if (!deed) throw new RangeError(`it says nothing to do. ${GRAMMAR}`);
  return { deed, ...fault };
}

function split(part: string): readonly string[] {
  const at = part.indexOf('=');
  return at < 0 ? [part] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

const MOST_REPEATS = 20;

function deedOf(name: string, value: string): Deed | undefined {
  if (name === 'delay' || name === 'delay-request') {
    const ms = readDuration(value);
    return ms === undefined ? undefined : { kind: 'delay', ms, what: name === 'delay' ? 'reply' : 'request' };
  }
  if (name === 'drop' && (value === 'request' || value === 'reply')) return { kind: 'drop', what: value };
  if (name === 'repeat' && isCount(value) && Number(value) <= MOST_REPEATS)
    return { kind: 'repeat', times: Number(value) };
  return undefined;
}

function isCall(text: string): text is CallName {
  return (CALL_NAMES as readonly string[]).includes(text);
}

function isCount(text: string): boolean {
  return /^[1-9]\d{0,8}$/.test(text);
}

/** Chooses the calls that faults are done to. */
export class Faults {
  readonly #faults: readonly { readonly fault: Fault; seen: number; done: number }[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults.map((fault) => ({ fault, seen: 0, done: 0 }));
  }

  /** What is to be done to the call that begins; the first that fits. */
  next(call: CallName): Deed | null {
    for (const one of this.#faults) {
      const { fault } = one;
      if (fault.call !== null && fault.call !== call) continue;
      one.seen += 1;
      if (one.seen % fault.every !== 0 || one.done >= fault.most) continue;
      one.done += 1;
      return fault.deed;
    }
    return null;
  }
}

/** What is done, in words, as the end of "croupier …". */
export function describeDeed(deed: Deed): string {
  switch (deed.kind) {
    case 'delay':
      return `held the ${deed.what} back for ${deed.ms} ms`;
    case 'drop':
      return deed.what === 'request'
        ? 'broke the connection; the operator never saw the call'
        : "broke the connection and kept the operator's reply";
    case 'repeat':
      return `sent the same bytes ${deed.times === 1 ? 'once' : `${deed.times} times`} more`;
  }
}
