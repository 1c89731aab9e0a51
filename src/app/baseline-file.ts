import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { RULES, type RuleId, ruleById } from '../contract/catalogue.ts';
import { Money } from '../contract/money.ts';
import type { KnownFailure } from '../journal/event.ts';
import { EXPECTATION } from '../journal/finding.ts';
import { DIRECTIONS, type MoneySums } from '../journal/money-sums.ts';
import { readCounts } from '../journal/results/failure-rate.ts';
import { nearest } from '../scenario/near.ts';
import { byPlace, type Diagnostic, diagnosticAt } from '../scenario/yaml/diagnostic.ts';
import { readDocument } from '../scenario/yaml/document.ts';
import { diagnosticsOf, PlacedValues, type Words } from './config/placed-values.ts';

const text = z.string().min(1, 'must not be empty');
const ruleIds: readonly (RuleId | typeof EXPECTATION)[] = [...RULES.map(({ id }) => id), EXPECTATION];

function isDay(value: string): boolean {
  const day = new Date(`${value}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

const SUM = /^(0|[1-9]\d*)(\.\d+)?(?: (\S{1,20}))?$/;
/** A sum with the code of its currency. */
export const sum = z
  .string('must be false, or a sum with its currency, such as 2.00 USD')
  .regex(SUM, 'must be false, or a sum with its currency, such as 2.00 USD');

/** The sums by which replies may be wrong: single sums, and the word `amount`. */
export const replySums = z.union([z.literal('amount'), sum, z.array(z.union([z.literal('amount'), sum])).min(1)], {
  error: 'must be a sum with its currency, such as 0.01 USD, the word amount, or a list of them',
});

/** A share in percent. */
export const share = z
  .string('must be a share in percent, such as 50%')
  .regex(/^(0|[1-9]\d{0,3})(\.\d{1,2})?%$/, 'must be a share in percent, such as 50%');

/** The direction in which balances are wrong. */
export const balances = z.enum(DIRECTIONS, 'must be too low, or too high');

/** A number of failed checks and the number of all checks of the rule. */
export const failedChecks = z
  .string('must be a number of checks, such as 37 of 193')
  .regex(/^\d{1,9} of \d{1,9}$/, 'must be a number of checks, such as 37 of 193')
  .refine((value) => readCounts(value) !== undefined, 'must not be more than all checks');

const entry = z.strictObject({
  rule: z
    .enum(ruleIds)
    .describe(
      'The id of the rule that may fail. If a reply may differ from the `expect` of a scenario, write expectation: then `scenario` is required.',
    ),
  reason: text.describe('The reason why the rule may fail for a while.'),
  ticket: text.describe('The ticket for the fix: its number or its URL.'),
  expires: z
    .string('must be a date, such as 2027-03-31')
    .refine(isDay, 'must be a date that exists, such as 2027-03-31')
    .meta({ format: 'date' })
    .describe('The last day, in UTC, on which the rule may fail.'),
  endpoint: z
    .enum(CALL_NAMES)
    .optional()
    .describe('The only endpoint at which the rule may fail. Default: every endpoint.'),
  scenario: z
    .union([text, z.array(text).min(1, 'needs at least one scenario')])
    .optional()
    .describe(
      'The only scenario in which the rule may fail, or a list of scenarios. An id without a case means all cases. Default: every scenario.',
    ),
  client: text.optional().describe('The ExtCID of the only client for which the rule may fail. Default: every client.'),
  money: z
    .union([z.literal(false), sum, z.array(sum).min(1, 'needs one sum at least')])
    .optional()
    .describe(
      'The highest sum by which the rule may make balances wrong in one scenario, such as 2.00 USD, or a list of sums in several currencies. false: only failures that move no money are allowed, such as an accepted bet of 0. Default: all failures of the rule are allowed.',
    ),
  moneyIn: z
    .record(text, sum)
    .optional()
    .describe(
      'For single scenarios, by id: the highest sum by which the rule may make balances wrong there, such as 2.00 USD. croupier converts it to currencies with the same number of smallest units in a stake. Other scenarios and currencies have the limit of the key `money`.',
    ),
  share: share
    .optional()
    .describe(
      'The largest share of the amounts of some calls by which the rule may make balances wrong, such as 50%. Up to one and a half times this share is allowed. The keys `money` and `moneyIn` then limit only sums of which croupier knows no share. With `intermittent: true`, they limit all sums, and a larger share is allowed in one scenario. Default: no limit.',
    ),
  wrongReplies: z
    .literal(true, 'must be true, or left out')
    .optional()
    .describe(
      'true: the replies to these calls may have a balance that the next read does not show. Default: if the entry has the key `money`, such replies are not allowed.',
    ),
  replyMoney: replySums
    .optional()
    .describe(
      'The highest sum by which the balance in a single reply may be wrong, such as 0.01 USD, or a list of sums in several currencies. The word amount: a reply may also be wrong by the amount of its call. It needs `wrongReplies: true`. Default: no limit.',
    ),
  balances: balances
    .optional()
    .describe(
      'too low: the rule may make balances too low. It may make a balance too high in one scenario at most. too high: the other way. Default: both are allowed.',
    ),
  players: z
    .union([text, z.array(text).min(1, 'needs at least one player')])
    .optional()
    .describe(
      'The only player whose calls break the rule, or a list of players. The entry must be removed only after a run in which each of them has tested the rule without a failure. Default: the player does not matter.',
    ),
  otherPlayers: z
    .literal(false, 'must be false, or left out')
    .optional()
    .describe(
      'false: only calls of the players in the key `players` may break the rule. Default: the calls of other players may break it too.',
    ),
  intermittent: z
    .boolean()
    .optional()
    .describe(
      'true: the rule fails only now and then. If it passes in a run, this does not prove that it is fixed. Default: false.',
    ),
  failedChecks: failedChecks
    .optional()
    .describe(
      'The number of failed checks of the rule, and of all its checks, such as 37 of 193. If the rule fails much more often in a run of the whole suite, the failures are not allowed. Default: no limit.',
    ),
  undecided: z
    .literal(true, 'must be true, or left out')
    .optional()
    .describe(
      'true: the rule may stay undecided, because other known failures prevent every check of it. It may not fail. The key `money` then limits by how much balances may be wrong in these checks. Default: the rule may fail.',
    ),
});

/** The schema of a baseline: the file that lists the failures which a run accepts for a while. */
export const baselineSchema = z.array(entry).meta({
  title: 'Baseline of croupier',
  description:
    'Rules that may fail for a while. When a rule is fixed, its entry must be removed. After the last day of an entry, its rule fails the run again.',
});

type Entry = z.infer<typeof entry>;

const WORDS: Words = {
  schema: baselineSchema,
  whole: 'a baseline',
  named: { '': 'a known failure' },
  eitherOf: 'text or a list of texts',
};

/** The parts of a scenario that an entry of a baseline can match. */
interface NamedScenario {
  readonly id: string;
  readonly rules: readonly RuleId[];
  readonly tags: readonly string[];
}

/** The scenarios and clients that an entry of a baseline can name. */
export interface Subjects {
  readonly suite: readonly NamedScenario[];
  /** The scenarios of `suite` that this run plays. */
  readonly chosen: readonly NamedScenario[];
  /** The ExtCIDs of the configuration. Empty if they are not known; then the clients of entries are not checked. */
  readonly clients: readonly string[];
}

/** A known failure with the ExtCID of its client. `client` is undefined if the failure is known for all clients. */
export type ClientsFailure = KnownFailure & { readonly client: string | undefined };

export type BaselineReading =
  | { readonly kind: 'read'; readonly known: readonly ClientsFailure[] }
  | { readonly kind: 'broken'; readonly diagnostics: readonly Diagnostic[] };

/**
 * Reads the text of a baseline and finds every mistake in it, not only the first.
 *
 * @param file the file's name in diagnostics
 * @param subjects the names that an entry may use
 */
export function readBaseline(file: string, yaml: string, subjects: Subjects): BaselineReading {
  const { root, diagnostics: syntax, source } = readDocument(yaml, file);
  if (syntax.length > 0) return { kind: 'broken', diagnostics: [...syntax].sort(byPlace) };
  const values = new PlacedValues(root ?? { kind: 'list', range: { source, start: 0, end: 1 }, items: [] });
  const parsed = baselineSchema.safeParse(values.value);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const others = diagnosticsOf(
      issues.filter((issue) => !isAboutEmpty(issue, values)),
      values,
      WORDS,
    );
    const empty = emptyFields(issues, values);
    return { kind: 'broken', diagnostics: [...others, ...empty].sort(byPlace) };
  }
  const diagnostics = parsed.data.flatMap((given, index) => {
    const earlier = parsed.data.slice(0, index).findIndex((other) => isSame(other, given));
    const found = mistakeIn(given, earlier < 0 ? undefined : lineOf(values, earlier), subjects);
    return found ? [diagnosticAt(values.range([index, ...found.path]), found.message, found.fix)] : [];
  });
  if (diagnostics.length > 0) return { kind: 'broken', diagnostics };
  const known = parsed.data.flatMap((given, index) => knownFailures(given, lineOf(values, index), subjects));
  return { kind: 'read', known };
}

/** The fields of an entry that croupier leaves empty when it writes the entry, because a person has to fill them in. */
const TO_FILL_IN: readonly PropertyKey[] = ['reason', 'ticket', 'expires'];

/** True if the issue is about an empty field that a person has to fill in. */
function isAboutEmpty({ path }: z.core.$ZodIssue, values: PlacedValues): boolean {
  const node = values.node(path);
  return (
    path.length === 2 &&
    TO_FILL_IN.includes(path[1] ?? '') &&
    node?.kind === 'scalar' &&
    (node.value === null || node.value === '')
  );
}

/**
 * Returns one diagnostic for each entry that has empty fields. The diagnostic names all empty fields of the entry. One diagnostic
 * for each field would be too many, because croupier may have written a hundred such entries.
 */
function emptyFields(issues: readonly z.core.$ZodIssue[], values: PlacedValues): readonly Diagnostic[] {
  const byEntry = Map.groupBy(
    issues.filter((issue) => isAboutEmpty(issue, values)),
    ({ path }) => path[0],
  );
  return [...byEntry.values()].flatMap((own) => {
    const names = TO_FILL_IN.filter((name) => own.some(({ path }) => path[1] === name)).map(
      (name) => `\`${String(name)}\``,
    );
    const [first] = own;
    if (!first) return [];
    const list = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');
    return diagnosticAt(
      values.range(first.path),
      `${list} of ${ruleOf(first.path[0], values)} ${names.length === 1 ? 'is' : 'are'} empty`,
      'fill in why the rule may fail, the ticket for the fix, and the last day, such as 2027-03-31',
    );
  });
}

/** Names the rule of an entry in a message. */
function ruleOf(index: PropertyKey | undefined, values: PlacedValues): string {
  const node = index === undefined ? undefined : values.node([index, 'rule']);
  return node?.kind === 'scalar' ? `the entry for ${node.written}` : 'this entry';
}

function lineOf(values: PlacedValues, index: number): number {
  return diagnosticAt(values.range([index]), '').line;
}

/**
 * Returns the scenarios that an entry names. An entry without scenarios is valid for every scenario: then the list contains only
 * undefined.
 */
function scenariosOf({ scenario }: Entry): readonly (string | undefined)[] {
  return typeof scenario === 'string' || scenario === undefined ? [scenario] : [...new Set(scenario)];
}

/** Returns one known failure for each scenario of an entry. */
function knownFailures(given: Entry, line: number, subjects: Subjects): readonly ClientsFailure[] {
  return scenariosOf(given).map((scenario) => ({
    rule: given.rule,
    endpoint: given.endpoint ?? null,
    scenario: scenario ?? null,
    reason: given.reason,
    ticket: given.ticket,
    expires: given.expires,
    ...allowedMoney(given),
    ...shareOf(given),
    ...(given.wrongReplies && { wrongReplies: given.wrongReplies }),
    ...repliesOf(given),
    ...(given.balances && { balances: given.balances }),
    ...playersOf(given),
    ...(given.intermittent === true && { intermittent: true as const }),
    ...rateOf(given),
    ...(given.undecided && { undecided: given.undecided }),
    line,
    tried: isTried(given.rule, scenario, subjects),
    client: given.client,
  }));
}

/** Returns the fields of a known failure that come from the keys `players` and `otherPlayers` of a baseline entry. */
export function playersOf({
  players,
  otherPlayers,
}: {
  readonly players?: string | readonly string[] | undefined;
  readonly otherPlayers?: false | undefined;
}): Pick<KnownFailure, 'players' | 'noOtherPlayers'> {
  if (players === undefined) return {};
  return {
    players: typeof players === 'string' ? [players] : players,
    ...(otherPlayers === false && { noOtherPlayers: true }),
  };
}

/** Returns the fields of a known failure that come from the key `replyMoney` of a baseline entry. */
export function repliesOf({
  replyMoney = [],
}: {
  readonly replyMoney?: string | readonly string[] | undefined;
}): Pick<KnownFailure, 'maxReplySums' | 'replyAmounts'> {
  const all = typeof replyMoney === 'string' ? [replyMoney] : replyMoney;
  const sums = all.filter((one) => one !== 'amount');
  return {
    ...(sums.length > 0 && { maxReplySums: sumsOf(sums) }),
    ...(sums.length < all.length && { replyAmounts: true as const }),
  };
}

/** Returns the field of a known failure that comes from the key `failedChecks` of a baseline entry. */
export function rateOf({
  failedChecks: text,
}: {
  readonly failedChecks?: string | undefined;
}): Pick<KnownFailure, 'failedChecks'> {
  const counts = readCounts(text ?? '');
  return counts ? { failedChecks: counts } : {};
}

/** Returns the field of a known failure that comes from the key `share` of a baseline entry. */
export function shareOf({ share: percent }: { readonly share?: string | undefined }): Pick<KnownFailure, 'maxShare'> {
  const decimal = Money.read(percent?.slice(0, -1) ?? '')?.shift(-2);
  return decimal ? { maxShare: decimal.toString() } : {};
}

/** Returns the fields of a known failure that come from the keys `money` and `moneyIn` of a baseline entry. */
export function allowedMoney({
  money,
  moneyIn,
}: {
  readonly money?: false | string | readonly string[] | undefined;
  readonly moneyIn?: Readonly<Record<string, string>> | undefined;
}): Pick<KnownFailure, 'noMoney' | 'maxSums' | 'maxSumsIn'> {
  return {
    ...(money === false && { noMoney: true }),
    ...(money !== undefined && money !== false && { maxSums: sumsOf(typeof money === 'string' ? [money] : money) }),
    ...(moneyIn && {
      maxSumsIn: Object.fromEntries(Object.entries(moneyIn).map(([scenario, one]) => [scenario, sumsOf([one])])),
    }),
  };
}

function sumsOf(sums: readonly string[]): MoneySums {
  return Object.fromEntries(
    sums.map((one) => {
      const [amount = '', code = ''] = one.split(' ');
      return [code, amount];
    }),
  );
}

function isSame(a: Entry, b: Entry): boolean {
  const shared = scenariosOf(a).some((scenario) => scenariosOf(b).includes(scenario));
  // Two entries that differ only in their sums are allowed. An entry with a higher sum may later replace the other entry.
  const limitsOf = ({
    money,
    moneyIn,
    share,
    wrongReplies,
    replyMoney,
    balances: of,
    failedChecks: rate,
  }: Entry): string => JSON.stringify([money, moneyIn, share, wrongReplies, replyMoney, of, rate]);
  const isSameMoney = limitsOf(a) === limitsOf(b);
  return (
    a.rule === b.rule &&
    a.undecided === b.undecided &&
    a.endpoint === b.endpoint &&
    a.client === b.client &&
    isSameMoney &&
    shared &&
    !areOfDifferentPlayers(a, b)
  );
}

/** True if both entries allow only failures of the players that they name, and name no player in common. */
function areOfDifferentPlayers(a: Entry, b: Entry): boolean {
  if (a.otherPlayers !== false || b.otherPlayers !== false) return false;
  const players = [b.players ?? []].flat();
  return ![a.players ?? []].flat().some((player) => players.includes(player));
}

interface Mistake {
  /** The keys from the entry to the wrong value. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly fix?: string | undefined;
}

/**
 * Finds a mistake that the schema cannot find, such as the name of a scenario that does not exist. An entry with such a mistake
 * would never match a failure.
 */
function mistakeIn(given: Entry, twinLine: number | undefined, subjects: Subjects): Mistake | undefined {
  const { rule, endpoint, scenario, client, money, moneyIn } = given;
  if (twinLine !== undefined) {
    return {
      path: ['rule'],
      message: `\`${rule}\` is already listed in line ${twinLine}`,
      fix: 'keep only one of them',
    };
  }
  if (rule === EXPECTATION && scenario === undefined) {
    return { path: ['rule'], message: `an ${EXPECTATION} belongs to a scenario: add \`scenario\`` };
  }
  if (rule !== EXPECTATION && ruleById(rule).level === 'NOTE') {
    return {
      path: ['rule'],
      message: `\`${rule}\` is a NOTE, which never fails a run`,
      fix: 'remove it from the list',
    };
  }
  if (given.undecided) {
    const alone = (
      [
        'endpoint',
        'scenario',
        'moneyIn',
        'share',
        'wrongReplies',
        'replyMoney',
        'balances',
        'players',
        'otherPlayers',
        'intermittent',
        'failedChecks',
      ] as const
    ).find((key) => given[key] !== undefined);
    if (rule === EXPECTATION || ruleById(rule).level !== 'MUST')
      return { path: ['undecided'], message: 'only a MUST rule can leave a run undecided', fix: 'remove this key' };
    if (money === false)
      return { path: ['money'], message: 'an entry with `undecided` allows no failure', fix: 'remove this key' };
    if (alone !== undefined)
      return { path: [alone], message: 'an entry with `undecided` is about the whole rule', fix: 'remove this key' };
  }
  if (given.otherPlayers === false && given.players === undefined) {
    return { path: ['otherPlayers'], message: 'the key `players` is missing, which says whose calls break the rule' };
  }
  const endpoints = rule === EXPECTATION ? [] : (ruleById(rule).endpoints ?? []);
  if (endpoint !== undefined && !endpoints.includes(endpoint)) {
    const judged =
      endpoints.length === 0 ? 'is not judged for single endpoints' : `is judged only at ${endpoints.join(', ')}`;
    return { path: ['endpoint'], message: `\`${rule}\` ${judged}` };
  }
  const ofMoney = ['money', 'moneyIn', 'share', 'wrongReplies', 'replyMoney', 'balances', 'failedChecks'] as const;
  // A balance call that shows an old balance moves no money, but it has a rate.
  const aboutMoney = ofMoney.find(
    (key) => given[key] !== undefined && !(key === 'failedChecks' && rule === 'balance.read'),
  );
  if (aboutMoney !== undefined && (rule === EXPECTATION || !ruleById(rule).money)) {
    return { path: [aboutMoney], message: `\`${rule}\` is not about money`, fix: 'remove this key' };
  }
  if (given.replyMoney !== undefined && !given.wrongReplies)
    return { path: ['replyMoney'], message: 'the key `wrongReplies: true` is missing, which allows wrong replies' };
  const limit = (['moneyIn', 'share', 'wrongReplies', 'balances'] as const).find((key) => given[key] !== undefined);
  if (limit !== undefined && money === false) {
    return {
      path: [limit],
      message: 'the key `money` allows only failures that move no money',
      fix: 'remove this key',
    };
  }
  const names = scenariosOf(given);
  const at = names.findIndex((name) => name !== undefined && !subjects.suite.some(({ id }) => isNamed(name, id)));
  const unknown = names[at];
  if (unknown !== undefined) {
    const ids = subjects.suite.flatMap(({ id }) => [id, withoutCase(id)]);
    const path = typeof scenario === 'string' ? ['scenario'] : ['scenario', scenario?.indexOf(unknown) ?? 0];
    return { path, message: `there is no scenario \`${unknown}\``, fix: suggestion(unknown, ids) };
  }
  const inNone = Object.keys(moneyIn ?? {}).find((name) => !subjects.suite.some(({ id }) => id === name));
  if (inNone !== undefined) {
    const ids = subjects.suite.map(({ id }) => id);
    return { path: ['moneyIn', inNone], message: `there is no scenario \`${inNone}\``, fix: suggestion(inNone, ids) };
  }
  if (client !== undefined && subjects.clients.length > 0 && !subjects.clients.includes(client)) {
    return { path: ['client'], message: `there is no client \`${client}\``, fix: suggestion(client, subjects.clients) };
  }
  return undefined;
}

function suggestion(word: string, words: readonly string[]): string | undefined {
  const near = nearest(word, words);
  return near === undefined ? undefined : `did you mean \`${near}\`?`;
}

function withoutCase(id: string): string {
  return id.split('#')[0] ?? id;
}

function isNamed(scenario: string, id: string): boolean {
  return scenario === id || scenario === withoutCase(id);
}

/** True if the run plays all scenarios in which the rule could fail. */
function isTried(rule: Entry['rule'], scenario: string | undefined, { suite, chosen }: Subjects): boolean {
  const wanted = suite.filter(
    ({ id, rules, tags }) =>
      (scenario === undefined ? !tags.includes('opt-in') : isNamed(scenario, id)) &&
      (rule === EXPECTATION || scenario !== undefined || rules.includes(rule)),
  );
  return wanted.length > 0 && wanted.every(({ id }) => chosen.some((one) => one.id === id));
}
