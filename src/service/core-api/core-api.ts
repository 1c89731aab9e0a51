import { z } from 'zod';
import { CORE_OPERATIONS, type CoreOperation, type CoreOperationName } from '../../contract/core-api.ts';
import { isThere, knownFields } from '../../contract/versions.ts';
import { type Handler, jsonReply, type ListenReply, type ListenRequest } from '../../listen/message.ts';
import type { Route } from '../../listen/routes.ts';
import type { ServiceClient } from '../client.ts';
import { authenticate, type Caller, requireSignature } from './authentication.ts';
import type { CoreApiContext, Done, LaunchSeen, Operation } from './context.ts';
import { createNewGame } from './create-new-game.ts';
import { cancelFreeRounds, createFreeRounds, readFreeRounds } from './free-rounds.ts';
import { listGames } from './list-games.ts';
import { type ReadRequest, readRequest } from './reading.ts';
import { check, type FieldProblem, type Refusal, refusalReply, wrongFields } from './refusal.ts';

/** Runs an operation for an authenticated client, with fields that are already checked. */
type Run = (context: CoreApiContext, client: ServiceClient, request: ListenRequest) => Done | Promise<Done>;

/** Checks the fields of a request. Returns the operation to run, or the problems of the fields. */
type Prepare = (fields: unknown) => Run | readonly FieldProblem[];

function prepareWith<Fields>(schema: z.ZodType<Fields>, operation: Operation<Fields>): Prepare {
  return (fields) => {
    const checked = check(schema, fields);
    if (!('data' in checked)) return checked;
    return (context, client, request) => operation(context, client, checked.data, request);
  };
}

const PREPARE: Readonly<Record<CoreOperationName, Prepare>> = {
  createNewGame: prepareWith(CORE_OPERATIONS.createNewGame.request, createNewGame),
  games: prepareWith(CORE_OPERATIONS.games.request, listGames),
  freeRounds: prepareWith(CORE_OPERATIONS.freeRounds.request, readFreeRounds),
  createFreeRounds: prepareWith(CORE_OPERATIONS.createFreeRounds.request, createFreeRounds),
  cancelFreeRounds: prepareWith(CORE_OPERATIONS.cancelFreeRounds.request, cancelFreeRounds),
};

/** Is called with each request when it has arrived. Returns a function that is called with the answer to the request. */
export type Watch = (
  operation: CoreOperation,
  request: ListenRequest,
) => (seen: LaunchSeen, reply: ListenReply) => void;

/**
 * Returns the routes of the Core API for the version of the contract in `context`. Operations of later versions are answered
 * 404.
 *
 * @param basePath the path at the end of the Core API's base URL, with a leading slash
 */
export function coreApiRoutes(context: CoreApiContext, basePath: string, watch: Watch): readonly Route[] {
  return Object.entries(CORE_OPERATIONS).map(([key, operation]: [string, CoreOperation]): Route => {
    const name = key as CoreOperationName;
    return {
      method: operation.method,
      path: `${basePath}${operation.path}`,
      handler: isThere(operation.since, context.version)
        ? handlerOf(name, context, watch)
        : laterOperation(operation, context),
    };
  });
}

function laterOperation({ method, path, since }: CoreOperation, { version }: CoreApiContext): Handler {
  const message = `Version ${version} of the contract has no ${method} ${path}. Version ${since} added it.`;
  return () => jsonReply(404, { message });
}

function handlerOf(name: CoreOperationName, context: CoreApiContext, watch: Watch): Handler {
  const operation: CoreOperation = CORE_OPERATIONS[name];
  return async (request) => {
    const answered = watch(operation, request);
    const read = readRequest(request, operation);
    const prepared = read.kind === 'read' ? prepare(name, operation, read, context) : NOTHING_READ;
    const caller = callerOf(request, read, context.clients);
    const done = await carryOut(context, request, read, caller, prepared);
    const reply = done.kind === 'done' ? done.reply : refusalReply(done, context.version);
    const seen: LaunchSeen = {
      operation: name,
      at: context.now(),
      ...(caller.kind === 'caller' && { extCID: caller.client.extCID }),
      headers: request.headers,
      ...(read.kind === 'read' && { fields: read.fields }),
      diagnostics: typeof prepared === 'function' ? [] : prepared,
      status: reply.status,
      ...(done.kind === 'refusal' && done.code !== undefined && { code: done.code }),
      ...(done.kind === 'refusal' && { message: describeRefusal(done) }),
      ...(done.kind === 'done' && done.session && { session: done.session }),
    };
    answered(seen, reply);
    return reply;
  };
}

function prepare(
  name: CoreOperationName,
  { request }: CoreOperation,
  { carrier, fields }: ReadRequest,
  { version }: CoreApiContext,
): Run | readonly FieldProblem[] {
  const known = knownFields(fields, request, version);
  const problems = carrier === 'query' ? bracketProblems(Object.keys(fields), request) : [];
  return problems.length > 0 ? problems : PREPARE[name](known);
}

/**
 * Returns a problem for each list in a query that is written with brackets, as PHP and some client libraries do:
 * `currencyFilters[]=fiat`. With brackets, the parameter has another name, so the service would ignore the list without a
 * message.
 */
function bracketProblems(names: readonly string[], query: z.ZodType): readonly FieldProblem[] {
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return names.flatMap((field) => {
    const [, name = ''] = /^(\w+)\[\d*\]$/.exec(field) ?? [];
    if (!known.includes(name)) return [];
    return [
      { field, message: `write ${name} without brackets; separate several values with commas, or repeat ${name}` },
    ];
  });
}

/** Returns what is wrong with a request. Leaves out the text to sign, because this text contains the whole request. */
function describeRefusal({ status, message, details }: Refusal): string {
  return details === undefined || status === 401 ? message : `${message} ${details}`;
}

const NOTHING_READ: readonly FieldProblem[] = [];

/**
 * Returns the client of a request, or a refusal. A missing signature is refused first, even if the request has other
 * mistakes.
 */
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
  context: CoreApiContext,
  request: ListenRequest,
  read: ReadRequest | Refusal,
  caller: Caller | Refusal,
  prepared: Run | readonly FieldProblem[],
): Promise<Done> {
  if (caller.kind === 'refusal') return caller;
  if (read.kind === 'refusal') return read;
  if (typeof prepared !== 'function') return wrongFields(read.carrier, prepared);
  try {
    return await prepared(context, caller.client, request);
  } catch (error) {
    context.onFault(error);
    return { kind: 'done', reply: jsonReply(500, { message: 'The service failed. Send the request again later.' }) };
  }
}
