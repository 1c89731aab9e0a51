/** One exchange as a row of the console. */
export interface ExchangeRow {
  readonly id: number;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** `core`: an operator asked the Core API. `reverse`: the service called an operator. */
  readonly direction: 'core' | 'reverse';
  readonly name: string;
  readonly extCID: string | null;
  readonly gsID: string | null;
  /** null where it is not known. */
  readonly player: string | null;
  readonly roundID: string | null;
  readonly txID: string | null;
  readonly amount: string | null;
  readonly notes: readonly string[];
  readonly state: 'under-way' | 'ok' | 'error' | 'no-reply';
  /** The status, or the reason why no reply came; empty while it is under way. */
  readonly result: string;
  /** The operator's error code. */
  readonly code: string | null;
  /** From the last byte of the request to the last byte of the reply, in milliseconds. */
  readonly ms: number | null;
  /** The text that is searched: the address and the beginnings of the bodies, in lower case. */
  readonly searchText: string;
}

/** One exchange with all its details. */
export interface ExchangeDetail {
  readonly row: ExchangeRow;
  readonly request: MessageView & { readonly method: string; readonly url: string };
  readonly reply: (MessageView & { readonly status: number }) | null;
  /** The reason why no reply came, as a sentence. */
  readonly trouble: string | null;
  /** As it was sent. */
  readonly signature: string | null;
  /** The duration of each phase, in milliseconds, in order of time. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
  readonly connection: string | null;
  /** A shell command that sends the same bytes again; null where there is none. */
  readonly curl: string | null;
  /** The text of a scenario; null where there is none. */
  readonly scenario: string | null;
  /** Whether the console can send it again. */
  readonly repeatable: boolean;
}

export interface MessageView {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** A note that the body was cut, or is not text; null for neither. */
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
  /** The number of all, also of those that are not listed. */
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
  /** The stakes that are offered, smallest first. */
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
  /** The sum of a campaign's free wins, if this was its last round. */
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
  /** Why the last attempt failed. */
  readonly trouble: string | null;
}

interface FaultRow {
  readonly id: number;
  readonly call: string;
  readonly gsID: string | null;
  /** The effect on the call. */
  readonly text: string;
}
