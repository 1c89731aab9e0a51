import { type Campaign, campaignSchema } from '../contract/core-api.ts';
import { openRecords, type RecordFile } from './record-file.ts';

/** Where a campaign is in its life: it can be played while it is `running`. */
export type CampaignState = 'upcoming' | 'running' | 'ended' | 'cancelled';

/** What a campaign is found by. */
export interface CampaignName {
  readonly cID: string;
  readonly extCID: string;
  readonly id?: string | undefined;
  readonly extID?: string | undefined;
}

/** Who could play, and what. */
export interface Candidate {
  readonly cID: string;
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  readonly demo: boolean;
}

/** @param now milliseconds since 1970 */
export function campaignState(campaign: Campaign, now: number): CampaignState {
  if (campaign.cancelledAt !== undefined) return 'cancelled';
  if (now < Date.parse(campaign.validFrom)) return 'upcoming';
  return campaign.validUntil !== undefined && now >= Date.parse(campaign.validUntil) ? 'ended' : 'running';
}

/**
 * The campaigns of free rounds. How far each player is in one is not their business. Reverse calls name a campaign by its
 * `extID`, as `frID`: that is the id which the operator chose (position).
 */
export class Campaigns {
  /** By `id`. */
  readonly #byId = new Map<string, Campaign>();
  readonly #byExtID = new Map<string, string>();
  readonly #file: RecordFile<Campaign>;

  /** @param path of the file that keeps them; undefined: in memory. Throws what `openRecords` throws. */
  constructor(path?: string) {
    const { records, file } = openRecords(path, campaignSchema, latest);
    this.#file = file;
    for (const campaign of records) this.#put(campaign);
  }

  /** @returns false when the client has used the `extID` before: nothing is made then */
  create(campaign: Campaign): boolean {
    if (this.#byExtID.has(keyOf(campaign))) return false;
    this.#file.append(campaign);
    this.#put(campaign);
    return true;
  }

  /** The client's campaign with this `id` and this `extID`, of which one may be left out. */
  find(name: CampaignName): Campaign | undefined {
    const id = name.id ?? this.#byExtID.get(keyOf(name));
    const campaign = id === undefined ? undefined : this.#byId.get(id);
    if (!campaign || campaign.cID !== name.cID || campaign.extCID !== name.extCID) return undefined;
    return name.extID === undefined || campaign.extID === name.extID ? campaign : undefined;
  }

  /**
   * Lets no further player begin it; who has begun goes on. One that was cancelled already stays as it is.
   *
   * @param now milliseconds since 1970
   */
  cancel(campaign: Campaign, now: number): Campaign {
    if (campaign.cancelledAt !== undefined) return campaign;
    const cancelled = { ...campaign, cancelledAt: new Date(now).toISOString() };
    this.#file.append(cancelled);
    this.#put(cancelled);
    return cancelled;
  }

  /** Those that are running and meant for this player, game and currency, oldest first. In demo mode there are none. */
  openTo(candidate: Candidate, now: number): readonly Campaign[] {
    if (candidate.demo) return [];
    return this.all().filter(
      (campaign) =>
        campaign.cID === candidate.cID &&
        campaign.extCID === candidate.extCID &&
        campaign.currency === candidate.currency &&
        campaignState(campaign, now) === 'running' &&
        (campaign.gameIDs?.includes(candidate.gameID) ?? true) &&
        (campaign.userIDs?.includes(candidate.player) ?? true),
    );
  }

  /** Oldest first. */
  all(): readonly Campaign[] {
    return [...this.#byId.values()];
  }

  close(): void {
    this.#file.close();
  }

  #put(campaign: Campaign): void {
    this.#byId.set(campaign.id, campaign);
    this.#byExtID.set(keyOf(campaign), campaign.id);
  }
}

function keyOf({ cID, extCID, extID }: CampaignName): string {
  return JSON.stringify([cID, extCID, extID]);
}

function latest(records: readonly Campaign[]): readonly Campaign[] {
  return [...new Map(records.map((record) => [record.id, record])).values()];
}
