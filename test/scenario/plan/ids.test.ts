import { describe, expect, it } from 'vitest';
import { CallIds } from '../../../src/scenario/plan/ids.ts';
import { type ScenarioCall, type SendingStep, sendingSteps } from '../../../src/scenario/scenario.ts';
import { countingIds, loadAs } from '../fixtures.ts';

/** The ids of the calls of these steps, with the steps that send a call. */
function idsOf(text: string): { readonly ids: CallIds; readonly sent: readonly SendingStep[] } {
  const { scenario, diagnostics } = loadAs('good', 'x', `title: x\nrules: [bet.debit]\nsteps:\n${text}`);
  expect(diagnostics).toEqual([]);
  const sent = sendingSteps(scenario?.boundScenarios[0]?.steps ?? []);
  return { ids: new CallIds(sent, countingIds()), sent };
}

function callAt(sent: readonly SendingStep[], index: number): ScenarioCall {
  const step = sent[index];
  if (step?.kind !== 'call') throw new Error(`step ${index} is not a call`);
  return step;
}

const A = '  - bet:\n    as: a\n';
const B = '  - bet:\n    as: b\n';

describe('the round id', () => {
  it.each<[string, string, number | 'own' | 'none']>([
    ['of a win is the round id of the latest bet', `${A}${B}  - win:\n`, 1],
    ['of a win is the round id of the named step', `${A}${B}  - win: { round: a }\n`, 0],
    ['of a win can be new', `${A}${B}  - win: { round: new }\n`, 'own'],
    ['of a win does not come from a bet of another session', `${A}  - bet: { session: unknown }\n  - win:\n`, 0],
    ['of a win does not come from a repeated bet', `${A}  - bet:\n    times: 3\n  - win:\n`, 0],
    ['of a refund is the round id of its bet', `${A}${B}  - refund: { of: a }\n`, 0],
    [
      'of a refund is the round id of the bet that its origTxID names',
      `${A}${B}  - refund: { origTxID: "\${a.txID}" }\n`,
      0,
    ],
    ['of a refund of an unknown bet is its own', `${A}${B}  - refund: { of: unknown }\n`, 'own'],
    ['of a refund can be omitted', `${A}${B}  - refund: { round: none }\n`, 'none'],
    ['can be the round id of a later step', `  - bet: { round: b }\n${B}  - bet: { round: b }\n`, 1],
    ['can be taken from an expression', `${A}${B}  - bet: { round: "\${a.roundID}" }\n`, 0],
  ])('%s', (_what, text, from) => {
    const { ids, sent } = idsOf(text);
    const roundID = ids.roundID(callAt(sent, 2));
    if (from === 'none') expect(roundID).toBeUndefined();
    else if (from === 'own') for (const other of [0, 1]) expect(roundID).not.toEqual(ids.roundID(callAt(sent, other)));
    else expect(roundID).toEqual(ids.roundID(callAt(sent, from)));
  });

  it('of steps that take the id from each other is one of their own ids, and is found without an endless search', () => {
    const { ids, sent } = idsOf('  - bet: { round: b }\n    as: a\n  - bet: { round: a }\n    as: b\n');
    expect(ids.roundID(callAt(sent, 0))).toMatchObject({ kind: 'literal', value: expect.stringMatching(/^0{8}-/) });
  });
});

describe('the transaction id', () => {
  it('is created once for each call, and differs between calls', () => {
    const { ids, sent } = idsOf(`${A}${B}`);
    expect(ids.txID(callAt(sent, 0))).toEqual(ids.txID(callAt(sent, 0)));
    expect(ids.txID(callAt(sent, 0))).not.toEqual(ids.txID(callAt(sent, 1)));
    expect(ids.txID(callAt(sent, 0))).not.toEqual(ids.roundID(callAt(sent, 0)));
  });

  it('can be the id of another step, the given text, or an expression that is only known later', () => {
    const { ids, sent } = idsOf(
      `${A}  - win: { txID: "\${a.txID}" }\n  - win: { txID: "mine" }\n  - win: { txID: "\${a.reply.txID}" }\n`,
    );
    expect(ids.txID(callAt(sent, 1))).toEqual(ids.txID(callAt(sent, 0)));
    expect(ids.txID(callAt(sent, 2))).toEqual({ kind: 'literal', value: 'mine' });
    expect(ids.txID(callAt(sent, 3))).toMatchObject({ kind: 'expression' });
  });

  it('of an instance of a repeated call is kept, and the last instance has the ids to which later steps refer', () => {
    const { ids, sent } = idsOf('  - together:\n      - bet:\n        times: 3\n  - win:\n');
    const bet = callAt(sent, 0);
    const [first, second, last] = [0, 1, 2].map((index) => ids.instance(bet, index));
    expect(ids.instance(bet, 0)).toBe(first);
    expect(last).toBe(ids);
    expect(new Set([first, second, last].map((one) => JSON.stringify(one?.txID(bet)))).size).toBe(3);
    expect(ids.roundID(callAt(sent, 1))).toEqual(last?.roundID(bet));
    expect(ids.fresh(bet).txID(bet)).not.toEqual(ids.fresh(bet).txID(bet));
    expect(first?.txID(callAt(sent, 1))).toEqual(ids.txID(callAt(sent, 1)));
  });
});

describe('the bet that a refund gives back', () => {
  it.each<[string, string, object, string | undefined]>([
    ['is the latest bet by default', `${A}${B}  - refund:\n`, { kind: 'step', of: '2' }, '2'],
    ['is the named bet', `${A}${B}  - refund: { of: a }\n`, { kind: 'step', of: '1' }, '1'],
    [
      'is the call that a named resend repeats',
      `${A}  - resend: a\n    as: r\n  - refund: { of: r }\n`,
      { kind: 'step', of: '1' },
      '1',
    ],
    [
      'is the bet whose id is given',
      `${A}${B}  - refund: { origTxID: "\${a.txID}" }\n`,
      { kind: 'step', of: '1' },
      '1',
    ],
    [
      'is unknown if the scenario says `of: unknown`',
      `${A}${B}  - refund: { of: unknown }\n`,
      { kind: 'unknown' },
      undefined,
    ],
    [
      'is only an id if the scenario gives the id as text',
      `${A}${B}  - refund: { origTxID: "x" }\n`,
      { kind: 'id' },
      undefined,
    ],
    [
      'is only an id if the id is known later',
      `${A}${B}  - refund: { origTxID: "\${a.reply.txID}" }\n`,
      { kind: 'id' },
      undefined,
    ],
  ])('%s', (_what, text, target, key) => {
    const { ids, sent } = idsOf(text);
    const refund = callAt(sent, 2);
    expect(ids.refundTarget(refund)).toEqual(target);
    expect(ids.targetOf(refund)?.key).toBe(key);
    const bet = sent.find((step): step is ScenarioCall => step.kind === 'call' && step.key === key);
    if (bet) expect(ids.origTxID(refund)).toEqual(ids.txID(bet));
    else expect([ids.txID(callAt(sent, 0)), ids.roundID(refund)]).not.toContainEqual(ids.origTxID(refund));
  });
});

describe('the bet to which a win belongs', () => {
  it.each<[string, string, string | undefined]>([
    ['is the latest bet by default', `${A}${B}  - win:\n`, '2'],
    ['is the named bet', `${A}${B}  - win: { round: a }\n`, '1'],
    ['is found by the round of a named win', `${A}  - win:\n    as: w\n  - win: { round: w }\n`, '1'],
    ['does not exist in a new round', `${A}${B}  - win: { round: new }\n`, undefined],
    [
      'is found by a given round id',
      `  - bet: { round: 00000000-0000-4000-8000-00000000abcd }\n${B}  - win: { round: 00000000-0000-4000-8000-00000000abcd }\n`,
      '1',
    ],
  ])('%s', (_what, text, key) => {
    const { ids, sent } = idsOf(text);
    expect(ids.betOfRound(callAt(sent, 2))?.key).toBe(key);
  });
});

describe('the key of a step to which other steps refer', () => {
  it('is the key of the first copy, the key of the last repeated call, or the key of the step itself', () => {
    const { ids, sent } = idsOf(
      '  - together:\n      - bet:\n        copies: 3\n      - bet:\n        times: 3\n  - bet:\n',
    );
    expect([0, 1, 2].map((index) => ids.keyOf(callAt(sent, index)))).toEqual(['1.1x1', '1.2x3', '2']);
  });
});

describe('the original call of a resend', () => {
  it('is found through other resends, and is the earlier call if there is one', () => {
    const { ids, sent } = idsOf(
      `${A}  - resend: a\n    as: r\n  - resend: r\n  - resend: { earlier-run: win }\n    as: e\n  - resend: e\n`,
    );
    const originals = sent.flatMap((step) => (step.kind === 'resend' ? [ids.original(step)] : []));
    expect(originals.slice(0, 2)).toEqual([sent[0], sent[0]]);
    expect(originals.slice(2)).toEqual([
      { call: 'win', from: 'journal' },
      { call: 'win', from: 'journal' },
    ]);
  });
});
