import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/contract/json.ts';
import { CONTRACT_VERSION, type ContractVersion } from '../../src/contract/versions.ts';
import { openApiDocument } from '../../src/service/openapi.ts';
import { EU, get, launch, send, startCore } from './core-api/core-server.ts';

function documentOf(version: ContractVersion = CONTRACT_VERSION) {
  // JSON.parse removes the type, so that the test reads the document like a client that fetched it.
  return JSON.parse(JSON.stringify(openApiDocument(version, 'http://127.0.0.1:1/api/v1')));
}

it.each(['1.10.2', '1.8.0', '1.0.0'] as const)('the document of version %s is valid OpenAPI 3.1', async (version) => {
  const validator = new Validator();
  const result = await validator.validate(documentOf(version));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

it('the document contains every operation and call, with the key that signs it', () => {
  const { paths, webhooks, servers, info } = documentOf();
  expect(Object.entries(paths).map(([path, item]) => [path, Object.keys(item as object)])).toEqual([
    ['/create-new-game', ['post']],
    ['/games', ['get']],
    ['/free-rounds', ['get', 'post', 'delete']],
  ]);
  expect(Object.keys(webhooks)).toEqual(['balance', 'bet', 'win', 'refund']);
  expect(paths['/games'].get.security).toEqual([{ apiKey: [] }]);
  expect(webhooks.bet.post.security).toEqual([{ integrationApiKey: [] }]);
  expect(Object.keys(paths['/create-new-game'].post.responses)).toEqual(['200', '400', '401', '403', '500']);
  expect(servers).toEqual([{ url: 'http://127.0.0.1:1/api/v1' }]);
  expect(info.version).toBe('1.10.2');
});

it('the document describes lists and booleans in the query as lists and booleans', () => {
  const parameters: { name: string; schema: JsonObject }[] = documentOf().paths['/games'].get.parameters;
  const byName = Object.fromEntries(parameters.map((one) => [one.name, one]));
  expect(byName.excludeBetLines?.schema).toEqual({ type: 'boolean', default: false });
  expect(byName.currencyFilters).toMatchObject({
    explode: false,
    required: false,
    schema: { type: 'array', items: { enum: ['fiat', 'crypto', 'virtual'] } },
  });
});

it('the document says which fields depend on others, and what a 401 must have', () => {
  const document = documentOf();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const accepts = (schema: string, value: JsonObject): unknown =>
    ajv.validate({ $ref: `api#/components/schemas/${schema}` }, value);

  const wanted = { cID: 'c', extCID: 'e', currency: 'USD', locale: 'en_us' };
  expect(accepts('CreateNewGame', wanted)).toBe(false);
  expect(accepts('CreateNewGame', { ...wanted, demo: false })).toBe(false);
  expect(accepts('CreateNewGame', { ...wanted, demo: true })).toBe(true);
  expect(accepts('CreateNewGame', { ...wanted, user: { id: 'anna' }, sessionID: 's' })).toBe(true);

  const bet = { sessionID: 's', txID: 't', roundID: 'r', amount: '1', type: 'regular' };
  expect(accepts('BetRequest', bet)).toBe(true);
  expect(accepts('BetRequest', { ...bet, frID: 'f' })).toBe(false);
  expect(accepts('BetRequest', { ...bet, type: 'free' })).toBe(false);
  expect(accepts('BetRequest', { ...bet, type: 'free', frID: 'f' })).toBe(true);
  expect(accepts('WinRequest', { ...bet, type: 'free' })).toBe(false);
  expect(accepts('WinRequest', { ...bet, frID: 'f' })).toBe(true);

  const { $ref } = document.webhooks.bet.post.responses[401].content['application/json'].schema;
  expect($ref).toBe('#/components/schemas/UnauthorizedReply');
  expect(accepts('UnauthorizedReply', { code: 'signature' })).toBe(false);
  expect(accepts('UnauthorizedReply', { message: 'Wrong signature' })).toBe(true);
  expect(document.components.schemas.BetRequest.properties.txID.description).toContain('3 months');
  const names = document.paths['/games'].get.parameters.map((one: { name: string }) => one.name);
  expect(names).toContain('Accept-Encoding');
});

describe('the document of an earlier version', () => {
  it('has no operation, parameter or field of a later version', () => {
    const early = documentOf('1.1.0');
    expect(Object.keys(early.paths['/free-rounds'])).toEqual(['post', 'delete']);
    expect(early.paths['/games'].get.parameters.map((one: { name: string }) => one.name)).toEqual(['cID', 'extCID']);
    const { CreateNewGame, RefundRequest, GameInfo } = early.components.schemas;
    expect(CreateNewGame.properties).not.toHaveProperty('initDemoBalance');
    expect(CreateNewGame.required).toContain('returnUrl');
    expect(RefundRequest.properties).not.toHaveProperty('roundID');
    expect(GameInfo.properties.images.properties).not.toHaveProperty('horizontal_337x181');
    expect(documentOf('1.0.1').paths).not.toHaveProperty('/games');
    expect(documentOf('1.0.0').components.schemas.CoreError.properties).not.toHaveProperty('code');
  });

  it('is otherwise the same as the document of the newest version', () => {
    expect(documentOf('1.10.2').components.schemas.CreateNewGame.required).not.toContain('returnUrl');
    expect(documentOf('1.10.2').components.schemas.RefundRequest.properties).toHaveProperty('roundID');
  });
});

it('the document describes the replies of the Core API', async () => {
  const { url } = await startCore();
  const document = documentOf();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validatorOf = (name: string) =>
    ajv.compile({ components: document.components, $ref: `#/components/schemas/${name}` });
  const conforms = (name: string, value: unknown): void => {
    const validate = validatorOf(name);
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  };
  const caller = { cID: EU.cID, extCID: EU.extCID };
  const terms = { ...caller, extID: 'a', currency: 'USD', quantity: 1, betLine: 1, validFrom: '2026-01-01T00:00:00Z' };
  conforms('CreateNewGame', launch());
  conforms('CreateNewGameReply', (await send(`${url}/create-new-game`, 'POST', launch())).body);
  conforms('CoreError', (await send(`${url}/create-new-game`, 'POST', launch({ locale: 'en-US' }))).body);
  conforms('Games', (await get(`${url}/games`, caller)).body);
  conforms('CreateFreeRounds', terms);
  conforms('CreateFreeRoundsReply', (await send(`${url}/free-rounds`, 'POST', terms)).body);
  conforms('Campaign', (await get(`${url}/free-rounds`, { ...caller, extID: 'a' })).body);
  conforms('Campaign', (await send(`${url}/free-rounds`, 'DELETE', { ...caller, extID: 'a' })).body);
  expect(validatorOf('CreateNewGame')({ ...launch(), locale: 1 })).toBe(false);
});
