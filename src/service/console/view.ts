/** An exchange as a row of the list. */
export interface ExchangeRow {
  readonly id: number;
  /** The time when the exchange began, in milliseconds since 1970. */
  readonly at: number;
  /** `core` for an operator's request to the Core API, `reverse` for a call that the service made to an operator. */
  readonly direction: 'core' | 'reverse';
  readonly name: string;
  readonly extCID: string | null;
  readonly gsID: string | null;
  /** The player; null if not known. */
  readonly player: string | null;
  readonly roundID: string | null;
  readonly txID: string | null;
  readonly amount: string | null;
  readonly notes: readonly string[];
  readonly state: 'under-way' | 'ok' | 'error' | 'no-reply';
  /** The HTTP status of the reply, or the reason why no reply came. Empty until the exchange has ended. */
  readonly result: string;
  /** The error code in the operator's reply; null if the reply has no code. */
  readonly code: string | null;
  /** The balance in the reply, in the main unit; null if the reply has no balance, or if the call is not judged yet. */
  readonly balance: string | null;
  /** The balances that are possible if the operator keeps the contract, such as `990.00 or 1000.00`; null if not known. */
  readonly expected: string | null;
  /** The result of comparing `balance` with `expected`; null while the call is not judged. */
  readonly balanceResult: 'right' | 'wrong' | 'unknown' | null;
  /** The findings except passes, the most serious first. Empty if no rule is broken, or if the call is not judged. */
  readonly findings: readonly FindingView[];
  /** The milliseconds from the last byte of the request to the last byte of the reply; null if there was no reply. */
  readonly ms: number | null;
  /** The address and the beginning of both bodies in lower case, for the search. */
  readonly searchText: string;
}

/** A finding about an exchange. */
export interface FindingView {
  /** The id of the rule; null for a balance that no call explains, which breaks no rule. */
  readonly rule: string | null;
  readonly verdict: 'fail' | 'warn' | 'note';
  readonly text: string;
  /** The rule as a sentence; null if `rule` is null. */
  readonly sentence: string | null;
  /** Where to look in the wallet to fix the breach; null if `rule` is null, or if the rule cannot be broken. */
  readonly hint: string | null;
  /** True if the rule is broken only because the user of the console injected a fault into the reply. */
  readonly isInjected: boolean;
}

/** An exchange with all its details. */
export interface ExchangeDetail {
  readonly row: ExchangeRow;
  readonly request: MessageView & { readonly method: string; readonly url: string };
  readonly reply: (MessageView & { readonly status: number }) | null;
  /** The reason why no reply came, as a sentence; null if a reply came. */
  readonly trouble: string | null;
  /** The signature header of the request; null if the request has no such header. */
  readonly signature: string | null;
  /** The phases of the exchange with their durations in milliseconds, the first phase first. */
  readonly phases: readonly { readonly name: string; readonly ms: number }[];
  readonly connection: string | null;
  /** The ids of the rules that were checked in this exchange and passed. */
  readonly passed: readonly string[];
  /** True if the exchange is judged. Requests to the Core API are not judged. */
  readonly isJudged: boolean;
  /** A shell command that sends the same request again; null if croupier can write no such command. */
  readonly curl: string | null;
  /** A scenario in YAML that makes the same call; null if croupier can write no such scenario. */
  readonly scenario: string | null;
  /** True if the console can send the call again. */
  readonly repeatable: boolean;
}

export interface MessageView {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | null;
  /** A note if the body is cut, or is not UTF-8 text; null otherwise. */
  readonly bodyNote: string | null;
}

/** All data of the console page except the exchanges. */
export interface ConsoleState {
  /** The current time of the service, in milliseconds since 1970. */
  readonly now: number;
  /** The latest game sessions, newest first. */
  readonly sessions: readonly SessionRow[];
  /** The latest rounds, newest first. */
  readonly rounds: readonly RoundRow[];
  /** The wins and refunds that are owed, oldest first. */
  readonly owed: readonly OwedRow[];
  /** The faults that are waiting for their call. */
  readonly faults: readonly FaultRow[];
  /** The state of croupier's own operator. Null if the user has connected another operator. */
  readonly operator: OperatorView | null;
  /** The number of all sessions and of all owed calls. The lists above may show fewer sessions and calls. */
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
  /** The stakes that the game offers, smallest first. */
  readonly stakes: readonly string[];
  /** The stake that the game offers first. */
  readonly usualStake: string;
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
  /** True for a round with a demo balance, which makes no calls. */
  readonly demo: boolean;
  /** The sum of a campaign's free wins that is paid in this round; null if this is not the campaign's last round. */
  readonly payout: { readonly amount: string; readonly paid: boolean } | null;
  /**
   * The rules that calls of the round have broken (verdict `fail`), each one once. Calls that are no longer in the log do not
   * count.
   */
  readonly broken: readonly string[];
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
  /** The time of the next attempt, in milliseconds since 1970; null while the call is being sent. */
  readonly nextTryAt: number | null;
  /** The reason why the last attempt failed; null if no attempt has failed. */
  readonly trouble: string | null;
}

export interface FaultRow {
  readonly id: number;
  /** `call` for a fault in a call of the service, `reply` for a fault in a reply of croupier's own operator. */
  readonly of: 'call' | 'reply';
  readonly call: string;
  readonly gsID: string | null;
  /**
   * For a fault in a reply: the `sessionID` of the call whose reply is disturbed. Null if the reply may belong to any session,
   * and for a fault in a call.
   */
  readonly sessionID: string | null;
  /** The effect of the fault on its call, such as "is sent twice". */
  readonly text: string;
}

/** The state of croupier's own operator. */
export interface OperatorView {
  readonly wallets: readonly {
    readonly extCID: string;
    readonly player: string;
    readonly currency: string;
    readonly balance: string;
  }[];
  /** The names of the defects that are switched on. */
  readonly defects: readonly string[];
}

/** A defect that can be switched on. */
export interface DefectChoice {
  readonly name: string;
  readonly description: string;
  readonly breaks: readonly string[];
}

/** A session that croupier knows to exist at the operator. A field is null if croupier does not know its value. */
export interface SessionChoice {
  readonly extCID: string;
  readonly sessionID: string;
  readonly player: string | null;
  readonly currency: string | null;
  readonly gameID: string | null;
}

/** The values that the form for launching a game offers. */
export interface LaunchChoices {
  readonly clients: readonly {
    readonly extCID: string;
    readonly games: readonly string[];
    readonly currencies: readonly string[];
    readonly sessions: readonly SessionChoice[];
  }[];
  readonly locales: readonly string[];
}
