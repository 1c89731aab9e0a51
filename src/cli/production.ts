import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { checkTarget, hostOf } from '../engine/doctor/address.ts';
import type { ClientUnderTest, RunnableScenario } from '../engine/run-options.ts';
import type { Step } from '../scenario/plan.ts';
import type { ClientFlags } from './run-flags.ts';
import type { Stdio } from './stdio.ts';
import { isOn } from './switches.ts';
import { UsageError } from './usage-error.ts';

/** A name server that does not answer must not hold up what will find that out by itself. */
const PATIENCE_MS = 3000;

/**
 * Lets nobody move real players' money unawares: where a target looks like production, `--production` must be given.
 *
 * @throws UsageError that names each such client; nothing has been sent then
 */
export async function askForProduction(
  clients: readonly ClientUnderTest[],
  flags: ClientFlags,
  { env }: Pick<Stdio, 'env'>,
): Promise<void> {
  if (flags.production || isOn(env.CROUPIER_PRODUCTION)) return;
  const telling: string[] = [];
  for (const client of clients) {
    const { seen, state } = await targetOf(client);
    if (state === 'warn') telling.push(`${client.extCID} (${client.integratorBaseUrl}): ${seen}.`);
  }
  if (telling.length === 0) return;
  const several = telling.length > 1;
  throw new UsageError(
    [
      ...telling,
      'This would move money there, and it may be that of real players. Nothing was sent.',
      `If ${several ? 'they are test environments' : 'it is a test environment'}, say \`production: false\` of the ${several ? 'clients' : 'client'} in croupier.yaml. If it is meant, with players of your own, give --production.`,
    ].join('\n'),
  );
}

/** Whether any of the scenarios sends what moves money. */
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
  // Only where calls go straight to it does the address that its name has tell anything.
  if (named.state === 'good' || production !== undefined || proxy !== undefined) return named;
  const host = hostOf(hostOverride === undefined ? integratorBaseUrl : `http://${hostOverride}`);
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  const checks = addresses.map((address) => checkTarget(integratorBaseUrl, address));
  if (checks.length > 0) return checks.find(({ state }) => state === 'warn') ?? checks[0] ?? named;
  // What has no address takes no money; whether its name tells production is another matter.
  return checkTarget(integratorBaseUrl, 'none');
}

async function addressesOf(host: string): Promise<readonly string[]> {
  const silence = new Promise<readonly string[]>((resolve) => setTimeout(resolve, PATIENCE_MS, []).unref());
  const answer = lookup(host, { all: true }).then(
    (found) => found.map(({ address }) => address),
    () => [],
  );
  return Promise.race([answer, silence]);
}
