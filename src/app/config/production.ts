import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { checkTarget, hostOf } from '../../engine/doctor/address.ts';
import type { ClientUnderTest, RunnableScenario } from '../../engine/run-options.ts';
import type { Step } from '../../scenario/plan/plan.ts';
import { UsageError } from '../exit-status.ts';
import type { Stdio } from '../stdio.ts';
import { type ClientFlags, switchOf } from './run-flags.ts';

/**
 * Maximum time for the name server to answer. If the name server does not answer, the command continues, and its first call
 * reports the problem.
 */
const LOOKUP_TIMEOUT_MS = 3000;

/**
 * Protects the money of real players: throws an error if a target looks like production and `--production` is missing.
 *
 * @throws UsageError that names each such client, before any call is sent
 */
export async function askForProduction(
  clients: readonly ClientUnderTest[],
  flags: ClientFlags,
  { env }: Pick<Stdio, 'env'>,
): Promise<void> {
  if (flags.production || switchOf(env, 'CROUPIER_PRODUCTION')) return;
  const warnings: string[] = [];
  for (const client of clients) {
    const { seen, state } = await targetOf(client);
    if (state === 'warn') warnings.push(`${client.extCID} (${client.integratorBaseUrl}): ${seen}.`);
  }
  if (warnings.length === 0) return;
  const several = warnings.length > 1;
  throw new UsageError(
    [
      ...warnings,
      'This run would move money, and the players may be real. Nothing was sent.',
      `If ${several ? 'they are test environments' : 'this is a test environment'}, write \`production: false\` for the ${several ? 'clients' : 'client'} in croupier.yaml. If the players are your own test players, continue with --production.`,
    ].join('\n'),
  );
}

/** True if a call of the scenarios moves money. */
export function movesMoney(scenarios: readonly RunnableScenario[]): boolean {
  return scenarios.some((scenario) => {
    const { steps, always } = scenario.plan();
    return [...steps, ...always].some(moves);
  });
}

function moves(step: Step): boolean {
  switch (step.kind) {
    case 'call':
      return step.call !== 'balance';
    case 'together':
      return step.steps.some(moves);
    case 'repeat':
      return moves(step.instance(0));
    case 'launches':
    case 'wait':
      return false;
  }
}

async function targetOf({ integratorBaseUrl, production, wire }: ClientUnderTest) {
  const { proxy, hostOverride } = wire;
  const named = checkTarget(integratorBaseUrl, null, production);
  // With a proxy, croupier does not connect to the host itself. So croupier does not check the address of the host.
  if (named.state === 'good' || production !== undefined || proxy !== undefined) return named;
  const host = hostOf(hostOverride === undefined ? integratorBaseUrl : `http://${hostOverride}`);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const checks = addresses.map((address) => checkTarget(integratorBaseUrl, address));
  if (checks.length > 0) return checks.find(({ state }) => state === 'warn') ?? checks[0] ?? named;
  // The host name has no IP address, so no call can reach a wallet. Only the host name itself can look like production.
  return checkTarget(integratorBaseUrl, 'none');
}

async function addressesOf(host: string): Promise<readonly string[]> {
  const timeout = new Promise<readonly string[]>((resolve) => setTimeout(resolve, LOOKUP_TIMEOUT_MS, []).unref());
  const answer = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  return Promise.race([answer, timeout]);
}
