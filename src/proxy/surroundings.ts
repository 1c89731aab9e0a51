import type { Socket } from 'node:net';
import type { CallName } from '../contract/call-name.ts';
import type { Observer } from './crossing.ts';
import type { Faults } from './fault.ts';
import type { Destination } from './head.ts';

/** What all passages of one proxy have in common. */
export interface Surroundings {
  /** `base`: scheme, name and port of the operator. */
  readonly destination: Destination & { readonly base: string };
  readonly faults: Faults;
  readonly observer: Observer;
  /** The call that a request is; undefined: none of the four. */
  readonly callOf: (method: string, target: string) => CallName | undefined;
  /** Makes a connection to the operator. @returns gives the attempt up */
  readonly open: (done: (error: Error | null, socket: Socket | null) => void) => () => void;
  readonly newId: () => string;
  /** Monotonic, in ms. */
  readonly now: () => number;
}
