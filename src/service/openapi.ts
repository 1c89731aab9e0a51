import { z } from 'zod';
import { CALL_NAMES, type CallName } from '../contract/call-name.ts';
import { errorReplySchema, REPLY_SCHEMAS, REQUEST_SCHEMAS } from '../contract/calls.ts';
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

/** The bodies, by the names that they have in the document. */
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
};

const CALLS: Readonly<Record<CallName, string>> = {
  balance: 'Return the balance of the player. Sent when a game loads, and whenever the balance is needed.',
  bet: `Take a bet. It is never sent again; a 500, or no reply within ${REPLY_DEADLINE_SECONDS} seconds, is followed by a refund.`,
  win: 'Credit the win of a round, 0 included. Sent again until it is answered 200.',
  refund: 'Give back a whole bet, if it was taken. Sent again until it is answered 200.',
};

/**
 * The Core API as an OpenAPI 3.1 document, with the reverse calls as its webhooks, made from the schemas that read the
 * requests. It leaves out what later versions added.
 *
 * @param baseUrl `{base_url}`
 */
export function openApiDocument(version: ContractVersion, baseUrl: string): JsonObject {
  const document: JsonObject = {
    openapi: '3.1.0',
    info: {
      title: 'Game platform: Core API and reverse calls',
      version,
      description:
        "The service as croupier simulates it. An operator calls the paths. The service calls the webhooks at the operator: each at the client's base URL, followed by a slash and its name.",
    },
    servers: [{ url: baseUrl }],
    paths: pathsOf(version),
    webhooks: Object.fromEntries(CALL_NAMES.map((call) => [call, webhookOf(call)])),
    components: {
      schemas: componentSchemas(version),
      securitySchemes: {
        apiKey: signatureScheme('the API key', 'the body'),
        integrationApiKey: signatureScheme('the Integration API key', 'the body, which is sent in this form'),
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
    description: `The lower-case hexadecimal HMAC-SHA256, made with ${key}, of the RFC 8785 form of ${body}, or of a GET's query parameters.`,
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
        ? { parameters: parametersOf(operation.request) }
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
        200: { description: 'The only success.', ...jsonContent(REPLY_SCHEMAS[call]) },
        401: {
          description: 'The signature is wrong or missing. A message is required.',
          ...jsonContent(errorReplySchema),
        },
        default: { description: 'An error.', ...jsonContent(errorReplySchema) },
      },
    },
  };
}

/** @throws RangeError for a schema that is not among the components */
function jsonContent(schema: z.ZodType): JsonObject {
  const name = Object.keys(COMPONENTS).find((one) => COMPONENTS[one] === schema);
  if (name === undefined) throw new RangeError('a body without a name: add its schema to the components');
  return { content: { 'application/json': { schema: { $ref: refTo(name) } } } };
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Lists in a query are written with commas. */
function parametersOf(query: z.ZodType): JsonValue {
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
      // `returnUrl` was required before 1.1.1.
      return [name, { ...rest, required: [...rest.required, 'returnUrl'] }];
    }),
  );
}

/** A format makes the pattern unnecessary. */
function override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

/** The conversion returns JSON, though its type allows more. */
function asJson(schema: unknown): JsonObject {
  return JSON.parse(JSON.stringify(schema));
}

/** Without the parameters and fields that came after the version. */
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
