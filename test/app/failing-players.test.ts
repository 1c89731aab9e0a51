import { describe, expect, it } from 'vitest';
import { mergeBaseline } from '../../src/app/baseline-merge.ts';
import { conclude } from '../../src/journal/conclusion.ts';
import type { JournalEvent } from '../../src/journal/event.ts';
import { type Fold, foldJournal } from '../../src/journal/fold.ts';
import type { WrongSum } from '../../src/journal/money-sums.ts';
import { worseSentence } from '../../src/report/known-failures.ts';
import { ended, found, planned, runEnded, started } from '../journal/events.ts';
import { sessionsOf, startedWith } from './run-with-baseline.ts';

const FEW = 8;
/** With this number of scenarios, a player hardly plays two certain ones by chance. */
const MANY = 24;
const SCENARIOS = Array.from({ length: MANY }, (_, at) => planned(`win/s${at}`, ['win.credit']));
const PLAYERS = ['eva', 'bo', 'em'];
/** A rule that only one scenario tests. */
const REUSE = planned('session/reuse', ['session.round-id-reuse']);

type Sum = Omit<WrongSum, 'currency'>;

/**
 * The players of the scenarios in order, each with the sum by which the balance was wrong. With `reply`, only the balance in a reply was
 * wrong. Without both, the rule passes. `other` is
 * the sum of another rule that the run left undecided in the same scenario. With `warns`, the wrong balance gives only a warning.
 */
type Played = readonly (readonly [player: string, wrong?: Sum | 'reply', other?: Sum | undefined, warns?: 'warns'])[];

/** A second player took part in the scenario. */
const withEm = 'eva em';

/** Who played the scenario of the rule that only one scenario tests, and whether the rule failed. */
interface Reuse {
  readonly player: string;
  readonly fails: boolean;
}

/** A run of the whole suite, with the failures that a baseline lists. */
async function foldOf(played: Played, baseline = '', reuse: Reuse = { player: 'eva', fails: false }): Promise<Fold> {
  const scenarios = SCENARIOS.slice(0, played.length);
  const all = [...scenarios, REUSE];
  return await foldJournal([
    startedWith(baseline, all, { sessions: sessionsOf(PLAYERS) }),
    ...scenarios.flatMap(({ id }, at): readonly JournalEvent[] => {
      const [player = '', wrong, other, warns] = played[at] ?? [];
      const wrongSum = wrong === 'reply' ? undefined : wrong;
      const verdict = warns ? 'warn' : 'fail';
      return [
        { ...started(id), sessions: Object.fromEntries(player.split(' ').map((one) => [one, `s-${one}`])) },
        ...(wrongSum ? [found(id, 'win.credit', verdict, { wrongSum: { ...wrongSum, currency: 'USD' } })] : []),
        ...(other ? [found(id, 'win.many-in-round', 'inconclusive', { wrongSum: { ...other, currency: 'USD' } })] : []),
        ...(wrong === 'reply' ? [found(id, 'win.credit', verdict, { wrongReply: true })] : []),
        ended(id, wrong ? {} : { passes: { 'win.credit': { '*': 1 } } }),
      ];
    }),
    { ...started(REUSE.id), sessions: { main: `s-${reuse.player}` } },
    ...(reuse.fails ? [found(REUSE.id, 'session.round-id-reuse', 'fail')] : []),
    ended(REUSE.id, reuse.fails ? {} : { passes: { 'session.round-id-reuse': { '*': 1 } } }),
    runEnded(),
  ]);
}

/** The baseline that croupier writes after a run, or brings up to date. Its texts are filled in. */
async function baselineOf(played: Played, before = '', reuse?: Reuse): Promise<string> {
  return mergeBaseline(before, 'b.yaml', await foldOf(played, '', reuse))
    .text.replaceAll('reason: ""', 'reason: "known"')
    .replaceAll('ticket: ""', 'ticket: "PAY-1"')
    .replaceAll(/expires: #.*/g, 'expires: 2999-01-01');
}

async function statusWith(baseline: string, played: Played, reuse?: Reuse): Promise<number> {
  return conclude(await foldOf(played, baseline, reuse)).exitCode;
}

const sum = (amount: string, moved?: string): Sum => ({ amount, ...(moved !== undefined && { moved }) });
const varying = (amount: string, moved: string): Sum => ({ ...sum(amount, moved), varies: true });
/** The scenarios are played by players whose wins are right, except the first ones. */
const among = (all: number, first: Played): Played =>
  Array.from({ length: all }, (_, at) => first[at] ?? ([at % 2 === 0 ? 'eva' : 'bo'] as const));
const withOthers = (...first: Played): Played => among(FEW, first);

describe('a baseline of failures of one player', () => {
  it('names the player and no scenario, and allows ten times the highest sum', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')], ['em', sum('-0.20')]));
    expect(text).toContain('  money: "2 USD" # ten times the highest sum in one scenario\n');
    expect(text).toContain('  players: "em" # no other player failed\n');
    expect(text).not.toContain('scenario:');
    expect(await statusWith(text, withOthers(['eva'], ['bo'], ['em', sum('-0.50')]))).toBe(0);
    expect(await statusWith(text, withOthers(['eva'], ['bo'], ['em', sum('-20')]))).toBe(1);
  });

  it('names the player also for a rule with one scenario, which is not fixed if another player plays it', async () => {
    const faulty = withOthers(['em', sum('-0.10')], ['em', sum('-0.20')]);
    const text = await baselineOf(faulty, '', { player: 'em', fails: true });
    expect(text).toMatch(/rule: session\.round-id-reuse\n(?: {2}.*\n)* {2}players: "em"/);
    expect(await statusWith(text, faulty, { player: 'eva', fails: false })).toBe(0);
    expect(await statusWith(text, faulty, { player: 'em', fails: false })).toBe(1);
  });

  it('names no player for a rule with one scenario if a player fails whose other calls are right', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')]), '', { player: 'eva', fails: true });
    expect(text).toMatch(/rule: session\.round-id-reuse\n/);
    expect(text.match(/players:/g)).toHaveLength(1);
  });

  it('shows the place that got worse as the example, and not the known failure', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')]));
    const worse = await foldOf(withOthers(['em', sum('-0.10')], ['em', sum('-20')]), text);
    const result = worse.rules.find(({ rule }) => rule.id === 'win.credit');
    expect(result).toMatchObject({ isWorse: true, seenIn: 'win/s1' });
    expect(result?.findings[0]?.scenario).toBe('win/s1');
  });

  it('names the scenario with a higher sum, and not as the scenario of the limit', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')]));
    const higher = withOthers(['em', sum('-20')]);
    expect(worseSentence('win.credit', await foldOf(higher, text))).toBe(
      'the baseline allows this rule to make balances wrong by 1 USD in one scenario, but in win/s0 it is now 20 USD',
    );
    const ofScenario = text.replace('  money: "1 USD"', '  scenario: win/s0\n  money: "1 USD"');
    expect(worseSentence('win.credit', await foldOf(higher, ofScenario))).toBe(
      'the baseline allows this rule to make balances wrong by 1 USD in win/s0, but now it is 20 USD',
    );
  });

  it('is not fixed as long as the player has not tested the rule', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')]));
    expect(await statusWith(text, withOthers())).toBe(0);
    expect(await statusWith(text, withOthers(['eva'], ['em']))).toBe(1);
    expect(await baselineOf(withOthers(), text)).toBe(text);
    expect(await baselineOf(withOthers(['em']), text)).toBe('[]\n');
  });

  it('names no player if the rule also passes with this player, or if all players fail', async () => {
    const mixed = await baselineOf(withOthers(['em', sum('-0.10')], ['em'], ['em']));
    expect(mixed).not.toContain('players:');
    const all = await baselineOf(
      SCENARIOS.slice(0, FEW).map((_, at) => [PLAYERS[at % 3] ?? '', sum('-0.10')] as const),
    );
    expect(all).not.toContain('players:');
  });

  it('names the player also if one of the wrong balances gives only a warning', async () => {
    const warned = ['em', sum('-0.30'), undefined, 'warns'] as const;
    const text = await baselineOf(withOthers(['em', sum('-0.10')], ['em', sum('-0.20')], warned));
    expect(text).toContain('  players: "em" # no other player failed\n');
    expect(text).toContain('  money: "2 USD" # ten times');
    // The warnings of other players do not show that their calls are right.
    const others = Array.from({ length: 3 }, () => ['bo', sum('-0.30'), undefined, 'warns'] as const);
    expect(await baselineOf([['em', sum('-0.10')], ['eva'], ['eva'], ...others])).not.toContain('players:');
  });

  it('has a limit above 0 if the only sum depends on the balance', async () => {
    const text = await baselineOf(withOthers(['em', varying('-98.70', '987')]));
    expect(text).toContain('  money: "1 USD"');
    expect(await statusWith(text, withOthers(['bo'], ['em', sum('-0.30')]))).toBe(0);
  });

  it('does not allow that wins of the whole balance are lost, even if all sums of the run depend on the balance', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.30')]));
    const [fee, lost] = [varying('-99', '990'), varying('-990', '990')];
    expect(text).toContain('  money: "3 USD"');
    expect(await statusWith(text, withOthers(['bo'], ['em', fee]))).toBe(0);
    expect(await statusWith(text, withOthers(['bo', lost], ['em', fee], ['eva', lost]))).toBe(1);
  });

  it('has higher sums after an update, and no second entry', async () => {
    const text = await baselineOf(withOthers(['em', sum('-0.10')]));
    const higher = withOthers(['eva'], ['em', sum('-3')]);
    expect(await statusWith(text, higher)).toBe(1);
    const updated = await baselineOf(higher, text);
    expect(updated.match(/- rule:/g)).toHaveLength(1);
    expect(updated).toContain('  players: "em"');
    expect(updated).toContain('reason: "known"');
    expect(await statusWith(updated, higher)).toBe(0);
    expect(await statusWith(updated, withOthers(['em', sum('-0.10')]))).toBe(0);
  });
});

describe('scenarios with several players', () => {
  const faulty = withOthers(['em', sum('-0.10')], ['em', sum('-0.20')], [withEm]);

  it('do not show that the calls of one of them are right', async () => {
    const text = await baselineOf(faulty);
    expect(text).toContain('  players: "em"');
    expect(await statusWith(text, withOthers([withEm]))).toBe(0);
    expect(await statusWith(text, withOthers(['em']))).toBe(1);
  });
});

describe('an entry that does not allow other players', () => {
  const fee = sum('-0.10', '1');
  const ofEm = among(MANY, [
    ['em', fee],
    ['em', fee],
  ]);

  it('is written if it is no coincidence that only this player fails', async () => {
    expect(await baselineOf(ofEm)).toContain('  otherPlayers: false # a failure of another player is worse\n');
    expect(await baselineOf(among(MANY, [['em', fee]]))).not.toContain('otherPlayers');
    expect(
      await baselineOf(
        among(FEW, [
          ['em', fee],
          ['em', fee],
        ]),
      ),
    ).not.toContain('otherPlayers');
  });

  it('is worse if another player fails too', async () => {
    const text = await baselineOf(ofEm);
    const both = among(MANY, [
      ['bo', fee],
      ['em', fee],
    ]);
    expect(await statusWith(text, ofEm)).toBe(0);
    expect(await statusWith(text, both)).toBe(1);
    expect(worseSentence('win.credit', await foldOf(both, text))).toBe(
      'the baseline lists this rule only for the player em, but now it fails with the player bo (in win/s0)',
    );
    expect(await statusWith(text.replace(/ {2}otherPlayers:.*\n/, ''), both)).toBe(0);
    // The other player took part in the scenario, but perhaps did not fail.
    expect(
      await statusWith(
        text,
        among(MANY, [
          [withEm, fee],
          ['em', fee],
        ]),
      ),
    ).toBe(0);
  });

  it('allows failures of another player if the rule also passes with the player of the entry', async () => {
    const text = await baselineOf(ofEm);
    expect(await statusWith(text, among(MANY, [['bo', fee], ['em']]))).toBe(0);
    expect(await statusWith(text, among(MANY, [['bo', fee]]))).toBe(0);
  });

  it('is written also if only replies of this player were wrong', async () => {
    const faulty = among(MANY, [
      ['em', 'reply'],
      ['em', 'reply'],
    ]);
    const text = await baselineOf(faulty);
    expect(text).toContain('  money: "0 USD" # the highest sum in one scenario\n');
    expect(text).toContain('  players: "em" # no other player failed\n  otherPlayers: false ');
    expect(await statusWith(text, faulty)).toBe(0);
    expect(
      await statusWith(text, among(MANY, [['eva'], ['bo'], ['em', 'reply'], ['em', 'reply'], ['em', 'reply']])),
    ).toBe(0);
    expect(
      await statusWith(
        text,
        among(MANY, [
          ['em', 'reply'],
          ['em', 'reply'],
          ['bo', 'reply'],
        ]),
      ),
    ).toBe(1);
    expect(
      await statusWith(
        text,
        among(MANY, [
          ['em', 'reply'],
          ['em', sum('-0.10')],
        ]),
      ),
    ).toBe(1);
  });

  it('stays as it is after an update, which gives the other player an entry of its own', async () => {
    const text = await baselineOf(ofEm);
    const both = among(MANY, [['bo', fee], ['em', fee], ['eva'], ['eva'], ['eva']]).map((one) =>
      one[0] === 'bo' && one[1] === undefined ? (['eva'] as const) : one,
    );
    expect(await statusWith(text, both)).toBe(1);
    const updated = await baselineOf(both, text);
    expect(updated.startsWith(text.trimEnd())).toBe(true);
    expect(updated.match(/- rule:/g)).toHaveLength(2);
    expect(updated).toContain('  players: "bo" # no other player failed\n');
    expect(await statusWith(updated, both)).toBe(0);
  });
});

describe('the share in an entry for failures of one player', () => {
  const half = withOthers(['em', sum('-0.50', '1')], ['em', sum('-1', '2')]);

  it('does not allow a much larger share, although ten times the sum is allowed', async () => {
    const text = await baselineOf(half);
    expect(text).toContain('  share: 50% # of the amounts of the calls\n');
    expect(await statusWith(text, withOthers(['em', sum('-0.75', '1')]))).toBe(0);
    expect(await statusWith(text, withOthers(['em', sum('-0.76', '1')]))).toBe(1);
    expect(await statusWith(text, withOthers(['em', varying('-3', '3')]))).toBe(1);
    const fold = await foldOf(withOthers(['em', sum('-1', '1')]), text);
    expect(worseSentence('win.credit', fold)).toBe(
      'the baseline allows this rule to make balances wrong by 50% of the amounts of the calls, but in win/s0 it is now 100%',
    );
  });

  it('allows the same share of a call for more money, and limits only sums without a share', async () => {
    const text = await baselineOf(half);
    expect(text).toContain('  money: "10 USD"');
    expect(await statusWith(text, withOthers(['em', sum('-15', '30')]))).toBe(0);
    expect(await statusWith(text, withOthers(['em', sum('-10')]))).toBe(0);
    expect(await statusWith(text, withOthers(['em', sum('-15')]))).toBe(1);
    // A call for less than a stake: a wrong sum of the smallest unit can be a large share.
    expect(await statusWith(text, withOthers(['em', sum('-0.01', '0.01')]))).toBe(0);
  });

  it('is not needed: an entry without a share is limited by its sums', async () => {
    const text = (await baselineOf(half)).replace(/ {2}share:.*\n/, '');
    expect(await statusWith(text, withOthers(['em', sum('-1', '1')]))).toBe(0);
    expect(await statusWith(text, withOthers(['em', sum('-15', '30')]))).toBe(1);
  });

  it('is the share of the only scenario, even if its sum depends on the balance', async () => {
    const text = await baselineOf(withOthers(['em', varying('-1', '2')]));
    expect(text).toContain('  share: 50% ');
    expect(await statusWith(text, withOthers(['em', varying('-1', '2')]))).toBe(0);
    expect(await statusWith(text, withOthers(['em', varying('-2', '2')]))).toBe(1);
  });

  it('is not compared if one wrong balance was divided into a sum that is too low and one that is too high', async () => {
    const text = await baselineOf(half);
    const isWorse = async (other: string) => {
      const { rules } = await foldOf(withOthers(['em', sum('-2', '2'), sum(other, '2')]), text);
      return rules.find(({ rule }) => rule.id === 'win.credit')?.isWorse;
    };
    expect(await isWorse('1')).toBe(false);
    expect(await isWorse('-1')).toBe(true);
  });

  it('is higher after an update', async () => {
    const text = await baselineOf(half);
    const gone = withOthers(['eva'], ['em', sum('-1', '1')]);
    const updated = await baselineOf(gone, text);
    expect(updated.match(/- rule:/g)).toHaveLength(1);
    expect(updated).toContain('  share: 100% ');
    expect(await statusWith(updated, gone)).toBe(0);
    expect(await statusWith(updated, half)).toBe(0);
  });
});

describe('an update of an entry without players', () => {
  const one = ['em', sum('-0.50', '1')] as const;
  const half = among(MANY, [one, ['em', sum('-1', '2')]]);
  const gone = among(MANY, [['em', sum('-1', '1')], one]);

  it('names the players and notes the share, if the run shows them', async () => {
    const first = await baselineOf(among(MANY, [one, ['em']]));
    expect(first).not.toContain('players:');
    expect(await statusWith(first, half)).toBe(1);
    const updated = await baselineOf(half, first);
    expect(updated.match(/- rule:/g)).toHaveLength(1);
    expect(updated).toContain('  money: "10 USD"');
    expect(updated).toContain('  share: 50% ');
    expect(updated).toContain('  players: "em" ');
    expect(updated).toContain('  otherPlayers: false ');
    expect(updated).toContain('reason: "known"');
    expect(await statusWith(updated, half)).toBe(0);
    expect(await statusWith(updated, gone)).toBe(1);
    expect(await baselineOf(half, updated)).toBe(updated);
  });

  it('adds them also if the entry allows all failures of the run', async () => {
    const before = (await baselineOf(half)).replaceAll(/ {2}(?:share|players|otherPlayers):.*\n/g, '');
    expect(await statusWith(before, gone)).toBe(0);
    const updated = await baselineOf(half, before);
    expect(updated.match(/- rule:/g)).toHaveLength(1);
    expect(updated).toContain('  players: "em" ');
    expect(await statusWith(updated, gone)).toBe(1);
  });

  it('adds nothing if the failures do not depend on the player', async () => {
    const before = (await baselineOf(half)).replaceAll(/ {2}(?:share|players|otherPlayers):.*\n/g, '');
    expect(await baselineOf(among(MANY, [one, ['eva', sum('-0.50', '1')], ['em']]), before)).toBe(before);
  });
});

describe('an update of an entry for an undecided rule', () => {
  const texts = '  reason: known\n  ticket: PAY-1\n  expires: 2999-01-01\n';
  const open = `- rule: session.round-id-reuse\n  client: acme\n  undecided: true\n${texts}`;
  const failing = among(MANY, [['em', sum('-0.50', '1')]]);
  const decidedBy = (player: string, before: string) => baselineOf(failing, before, { player, fails: false });

  it('keeps it if a player whose calls fail has not played all scenarios of the rule', async () => {
    const ofPlayer = await baselineOf(failing);
    expect(ofPlayer).toContain('players: "em"');
    expect(await decidedBy('eva', ofPlayer + open)).toBe(ofPlayer + open);
    expect(await decidedBy('em', ofPlayer + open)).toBe(ofPlayer);
  });

  it('keeps it if the update itself writes such a player into the entry of a failure', async () => {
    const before = (await baselineOf(failing)).replaceAll(/ {2}(?:share|players|otherPlayers):.*\n/g, '');
    const updated = await decidedBy('eva', before + open);
    expect(updated).toContain('  players: "em" ');
    expect(updated).toContain(open);
    expect(await decidedBy('eva', open)).toContain(open);
    expect(await decidedBy('em', before + open)).not.toContain('undecided: true');
  });

  it('removes it if no failure depends on a player, or if the player is no longer configured', async () => {
    const general = `- rule: win.credit\n  client: acme\n${texts}`;
    expect(await decidedBy('eva', general + open)).toBe(general);
    const gone = `- rule: win.zero\n  client: acme\n  players: zoe\n${texts}`;
    expect(await decidedBy('eva', general + gone + open)).toBe(general + gone);
  });
});

it('an entry for one scenario is not fixed while the rule fails as an entry for all scenarios allows', async () => {
  const texts = '  reason: known\n  ticket: PAY-1\n  expires: 2999-01-01\n';
  const single = `- rule: win.credit\n  scenario: win/s0\n  money: 4 USD\n${texts}`;
  const general = `- rule: win.credit\n  money: 1 USD\n${texts}`;
  const played = withOthers(['eva'], ['em', sum('-0.10')]);
  expect(await statusWith(general + single, played)).toBe(0);
  expect(await statusWith(general + single, withOthers())).toBe(1);
});
