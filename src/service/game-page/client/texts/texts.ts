/**
 * All texts of the game page in one language. A function returns a text with values in it. Amounts already contain their currency,
 * such as `1.00 USD`. No text changes with a number (singular or plural), so that each language needs only one form.
 */
export interface Texts {
  /** The language as an HTML attribute `lang` (BCP 47). */
  readonly lang: string;
  readonly back: string;
  readonly backToSite: string;
  readonly balance: string;
  readonly unknownBalance: string;
  readonly balanceNotRead: string;
  readonly demo: string;
  readonly demoMeaning: string;
  readonly connectionLost: string;
  readonly chooseStake: string;
  readonly startFree: string;
  readonly deposit: string;
  readonly stake: string;
  readonly lowerStake: string;
  readonly raiseStake: string;
  readonly yourRounds: string;
  readonly playFor: (amount: string) => string;
  readonly playFree: string;
  readonly playing: string;
  readonly freeRounds: (left: number, amount: string, won: string) => string;
  /** A message with a title and a text. */
  readonly expired: Message;
  readonly notFound: Message;
  readonly noAnswer: Message;
  readonly paying: (amount: string) => Message;
  readonly confirming: string;
  readonly won: (amount: string) => string;
  readonly winPaid: (amount: string) => string;
  readonly nothingWon: string;
  /** The text below a win shows how the win was computed. */
  readonly winOfStake: (multiplier: string, amount: string) => string;
  readonly winOfFreeRound: (multiplier: string, amount: string) => string;
  readonly declined: string;
  /** The title of a round whose bet was answered with an error, too late, or not at all. */
  readonly unconfirmed: string;
  readonly nothingStaked: string;
  readonly stakeReturning: (amount: string) => string;
  readonly stakeReturned: (amount: string) => string;
  /** The end of the free rounds: the sum of their wins is paid now, or was paid. */
  readonly freePaying: (amount: string) => string;
  readonly freePaid: (amount: string) => string;
  /** The texts of a line in the list of rounds. */
  readonly line: {
    readonly stake: (amount: string) => string;
    readonly free: (amount: string) => string;
    readonly playing: string;
    readonly won: (amount: string) => string;
    readonly nothingWon: string;
    readonly paying: (amount: string) => string;
    readonly confirming: string;
    readonly declined: string;
    readonly returning: string;
    readonly returned: string;
  };
  /** The reasons for which the game does not play a round, by the code of the reply. */
  readonly refused: Readonly<Record<RefusalCode, string>>;
}

export interface Message {
  readonly title: string;
  readonly text: string;
}

/** The codes with which the server refuses a round. */
export type RefusalCode =
  | 'session_expired'
  | 'stake_unknown'
  | 'round_open'
  | 'other_game'
  | 'no_free_rounds'
  | 'stopping'
  | 'not_played';
