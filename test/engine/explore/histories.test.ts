import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildScenario } from '../../../src/engine/explore/build-scenario.ts';
import { histories } from '../../../src/engine/explore/histories.ts';
import type { History, Player, PlayerSetup } from '../../../src/engine/explore/operation.ts';
import { simpler } from '../../../src/engine/explore/shortening.ts';
import { applicableRules } from '../../../src/judge/checks/checks.ts';
import { loadScenario } from '../../../src/scenario/load.ts';
import { planScenario } from '../../../src/scenario/plan/planner.ts';
import { type ScenarioDraft, writeScenario } from '../../../src/scenario/write.ts';
import { renderDiagnostic } from '../../../src/scenario/yaml/diagnostic.ts';
import * as fc from '../../properties.ts';

const ALL: ReadonlySet<Player> = new Set(['main', 'other', 'second', 'onlooker']);
const CASTS: readonly PlayerSetup[] = [
  { currency: null, players: ALL },
  { currency: { kind: 'fiat', decimals: 0 }, players: new Set(['main', 'onlooker']) },
  { currency: { kind: 'crypto' }, players: new Set(['main']) },
];

function draftOf(history: History, players: ReadonlySet<Player>): ScenarioDraft {
  const { needs, steps, always } = buildScenario(history, players);
  return { title: 'A history', rules: ['money.conservation'], needs, steps, always: [...always, { balance: null }] };
}

/** The diagnostics of a history as a scenario. */
function diagnosticsOf(history: History, players: ReadonlySet<Player>): string[] {
  const text = writeScenario(draftOf(history, players));
  const { scenario, diagnostics } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => undefined });
  if (scenario) planScenario(scenario, undefined, { uuid: () => crypto.randomUUID() });
  return diagnostics.map(renderDiagnostic);
}

const anyOf = (setup: PlayerSetup, campaign = true, breaks = true) => histories(setup, campaign, breaks);

describe.each(CASTS)('a history of calls in the currency $currency', (setup) => {
  const { players } = setup;

  it('a drawn history is a scenario without diagnostics', () => {
    fc.assert(
      fc.property(anyOf(setup), (history) => {
        expect(diagnosticsOf(history, players)).toEqual([]);
      }),
      { numRuns: 60, seed: 1, endOnFailure: true },
    );
  });

  it('a written history is read back unchanged', () => {
    fc.assert(
      fc.property(anyOf(setup), (history) => {
        const draft = draftOf(history, players);
        expect(parse(writeScenario(draft))).toEqual({ croupier: 1, ...draft });
      }),
      { numRuns: 40, seed: 2, endOnFailure: true },
    );
  });

  it('building a built history again changes nothing', () => {
    fc.assert(
      fc.property(anyOf(setup), (history) => {
        expect(buildScenario(history, players).operations).toEqual(history.operations);
      }),
      { numRuns: 40, seed: 3, endOnFailure: true },
    );
  });

  it('every simpler history is a scenario without diagnostics', () => {
    fc.assert(
      fc.property(anyOf(setup), fc.array(fc.nat({ max: 20 }), { minLength: 6, maxLength: 6 }), (history, choices) => {
        let at = history;
        for (const choice of choices) {
          const next = [...simpler(at, players)][choice];
          if (!next) return;
          expect(diagnosticsOf(next, players)).toEqual([]);
          at = next;
        }
      }),
      { numRuns: 15, seed: 4, endOnFailure: true },
    );
  });
});

describe('histories', () => {
  const many = fc.sample(anyOf(CASTS[0] as PlayerSetup), { numRuns: 400, seed: 5 });

  it('every kind of step is drawn often enough', () => {
    const counts = Map.groupBy(
      many.flatMap(({ operations }) => operations),
      (operation) => (operation.kind === 'at-once' ? `at-once ${operation.what}` : operation.kind),
    );
    expect(Object.fromEntries([...counts].filter(([, { length }]) => length < 5))).toEqual({});
    expect([...counts.keys()].sort()).toEqual([
      'across',
      'at-once bet-and-refund',
      'at-once bet-copies',
      'at-once bets',
      'at-once bets-of-two',
      'at-once overdraft',
      'at-once refund-copies',
      'at-once refunds',
      'at-once win-copies',
      'at-once wins',
      'bet',
      'beyond',
      'conflict',
      'everything',
      'forged',
      'forged-read',
      'free-bet',
      'free-win',
      'many',
      'pause',
      'read',
      'refund',
      'refund-again',
      'refund-ahead',
      'refund-declined',
      'refund-foreign',
      'refund-settled',
      'refund-unknown',
      'resend',
      'reuse',
      'tampered',
      'win',
      'withdrawal',
      'zero-bet',
    ]);
  });

  it('the same seed draws the same histories, another seed draws others', () => {
    const drawn = (seed: number) => JSON.stringify(fc.sample(anyOf(CASTS[0] as PlayerSetup), { numRuns: 5, seed }));
    expect(drawn(7)).toBe(drawn(7));
    expect(drawn(7)).not.toBe(drawn(8));
  });

  it('steps that the sessions do not allow are not drawn', () => {
    const alone = fc.sample(histories({ currency: null, players: new Set(['main']) }, false, false), {
      numRuns: 100,
      seed: 6,
    });
    const text = JSON.stringify(alone);
    for (const absent of ['free-bet', 'reuse', 'refund-foreign', 'other', 'onlooker', '"sent"', '5ms'])
      expect(text).not.toContain(absent);
  });

  it('a bet of the whole balance is won back at the end', () => {
    const operations = [
      { id: 0, read: true, kind: 'everything' },
      { id: 1, read: true, kind: 'refund-unknown', sum: { stakes: 1, units: 0 }, round: null },
    ] as const;
    const built = buildScenario({ currency: null, operations }, ALL);
    expect(built.always).toEqual([{ win: { round: 'bet1', amount: '${bet1.amount}' } }]);
    const won = { id: 2, read: true, kind: 'win', of: { id: 0 }, sum: { stakes: 1, units: 0 }, broken: null } as const;
    expect(buildScenario({ currency: null, operations: [...operations, won] }, ALL).always).toEqual([]);
  });

  it('the scenario of a history lists a rule that it can decide', () => {
    const plain = many.filter(({ operations }) => operations.some(({ kind }) => kind === 'bet'));
    for (const history of plain.slice(0, 20)) {
      const text = writeScenario(draftOf(history, ALL));
      const { scenario } = loadScenario(text, 'x.yaml', { id: 'x', readFragment: () => undefined });
      const plan = scenario && planScenario(scenario, undefined, { uuid: () => crypto.randomUUID() });
      expect(plan && applicableRules(plan, ['money.conservation'])).toEqual(['money.conservation']);
    }
  });
});
