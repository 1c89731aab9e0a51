import type { z } from 'zod';
import { CORE_OPERATIONS, type CoreOperation, type CoreOperationName } from '../../contract/core-operations.ts';
import { isThere, knownFields } from '../../contract/since.ts';
import { type Handler, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { Route } from '../../listen/routes.ts';
import type { ServiceClient } from '../client.ts';
import { authenticate, type Caller, requireSignature } from './authentication.ts';
import { createNewGame } from './create-new-game.ts';
import type { CoreDesk, Done, Operation } from './desk.ts';
import { cancelFreeRounds, createFreeRounds, readFreeRounds } from './free-rounds.ts';
import type { LaunchSeen } from './launch-seen.ts';
import { listGames } from './list-games.ts';
import { type ReadRequest, readRequest } from './reading.ts';
import { type Complaint, check, type Refusal, refusalReply, wrongFields } from './refusal.ts';

/** What is done for a caller who is known. */
type Run = (desk: CoreDesk, client: ServiceClient, request: ListenRequest) => Done | Promise<Done>;

/** From fields that nobody has looked at to what is to be done, or what is wrong with them. */
type Prepare = (fields: unknown) => Run | readonly Complaint[];

function prepareWith<Fields>(schema: z.ZodType<Fields>, operation: Operation<Fields>): Prepare {
  return (fields) => {
    const checked = check(schema, fields);
    if (!('data' in checked)) return checked;
    return (desk, client, request) => operation(desk, client, checked.data, request);
  };
}

const PREPARE: Readonly<Record<CoreOperationName, Prepare>> = {
  createNewGame: prepareWith(CORE_OPERATIONS.createNewGame.request, createNewGame),
  games: prepareWith(CORE_OPERATIONS.games.request, listGames),
  freeRounds: prepareWith(CORE_OPERATIONS.freeRounds.request, readFreeRounds),
  createFreeRounds: prepareWith(CORE_OPERATIONS.createFreeRounds.request, createFreeRounds),
  cancelFreeRounds: prepareWith(CORE_OPERATIONS.cancelFreeRounds.request, cancelFreeRounds),
};

/** Hears of a request when it has arrived; what it gives back hears how it was answered. */
export type Watch = (
  operation: CoreOperation,
  request: ListenRequest,
) => (seen: LaunchSeen, reply: ListenReply) => void;

/**
 * The Core API, as the version of the contract says that the desk has: an operation that came later is answered 404.
 *
 * @param basePath what `{base_url}` ends with, from a slash on
 */
export function coreApiRoutes(desk: CoreDesk, basePath: string, watch: Watch): readonly Route[] {
  return Object.entries(CORE_OPERATIONS).map(([key, operation]: [string, CoreOperation]): Route => {
    const name = key as CoreOperationName;
    return {
      method: operation.method,
      path: `${basePath}${operation.path}`,
      handler: isThere(operation.since, desk.version) ? handlerOf(name, desk, watch) : notYetThere(operation, desk),
    };
  });
}

function notYetThere({ method, path, since }: CoreOperation, { version }: CoreDesk): Handler {
  const message = `Version ${version} of the contract has no ${method} ${path}: it came with ${since}.`;
  return () => jsonReply(404, { message });
}

function handlerOf(name: CoreOperationName, desk: CoreDesk, watch: Watch): Handler {
  const operation: CoreOperation = CORE_OPERATIONS[name];
  return async (request) => {
    const answered = watch(operation, request);
    const read = readRequest(request, operation);
    const prepared =
      read.kind === 'read' ? PREPARE[name](knownFields(read.fields, operation.request, desk.version)) : NOTHING_READ;
    const caller = callerOf(request, read, desk.clients);
    const done = await carryOut(desk, request, read, caller, prepared);
    const reply = done.kind === 'done' ? done.reply : refusalReply(done, desk.version);
    const seen: LaunchSeen = {
      operation: name,
      at: desk.now(),
      ...(caller.kind === 'caller' && { extCID: caller.client.extCID }),
      headers: request.headers,
      ...(read.kind === 'read' && { fields: read.fields }),
      complaints: typeof prepared === 'function' ? [] : prepared,
      status: reply.status,
      ...(done.kind === 'refusal' && done.code !== undefined && { code: done.code }),
      ...(done.kind === 'done' && done.session && { session: done.session }),
    };
    answered(seen, reply);
    return reply;
  };
}

const NOTHING_READ: readonly Complaint[] = [];

/** A request without a signature is refused for that, whatever else may be wrong with it. */
function callerOf(
  request: ListenRequest,
  read: ReadRequest | Refusal,
  clients: readonly ServiceClient[],
): Caller | Refusal {
  const signature = requireSignature(request);
  if (typeof signature !== 'string') return signature;
  return read.kind === 'read' ? authenticate(read, signature, clients) : read;
}

async function carryOut(
  desk: CoreDesk,
  request: ListenRequest,
  read: ReadRequest | Refusal,
  caller: Caller | Refusal,
  prepared: Run | readonly Complaint[],
): Promise<Done> {
  if (caller.kind === 'refusal') return caller;
  if (read.kind === 'refusal') return read;
  if (typeof prepared !== 'function') return wrongFields(read.carrier, prepared);
  try {
    return await prepared(desk, caller.client, request);
  } catch (error) {
    desk.onFault(error);
    return { kind: 'done', reply: jsonReply(500, { message: 'The service failed. Send the request again later.' }) };
  }
}
