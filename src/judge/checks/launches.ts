import { codeProblem, currencyByCode } from '../../contract/currencies.ts';
import type { JsonObject } from '../../contract/json.ts';
import { DAY_MS, MAX_CAMPAIGN_DAYS } from '../../contract/limits.ts';
import { hasLocaleForm, isLocale } from '../../contract/locales.ts';
import type { LaunchRequest } from '../../journal/launch.ts';
import { breach, type Decision, PASS } from '../decision.ts';

/** The rules that are judged only by the requests of the operator's backend to the Core API. */
type LaunchRule = `launch.${'request' | 'locale' | 'currency' | 'campaign' | 'games-gzip'}`;

/** The decision about one rule by one request. */
export interface LaunchDecision {
  readonly rule: LaunchRule;
  readonly decision: Decision;
}

/** Judges all requests of the operator's backend to the Core API. Returns no decision for a rule that no request tests. */
export function judgeLaunches(requests: readonly LaunchRequest[]): readonly LaunchDecision[] {
  return requests.flatMap(decisionsOf);
}

function decisionsOf(request: LaunchRequest): readonly LaunchDecision[] {
  switch (request.operation) {
    case 'createNewGame':
      return launch(request);
    case 'games':
      return [{ rule: 'launch.games-gzip', decision: gzip(request) }];
    case 'createFreeRounds':
      return request.fields ? [{ rule: 'launch.campaign', decision: campaign(request.fields, request) }] : [];
    case 'freeRounds':
    case 'cancelFreeRounds':
      return [];
  }
}

function launch(request: LaunchRequest): LaunchDecision[] {
  const { fields } = request;
  const decisions: LaunchDecision[] = [{ rule: 'launch.request', decision: fieldsOf(request) }];
  if (typeof fields?.locale === 'string')
    decisions.push({ rule: 'launch.locale', decision: locale(fields.locale, fields, request) });
  if (typeof fields?.currency === 'string')
    decisions.push({ rule: 'launch.currency', decision: currency(fields.currency, request) });
  return decisions;
}

function fieldsOf(request: LaunchRequest): Decision {
  const { fields, diagnostics, status, code, message = 'the request was refused' } = request;
  if (status === 401)
    return breach('POST /create-new-game is signed correctly', `${describeRequest(request)}: ${message}`);
  const expected = 'POST /create-new-game has every required field, each with the right type';
  if (!fields) return breach(expected, `${describeRequest(request)}: its body could not be read as JSON`);
  if (diagnostics.length > 0) {
    const wrong = diagnostics.map(({ field, message }) => `${field || 'the body'}: ${message}`);
    return breach(expected, `${describeRequest(request)}: ${wrong.join('; ')}`);
  }
  if (status === 400 && !OF_OTHER_RULES.includes(code))
    return breach(expected, `${describeRequest(request)}: ${message}`);
  const tolerated = toleratedIn(fields);
  return tolerated.length === 0
    ? PASS
    : {
        kind: 'warn',
        expected,
        actual: `${describeRequest(request)}: ${tolerated.join('; ')}`,
        why: 'earlier published versions of the contract accept it',
      };
}

/** The codes of refusals that `launch.locale` and `launch.currency` judge. */
const OF_OTHER_RULES: readonly (string | undefined)[] = ['locale_not_supported', 'currency_not_supported'];

/** Returns the faults that give only a warning. Earlier published versions of the contract allow them. */
function toleratedIn(fields: JsonObject): string[] {
  const missing = ['sessionID', 'user'].filter((name) => fields.demo === true && fields[name] === undefined);
  return [
    ...missing.map((name) => `${name} is missing, which is accepted only in demo mode`),
    ...(typeof fields.initDemoBalance === 'string' ? ['initDemoBalance is text, not a number'] : []),
  ];
}

function locale(asked: string, fields: JsonObject, request: LaunchRequest): Decision {
  if (isLocale(asked) || fields.fallbackToDefaultLocale === true) return PASS;
  const actual = `${describeRequest(request)}: its locale is ${JSON.stringify(asked)}`;
  if (hasLocaleForm(asked)) return { kind: 'note', actual: `${actual}, which croupier does not know` };
  return breach(
    'the locale of a launch has the form of the contract, such as en_us or es, or fallbackToDefaultLocale is true',
    `${actual}${/[A-Z-]/.test(asked) ? ', but a locale is written in lower case with an underscore' : ''}`,
  );
}

function currency(asked: string, request: LaunchRequest): Decision {
  const actual = `${describeRequest(request)}: its currency is ${JSON.stringify(asked)}`;
  // The service decides whether the client may use the currency. If not, it answers with this code.
  if (codeProblem(asked) !== undefined || request.code === 'currency_not_supported')
    return breach('the currency of a launch is one of the service, written as the contract writes it', actual);
  return currencyByCode(asked) ? PASS : { kind: 'note', actual: `${actual}, which croupier does not know` };
}

function campaign({ validFrom, validUntil }: JsonObject, request: LaunchRequest): Decision {
  if (validUntil === undefined) return PASS;
  const expected = `a campaign with validUntil lasts at most ${MAX_CAMPAIGN_DAYS} days`;
  const from = typeof validFrom === 'string' ? Date.parse(validFrom) : Number.NaN;
  const until = typeof validUntil === 'string' ? Date.parse(validUntil) : Number.NaN;
  if (Number.isNaN(from) || Number.isNaN(until))
    return breach(
      expected,
      `${describeRequest(request)}: validFrom and validUntil are not both dates with a time and an offset`,
    );
  const days = (until - from) / DAY_MS;
  if (days <= MAX_CAMPAIGN_DAYS) return PASS;
  return breach(expected, `${describeRequest(request)}: it lasts ${Math.round(days * 100) / 100} days`);
}

function gzip(request: LaunchRequest): Decision {
  const accepted = request.headers
    .filter(([name]) => name.toLowerCase() === 'accept-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((one) => one.trim());
  const asks = accepted.some((one) => /^(gzip|x-gzip|\*)\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/.test(one));
  if (asks) return PASS;
  const said =
    accepted.length === 0 ? 'the request has no Accept-Encoding' : `its Accept-Encoding is ${accepted.join(', ')}`;
  return breach('GET /games asks for gzip', `${describeRequest(request)}: ${said}`);
}

const PATHS: Readonly<Record<LaunchRequest['operation'], string>> = {
  createNewGame: 'POST /create-new-game',
  games: 'GET /games',
  freeRounds: 'GET /free-rounds',
  createFreeRounds: 'POST /free-rounds',
  cancelFreeRounds: 'DELETE /free-rounds',
};

function describeRequest({ operation, at, status }: LaunchRequest): string {
  return `${PATHS[operation]} at ${new Date(at).toISOString()}, answered ${status}`;
}
