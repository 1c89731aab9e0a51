/**
 * The SDK for operators. It verifies and reads the reverse calls, builds the replies to them, and calls the Core API. The SDK
 * needs no other package.
 */
export { SIGNATURE_HEADER } from '../contract/signature.ts';
export type {
  CampaignName,
  CoreApiClient,
  CoreApiOptions,
  GamesWanted,
  NewCampaign,
  NewGame,
} from './core-api-client.ts';
export { CoreApiError, createCoreApiClient } from './core-api-client.ts';
export type { Campaign, CreateFreeRoundsReply, CreateNewGameReply, GameInfo } from './core-replies.ts';
export {
  badRequest,
  conflict,
  declined,
  type Failure,
  failure,
  insufficientFunds,
  internalError,
  type Reply,
  type Success,
  success,
  unauthorized,
} from './reply.ts';
export type {
  BalanceQuery,
  BetRequest,
  RefundRequest,
  Refused,
  SignedBody,
  SignedQuery,
  Verified,
  WinRequest,
} from './reverse-call.ts';
export { verifyBalance, verifyBet, verifyRefund, verifyWin } from './reverse-call.ts';
