import * as fc from 'fast-check';
import {
  AT_ONCE,
  type Cast,
  FORGERIES,
  type History,
  type Operation,
  type Player,
  type Reference,
  type Sum,
} from './operation.ts';
import { simpler } from './simpler.ts';
import { tellDrawn } from './teller.ts';

const FEWEST_OPERATIONS = 6;
const MOST_OPERATIONS = 24;
/** Amounts with a part that binary floating point does not hold exactly, and the smallest ones. */
const ODD_UNITS = [1, 7, 10, 15, 29, 57, 99];
/** Enough to push a transaction out of a memory that is too short. */
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
const often = fc.nat({ max: 4 }).map((drawn) => drawn > 0);
const seldom = fc.nat({ max: 4 }).map((drawn) => drawn === 0);

/** What is drawn of an operation; its number comes later. */
type Drawn = Operation extends infer O ? (O extends Operation ? Omit<O, 'id'> : never) : never;

/** Each kind of operation with how often it comes; breaks are dear, for each has to be waited for. */
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
    one(12, fc.record({ kind: kind('bet'), player: betting, sum, round: maybe(reference, 3), broken, read: often })),
    one(8, fc.record({ kind: kind('win'), of: reference, sum: winSum, broken, read: often })),
    one(6, fc.record({ kind: kind('refund'), of: reference, roundless: seldom, broken, read: often })),
    one(6, fc.record({ kind: kind('resend'), of: reference, read: often })),
    one(2, fc.record({ kind: kind('conflict'), of: reference, sum, read: often })),
    one(2, fc.record({ kind: kind('refund-unknown'), sum, round: maybe(reference, 2), read: often })),
    one(2, fc.record({ kind: kind('refund-again'), of: reference, read: often })),
    one(1, fc.record({ kind: kind('refund-ahead'), sum, late: seldom, read: often })),
    one(2, fc.record({ kind: kind('beyond'), sum, round: maybe(reference, 3), read: often })),
    one(2, fc.record({ kind: kind('refund-declined'), of: reference, read: often })),
    one(1, fc.record({ kind: kind('refund-settled'), of: reference, read: always })),
    one(1, fc.record({ kind: kind('across'), of: reference, sum, read: always })),
    one(1, fc.record({ kind: kind('everything'), read: often })),
    one(1, fc.record({ kind: kind('zero-bet'), read: always })),
    one(
      2,
      fc.record({
        kind: kind('forged'),
        call: fc.constantFrom('bet', 'win', 'refund'),
        of: reference,
        sum,
        sign: fc.constantFrom(...FORGERIES),
        again: fc.boolean(),
        read: often,
      }),
    ),
    one(1, fc.record({ kind: kind('forged-read'), sign: fc.constantFrom(...FORGERIES), read: never })),
    one(1, fc.record({ kind: kind('tampered'), of: reference, sum, read: often })),
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
    ...(players.has('second') ? [one(2, fc.record({ kind: kind('reuse'), of: reference, sum, read: often }))] : []),
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

/** Much that happens, or a while, and then what an operator may have forgotten. */
const interval: fc.Arbitrary<readonly Drawn[]> = fc.oneof(
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

/** Histories of one cast. Whatever is drawn is one, and whatever a smaller one leaves out is left out of all that is about it. */
export function histories({ currency, players }: Cast, campaign: boolean, breaks: boolean): fc.Arbitrary<History> {
  const plain = fc.oneof(...kinds(players, campaign, breaks));
  const drawn = fc
    .tuple(
      fc.array(plain, { minLength: FEWEST_OPERATIONS, maxLength: MOST_OPERATIONS, size: 'max' }),
      maybe(fc.tuple(interval, fc.nat()), 6),
    )
    .map(([operations, inserted]): History => {
      const all: Drawn[] = [...operations];
      if (inserted) all.splice(inserted[1] % (all.length + 1), 0, ...inserted[0]);
      const numbered = all.map((operation, id): Operation => ({ ...operation, id }));
      return { currency, operations: tellDrawn({ currency, operations: numbered }, players).operations };
    });
  return new Histories(drawn, players);
}

/** Draws as it is told to, and finds smaller ones in the language of histories, where no part rests upon what is not there. */
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
