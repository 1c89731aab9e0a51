import { ruleById } from '../contract/catalogue.ts';
import { isThere } from '../contract/since.ts';
import { CONTRACT_VERSION } from '../contract/versions.ts';
import type { Plan } from '../scenario/plan.ts';
import type { RunOptions } from './run-options.ts';

/** What a run would have to be given for a story to be played. null: it has all that the story needs. */
export function missingFor({ needs, rules }: Plan, options: RunOptions): string | null {
  const { contract = CONTRACT_VERSION } = options.client;
  if (rules.length > 0 && rules.every((rule) => !isThere(ruleById(rule).since, contract)))
    return `what it tests came after version ${contract} of the contract`;
  if (needs.otherClient && options.client.otherClientKey === undefined)
    return 'needs a second client of the same operator with a key of its own';
  if (needs.earlierRun && !options.after) return 'needs the journal of an earlier run (`croupier run --after JOURNAL`)';
  if (needs.campaign && options.campaign === null)
    return 'needs a campaign that the operator knows (`freeRounds: { frID: … }`)';
  if (needs.launches && !options.launches)
    return "shows only in the calls that the operator's backend makes to the Core API (`croupier run --launches`)";
  if (needs.largeAmounts && !options.largeAmounts)
    return 'moves amounts beyond 2^53 of the smallest unit, which has to be allowed (`largeAmounts: true`)';
  return null;
}
