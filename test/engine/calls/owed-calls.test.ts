import { expect, it } from 'vitest';
import { type OperatorServer, operatorServer, ran, scenarioOf } from '../operator-server.ts';

const TWICE = scenarioOf(
  'win/twice',
  'rules: [win.many-in-round]\nsteps: [{ bet: { amount: "7.00" }, as: b }, { win: { round: b, amount: "3.00" } }, { win: { round: b, amount: "4.00" } }]',
);

/** Starts an operator that declines the win of 3.00, 4.00 or both. */
function declining(...amounts: readonly string[]): Promise<OperatorServer> {
  return operatorServer(({ call, fields }, tell) =>
    call === 'win' && typeof fields?.amount === 'string' && amounts.includes(fields.amount)
      ? { status: 409, body: { message: 'No.' } }
      : tell(),
  );
}

it.each([
  ['a further win of a round that was declined is not owed', ['4.00'], []],
  ['a declined win of a round without an accepted win is owed', ['3.00', '4.00'], ['3.00']],
] as const)('%s', async (_, declined, owed) => {
  const { url } = await declining(...declined);
  const { fold } = await ran(url, [TWICE]);
  expect([...new Set(fold.owed.map(({ fields }) => fields?.amount))]).toEqual(owed);
  if (owed.length === 0) expect(fold.owedBalances).toEqual([]);
});
