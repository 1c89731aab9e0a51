/** One exchange as a line of the console. */
export interface ExchangeRow {
  readonly id: number;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** `core`: an operator asked the Core API. `reverse`: the service called an operator. */
  readonly direction: 'core' | 'reverse';
  readonly name: string;
  readonly extCID: string | null;
  readonly gsID: string | null;
  /** Who plays. */
  readonly player: string | null;
  readonly roundID: string | null;
  readonly txID: string | null;
  readonly amount: string | null;
  readonly notes: readonly string[];
  readonly state: 'under-way' | 'ok' | 'error' | 'no-reply';
  /** The status, or in a word why no reply came; empty while it is under way. */
  readonly result: string;
  /** The operator's error code. */
  readonly code: string | null;
  /** From the last byte of the request to the last byte of the reply, in milliseconds. */
  readonly ms: number | null;
  /** The beginnings of address and bodies, in lower case, for the search. */
  readonly hay: string;
}

/** One exchange with everything that is known of it. */
export interface ExchangeDetail {
  readonly row: ExchangeRow;
  readonly request: MessageView & { readonly method: string; readonly url: string };
  readonly reply: (MessageView & { readonly status: number }) | null;
  /** Why no reply came, in a sentence. */
  readonly trouble: string | null;
  /** As it was sent. */
  readonly signature: string | null;
  /** What took how long, in milliseconds, in this order. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
  readonly connection: string | null;
  /** A line for a shell that sends the same again; null where there is none. */
  readonly curl: string | null;
  /** The text of a scenario; null where there is none. */
  readonly scenario: string | null;
  /** It can be sent again from here. */
  readonly repeatable: boolean;
}

export interface MessageView {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** What is to be known of the body: that it was cut, or is not text. */
  readonly bodyNote: string | null;
}

/** Everything but the exchanges. */
export interface ConsoleState {
  /** Milliseconds since 1970, by the service's clock. */
  readonly now: number;
  /** The latest first. */
  readonly sessions: readonly SessionRow[];
  /** The latest first. */
  readonly rounds: readonly RoundRow[];
  /** The oldest first. */
  readonly owed: readonly OwedRow[];
  readonly faults: readonly FaultRow[];
  /** How many there are, also those that are not listed. */
  readonly counts: { readonly sessions: number; readonly owed: number };
}

export interface SessionRow {
  readonly gsID: string;
  readonly extCID: string;
  readonly sessionID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  readonly demo: boolean;
  readonly openedAt: number;
  readonly expiresAt: number;
  readonly expired: boolean;
  /** What can be staked, smallest first. */
  readonly stakes: readonly string[];
}

export interface RoundRow {
  readonly roundID: string;
  readonly gsID: string;
  readonly player: string;
  readonly gameID: string;
  readonly currency: string;
  readonly at: number;
  readonly stake: string;
  readonly prize: string | null;
  readonly state: 'playing' | 'declined' | 'returning' | 'returned' | 'paying' | 'settled';
  readonly frID: string | null;
  /** What the campaign of a free round brought in all, if this was its last round. */
  readonly payout: { readonly amount: string; readonly paid: boolean } | null;
}

export interface OwedRow {
  readonly txID: string;
  readonly call: 'win' | 'refund';
  readonly gsID: string;
  readonly player: string;
  readonly amount: string;
  readonly currency: string;
  readonly roundID: string;
  readonly attempts: number;
  /** Milliseconds since 1970; null while it is being sent. */
  readonly nextTryAt: number | null;
  /** Why the last try failed. */
  readonly trouble: string | null;
}

interface FaultRow {
  readonly id: number;
  readonly call: string;
  readonly gsID: string | null;
  /** What will happen to the call. */
  readonly text: string;
}
