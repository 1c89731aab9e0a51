import { describe, expect, it } from 'vitest';
import { loadAs } from '../fixtures.ts';

/** The messages about a scenario with these steps, each with its line and column. */
function mistakes(steps: string, head = ''): readonly string[] {
  const { diagnostics } = loadAs('good', 'x', `title: x\nrules: [bet.debit]\n${head}steps:\n${steps}`);
  return diagnostics.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('a name in a scenario is reported if', () => {
  it.each([
    ['two steps have it', '  - bet:\n    as: a\n  - bet:\n    as: a\n', '7:9 two steps have the name `a`'],
    ['it is a name of the language', '  - bet:\n    as: main\n', '5:9 `main` already means something'],
    ['a built-in value has parts', '  - bet: { amount: "${stake.a}" }\n', '4:23 `stake` has no parts'],
    ['drift has no part', '  - bet: { amount: "${drift}" }\n', '4:23 `drift` has only the parts `first` and `second`'],
    [
      'begun is used without an earlier run',
      '  - bet: { amount: "${begun.amount}" }\n',
      '4:23 `begun` is a bet of an earlier run, but the scenario does not say that it needs an earlier run',
    ],
    ['a balance has two parts', '  - bet: { amount: "${balance.main.x}" }\n', '4:23 `balance.main` has no parts'],
    [
      'a balance is of an undeclared session',
      '  - bet: { amount: "${balance.guest}" }\n',
      '4:23 `needs` declares no session `guest`',
    ],
    [
      'self has no such part',
      '  - bet: { txID: "${self.reply}" }\n',
      '4:21 `self` has only the parts txID, roundID and amount',
    ],
    ['it is unknown', '  - bet: { amount: "${nobody.amount}" }\n', '4:23 unknown name `nobody`'],
    ['a step has no such value', '  - bet:\n    as: a\n  - bet: { amount: "${a.sum}" }\n', '6:23 a step has no `sum`'],
    [
      'the value of a step is not named',
      '  - bet:\n    as: a\n  - bet: { amount: "${a}" }\n',
      '6:23 `a` is a step. Name the value of the step that you need',
    ],
    ['an id has parts', '  - bet:\n    as: a\n  - win: { txID: "${a.txID.x}" }\n', '6:21 `a.txID` has no parts'],
    [
      'a balance call has no such value',
      '  - balance:\n    as: a\n  - bet: { amount: "${a.amount}" }\n',
      '6:23 `a` is a balance call and has no amount',
    ],
    [
      'the field of a reply is not named',
      '  - bet:\n    as: a\n  - win: { txID: "${a.reply}" }\n',
      '6:21 the field of the reply is missing',
    ],
    [
      'the reply comes later',
      '  - bet: { txID: "${a.reply.txID}" }\n  - bet:\n    as: a\n',
      '4:21 the reply of `a` is not known yet, because `a` comes after this step',
    ],
    [
      'the reply is one of the same instant',
      '  - together:\n      - bet:\n        as: a\n      - bet: { txID: "${a.reply.txID}" }\n',
      '7:25 the reply of `a` is not known yet, because both steps start at the same instant',
    ],
    [
      'the connection of the step is broken',
      '  - bet:\n    as: a\n    break: sent\n  - bet: { txID: "${a.reply.txID}" }\n',
      '7:21 `a` has no reply, because the step breaks its connection',
    ],
    [
      'the amount comes later',
      '  - bet: { amount: "${a.amount}" }\n  - bet:\n    as: a\n',
      '4:23 the amount of `a` is not known yet, because `a` comes after this step',
    ],
    ['a step uses its own name', '  - bet: { txID: "${a.txID}" }\n    as: a\n', '4:21 a step cannot use its own name'],
    [
      'the step resends a call of an earlier run',
      '  - resend: { earlier-run: bet }\n    as: a\n  - win: { txID: "${a.txID}" }\n',
      '6:21 the ids of `a` are not known before the run, because the step resends an earlier call',
    ],
    [
      'an amount uses itself',
      '  - bet: { amount: "${self.amount}" }\n',
      '4:5 the amount of this bet is computed from itself',
    ],
    [
      'a round is one of a balance call',
      '  - balance:\n    as: a\n  - bet: { round: a }\n',
      '6:19 `a` is a balance call and has no round',
    ],
    [
      'a round is the one of the step itself',
      '  - bet: { round: a }\n    as: a\n',
      '4:19 a step cannot take its round from itself',
    ],
    ['a bet has no round', '  - bet: { round: none }\n', '4:5 a bet always has a round'],
    [
      'a refund is one of a balance call',
      '  - balance:\n    as: a\n  - refund: { of: a }\n',
      '6:19 `a` is a balance call, so there is nothing to refund',
    ],
    ['a refund is one of itself', '  - refund: { of: a }\n    as: a\n', '4:19 a refund cannot refund itself'],
    [
      'a refund is one of a resent earlier call',
      '  - resend: { earliest: bet }\n    as: a\n  - refund: { of: a }\n',
      '6:19 `a` resends an earlier call, so its id is not known before the run',
    ],
    [
      'a refund has no bet before it in its session',
      '  - bet: { session: unknown }\n  - refund:\n',
      '5:5 no bet to refund is named, and the session of this refund has no bet before it',
    ],
    ['a step resends itself', '  - resend: a\n    as: a\n', '4:13 a step cannot send itself again'],
    [
      'a step resends a later one',
      '  - resend: a\n  - bet:\n    as: a\n',
      '4:13 `a` comes later, so it cannot be sent again yet',
    ],
    [
      'a step resends one of the same instant',
      '  - together:\n      - bet:\n        as: a\n      - resend: a\n',
      '7:17 `a` is sent at the same moment as this step, so this step cannot send it again',
    ],
    ['no step has the name', '  - resend: a\n', '4:13 `resend` needs the name of a step, and no step is named `a`'],
    ['a call uses an undeclared session', '  - bet: { session: guest }\n', '4:21 `needs` declares no session `guest`'],
  ])('%s', (_when, steps, message) => {
    expect(mistakes(steps)).toEqual([message]);
  });

  it('no step uses the session that it declares', () => {
    expect(mistakes('  - bet:\n', 'needs: { guest: { player: other } }\n')).toEqual([
      '3:10 no step uses the session `guest`',
    ]);
  });

  it('a step has the name of a case variable', () => {
    expect(mistakes('  - bet: { amount: "${a}" }\n    as: a\n', 'cases: { a: ["1.00"] }\n')).toEqual([
      '6:9 `a` is a case variable already',
    ]);
  });

  it('the minimum balance uses a value that is not known before the first step', () => {
    expect(mistakes('  - bet:\n    as: a\n', 'needs: { balance: "${a.amount}" }\n')).toEqual([
      '3:22 `a.amount` is not known before the first step',
    ]);
    expect(mistakes('  - bet:\n', 'needs: { balance: "${nobody}" }\n')).toEqual(['3:22 unknown name `nobody`']);
  });
});

describe('a name in a scenario is accepted if', () => {
  it.each([
    ['it is a built-in value', '  - bet: { amount: "${2 * stake + unit}" }\n', ''],
    ['it is a part of drift', '  - bet: { amount: "${drift.first}" }\n', ''],
    ['an earlier run is needed', '  - win: { round: "${begun.roundID}" }\n', 'needs: { run: earlier }\n'],
    ['a declared session is used', '  - bet: { session: guest }\n', 'needs: { guest: { player: other } }\n'],
    ['a balance names a session', '  - bet: { amount: "${balance.guest}" }\n', 'needs: { guest: { player: other } }\n'],
    ['a later id is used', '  - refund: { origTxID: "${a.txID}" }\n  - bet:\n    as: a\n', ''],
    ['an earlier reply is used', '  - bet:\n    as: a\n  - win: { txID: "${a.reply.txID}" }\n', ''],
    [
      'a refund comes after repeated bets of one instant',
      '  - together:\n      - bet:\n        times: 2\n  - refund:\n',
      '',
    ],
    [
      'a resend is later in the same `together`',
      '  - together:\n      - bet:\n        as: a\n      - resend: a\n        at: 1s\n',
      '',
    ],
    ['a refund has no round', '  - bet:\n  - refund: { round: none }\n', ''],
  ])('%s', (_when, steps, head) => {
    expect(mistakes(steps, head)).toEqual([]);
  });

  it('its step could not be read, because that step has its own diagnostic', () => {
    expect(mistakes('  - bett:\n    as: a\n  - win: { round: a }\n  - refund:\n')).toEqual([
      '4:5 `bett` is not an action of a step',
    ]);
  });
});
