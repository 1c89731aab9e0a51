/**
 * For the code of operators: verifies and reads the reverse calls, builds the replies, and calls the Core API. Needs
 * nothing but Node and zod.
 */
export type { BalanceQuery, BetRequest, RefundRequest, WinRequest } from '../contract/calls.ts';
export type { Campaign, CreateFreeRoundsReply, CreateNewGameReply, GameInfo } from '../contract/core-api.ts';
export { SIGNATURE_HEADER } from '../contract/signature.ts';
export type {
  CampaignName,
  CoreApiClient,
  CoreApiOptions,
  GamesWanted,
  NewCampaign,
  NewGame,
} from './core-api-client.ts';
export { createCoreApiClient } from './core-api-client.ts';
export { CoreApiError } from './core-api-error.ts';
export { badRequest, conflict, declined, insufficientFunds, internalError, unauthorized } from './failures.ts';
export { type Failure, failure, type Reply, type Success, success } from './reply.ts';
export type { Refused, SignedBody, SignedQuery, Verified } from './reverse-call.ts';
export { verifyBalance, verifyBet, verifyRefund, verifyWin } from './reverse-call.ts';
