import { expect, it } from 'vitest';
import { croupierCommands } from '../../scripts/docs/commands-page.ts';
import { misspeltVariables } from '../../src/cli/environment.ts';

it('a variable that is nearly one of croupier is reported, but variables of pipelines, keys and tests are not', () => {
  const own = { CROUPIER_ARGS: '', CROUPIER_KEY_EU: 'k', CROUPIER_KEY2: 'k', CROUPIER_SLOW: '1', PATH: '/bin' };
  expect(misspeltVariables(croupierCommands(), { ...own, CROUPIER_REQUIRE: 'bet', CROUPIER_KEY: 'k' })).toEqual([]);
  expect(
    misspeltVariables(croupierCommands(), { ...own, CROUPIER_REQUIRES: 'bet', CROUPIER_BASLINE: 'b.yaml' }),
  ).toEqual([
    'warning: croupier reads no variable CROUPIER_REQUIRES. Did you mean CROUPIER_REQUIRE?',
    'warning: croupier reads no variable CROUPIER_BASLINE. Did you mean CROUPIER_BASELINE?',
  ]);
});
