import type { Campaign, CancelFreeRounds, CreateFreeRounds, FreeRoundsQuery } from '../../contract/core-api.ts';
import { DAY_MS, MAX_CAMPAIGN_DAYS } from '../../contract/limits.ts';
import { type ContractVersion, isThere } from '../../contract/versions.ts';
import { jsonReply } from '../../listen/message.ts';
import { betLinesOf, formatAmount } from '../bet-lines.ts';
import type { Campaigns } from '../campaigns.ts';
import { requireCurrency, requireGame } from './availability.ts';
import type { Operation } from './context.ts';
import { type FieldProblem, type Refusal, refusal, wrongFields } from './refusal.ts';

/** Creates a campaign: `POST /free-rounds`. The contract limits its duration (Limits), and leaves the rest to the service. */
export const createFreeRounds: Operation<CreateFreeRounds> = (context, client, wanted) => {
  const currency = requireCurrency(client, wanted.currency);
  if ('kind' in currency) return currency;
  for (const id of wanted.gameIDs ?? []) {
    const game = requireGame(client, context.games, id);
    if ('kind' in game) return game;
  }
  const lines = betLinesOf(currency.code);
  const line = lines[wanted.betLine - 1];
  const problems: FieldProblem[] = [...spanProblems(wanted, context.version)];
  if (!line) problems.push({ field: 'betLine', message: `expected a bet line from 1 to ${lines.length}` });
  if (!line || problems.length > 0) return wrongFields('body', problems);

  const campaign: Campaign = {
    ...wanted,
    id: context.newID(),
    maxBet: formatAmount(line.maxBet, currency.code),
    maxMult: line.maxCoeff.format(2),
  };
  if (!context.campaigns.create(campaign)) {
    return refusal(409, 'This extID was already used for another campaign. Give each campaign its own extID.', {
      details: `extID: ${JSON.stringify(wanted.extID)}`,
    });
  }
  return { kind: 'done', reply: jsonReply(200, { id: campaign.id, extID: campaign.extID }) };
};

/** Reads a campaign: `GET /free-rounds` (contract, Endpoints). */
export const readFreeRounds: Operation<FreeRoundsQuery> = (context, _client, query) => {
  const campaign = requireCampaign(context.campaigns, query);
  return 'kind' in campaign ? campaign : { kind: 'done', reply: jsonReply(200, campaign) };
};

/**
 * Cancels a campaign: `DELETE /free-rounds`. If the campaign is already cancelled, nothing changes; the contract does not say
 * what must happen then.
 */
export const cancelFreeRounds: Operation<CancelFreeRounds> = (context, _client, wanted) => {
  const campaign = requireCampaign(context.campaigns, wanted);
  if ('kind' in campaign) return campaign;
  const cancelled = context.campaigns.cancel(campaign, context.now());
  if (cancelled !== campaign) context.onCancelled(cancelled);
  return { kind: 'done', reply: jsonReply(200, cancelled) };
};

function requireCampaign(campaigns: Campaigns, name: FreeRoundsQuery): Campaign | Refusal {
  const campaign = campaigns.find(name);
  if (campaign) return campaign;
  const { id, extID } = name;
  return refusal(
    404,
    'This client has no such campaign. Send the id or the extID of a campaign that this client created.',
    {
      details: JSON.stringify({ id, extID }),
    },
  );
}

function spanProblems({ validFrom, validUntil }: CreateFreeRounds, version: ContractVersion): readonly FieldProblem[] {
  if (validUntil === undefined) return [];
  const span = Date.parse(validUntil) - Date.parse(validFrom);
  if (span <= 0) return [{ field: 'validUntil', message: 'expected a time after validFrom' }];
  if (span <= MAX_CAMPAIGN_DAYS * DAY_MS || !isThere('1.2.8', version)) return [];
  const message = `expected a time at most ${MAX_CAMPAIGN_DAYS} days after validFrom. For a campaign without an end, leave validUntil out`;
  return [{ field: 'validUntil', message }];
}
