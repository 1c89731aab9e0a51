import { CURRENCIES, CURRENCY_CODE, CURRENCY_TYPES, codeInOtherCase, codeProblem } from '../contract/currencies.ts';
import { SESSION_STATES } from '../contract/session-state.ts';
import { nearest } from './near.ts';
import type { Needs, SessionNeed } from './plan/plan.ts';
import type { Reading } from './reading.ts';
import { integer, money, NAME, word } from './shapes/scalar-shapes.ts';
import { field, type JsonSchema, map, type ReadMap, refuse, type Shape } from './shapes/shape.ts';
import type { Range } from './yaml/source.ts';
import type { YamlNode } from './yaml/yaml-node.ts';

const CODES = CURRENCIES.map(({ code }) => code);
const SAME_OR_OTHER = ['same', 'other'] as const;
const state = field('`expired`: the session must be configured as expired.', word('a state', SESSION_STATES));

const kind = field('The kind of the currency.', word('a kind of currency', CURRENCY_TYPES));
const decimalsNumber = integer('a number of decimals', 0, 30);
const decimals: Shape<number | 'some'> = {
  read(node, reading) {
    const resolved = reading.resolve(node);
    return resolved.kind === 'scalar' && resolved.value === 'some' ? 'some' : decimalsNumber.read(resolved, reading);
  },
  json: () => ({ anyOf: [{ type: 'integer', minimum: 0 }, { const: 'some' }] }),
};

const currencyCode: Shape<string> = {
  read(node, reading) {
    const resolved = reading.resolve(node);
    if (resolved.kind !== 'scalar' || typeof resolved.value !== 'string')
      return refuse(reading, resolved, 'the code of a currency, such as USD');
    const { value } = resolved;
    if (codeProblem(value) === undefined) return value;
    const other = codeInOtherCase(value) ?? nearest(value, CODES);
    reading.report(
      resolved.range,
      `\`${value}\` is not the code of a currency`,
      other === undefined ? 'write a code such as USD' : `did you mean \`${other}\`?`,
    );
    return undefined;
  },
  json: () => ({ type: 'string', pattern: CURRENCY_CODE.source }),
};

const sameOrOtherCurrency = word('a currency', SAME_OR_OTHER);
/** `same`, `other`, or the code of a currency. A small word such as `othr` is a typing error, and no code. */
const currencyOfSession: Shape<'same' | 'other' | { readonly code: string }> = {
  read(node, reading) {
    const resolved = reading.resolve(node);
    const isCode =
      resolved.kind === 'scalar' &&
      typeof resolved.value === 'string' &&
      (/[A-Z]/.test(resolved.value) || CODES.includes(resolved.value));
    if (!isCode) return sameOrOtherCurrency.read(resolved, reading);
    const code = currencyCode.read(resolved, reading);
    return code === undefined ? undefined : { code };
  },
  json: () => ({ anyOf: [sameOrOtherCurrency.json(), currencyCode.json()] }),
};

const KNOWN = {
  balance: field(
    'The minimum balance of the first session. The expression can use `stake` and `unit`.',
    money('an amount', true),
  ),
  currency: field(
    'The properties that the currency of the first session must have.',
    map('currency', {
      code: field('The code of the currency, such as `USD`.', currencyCode),
      kind,
      decimals: field('The number of decimals. `some`: at least one.', decimals),
    }),
  ),
  state,
  client: field(
    '`other`: the scenario needs a second client of the same operator, with another key.',
    word('a client', ['other'] as const),
  ),
  run: field(
    '`earlier`: the scenario needs transactions of an earlier run (`run --after JOURNAL`).',
    word('a run', ['earlier'] as const),
  ),
  campaign: field(
    '`known`: the scenario needs a campaign that the operator knows.',
    word('a campaign', ['known'] as const),
  ),
  launches: field(
    "`seen`: the operator's backend must have launched games at the Core API of this run (`run --launches`).",
    word('launches', ['seen'] as const),
  ),
  amounts: field(
    '`large`: the operator must support amounts of more than 2^53 times the smallest amount of the currency (`largeAmounts` in croupier.yaml).',
    word('a size of amounts', ['large'] as const),
  ),
};

const sessionNeed: Shape<ReadMap<SessionNeed>> = map('a session', {
  player: field(
    'The player of the session. `same`: the player of the first session. `other`: another player.',
    word('a player', SAME_OR_OTHER),
  ),
  game: field(
    'The game of the session. `same`: the game of the first session. `other`: another game.',
    word('a game', SAME_OR_OTHER),
  ),
  currency: field(
    'The currency of the session: its code, such as `JPY`. `same`: the currency of the first session. `other`: another currency.',
    currencyOfSession,
  ),
  state,
});

const knownNeeds = map('needs', KNOWN);
const RESERVED = new Set(['main', 'unknown', 'self', 'stake', 'unit', 'session', 'drift', 'begun']);

export interface ReadNeeds {
  readonly needs: Needs;
  /** The place of each session alias that the scenario declares. */
  readonly aliases: ReadonlyMap<string, Range>;
}

export const NO_NEEDS: Needs = {
  otherClient: false,
  earlierRun: false,
  campaign: false,
  largeAmounts: false,
  launches: false,
  sessions: new Map(),
};

/** Reads `needs:`. An unknown key whose value is a map is the alias of a further session. */
export function readNeeds(node: YamlNode, reading: Reading): ReadNeeds {
  const aliases = new Map<string, Range>();
  if (node.kind !== 'map') {
    refuse(
      reading,
      node,
      'a map of needs',
      `keys possible here: ${Object.keys(KNOWN).join(', ')}, or the alias of a further session`,
    );
    return { needs: NO_NEEDS, aliases };
  }
  const sessions = new Map<string, SessionNeed>();
  const rest = node.entries.filter((entry) => {
    if (Object.hasOwn(KNOWN, entry.key)) return true;
    if (entry.value.kind !== 'map') {
      const near = nearest(entry.key, Object.keys(KNOWN));
      reading.report(
        entry.keyRange,
        `\`${entry.key}\` is not a known requirement of a scenario`,
        near
          ? `did you mean \`${near}\`?`
          : `possible: ${Object.keys(KNOWN).join(', ')}. To add a session, write ${entry.key}: { player: other }`,
      );
      return false;
    }
    if (RESERVED.has(entry.key) || !NAME.test(entry.key))
      reading.report(
        entry.keyRange,
        `\`${entry.key}\` cannot be the alias of a session`,
        'choose another name that consists of letters, digits, _ and -',
      );
    else aliases.set(entry.key, entry.keyRange);
    const values = sessionNeed.read(entry.value, reading)?.values;
    sessions.set(entry.key, values ?? {});
    return false;
  });
  const values = knownNeeds.read({ ...node, entries: rest }, reading)?.values ?? {};
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
  const further = {
    ...sessionNeed.json(),
    description:
      'Another session, with its properties. NAME is its alias: a name of your choice that steps use in `session`.',
  };
  return { ...knownNeeds.json(), additionalProperties: further };
}
