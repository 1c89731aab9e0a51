import type { Cell } from './cell.ts';
import { nearest } from './near.ts';
import type { Needs, SessionNeed } from './plan.ts';
import type { Reading } from './reading.ts';
import { integer, money, NAME, word } from './scalar-shapes.ts';
import { field, type JsonSchema, map, type ReadMap, refuse, type Shape } from './shape.ts';
import type { Spot } from './source.ts';

const SAME_OR_OTHER = ['same', 'other'] as const;
const state = field(
  '`expired`: a session marked so in the configuration.',
  word('a state', ['active', 'expired'] as const),
);

const kind = field('The kind of currency.', word('a kind of currency', ['fiat', 'crypto', 'virtual'] as const));
const decimalsNumber = integer('a number of decimals', 0, 30);
const decimals: Shape<number | 'some'> = {
  read(cell, reading) {
    const settled = reading.settle(cell);
    return settled.kind === 'scalar' && settled.value === 'some' ? 'some' : decimalsNumber.read(settled, reading);
  },
  json: () => ({ anyOf: [{ type: 'integer', minimum: 0 }, { const: 'some' }] }),
};

const KNOWN = {
  balance: field('The first session holds at least so much; `stake` and `unit` can be used.', money('an amount', true)),
  currency: field(
    "What the first session's currency is like.",
    map('currency', { kind, decimals: field('How many decimals it has; `some`: at least one.', decimals) }),
  ),
  state,
  client: field(
    '`other`: a second client of the same operator, with another key.',
    word('a client', ['other'] as const),
  ),
  run: field('`earlier`: transactions of an earlier run (`run --after JOURNAL`).', word('a run', ['earlier'] as const)),
  campaign: field('`known`: a campaign that the operator knows.', word('a campaign', ['known'] as const)),
  launches: field(
    "`seen`: launches by the operator's backend on a Core API of this run (`run --launches`).",
    word('launches', ['seen'] as const),
  ),
  amounts: field(
    '`large`: amounts beyond 2^53 of the smallest unit are moved.',
    word('a size of amounts', ['large'] as const),
  ),
};

const sessionNeed: Shape<ReadMap<SessionNeed>> = map('a session', {
  player: field("`other`: of another player than the first session's.", word('a player', SAME_OR_OTHER)),
  game: field("`other`: of another game than the first session's.", word('a game', SAME_OR_OTHER)),
  currency: field("`other`: in another currency than the first session's.", word('a currency', SAME_OR_OTHER)),
  state,
});

const knownNeeds = map('needs', KNOWN);
const RESERVED = new Set(['main', 'unknown', 'self', 'stake', 'unit', 'session', 'drift', 'begun']);

export interface ReadNeeds {
  readonly needs: Needs;
  /** Where each alias is declared. */
  readonly aliases: ReadonlyMap<string, Spot>;
}

export const NO_NEEDS: Needs = {
  otherClient: false,
  earlierRun: false,
  campaign: false,
  largeAmounts: false,
  launches: false,
  sessions: new Map(),
};

/** Reads `needs:`. A key that is not of the vocabulary is the alias of a further session, when a map follows. */
export function readNeeds(cell: Cell, reading: Reading): ReadNeeds {
  const aliases = new Map<string, Spot>();
  if (cell.kind !== 'map') {
    refuse(
      reading,
      cell,
      'a map of needs',
      `keys possible here: ${Object.keys(KNOWN).join(', ')}, or the alias of a further session`,
    );
    return { needs: NO_NEEDS, aliases };
  }
  const sessions = new Map<string, SessionNeed>();
  const rest = cell.entries.filter((entry) => {
    if (Object.hasOwn(KNOWN, entry.key)) return true;
    if (entry.value.kind !== 'map') {
      const near = nearest(entry.key, Object.keys(KNOWN));
      reading.complain(
        entry.keySpot,
        `\`${entry.key}\` is nothing that a scenario can need`,
        near
          ? `did you mean \`${near}\`?`
          : `possible: ${Object.keys(KNOWN).join(', ')}, or a further session: ${entry.key}: { player: other }`,
      );
      return false;
    }
    if (RESERVED.has(entry.key) || !NAME.test(entry.key))
      reading.complain(
        entry.keySpot,
        `\`${entry.key}\` cannot be the alias of a session`,
        'choose another name: letters, digits, _ and -',
      );
    else aliases.set(entry.key, entry.keySpot);
    const values = sessionNeed.read(entry.value, reading)?.values;
    sessions.set(entry.key, values ?? {});
    return false;
  });
  const values = knownNeeds.read({ ...cell, entries: rest }, reading)?.values ?? {};
  const currency = values.currency?.values;
  return {
    aliases,
    needs: {
      ...(values.balance && { balance: values.balance }),
      ...(currency && { currency }),
      ...(values.state && { state: values.state }),
      otherClient: values.client === 'other',
      earlierRun: values.run === 'earlier',
      campaign: values.campaign === 'known',
      largeAmounts: values.amounts === 'large',
      launches: values.launches === 'seen',
      sessions,
    },
  };
}

export function needsJson(): JsonSchema {
  const further = { ...sessionNeed.json(), description: 'A further session by its alias, and what it is like.' };
  return { ...knownNeeds.json(), additionalProperties: further };
}
