import { z } from 'zod';
import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import { errorReplySchema, REPLY_SCHEMAS, REQUEST_SCHEMAS, unauthorizedReplySchema } from '../contract/calls.ts';
import {
  CORE_OPERATIONS,
  type CoreOperation,
  campaignSchema,
  cancelFreeRoundsSchema,
  coreErrorSchema,
  createFreeRoundsReplySchema,
  createFreeRoundsSchema,
  createNewGameReplySchema,
  createNewGameSchema,
  gameInfoSchema,
  gamesReplySchema,
} from '../contract/core-api.ts';
import type { JsonObject, JsonValue } from '../contract/json.ts';
import { REPLY_DEADLINE_SECONDS } from '../contract/limits.ts';
import { SIGNATURE_HEADER } from '../contract/signature.ts';
import { type ContractVersion, isThere, SINCE } from '../contract/versions.ts';

/** The schemas of all bodies, by their names in the OpenAPI document. */
const COMPONENTS: Readonly<Record<string, z.ZodType>> = {
  CreateNewGame: createNewGameSchema,
  CreateNewGameReply: createNewGameReplySchema,
  GameInfo: gameInfoSchema,
  Games: gamesReplySchema,
  CreateFreeRounds: createFreeRoundsSchema,
  CreateFreeRoundsReply: createFreeRoundsReplySchema,
  CancelFreeRounds: cancelFreeRoundsSchema,
  Campaign: campaignSchema,
  CoreError: coreErrorSchema,
  BetRequest: REQUEST_SCHEMAS.bet,
  WinRequest: REQUEST_SCHEMAS.win,
  RefundRequest: REQUEST_SCHEMAS.refund,
  BalanceReply: REPLY_SCHEMAS.balance,
  TransactionReply: REPLY_SCHEMAS.bet,
  ErrorReply: errorReplySchema,
  UnauthorizedReply: unauthorizedReplySchema,
};

/** The header with which an operator asks for a compressed list of games (contract, Endpoints). */
const ACCEPT_ENCODING: JsonObject = {
  name: 'Accept-Encoding',
  in: 'header',
  required: false,
  description: 'gzip: the reply is compressed. It is not part of the signature.',
  [SINCE]: '1.5.1',
  schema: { type: 'string' },
};

const CALLS: Readonly<Record<CallName, string>> = {
  balance:
    'Return the balance of the player. The service sends this call when a game loads, and whenever it needs the balance.',
  bet: `Take a bet. The service never sends a bet again. After a 500, or without a reply within ${REPLY_DEADLINE_SECONDS} seconds, it sends a refund.`,
  win: 'Credit the win of a round, which may be 0. The service sends the win again until it is answered 200.',
  refund: 'Give back a whole bet, if it was taken. The service sends the refund again until it is answered 200.',
};

/**
 * Returns the OpenAPI 3.1 document of the Core API, with the reverse calls as webhooks. The document is made from the same
 * schemas with which the service reads the requests. Leaves out the operations and fields that a later version of the contract
 * added.
 *
 * @param baseUrl the base URL of the Core API (`{base_url}`)
 */
export function openApiDocument(version: ContractVersion, baseUrl: string): JsonObject {
  const document: JsonObject = {
    openapi: '3.1.0',
    info: {
      title: 'Game platform: Core API and reverse calls',
      version,
      description:
        "The game service that croupier simulates. Operators call the paths. The service calls the webhooks at the operator: the address of a call is the client's base URL, a slash, and the name of the call.",
    },
    servers: [{ url: baseUrl }],
    paths: pathsOf(version),
    webhooks: Object.fromEntries(CALL_NAMES.map((call) => [call, webhookOf(call)])),
    components: {
      schemas: componentSchemas(version),
      securitySchemes: {
        apiKey: signatureScheme('the API key', 'the canonical JSON (RFC 8785) of the body'),
        integrationApiKey: signatureScheme(
          'the Integration API key',
          'the body, which is sent as canonical JSON (RFC 8785)',
        ),
      },
    },
  };
  return withoutLater(document, version);
}

function signatureScheme(key: string, body: string): JsonObject {
  return {
    type: 'apiKey',
    in: 'header',
    name: SIGNATURE_HEADER,
    description: `A lower-case hexadecimal HMAC-SHA256 with ${key}. For a GET, it is computed from the query parameters, written as canonical JSON (RFC 8785). For other methods, it is computed from ${body}.`,
  };
}

function pathsOf(version: ContractVersion): JsonObject {
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const [operationId, operation] of Object.entries<CoreOperation>(CORE_OPERATIONS)) {
    if (!isThere(operation.since, version)) continue;
    const { method, path, summary, errors } = operation;
    const item = paths[path] ?? {};
    paths[path] = item;
    item[method.toLowerCase()] = {
      operationId,
      summary,
      [SINCE]: operation.since,
      security: [{ apiKey: [] }],
      ...(method === 'GET'
        ? {
            parameters: [
              ...parametersOf(operation.request),
              ...(operation === CORE_OPERATIONS.games ? [ACCEPT_ENCODING] : []),
            ],
          }
        : { requestBody: { required: true, ...jsonContent(operation.request) } }),
      responses: {
        200: { description: 'Done.', ...jsonContent(operation.reply) },
        ...Object.fromEntries(
          Object.entries({ ...errors, 401: 'The signature is wrong or missing, or the caller is unknown.' }).map(
            ([status, description]) => [status, { description, ...jsonContent(coreErrorSchema) }],
          ),
        ),
        500: { description: 'The service failed.', ...jsonContent(coreErrorSchema) },
      },
    };
  }
  return paths;
}

function webhookOf(call: CallName): JsonObject {
  const request = REQUEST_SCHEMAS[call];
  return {
    [call === 'balance' ? 'get' : 'post']: {
      operationId: call,
      summary: CALLS[call],
      security: [{ integrationApiKey: [] }],
      ...(call === 'balance'
        ? { parameters: parametersOf(request) }
        : { requestBody: { required: true, ...jsonContent(request) } }),
      responses: {
        200: {
          description: 'The call was carried out. No other status is a success.',
          ...jsonContent(REPLY_SCHEMAS[call]),
        },
        401: {
          description: 'The signature is wrong or missing. The reply must contain a message.',
          ...jsonContent(unauthorizedReplySchema),
        },
        default: { description: 'An error.', ...jsonContent(errorReplySchema) },
      },
    },
  };
}

/**
 * Returns the content of a body, as a reference to its schema among the components.
 *
 * @throws RangeError for a schema that is not among the components
 */
function jsonContent(schema: z.ZodType): JsonObject {
  const name = Object.keys(COMPONENTS).find((one) => COMPONENTS[one] === schema);
  if (name === undefined) throw new RangeError('a body has no name; add its schema to COMPONENTS');
  return { content: { 'application/json': { schema: { $ref: refTo(name) } } } };
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns the parameters of a query. A list is written as one value with commas (`explode: false`). */
function parametersOf(query: z.ZodType): readonly JsonObject[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'output', override });
  return Object.entries(properties).map(([name, property]): JsonObject => {
    const { description = '', [SINCE]: since, ...schema } = asJson(property);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      ...(since !== undefined && { [SINCE]: since }),
      ...(schema.type === 'array' && { explode: false }),
      schema,
    };
  });
}

function componentSchemas(version: ContractVersion): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: refTo, metadata: z.globalRegistry, override });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _dialect, $id: _uri, ...rest } = asJson(schema);
      if (name !== 'CreateNewGame' || isThere('1.1.1', version) || !Array.isArray(rest.required)) return [name, rest];
      // The field `returnUrl` was required before version 1.1.1.
      return [name, { ...rest, required: [...rest.required, 'returnUrl'] }];
    }),
  );
}

/** Removes the pattern of a schema that has a format: the format already describes the same texts. */
function override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

/** Converts a schema to the type of a JSON object. Zod's type of a schema also allows values that are not JSON. */
function asJson(schema: unknown): JsonObject {
  return JSON.parse(JSON.stringify(schema));
}

/** Returns a copy without the parameters and fields that were added after the version. */
function withoutLater<T extends JsonValue>(value: T, version: ContractVersion): T;
function withoutLater(value: JsonValue, version: ContractVersion): JsonValue {
  if (isList(value)) return value.filter((item) => !isLater(item, version)).map((item) => withoutLater(item, version));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !isLater(member, version))
      .map(([name, member]) => [name, withoutLater(member, version)]),
  );
}

function isLater(value: JsonValue, version: ContractVersion): boolean {
  if (typeof value !== 'object' || value === null || isList(value)) return false;
  const since = value[SINCE];
  return typeof since === 'string' && !isThere(since, version);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
