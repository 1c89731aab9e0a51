import type { Socket } from 'node:net';
import type { CallName } from '../../contract/call-name.ts';
import type { Faults } from './fault.ts';
import type { Destination } from './head.ts';
import type { Observer } from './proxied-call.ts';

/** The settings and services that all connections of one proxy share. */
export interface ProxyContext {
  /** `base`: scheme, name and port of the operator. */
  readonly destination: Destination & { readonly base: string };
  readonly faults: Faults;
  readonly observer: Observer;
  /** Finds the call of a request. undefined: none of the four. */
  readonly callOf: (method: string, target: string) => CallName | undefined;
  /** Opens a connection to the operator. @returns a function that cancels the attempt */
  readonly open: (done: (error: Error | null, socket: Socket | null) => void) => () => void;
  readonly newId: () => string;
  /** Monotonic, in ms. */
  readonly now: () => number;
}
