import type { ContractVersion } from '../../contract/versions.ts';
import type { Backoff } from './backoff.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Send } from './reverse-call.ts';
import type { FreeTerms, RoundRecord } from './round-record.ts';
import type { Sleep } from './sleep.ts';

export interface AdapterOptions {
  readonly ledger: Ledger;
  readonly send: Send;
  /** Makes version 4 UUIDs. */
  readonly uuid: () => string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly backoff?: Backoff;
  /** How many retries may be under way at the same moment. 64. */
  readonly retriesAtOnce?: number;
  /** Refunds carry no `roundID` before 1.5.0. */
  readonly contract?: ContractVersion;
  readonly faults?: Faults;
  /** Told of a round whenever something happened in it. */
  readonly onRound?: (record: RoundRecord) => void;
  /** Hears of what kept something from being recorded; it is tried again. */
  readonly onFault?: (error: unknown) => void;
}

/** What is known beforehand of a round that is opened. */
export interface RoundTerms {
  /** Placed as soon as the bet is accepted, also after a restart, in the main unit. Left out: `win` has to be called. */
  readonly win?: string;
  /** The campaign of a free round. */
  readonly free?: FreeTerms;
}
