import type { Socket } from 'node:net';
import type { CallName } from '../../contract/call-name.ts';
import type { Faults } from './fault.ts';
import type { Destination } from './head.ts';
import type { Observer } from './proxied-call.ts';

/** The settings and services that all connections of one proxy share. */
export interface ProxyContext {
  /** The operator's address. `base` is its scheme, host name and port. */
  readonly destination: Destination & { readonly base: string };
  readonly faults: Faults;
  readonly observer: Observer;
  /** Returns the call of a request, or undefined if it is not one of the four calls. */
  readonly callOf: (method: string, target: string) => CallName | undefined;
  /** Opens a connection to the operator. Returns a function that cancels the attempt. */
  readonly open: (done: (error: Error | null, socket: Socket | null) => void) => () => void;
  readonly newId: () => string;
  /** Returns the time of a monotonic clock in ms. */
  readonly now: () => number;
}
