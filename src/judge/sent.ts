import type { Money } from '../contract/money.ts';
import type { Exchange } from '../journal/exchange.ts';
import type { CallStep } from '../scenario/plan.ts';
import type { Stated } from './expectation.ts';
import type { ReplyReading } from './reading.ts';

/** One call as it went out. */
export interface Sent {
  readonly step: CallStep;
  readonly exchange: Exchange;
  /** The amount in its body, where it can be read. */
  readonly amount: Money | undefined;
  readonly stated: Stated;
  /** For a transaction of before: how it was answered then, and the sum that it moved. */
  readonly before?: { readonly reply: ReplyReading; readonly effect: Money };
  /** It was sent before, in the same words, and answered as by one who is too busy. */
  readonly retried?: boolean;
  /** It was sent several times, and each time the connection was closed without a reply, though others were answered. */
  readonly closes?: boolean;
  /** For reads: true when nothing that was sent before can land any more. */
  readonly lingered: boolean;
}
