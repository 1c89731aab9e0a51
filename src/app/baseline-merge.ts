import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { RULES } from '../contract/catalogue.ts';
import { allows, breachAt, isNoLongerNeeded, judgeKnown, otherDirection } from '../journal/baseline.ts';
import type { KnownFailure } from '../journal/event.ts';
import { EXPECTATION } from '../journal/finding.ts';
import type { Fold } from '../journal/fold.ts';
import type { RulePlace } from '../journal/judged-outcome.ts';
import { highestSums, isWithoutSums } from '../journal/money-sums.ts';
import type { CheckCounts } from '../journal/results/failure-rate.ts';
import type { NotedReplies } from '../journal/results/replied-sums.ts';
import {
  type BaselineEntry,
  brokenPlaces,
  conditionLines,
  entriesFor,
  entryText,
  highestShare,
  isRemark,
  LIMIT_KEYS,
  limitLines,
  undecidedEntries,
  unneededIn,
} from '../report/exports/baseline.ts';
import { readDocument } from '../scenario/yaml/document.ts';
import { commentsOfItem, editList } from '../scenario/yaml/edit-list.ts';
import { placeOf } from '../scenario/yaml/source.ts';
import type { BaselineChange } from './baseline-changes.ts';
import {
  allowedMoney,
  balances,
  failedChecks,
  playersOf,
  rateOf,
  repliesOf,
  replySums,
  share,
  shareOf,
  sum,
} from './baseline-file.ts';
import { diagnosticsError } from './config/configuration.ts';
import { diagnosticsOf, PlacedValues, type Words } from './config/placed-values.ts';

/** An entry of a baseline, in which the user may still have to fill in the reason, the ticket and the last day. */
const draft = z.object({
  rule: z.enum([...RULES.map(({ id }) => id), EXPECTATION]),
  client: z.string().optional(),
  endpoint: z.enum(CALL_NAMES).optional(),
  scenario: z.union([z.string(), z.array(z.string())]).optional(),
  money: z.union([z.literal(false), sum, z.array(sum)]).optional(),
  moneyIn: z.record(z.string(), sum).optional(),
  share: share.optional(),
  wrongReplies: z.literal(true).optional(),
  replyMoney: replySums.optional(),
  balances: balances.optional(),
  players: z.union([z.string(), z.array(z.string())]).optional(),
  otherPlayers: z.literal(false).optional(),
  intermittent: z.boolean().optional(),
  failedChecks: failedChecks.optional(),
  undecided: z.boolean().optional(),
  reason: z.string().nullish(),
  ticket: z.string().nullish(),
  expires: z.string().nullish(),
});

type Draft = z.infer<typeof draft>;

const WORDS = {
  schema: z.array(draft),
  whole: 'a baseline',
  named: { '': 'a known failure' },
  eitherOf: 'text or a list of texts',
} satisfies Words;

/** The last day of an entry without a last day. It is later than every real last day. */
const NEVER = '9999-12-31';

/** A baseline that was brought up to date. */
interface UpdatedBaseline {
  readonly text: string;
  readonly changes: readonly BaselineChange[];
}

/**
 * Brings a baseline up to date after a run. Removes the failures that the run has shown to be fixed, and adds the failures that are
 * not listed. Everything else stays unchanged: other entries, entries of other clients, comments, reasons and dates.
 *
 * @param yaml the text of the baseline
 * @param file the name of the baseline in messages
 * @throws UsageError if the text is not a baseline
 */
export function mergeBaseline(yaml: string, file: string, fold: Fold): UpdatedBaseline {
  const drafts = readDrafts(yaml, file);
  const known = drafts.flatMap((entry, index) => knownFailures(entry, index, fold));
  const states = judgeKnown(known, fold);
  const isFixed = ({ line }: KnownFailure): boolean =>
    states.some((result) => result.known.line === line && isNoLongerNeeded(result));
  const allowing = known.filter((one) => !one.undecided && !isFixed(one));
  const failing = brokenPlaces(fold);
  const missing = failing.filter((place) => !allowing.some((one) => allows(one, breachAt(place))));
  const ofPlayers = new Map(
    allowing.filter(isPinned).flatMap((now) => {
      const own = missing.filter((place) => isOfPinned(place, now));
      const entries = entriesFor(fold, own, allowing).map((one) => ofPlayersOf(one, now, fold));
      const higher = own.length === 0 ? undefined : raisedEntry(now, entries, own);
      return higher ? [[now, { higher, own }] as const] : [];
    }),
  );
  const rest = missing.filter((place) => ![...ofPlayers.values()].some(({ own }) => own.includes(place)));
  const fresh = entriesFor(fold, rest, allowing).map((one) => withoutPinned(one, allowing, fold));
  const shown = entriesFor(fold, failing, allowing);
  const extended = new Map<number, BaselineEntry>();
  const extendAll = (
    listed: readonly KnownFailure[],
    higherOf: (now: KnownFailure, isOwn: (one: BaselineEntry) => boolean) => BaselineEntry | undefined,
  ): void => {
    for (const [index, draft] of drafts.entries()) {
      const now = listed.find(({ line }) => line === index + 1);
      const higher = now && higherOf(now, (one) => isSamePlace(draft, one));
      if (higher) extended.set(index, higher);
    }
  };
  extendAll(allowing, (now, isOwn) =>
    isPinned(now)
      ? ofPlayers.get(now)?.higher
      : (entryOfPlayers(now, shown.filter(isOwn), failing) ?? raisedEntry(now, fresh.filter(isOwn), rest)),
  );
  // An update may write further players into the entry of a failure. An entry for an undecided rule also stays because of them.
  const isUnneeded = unneededIn(fold, states, [...fresh, ...extended.values()]);
  const isRemoved = ({ line }: KnownFailure): boolean =>
    states.some((result) => result.known.line === line && isUnneeded(result));
  const unneeded = new Set(known.filter(isRemoved).map(({ line }) => line - 1));
  const listed = known.filter((one) => !isRemoved(one));
  const open = undecidedEntries(fold, listed);
  extendAll(listed, (now, isOwn) => raisedUndecided(now, open.filter(isOwn)));
  const isExtended = (one: BaselineEntry): boolean =>
    drafts.some((draft, index) => extended.has(index) && draft.otherPlayers !== false && isSamePlace(draft, one));
  const news = [...fresh, ...open].filter((one) => !isExtended(one));
  const replaced = new Set<number>();
  // The new entry stands in the place of the first entry that it replaces, so that a review shows only what is new.
  const widened = new Map<number, BaselineEntry>();
  const added = news.map((entry) => {
    const narrower = drafts.flatMap((draft, index) => (isWithin(draft, entry) ? [index] : []));
    for (const index of narrower) replaced.add(index);
    const place = narrower.find((index) => !widened.has(index));
    if (place !== undefined) widened.set(place, entry);
    const { reason, ticket, expires } = drafts[place ?? narrower[0] ?? -1] ?? {};
    const earliest = expires && earliestDay(expires, narrower, drafts);
    return {
      isInPlace: place !== undefined,
      ...entry,
      reason: reason || entry.reason,
      ticket: ticket || entry.ticket,
      expires: earliest || entry.expires,
    };
  });
  // An entry that is extended keeps its place, its other keys and its comments. So a review shows only what is new.
  const keyChange = (removed: readonly string[], lines: readonly string[]) => ({
    removed,
    lines,
    losesComment: isRemark,
  });
  const changed = [
    ...[...extended].map(([index, entry]) => [index, keyChange(LIMIT_KEYS, limitLines(entry))] as const),
    ...[...widened].map(([index, entry]) => {
      const others = drafts.flatMap((draft, at) => (isWithin(draft, entry) && !widened.has(at) ? [at] : []));
      const comments = others.flatMap((at) => commentsOfItem(yaml, at)).filter((one) => !isRemark(one.slice(1).trim()));
      const { expires } = drafts[index] ?? {};
      const earliest = expires && earliestDay(expires, others, drafts);
      const day = earliest && earliest !== expires ? [`expires: ${earliest} # ${EARLIEST}`] : [];
      const keys = ['scenario', ...LIMIT_KEYS, ...(day.length > 0 ? ['expires'] : [])];
      return [index, keyChange(keys, [...comments, ...conditionLines(entry), ...day])] as const;
    }),
  ];
  const removed = new Set([...unneeded, ...replaced]);
  const cut = new Set([...removed].filter((index) => !widened.has(index)));
  const appended = added.filter(({ isInPlace }) => !isInPlace);
  const text = editList(yaml, { removed: cut, changed: new Map(changed), added: appended.map(entryText).join('') });
  const kept = drafts.flatMap((_, index) => (cut.has(index) ? [] : [index]));
  const after = readDrafts(text, file);
  const lines = linesOfItems(yaml, file);
  const entryBefore = (index: number) => ({ line: lines[index] ?? 1, ticket: drafts[index]?.ticket ?? '' });
  const changes = [
    ...added.map((entry) => changeOf('added', entry)),
    ...[...extended].map(([index, entry]) =>
      changeOf('extended', entry, {
        keys: changedKeys(drafts[index], after[kept.indexOf(index)]),
        before: entryBefore(index),
      }),
    ),
    ...drafts.flatMap((draft, index) => {
      if (!removed.has(index)) return [];
      const kind = replaced.has(index) ? 'replaced' : draft.undecided ? 'decided' : 'fixed';
      const { rule, endpoint = null, undecided = false } = draft;
      const removedEntry = { rule, endpoint, undecided, scenarios: scenariosOf(draft) };
      return [changeOf(kind, removedEntry, { before: entryBefore(index) })];
    }),
  ];
  return { text, changes };
}

/** True if an entry for all scenarios allows only failures of the players that it names. */
function isPinned({ noOtherPlayers, players = [], scenario, undecided }: KnownFailure): boolean {
  return noOtherPlayers === true && players.length > 0 && scenario === null && !undecided;
}

/** True if a failure is one of the rule and the players of a pinned entry. */
function isOfPinned(place: RulePlace, { rule, endpoint, players = [] }: KnownFailure): boolean {
  return place.rule === rule && place.endpoint === endpoint && place.players.some((one) => players.includes(one));
}

/** Returns an entry only for the players of a pinned entry, with the sums in the currencies of these players. */
function ofPlayersOf(entry: BaselineEntry, { players = [] }: Pick<KnownFailure, 'players'>, fold: Fold): BaselineEntry {
  const { sessions } = fold.run.settings;
  const currencies = sessions.flatMap(({ player, currency }) =>
    player !== null && players.includes(player) ? [currency] : [],
  );
  const own = Object.entries(entry.maxSums).filter(([code]) => currencies.includes(code));
  return {
    ...entry,
    players,
    noOtherPlayers: true,
    maxSums: own.length > 0 ? Object.fromEntries(own) : entry.maxSums,
  };
}

/**
 * Returns a new entry without the players that pinned entries of the same rule already name. Otherwise the last day of one entry would
 * also count for the players of the other.
 */
function withoutPinned(entry: BaselineEntry, allowing: readonly KnownFailure[], fold: Fold): BaselineEntry {
  const pinned = allowing
    .filter((one) => isPinned(one) && one.rule === entry.rule && one.endpoint === entry.endpoint)
    .flatMap(({ players = [] }) => players);
  const players = entry.players.filter((one) => !pinned.includes(one));
  if (pinned.length === 0 || players.length === 0) return entry;
  return ofPlayersOf(entry, { players }, fold);
}

/** The comment at the last day of an entry that comes from another entry. */
const EARLIEST = 'the earliest last day of the entries that this entry replaces';

/**
 * Returns the earliest last day of some entries, so that no failure is accepted longer than its own entry says. ISO dates can be
 * compared as texts.
 */
function earliestDay(own: string, replaced: readonly number[], drafts: readonly Draft[]): string {
  return replaced.reduce((day, index) => {
    const other = drafts[index]?.expires;
    return other && other < day ? other : day;
  }, own);
}

function changeOf(
  kind: BaselineChange['kind'],
  { rule, endpoint, scenarios, undecided }: Pick<BaselineEntry, 'rule' | 'endpoint' | 'scenarios' | 'undecided'>,
  { keys = [], before }: Partial<Pick<BaselineChange, 'keys' | 'before'>> = {},
): BaselineChange {
  return { kind, rule, endpoint, scenarios, isUndecided: undecided, keys, ...(before && { before }) };
}

/** Returns the keys of an entry that are different after the update. */
function changedKeys(before: Draft | undefined, after: Draft | undefined): readonly string[] {
  return LIMIT_KEYS.filter((key) => JSON.stringify(before?.[key]) !== JSON.stringify(after?.[key]));
}

/** Returns the scenarios that an entry names. Empty if it is valid for all scenarios. */
function scenariosOf({ scenario = [] }: Draft): readonly string[] {
  return typeof scenario === 'string' ? [scenario] : scenario;
}

/** True if a draft for all scenarios has a limit of money, and a new entry is about the same rule, client and endpoint. */
function isSamePlace(draft: Draft, entry: BaselineEntry): boolean {
  return (
    draft.scenario === undefined &&
    draft.money !== undefined &&
    draft.money !== false &&
    draft.rule === entry.rule &&
    draft.client === entry.client &&
    (draft.endpoint ?? null) === entry.endpoint &&
    (draft.intermittent ?? false) === entry.intermittent &&
    (draft.undecided ?? false) === entry.undecided
  );
}

/**
 * Returns the entry for an undecided rule with the higher sums of this run.
 *
 * @param known what the entry lists now
 * @param entries the new entries that would allow the sums of this run
 * @returns undefined if the entry is about failures, or if its sums are high enough
 */
function raisedUndecided(known: KnownFailure, [first]: readonly BaselineEntry[]): BaselineEntry | undefined {
  if (!known.undecided || !first) return undefined;
  // A new entry without sums has no limit, because chance decides how high the sums are.
  const maxSums = isWithoutSums(first.maxSums) ? {} : highestSums([known.maxSums ?? {}, first.maxSums]);
  return { ...first, maxSums, factor: undefined };
}

/**
 * Returns an entry that also names the players whose calls fail, if the entry for all scenarios names none. Its share is noted too. A run
 * in which these players played few scenarios cannot show this, but a later one can.
 *
 * @param known the failure that the entry lists now
 * @param entries the entries that the run would give for the same rule if the baseline did not list it
 * @returns undefined if the run does not show that the failures depend on the player
 */
function entryOfPlayers(
  known: KnownFailure,
  entries: readonly BaselineEntry[],
  failing: readonly RulePlace[],
): BaselineEntry | undefined {
  const [first] = entries;
  if (!first || known.players !== undefined || entries.some(({ players }) => players.length === 0)) return undefined;
  const own = failing.filter(({ rule, endpoint }) => rule === known.rule && endpoint === known.endpoint);
  const { players, noOtherPlayers } = first;
  const maxSums = highestSums([known.maxSums ?? {}, ...entries.map((one) => one.maxSums)]);
  const noted = known.maxShare === undefined ? [] : [known.maxShare];
  const maxShare = highestShare([...entries.map((one) => one.maxShare), ...noted]);
  const { maxShare: _before, failedChecks: _rate, maxReplySums: _sums, replyAmounts: _amounts, ...others } = known;
  const wrongReplies = known.wrongReplies === true || entries.some((one) => one.wrongReplies);
  const replies = higherReplies(known, entries);
  const allowed = { maxReplySums: replies.maxReplySums, replyAmounts: replies.replyAmounts };
  const limits = {
    maxSums,
    maxSumsIn: {},
    ...(maxShare !== undefined && { maxShare }),
    ...(wrongReplies && { wrongReplies }),
    ...replies,
  };
  const conditions = { ...others, ...limits, players, ...(noOtherPlayers && { noOtherPlayers }) };
  if (!own.every((place) => allows(conditions, breachAt(place)))) return undefined;
  const { balances: direction } = known;
  return {
    ...first,
    scenarios: [],
    maxSums,
    maxSumsIn: {},
    maxShare,
    wrongReplies,
    ...allowed,
    balances: direction,
    factor: undefined,
  };
}

/**
 * Returns an entry for all scenarios with higher sums, so that it allows the failures of this run too. An entry of its own for the
 * scenario with the higher sum would look fixed as soon as another player plays this scenario.
 *
 * @param known the failure that the entry lists now
 * @param entries the new entries that would allow the failures
 * @returns undefined if higher sums do not allow the failures
 */
function raisedEntry(
  known: KnownFailure,
  entries: readonly BaselineEntry[],
  missing: readonly RulePlace[],
): BaselineEntry | undefined {
  const [first] = entries;
  if (!first) return undefined;
  const own = missing.filter(({ rule, endpoint }) => rule === known.rule && endpoint === known.endpoint);
  const exceeded = new Set(own.map(({ scenario }) => scenario));
  const kept = Object.entries(known.maxSumsIn ?? {}).filter(([scenario]) => !exceeded.has(scenario));
  const limits = known.maxSums ?? {};
  const maxSumsIn = Object.assign(Object.fromEntries(kept), ...entries.map((one) => one.maxSumsIn));
  const isOfPlayers = known.players !== undefined && entries.every(({ players }) => players.length > 0);
  const players = isOfPlayers
    ? [...new Set([...(known.players ?? []), ...entries.flatMap((one) => one.players)])].toSorted()
    : [];
  const noOtherPlayers = isOfPlayers && known.noOtherPlayers === true;
  const { maxShare: share, noOtherPlayers: _before, maxReplySums: _sums, replyAmounts: _amounts, ...rest } = known;
  const { balances: noted, ...others } = rest;
  const isTurned = noted !== undefined && own.some(({ directions }) => directions.includes(otherDirection(noted)));
  const direction = isTurned ? undefined : noted;
  const wrongReplies = known.wrongReplies === true || entries.some((one) => one.wrongReplies);
  const replies = higherReplies(known, entries);
  const rate = known.failedChecks && higherRate([known, ...entries]);
  const conditions = {
    ...others,
    players,
    ...(noOtherPlayers && { noOtherPlayers }),
    ...(wrongReplies && { wrongReplies }),
    ...replies,
    ...(rate && { failedChecks: rate }),
    ...(direction && { balances: direction }),
  };
  const shares = entries.flatMap(({ maxShare }) => maxShare ?? []);
  // Higher sums in single scenarios are tried first, because a higher limit of the whole entry allows more in all other scenarios. If the
  // run shows no share that could be noted, only sums are the limit.
  const raised = [limits, highestSums([limits, ...entries.map((one) => one.maxSums)])]
    .flatMap((maxSums): readonly Pick<KnownFailure, 'maxSums' | 'maxShare'>[] => [
      ...(share === undefined ? [] : [{ maxSums, maxShare: highestShare([share, ...shares]) ?? share }]),
      { maxSums },
    ])
    .find((higher) => own.every((place) => allows({ ...conditions, ...higher, maxSumsIn }, breachAt(place))));
  if (!raised) return undefined;
  return {
    ...first,
    scenarios: [],
    maxSums: raised.maxSums ?? {},
    maxSumsIn,
    maxShare: raised.maxShare,
    wrongReplies,
    maxReplySums: replies.maxReplySums,
    replyAmounts: replies.replyAmounts,
    failedChecks: rate,
    balances: direction,
    factor: undefined,
    players,
    noOtherPlayers,
    failed: entries.reduce((sum, { failed }) => sum + failed, 0),
    checks: entries.reduce((sum, { checks }) => sum + checks, 0),
  };
}

/**
 * Returns the higher limit of the sums by which single replies are wrong. An entry that allows wrong replies without a limit keeps no
 * limit.
 */
function higherReplies(
  known: KnownFailure,
  entries: readonly BaselineEntry[],
): Pick<KnownFailure, 'maxReplySums' | 'replyAmounts'> {
  if (known.wrongReplies && known.maxReplySums === undefined && !known.replyAmounts) return {};
  const all: readonly NotedReplies[] = [known, ...entries];
  const noted = all.flatMap(({ maxReplySums }) => (maxReplySums ? [maxReplySums] : []));
  return {
    ...(noted.length > 0 && { maxReplySums: highestSums(noted) }),
    ...(all.some(({ replyAmounts }) => replyAmounts) && { replyAmounts: true as const }),
  };
}

/** Returns the highest rate that is noted. */
function higherRate(entries: readonly { readonly failedChecks?: CheckCounts | undefined }[]): CheckCounts | undefined {
  const noted = entries.flatMap((one) => one.failedChecks ?? []);
  return noted.sort((a, b) => a.failed * b.checks - b.failed * a.checks).at(-1);
}

/**
 * True if a new entry for all scenarios replaces an entry for some scenarios. If both stayed, the older entry would fail a run in
 * which the rule fails only in other scenarios.
 */
function isWithin({ rule, client, endpoint, scenario }: Draft, entry: BaselineEntry): boolean {
  return (
    entry.scenarios.length === 0 &&
    !entry.undecided &&
    scenario !== undefined &&
    rule === entry.rule &&
    client === entry.client &&
    (endpoint ?? null) === entry.endpoint
  );
}

/** Returns the first line of each entry, counted from 1. */
function linesOfItems(yaml: string, file: string): readonly number[] {
  const { root } = readDocument(yaml, file);
  return root?.kind === 'list' ? root.items.map(({ range }) => placeOf(range).line) : [];
}

/**
 * Reads the entries of a baseline. Their values may be empty. @throws UsageError with every mistake if the text is not a
 * baseline
 */
export function readDrafts(yaml: string, file: string): readonly Draft[] {
  const { root, diagnostics } = readDocument(yaml, file);
  if (diagnostics.length > 0) throw diagnosticsError(diagnostics);
  if (root === undefined) return [];
  const values = new PlacedValues(root);
  const parsed = WORDS.schema.safeParse(values.value);
  if (!parsed.success) throw diagnosticsError(diagnosticsOf(parsed.error.issues, values, WORDS));
  return parsed.data;
}

/**
 * Returns one known failure for each scenario of an entry; returns an empty list if the entry belongs to another client. The
 * field `line` contains the number of the entry, from 1.
 */
function knownFailures(entry: Draft, index: number, { run, baseline }: Fold): readonly KnownFailure[] {
  if (entry.client !== undefined && entry.client !== run.client.extCID) return [];
  const { rule, endpoint = null, scenario = null, intermittent, undecided, expires } = entry;
  return (Array.isArray(scenario) ? scenario : [scenario]).map((name: string | null) => ({
    rule,
    endpoint,
    scenario: name,
    reason: '',
    ticket: '',
    expires: expires ?? NEVER,
    ...allowedMoney(entry),
    ...shareOf(entry),
    ...(entry.wrongReplies && { wrongReplies: entry.wrongReplies }),
    ...repliesOf(entry),
    ...(entry.balances && { balances: entry.balances }),
    ...playersOf(entry),
    ...(intermittent && { intermittent: true as const }),
    ...rateOf(entry),
    ...(undecided && { undecided: true as const }),
    line: index + 1,
    tried:
      name === null
        ? baseline.some(({ known }) => known.rule === rule && known.scenario === null && known.tried)
        : run.scenarios.some(({ id }) => id === name || id.split('#')[0] === name),
  }));
}
