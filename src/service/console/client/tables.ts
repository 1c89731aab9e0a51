import { button, byId, make, timeOf } from '../../../pages/client/element.ts';
import type { ConsoleState, OwedRow, RoundRow, SessionRow } from '../view.ts';
import { act } from './api.ts';
import { VERDICTS } from './verdicts.ts';

/** The actions of the buttons in the tables. */
export interface TablesOptions {
  /** Shows the exchanges that contain an id. */
  readonly searchFor: (text: string) => void;
  /** Selects a game session in the form that plays a round. */
  readonly playIn: (gsID: string) => void;
}

/** The tables of owed calls, rounds and game sessions. */
export class Tables {
  readonly #options: TablesOptions;
  readonly #shown = new Map<string, string>();
  #owed: readonly OwedRow[] = [];
  /** The difference between the service's clock and the browser's clock, in milliseconds. */
  #ahead = 0;

  constructor(options: TablesOptions) {
    this.#options = options;
    setInterval(() => this.#countDown(), 500);
  }

  take({ now, sessions, rounds, owed, counts }: ConsoleState): void {
    this.#ahead = now - Date.now();
    this.#owed = owed;
    byId('owed-count').textContent = String(counts.owed);
    byId('owed-count').dataset.some = String(counts.owed > 0);
    this.#fill(
      'owed',
      owed.map((one) => ({ ...one, nextTryAt: null })),
      () => owed.map((one) => this.#debt(one)),
    );
    this.#fill('rounds', rounds, () => rounds.map((one) => this.#round(one)));
    this.#fill('sessions', sessions, () => sessions.map((one) => this.#session(one)));
    this.#countDown();
  }

  /**
   * Replaces the rows of a list, but only if the data have changed. If the data are the same, the rows stay, so that a button
   * in the list keeps the focus.
   */
  #fill(name: string, data: readonly object[], lines: () => readonly Node[]): void {
    const now = JSON.stringify(data);
    if (this.#shown.get(name) === now) return;
    this.#shown.set(name, now);
    byId(`${name}-none`).hidden = data.length > 0;
    const list = byId(`${name}-list`);
    const table = list.closest('table');
    if (table) table.hidden = data.length === 0;
    const focused = list.contains(document.activeElement) ? document.activeElement?.id : undefined;
    list.replaceChildren(...lines());
    if (focused) document.getElementById(focused)?.focus();
  }

  #debt({ txID, call, player, amount, currency, roundID, attempts, trouble }: OwedRow): Node {
    const failures = attempts === 1 ? 'one attempt has failed' : `${attempts} attempts have failed`;
    const title = `${call} of ${amount} ${currency} to ${player}`;
    const retry = button('Retry now', () => void act('retries', { txID }), {
      id: `retry-${txID}`,
      'aria-label': `Retry now: ${title}`,
    });
    return make(
      'li',
      {},
      make('strong', {}, title),
      make('span', { class: 'when', data: { tx: txID } }),
      make('span', {}, failures),
      trouble === null ? null : make('span', { class: 'trouble' }, trouble),
      make('span', { class: 'buttons' }, retry, this.#search(roundID, `exchanges-${txID}`)),
    );
  }

  #round({ roundID, at, player, gameID, currency, stake, prize, state, frID, demo, payout, broken }: RoundRow): Node {
    const withdrawal = payout === null ? '' : `, campaign win of ${payout.amount} ${payout.paid ? 'paid' : 'owed'}`;
    return make(
      'tr',
      { data: { state: broken.length > 0 ? 'broken' : state } },
      cell('Begun', timeOf(at)),
      cell('Player', player),
      cell('Game', gameID),
      cell('Stake', `${stake} ${currency}${frID === null ? '' : `, free (${frID})`}`),
      cell('Win', prize === null ? '' : `${prize} ${currency}`),
      make(
        'td',
        { class: 'state', data: { title: 'State' } },
        make(
          'span',
          {},
          `${demo ? 'demo, ' : ''}${STATES[state]}${withdrawal}`,
          broken.length === 0 ? null : brokenRules(broken),
        ),
      ),
      make('td', { data: { title: 'Open' } }, demo ? 'none' : this.#search(roundID, `round-${roundID}`)),
    );
  }

  #session({
    gsID,
    openedAt,
    expiresAt,
    player,
    gameID,
    currency,
    extCID,
    sessionID,
    demo,
    expired,
  }: SessionRow): Node {
    const whose = `of ${player}`;
    const open = make(
      'a',
      {
        is: {
          href: `../game?gsID=${encodeURIComponent(gsID)}`,
          target: '_blank',
          rel: 'noopener',
          'aria-label': `Open the game ${whose}`,
        },
      },
      'Game',
    );
    const play = button('Send a round', () => this.#options.playIn(gsID), {
      id: `play-${gsID}`,
      'aria-label': `Send a round ${whose}`,
    });
    return make(
      'tr',
      { data: { state: expired ? 'expired' : 'open' } },
      cell('Opened', timeOf(openedAt)),
      cell('Player', player),
      cell('Game', `${gameID}, ${currency}`),
      cell('Client', extCID),
      cell('sessionID', sessionID),
      make(
        'td',
        { class: 'state', data: { title: 'State' } },
        `${demo ? 'demo, ' : ''}${expired ? 'expired' : `until ${timeOf(expiresAt).slice(0, 5)}`}`,
      ),
      make(
        'td',
        { data: { title: 'Open' } },
        make('span', { class: 'buttons' }, open, expired ? null : play, this.#search(gsID, `session-${gsID}`)),
      ),
    );
  }

  #search(id: string, own: string): Node {
    return button('Exchanges', () => this.#options.searchFor(id), {
      id: own,
      title: id,
      'aria-label': `Show the exchanges of ${id}`,
    });
  }

  #countDown(): void {
    const now = Date.now() + this.#ahead;
    for (const { txID, nextTryAt } of this.#owed) {
      const place = document.querySelector(`.when[data-tx="${CSS.escape(txID)}"]`);
      if (place === null) continue;
      const seconds = nextTryAt === null ? 0 : Math.max(0, Math.ceil((nextTryAt - now) / 1000));
      place.textContent =
        nextTryAt === null ? 'is being sent' : `next attempt at ${timeOf(nextTryAt)}, in ${seconds} s`;
    }
  }
}

const STATES: Readonly<Record<RoundRow['state'], string>> = {
  playing: 'under way',
  declined: 'bet declined',
  returning: 'refund owed',
  returned: 'refunded',
  paying: 'win owed',
  settled: 'settled',
};

/** Returns a cell. On a narrow page a row is a card, and shows the title of the column before the text. */
function cell(title: string, text: string): Node {
  return make('td', { data: { title } }, text);
}

/** Names the rules that the calls of a round break. */
function brokenRules(rules: readonly string[]): Node {
  const { sign, word } = VERDICTS.fail;
  return make(
    'span',
    { class: 'broken' },
    make('span', { is: { 'aria-hidden': 'true' } }, ` ${sign} `),
    make('span', { class: 'unseen' }, `, ${word} `),
    rules.join(', '),
  );
}
