import {
  type Campaign,
  type CancelFreeRounds,
  type CreateFreeRounds,
  type FreeRoundsQuery,
  MAX_CAMPAIGN_DAYS,
} from '../../contract/core-api.ts';
import { isThere } from '../../contract/since.ts';
import type { ContractVersion } from '../../contract/versions.ts';
import { jsonReply } from '../../listen/message.ts';
import { betLinesOf, written } from '../bet-lines.ts';
import type { Campaigns } from '../campaigns.ts';
import { requireCurrency, requireGame } from './availability.ts';
import type { Operation } from './desk.ts';
import { type Complaint, type Refusal, refusal, wrongFields } from './refusal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** `POST /free-rounds` (position; the longest time is the contract's, Limits). */
export const createFreeRounds: Operation<CreateFreeRounds> = (desk, client, wanted) => {
  const currency = requireCurrency(client, wanted.currency);
  if ('kind' in currency) return currency;
  for (const id of wanted.gameIDs ?? []) {
    const game = requireGame(client, desk.games, id);
    if ('kind' in game) return game;
  }
  const lines = betLinesOf(currency.code);
  const line = lines[wanted.betLine - 1];
  const complaints: Complaint[] = [...spanComplaints(wanted, desk.version)];
  if (!line) complaints.push({ field: 'betLine', message: `${currency.code} has the bet lines 1 to ${lines.length}` });
  if (!line || complaints.length > 0) return wrongFields('body', complaints);

  const campaign: Campaign = {
    ...wanted,
    id: desk.newID(),
    maxBet: written(line.maxBet, currency.code),
    maxMult: line.maxCoeff.format(2),
  };
  if (!desk.campaigns.create(campaign)) {
    return refusal(409, 'This extID was used for a campaign before. Give each campaign an extID of its own.', {
      details: `extID: ${JSON.stringify(wanted.extID)}`,
    });
  }
  return { kind: 'done', reply: jsonReply(200, { id: campaign.id, extID: campaign.extID }) };
};

/** `GET /free-rounds` (contract, Endpoints). */
export const readFreeRounds: Operation<FreeRoundsQuery> = (desk, _client, query) => {
  const campaign = requireCampaign(desk.campaigns, query);
  return 'kind' in campaign ? campaign : { kind: 'done', reply: jsonReply(200, campaign) };
};

/** `DELETE /free-rounds` (position). Cancelling again changes nothing. */
export const cancelFreeRounds: Operation<CancelFreeRounds> = (desk, _client, wanted) => {
  const campaign = requireCampaign(desk.campaigns, wanted);
  if ('kind' in campaign) return campaign;
  const cancelled = desk.campaigns.cancel(campaign, desk.now());
  if (cancelled !== campaign) desk.onCancelled(cancelled);
  return { kind: 'done', reply: jsonReply(200, cancelled) };
};

function requireCampaign(campaigns: Campaigns, name: FreeRoundsQuery): Campaign | Refusal {
  const campaign = campaigns.find(name);
  if (campaign) return campaign;
  const { id, extID } = name;
  return refusal(404, 'This client has no such campaign. Send the id or the extID of one that it created.', {
    details: JSON.stringify({ id, extID }),
  });
}

function spanComplaints({ validFrom, validUntil }: CreateFreeRounds, version: ContractVersion): readonly Complaint[] {
  if (validUntil === undefined) return [];
  const span = Date.parse(validUntil) - Date.parse(validFrom);
  if (span <= 0) return [{ field: 'validUntil', message: 'expected a moment after validFrom' }];
  if (span <= MAX_CAMPAIGN_DAYS * DAY_MS || !isThere('1.2.8', version)) return [];
  const message = `expected a moment at most ${MAX_CAMPAIGN_DAYS} days after validFrom; leave validUntil out for a campaign without an end`;
  return [{ field: 'validUntil', message }];
}
