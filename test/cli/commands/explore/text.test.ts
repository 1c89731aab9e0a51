import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { exploreJson } from '../../../../src/cli/commands/explore/json.ts';
import { concludeSearch, exploreText, type KeptFind, textOfFind } from '../../../../src/cli/commands/explore/text.ts';
import type { Exploration, Find } from '../../../../src/engine/explore/exploration.ts';
import { PLAIN } from '../../../../src/report/paint.ts';

const FIND: Find = {
  rules: ['idempotency.bet'],
  findings: [
    {
      rule: 'idempotency.bet',
      verdict: 'fail',
      endpoint: null,
      step: '2',
      place: null,
      exchange: 'x1',
      expected: 'the bet is taken once',
      actual: 'answered 500, "\u001B[31mboom\u202E\ncroupier: 2"',
      causes: [],
    },
  ],
  draft: {
    title: 'A bet is taken once',
    rules: ['idempotency.bet'],
    steps: [{ bet: null, as: 'bet1' }, { resend: 'bet1' }],
  },
  history: 7,
  steps: 2,
  stepsBefore: 30,
  failed: 2,
  played: 3,
  unfinished: true,
};

const NOTHING: Exploration = {
  finds: [],
  flaky: [],
  histories: 12,
  calls: 345,
  judged: 20,
  ended: { event: 'run-ended', how: 'complete', signal: null, detail: null },
  durationMs: 1234,
};

const ended = (how: Exploration['ended']['how'], signal: 'SIGINT' | 'SIGTERM' | null = null): Exploration['ended'] => ({
  event: 'run-ended',
  how,
  signal,
  detail: null,
});
const flaky = [{ rules: FIND.rules, findings: FIND.findings, draft: FIND.draft, history: 3 }];
const LOOK = { paint: PLAIN, unicode: true, width: 80 };

function keptOf(find: Find): KeptFind {
  const command = 'croupier run found.yaml --reference';
  return { find, yaml: textOfFind(find, 'seed-1', command), file: 'found.yaml', command };
}

describe('the conclusion of a search', () => {
  it.each<[string, Partial<Exploration>, number, string]>([
    ['a search that found nothing', {}, 0, 'NOTHING FOUND: acme broke none of 20 rules in 12 histories.'],
    ['a breach', { finds: [FIND] }, 1, 'FOUND: acme breaks 1 rule, about money.'],
    [
      'a breach of a search that stopped at it',
      { finds: [FIND], ended: ended('bail') },
      1,
      'FOUND: acme breaks 1 rule, about money.',
    ],
    [
      'an operator that did not answer',
      { judged: 0, ended: ended('unreachable') },
      3,
      'UNDECIDED: acme could not be reached.',
    ],
    ['a search that judged nothing', { judged: 0 }, 3, 'UNDECIDED: nothing about acme was judged.'],
    [
      'a failure that does not repeat',
      { flaky },
      3,
      'UNDECIDED: 1 history of acme failed once, but not when croupier repeated it.',
    ],
    [
      'an interruption',
      { ended: ended('interrupted', 'SIGINT') },
      130,
      'UNDECIDED: the search of acme was interrupted.',
    ],
    [
      'an interruption after a breach',
      { finds: [FIND], ended: ended('interrupted', 'SIGTERM') },
      143,
      'FOUND: acme breaks 1 rule, about money, and the search was interrupted.',
    ],
  ])('is right for %s', (_what, changes, exitCode, firstLine) => {
    expect(concludeSearch({ ...NOTHING, ...changes }, 'acme')).toMatchObject({ exitCode, firstLine });
  });
});

describe('the report of a search', () => {
  const exploration = { ...NOTHING, finds: [FIND], flaky };
  const conclusion = concludeSearch(exploration, 'ac\u001B[2Jme');
  const text = exploreText(exploration, conclusion, [keptOf(FIND)], { seed: 'seed-1', journal: 'j.ndjson' }, LOOK);

  it('shows the rule, the reply, the history and the command that repeats it', () => {
    for (const part of [
      'seed seed-1, 12 histories, 345 calls, 1.2 s',
      '✗ idempotency.bet  MUST $',
      'has 2 steps (history 7 had 30)',
      'The history failed in 2 of 3 attempts',
      'The time ended before',
      '  - resend: bet1',
      'croupier run found.yaml --reference',
      'FLAKY: history 3 broke idempotency.bet once',
      'Journal of all calls: j.ndjson',
    ])
      expect(text.replaceAll(/\s*\n\s*/g, ' ')).toContain(part.trim());
  });

  it('escapes texts of the operator', () => {
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    expect(text.split('\n').filter((line) => line.startsWith('croupier: 2'))).toEqual([]);
  });

  it('contains the scenario as it can be saved', () => {
    const { yaml } = keptOf(FIND);
    expect(text).toContain(yaml);
    expect(yaml.split('\n').slice(0, 3)).toEqual([
      '# Found by croupier explore --seed seed-1 (history 7, shortened from 30 steps to 2).',
      '# Breaks idempotency.bet.',
      '# Run it again: croupier run found.yaml --reference',
    ]);
    expect(parse(yaml)).toEqual({ croupier: 1, ...FIND.draft });
  });

  it('keeps any seed or file name inside its comment', () => {
    const yaml = textOfFind(FIND, 'x\ntitle: y', 'croupier run "a\nb.yaml"');
    expect(parse(yaml)).toEqual({ croupier: 1, ...FIND.draft });
  });

  it('contains the same facts as the JSON output', () => {
    const about = { seed: 'seed-1', journal: 'j.ndjson', extCID: 'acme' };
    const answer = JSON.parse(exploreJson(exploration, conclusion, [keptOf(FIND)], about)) as Record<string, unknown>;
    expect(answer).toMatchObject({
      schema: 'croupier-explore/1',
      verdict: 'found',
      exitCode: 1,
      seed: 'seed-1',
      histories: 12,
      finds: [{ steps: 2, file: 'found.yaml', rules: [{ id: 'idempotency.bet', level: 'MUST', money: true }] }],
      flaky: [{ history: 3 }],
    });
  });
});
