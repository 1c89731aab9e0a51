import type { Campaign } from '../contract/core-api.ts';
import type { FreeCampaign, Play } from './adapter/play.ts';
import type { Campaigns } from './campaigns.ts';
import type { GameSession } from './game-session.ts';

/** A campaign as play knows it: reverse calls name it by the operator's own id (position). */
function freeCampaignOf({ extID, quantity, maxBet, maxMult }: Campaign): FreeCampaign {
  return { frID: extID, quantity, amount: maxBet, maxMult };
}

/**
 * The campaign that the player of a session has free rounds of in this game, the oldest of several: it is running, not used
 * up, and not begun in another game.
 *
 * @param now milliseconds since 1970
 */
export function freeRoundsOf(
  session: GameSession,
  campaigns: Campaigns,
  play: Pick<Play, 'progress'>,
  now: number,
): FreeCampaign | undefined {
  return campaigns
    .openTo(session, now)
    .map(freeCampaignOf)
    .find((campaign) => {
      const { left, gameID } = play.progress(session, campaign);
      return left > 0 && (gameID === null || gameID === session.gameID);
    });
}
