import * as fc from 'fast-check';
import { TRANSACTION_CALLS } from '../../contract/call-name.ts';
import { buildDrawn } from './build-scenario.ts';
import {
  AT_ONCE,
  FORGERIES,
  type History,
  type Operation,
  type Player,
  type PlayerSetup,
  type Reference,
  type Sum,
} from './operation.ts';
import { simpler } from './shortening.ts';

const MIN_OPERATIONS = 6;
const MAX_OPERATIONS = 24;
/**
 * Small amounts that are added to a stake, in the smallest unit of the currency. Most of them have no exact value in binary
 * floating point.
 */
const ODD_UNITS = [1, 7, 10, 15, 29, 57, 99];
/** Numbers of bets in a row. They are large, so that an operator which remembers too few transactions forgets an old one. */
const MANY = [20, 70, 150];

const reference: fc.Arbitrary<Reference> = fc.record({ pick: fc.nat({ max: 40 }) });
const sum: fc.Arbitrary<Sum> = fc.record({
  stakes: fc.integer({ min: 1, max: 5 }),
  units: fc.oneof({ arbitrary: fc.constant(0), weight: 3 }, { arbitrary: fc.constantFrom(...ODD_UNITS), weight: 1 }),
});
const winSum: fc.Arbitrary<Sum> = fc.oneof(
  { arbitrary: sum, weight: 4 },
  { arbitrary: fc.constant({ stakes: 0, units: 0 }), weight: 1 },
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight: oneIn - 1 }, { arbitrary, weight: 1 });
const always = fc.constant(true);
const never = fc.constant(false);
const mostly = fc.nat({ max: 4 }).map((drawn) => drawn > 0);
const rarely = fc.nat({ max: 4 }).map((drawn) => drawn === 0);

/** An operation without its id, which is added after drawing. */
type Drawn = Operation extends infer O ? (O extends Operation ? Omit<O, 'id'> : never) : never;

/**
 * Returns all kinds of operations with their weights. Broken connections have a low weight, because croupier must wait after
 * each broken connection.
 */
function kinds(players: ReadonlySet<Player>, campaign: boolean, breaks: boolean) {
  const broken = breaks
    ? maybe(fc.constantFrom('sent' as const, '5ms' as const, 'raced' as const), 4)
    : fc.constant(null);
  const one = (weight: number, arbitrary: fc.Arbitrary<Drawn>) => ({ weight, arbitrary });
  const kind = <K extends string>(name: K) => fc.constant(name);
  const betting = fc.constantFrom(
    ...(players.has('other') ? (['main', 'main', 'main', 'other'] as const) : (['main'] as const)),
  );
  const others = [...players].filter((player) => player !== 'main');
  return [
    one(12, fc.record({ kind: kind('bet'), player: betting, sum, round: maybe(reference, 3), broken, read: mostly })),
    one(8, fc.record({ kind: kind('win'), of: reference, sum: winSum, broken, read: mostly })),
    one(6, fc.record({ kind: kind('refund'), of: reference, roundless: rarely, broken, read: mostly })),
    one(6, fc.record({ kind: kind('resend'), of: reference, read: mostly })),
    one(2, fc.record({ kind: kind('conflict'), of: reference, sum, read: mostly })),
    one(2, fc.record({ kind: kind('refund-unknown'), sum, round: maybe(reference, 2), read: mostly })),
    one(2, fc.record({ kind: kind('refund-again'), of: reference, read: mostly })),
    one(1, fc.record({ kind: kind('refund-ahead'), sum, late: rarely, read: mostly })),
    one(2, fc.record({ kind: kind('beyond'), sum, round: maybe(reference, 3), read: mostly })),
    one(2, fc.record({ kind: kind('refund-declined'), of: reference, read: mostly })),
    one(1, fc.record({ kind: kind('refund-settled'), of: reference, read: always })),
    one(1, fc.record({ kind: kind('across'), of: reference, sum, read: always })),
    one(1, fc.record({ kind: kind('everything'), read: mostly })),
    one(1, fc.record({ kind: kind('zero-bet'), read: always })),
    one(
      2,
      fc.record({
        kind: kind('forged'),
        call: fc.constantFrom(...TRANSACTION_CALLS),
        of: reference,
        sum,
        sign: fc.constantFrom(...FORGERIES),
        again: fc.boolean(),
        read: mostly,
      }),
    ),
    one(1, fc.record({ kind: kind('forged-read'), sign: fc.constantFrom(...FORGERIES), read: never })),
    one(1, fc.record({ kind: kind('tampered'), of: reference, sum, read: mostly })),
    one(
      4,
      fc.record({
        kind: kind('at-once'),
        what: fc.constantFrom(...AT_ONCE.filter((what) => what !== 'bets-of-two' || players.has('other'))),
        size: fc.integer({ min: 2, max: 8 }),
        of: reference,
        sum,
        read: always,
      }),
    ),
    ...(players.has('other') ? [one(1, fc.record({ kind: kind('refund-foreign'), of: reference, read: always }))] : []),
    ...(players.has('second') ? [one(2, fc.record({ kind: kind('reuse'), of: reference, sum, read: mostly }))] : []),
    ...(others.length > 0
      ? [one(3, fc.record({ kind: kind('read'), player: fc.constantFrom(...others), read: always }))]
      : []),
    ...(campaign
      ? [
          one(2, fc.record({ kind: kind('free-bet'), sum, read: always })),
          one(2, fc.record({ kind: kind('free-win'), of: reference, sum: winSum, read: always })),
          one(1, fc.record({ kind: kind('withdrawal'), of: reference, sum, read: always })),
        ]
      : []),
  ];
}

/** Draws many bets or a pause. After them come calls about a transaction that the operator may have forgotten in the meantime. */
const gap: fc.Arbitrary<readonly Drawn[]> = fc.oneof(
  fc.tuple(
    fc.record({ kind: fc.constant('many' as const), times: fc.constantFrom(...MANY), read: always }),
    fc.record({ kind: fc.constant('resend' as const), of: reference, read: always }),
  ),
  fc.tuple(
    fc.record({ kind: fc.constant('pause' as const), read: never }),
    fc.record({ kind: fc.constant('win' as const), of: reference, sum, broken: fc.constant(null), read: always }),
    fc.record({
      kind: fc.constant('refund' as const),
      of: reference,
      roundless: never,
      broken: fc.constant(null),
      read: always,
    }),
  ),
);

/**
 * Returns a generator that draws histories for one player setup. Every drawn list is a valid history, because operations that
 * are not possible are replaced or left out.
 */
export function histories(
  { currency, players }: PlayerSetup,
  campaign: boolean,
  breaks: boolean,
): fc.Arbitrary<History> {
  const plain = fc.oneof(...kinds(players, campaign, breaks));
  const drawn = fc
    .tuple(
      fc.array(plain, { minLength: MIN_OPERATIONS, maxLength: MAX_OPERATIONS, size: 'max' }),
      maybe(fc.tuple(gap, fc.nat()), 6),
    )
    .map(([operations, inserted]): History => {
      const all: Drawn[] = [...operations];
      if (inserted) all.splice(inserted[1] % (all.length + 1), 0, ...inserted[0]);
      const numbered = all.map((operation, id): Operation => ({ ...operation, id }));
      return { currency, operations: buildDrawn({ currency, operations: numbered }, players).operations };
    });
  return new Histories(drawn, players);
}

/**
 * Draws histories. Shrinks a history by simplifying its operations.
 *
 * This is model-based testing, but without `fc.commands` of fast-check, for these reasons:
 * - `fc.commands` checks a model after each command. The judge needs the whole scenario, because later steps can still show the
 *   effect or the cause of a call. Also, the calls of a race are one step, and can only be judged together.
 * - The result must be a scenario that a user can save and run. So a history is built completely before its first call is sent. The
 *   model (`HistoryLedger`) plans which calls are possible and which balance the wallet needs at the beginning.
 * - `fc.commands` shrinks by leaving out commands and by shrinking their values. `simpler` can do more: it replaces a race by one
 *   call and a broken connection by an explicit refund, and keeps all references valid.
 * - `fc.commands` plays each shorter history once, and accepts each failure. Here, `stillFails` decides whether a failure of
 *   another kind counts, and a failure that does not happen every time is played several times.
 *
 * `npm run explore-count` measures how many defects the search finds.
 */
class Histories extends fc.Arbitrary<History> {
  readonly #drawn: fc.Arbitrary<History>;
  readonly #players: ReadonlySet<Player>;

  constructor(drawn: fc.Arbitrary<History>, players: ReadonlySet<Player>) {
    super();
    this.#drawn = drawn;
    this.#players = players;
  }

  generate(random: fc.Random, bias: number | undefined): fc.Value<History> {
    return new fc.Value(this.#drawn.generate(random, bias).value, undefined);
  }

  canShrinkWithoutContext(value: unknown): value is History {
    return typeof value === 'object' && value !== null && 'operations' in value;
  }

  shrink(history: History): fc.Stream<fc.Value<History>> {
    const players = this.#players;
    return fc.stream(
      (function* () {
        for (const smaller of simpler(history, players)) yield new fc.Value(smaller, undefined);
      })(),
    );
  }
}
