import { type Campaign, campaignSchema } from '../contract/core-api.ts';
import type { Database } from '../sqlite/database.ts';
import { RecordTable } from './record-table.ts';

/** The state of a campaign. Free rounds can be played only while it is `running`. */
export type CampaignState = 'upcoming' | 'running' | 'ended' | 'cancelled';

/**
 * The ids of a campaign, and the client to which it belongs. `id` comes from the service and `extID` from the operator; one of
 * these two may be left out.
 */
export interface CampaignName {
  readonly cID: string;
  readonly extCID: string;
  readonly id?: string | undefined;
  readonly extID?: string | undefined;
}

/** A player in a game. The method `openTo` searches the campaigns that the player can use in this game. */
export interface Candidate {
  readonly cID: string;
  readonly extCID: string;
  readonly player: string;
  readonly currency: string;
  readonly gameID: string;
  readonly demo: boolean;
}

/**
 * Returns the state of a campaign at a moment.
 *
 * @param now milliseconds since 1970
 */
export function campaignState(campaign: Campaign, now: number): CampaignState {
  if (campaign.cancelledAt !== undefined) return 'cancelled';
  if (now < Date.parse(campaign.validFrom)) return 'upcoming';
  return campaign.validUntil !== undefined && now >= Date.parse(campaign.validUntil) ? 'ended' : 'running';
}

/**
 * The campaigns of free rounds of all clients. `RoundStore` counts the free rounds that each player has used. In reverse calls,
 * `frID` is the campaign's `extID`, the id that the operator chose. The contract does not say whether `frID` is this id or the
 * `id` of the service.
 */
export class Campaigns {
  /** The campaigns by their `id`. */
  readonly #byId = new Map<string, Campaign>();
  readonly #byExtID = new Map<string, string>();
  readonly #table: RecordTable<Campaign>;

  /**
   * Reads the campaigns from the database.
   *
   * @throws DatabaseError when the database holds a campaign that can't be read
   */
  constructor(database: Database) {
    this.#table = campaignTable(database);
    for (const campaign of this.#table.all()) this.#remember(campaign);
  }

  /**
   * Stores a new campaign.
   *
   * @returns false when the client has used the `extID` before; then nothing is stored
   */
  create(campaign: Campaign): boolean {
    if (this.#byExtID.has(keyOf(campaign))) return false;
    this.#put(campaign);
    return true;
  }

  /**
   * Returns the client's campaign with this `id` and this `extID`, of which one may be left out; undefined if there is
   * none.
   */
  find(name: CampaignName): Campaign | undefined {
    const id = name.id ?? this.#byExtID.get(keyOf(name));
    const campaign = id === undefined ? undefined : this.#byId.get(id);
    if (!campaign || campaign.cID !== name.cID || campaign.extCID !== name.extCID) return undefined;
    return name.extID === undefined || campaign.extID === name.extID ? campaign : undefined;
  }

  /**
   * Cancels a campaign, and returns it with the time of the cancellation. A campaign that is already cancelled is
   * returned unchanged.
   *
   * @param now milliseconds since 1970
   */
  cancel(campaign: Campaign, now: number): Campaign {
    if (campaign.cancelledAt !== undefined) return campaign;
    const cancelled = { ...campaign, cancelledAt: new Date(now).toISOString() };
    this.#put(cancelled);
    return cancelled;
  }

  /**
   * Returns the running campaigns that are open to this player, game and currency, oldest first. For a demo session, returns an
   * empty list.
   */
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

  /** Returns the campaigns of all clients, oldest first. */
  all(): readonly Campaign[] {
    return [...this.#byId.values()];
  }

  #put(campaign: Campaign): void {
    this.#table.put(campaign);
    this.#remember(campaign);
  }

  #remember(campaign: Campaign): void {
    this.#byId.set(campaign.id, campaign);
    this.#byExtID.set(keyOf(campaign), campaign.id);
  }
}

function keyOf({ cID, extCID, extID }: CampaignName): string {
  return JSON.stringify([cID, extCID, extID]);
}

/**
 * Opens the table of campaigns.
 *
 * @throws DatabaseError when the database holds a campaign that can't be read
 */
export function campaignTable(database: Database): RecordTable<Campaign> {
  return new RecordTable(database, 'campaign', campaignSchema, ({ id }) => id);
}
