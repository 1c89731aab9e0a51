import { expect, it } from 'vitest';
import { croupierCommands } from '../../scripts/docs/commands-page.ts';
import { misspeltVariables } from '../../src/cli/environment.ts';
import { croupier } from './croupier.ts';

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

it('an empty variable counts as not set, as a pipeline passes on variables without a value', async () => {
  const env = { CROUPIER_BASELINE: '', CROUPIER_CLIENT: '', CROUPIER_CONFIG: '', CROUPIER_RATE: '' };
  const { status, err } = await croupier(['run', '--reference', 'bet/debit', '--list'], {
    cwd: import.meta.dirname,
    env,
  });
  expect({ status, err }).toEqual({ status: 0, err: '1 scenario\n' });
});
