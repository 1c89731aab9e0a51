import { expect, it } from 'vitest';
import { AfterRun } from '../../../src/engine/after/after-run.ts';
import { keyOfItem, openItemsOf } from '../../../src/engine/after/open-items.ts';
import type { RunStarted } from '../../../src/journal/event.ts';
import { type LoadLine, LoadLines } from '../../../src/journal/load/lines.ts';
import * as properties from '../../properties.ts';

const RUN = {
  event: 'run-started',
  source: 'load',
  client: { extCID: 'acme', integratorBaseUrl: 'https://wallet.example' },
  settings: {
    sessions: [
      { sessionID: 's-0', player: 'ann', currency: 'EUR' },
      { sessionID: 's-1', player: 'ben', currency: 'EUR' },
    ],
  },
} as unknown as RunStarted;

type Sent = Extract<LoadLine, readonly ['s', ...unknown[]]>;

/** Plays random rounds as the players of a load test do, and writes their lines. */
class Players {
  readonly lines: LoadLine[] = [];
  readonly #sent: Sent[] = [];
  /** The first number of each call in flight, by the number of the sending. */
  readonly #inFlight = new Map<number, number>();
  readonly #answers = new Map<number, number>();
  #number = 0;
  #rounds = 0;

  step(choice: number, pick: number): void {
    switch (choice) {
      case 0:
        this.#rounds += 1;
        this.#send(pick % 2, 'bet', `round-${this.#rounds}`, pick % 7, null);
        break;
      case 1:
        this.#inRound(pick, ({ session, round }) => this.#send(session, 'bet', round, pick % 7, null));
        break;
      case 2:
        this.#inRound(pick, ({ session, round, hasBet }) => {
          if (hasBet) this.#send(session, 'win', round, pick % 3, null);
        });
        break;
      case 3: {
        const bets = this.#sent.filter(([, id, , , call]) => call === 'bet' && this.#isUnknown(id));
        const bet = bets[pick % Math.max(1, bets.length)];
        if (bet) this.#send(bet[3], 'refund', bet[6], Number(bet[7]), bet[5]);
        break;
      }
      case 4:
        this.#repeat(pick);
        break;
      case 5:
        this.#number += 1;
        this.lines.push(['r', this.#number, 0, pick % 2], ['a', this.#number, 0, 200, '1000', null]);
        break;
      default:
        this.#answer(pick);
    }
  }

  /** Sends a win or refund again, or an accepted bet, or a bet that is in flight. A declined bet is not sent again. */
  #repeat(pick: number): void {
    const some = this.#sent.filter(
      ([, id, , , call]) => call !== 'bet' || this.#answers.get(id) === 200 || !this.#answers.has(id),
    );
    const again = some[pick % Math.max(1, some.length)];
    if (!again) return;
    this.#number += 1;
    this.#inFlight.set(this.#number, again[1]);
    this.lines.push(['c', this.#number, 0, again[1]]);
  }

  #answer(pick: number): void {
    const open = [...this.#inFlight];
    const [number, first] = open[pick % Math.max(1, open.length)] ?? [];
    if (number === undefined || first === undefined) return;
    this.#inFlight.delete(number);
    const status = [200, 200, 200, 402, 409, 503, 500, 0][pick % 8] ?? 0;
    if (this.#answers.get(first) !== 200) this.#answers.set(first, status);
    this.lines.push(status === 0 ? ['x', number, 0, 'broken'] : ['a', number, 0, status, '1', `op-${first}`]);
  }

  #isUnknown(number: number): boolean {
    return [500, 503, 0].includes(this.#answers.get(number) ?? 200) && ![...this.#inFlight.values()].includes(number);
  }

  /** Does something in a round whose calls are all answered, and which has no win yet. */
  #inRound(pick: number, act: (round: { session: number; round: string; hasBet: boolean }) => void): void {
    const rounds = [...Map.groupBy(this.#sent, (line) => line[6])].filter(([, lines]) =>
      lines.every(([, number, , , call]) => call !== 'win' && this.#answers.has(number) && !this.#isUnknown(number)),
    );
    const [round, lines] = rounds[pick % Math.max(1, rounds.length)] ?? [];
    if (round === undefined || !lines?.[0]) return;
    const hasBet = lines.some(([, number, , , call]) => call === 'bet' && this.#answers.get(number) === 200);
    act({ session: lines[0][3], round, hasBet });
  }

  #send(session: number, call: Sent[4], round: string, amount: number, bet: string | null): void {
    this.#number += 1;
    const line: Sent = ['s', this.#number, 0, session, call, `tx-${this.#number}`, round, String(amount), bet, null];
    this.#sent.push(line);
    this.#inFlight.set(this.#number, this.#number);
    this.lines.push(line);
  }
}

function stateOf(afterRun: AfterRun) {
  return {
    items: openItemsOf(afterRun).map(keyOfItem).toSorted(),
    balances: afterRun.estimates.map((one) => [one.walletID, one.possible().map(String), one.strange?.toString()]),
  };
}

it('what a load test owes stays the same when its finished rounds are forgotten', () => {
  let forgotten = 0;
  properties.assert(
    properties.property(
      properties.array(properties.tuple(properties.nat(9), properties.nat(1000)), { minLength: 30, maxLength: 120 }),
      (steps) => {
        const players = new Players();
        for (const pick of [0, 1]) players.step(5, pick);
        for (const [choice, pick] of steps) players.step(choice, pick);
        const lines = new LoadLines(RUN, 1000);
        const forgetful = new AfterRun({ signedRight: () => true });
        const complete = new AfterRun({ signedRight: () => true });
        forgetful.add(RUN);
        complete.add({ ...RUN, source: 'run' } as unknown as RunStarted);
        for (const line of players.lines) {
          const event = lines.eventOf(line);
          if (!event) continue;
          forgetful.add(event);
          complete.add(event);
          expect(stateOf(forgetful)).toEqual(stateOf(complete));
        }
        forgotten += complete.transactions.length - forgetful.transactions.length;
        for (const one of [forgetful, complete]) one.giveUp('the process has ended');
        expect(stateOf(forgetful)).toEqual(stateOf(complete));
      },
    ),
    { numRuns: 50 },
  );
  expect(forgotten).toBeGreaterThan(50);
});

it('the memory for the journal of a load test does not grow with the number of its rounds', () => {
  const afterRun = new AfterRun({ signedRight: () => true });
  const lines = new LoadLines(RUN, 100);
  const add = (line: LoadLine): boolean => {
    const event = lines.eventOf(line);
    if (event) afterRun.add(event);
    return event !== undefined;
  };
  afterRun.add(RUN);
  add(['r', 0, 0, 0]);
  add(['a', 0, 0, 200, '1000', null]);
  add(['s', 1, 0, 0, 'bet', 'lost', 'round-lost', '5', null, null]);
  add(['x', 1, 0, 'reset']);
  add(['s', 2, 0, 0, 'refund', 'refund-of-lost', 'round-lost', '5', 'lost', null]);
  add(['a', 2, 0, 503, null, null]);
  for (let bet = 10; bet < 2010; bet += 2) {
    add(['s', bet, 0, 0, 'bet', `bet-${bet}`, `round-${bet}`, '2', null, null]);
    add(['a', bet, 0, 200, '998', `op-${bet}`]);
    add(['s', bet + 1, 0, 0, 'win', `win-${bet}`, `round-${bet}`, '2', null, null]);
    add(['a', bet + 1, 0, 200, '1000', `op-${bet}`]);
  }
  // The first transactions are kept, so that a later run can send them again.
  const kept = ['lost', 'refund-of-lost', 'bet-10', 'win-10'];
  expect(afterRun.transactions.map(({ call }) => call.txID)).toEqual(kept);
  expect(openItemsOf(afterRun).map(keyOfItem)).toContain('refund lost');
  // A refund that is not answered yet may be sent again at any time, but an answered call only for a while.
  expect(add(['c', 9000, 0, 2])).toBe(true);
  expect(add(['c', 9001, 0, 10])).toBe(false);
  expect(add(['c', 9002, 0, 2008])).toBe(true);
  expect(afterRun.transactions).toHaveLength(kept.length);
});

it('the memory for the journal of a run does not grow with the number of its rounds, and its latest rounds are kept', () => {
  const afterRun = new AfterRun({ signedRight: () => true });
  const lines = new LoadLines(RUN, 100);
  const add = (line: LoadLine): void => {
    const event = lines.eventOf(line);
    if (event) afterRun.add(event);
  };
  const accepted = (call: number, name: 'bet' | 'win', round: number, amount: string): void => {
    add(['s', call, 0, 0, name, `${name}-${call}`, `round-${round}`, amount, null, null]);
    add(['a', call, 0, 200, null, `op-${call}`]);
  };
  afterRun.add({ ...RUN, source: 'run' } as unknown as RunStarted);
  add(['r', 0, 0, 0]);
  add(['a', 0, 0, 200, '100000', null]);
  let most = 0;
  for (let round = 1; round <= 4000; round += 1) {
    accepted(2 * round, 'bet', round, '2');
    accepted(2 * round + 1, 'win', round, '2');
    most = Math.max(most, afterRun.transactions.length);
  }
  expect(most).toBeLessThan(2100);
  // The bet of this round is still known, so the second win pays its amount.
  accepted(9000, 'win', 3900, '5');
  expect(afterRun.estimates[0]?.possible().map(String)).toEqual(['100005']);
});
