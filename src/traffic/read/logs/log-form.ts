import { ACTION_TYPES } from '../../../contract/call-name.ts';
import { LOGGED_FIELDS, type LoggedField, type Side } from '../../logged-exchange.ts';
import type { Zone } from './time.ts';

/**
 * The fields of a log entry: the parts of an exchange, and the values that a log contains beside the body, for example the player.
 */
export const LOG_FIELDS = [
  'time',
  'method',
  'url',
  'status',
  'error',
  'tookMs',
  'tookSeconds',
  'took',
  'correlation',
  'requestBody',
  'responseBody',
  'contentType',
  ...LOGGED_FIELDS,
] as const;

export type LogField = (typeof LOG_FIELDS)[number];

/**
 * The settings for reading logs. A path is a name, or several names joined by dots. The first path with a value is
 * used.
 */
export interface LogForm {
  readonly zone: Zone;
  /**
   * The side that wrote the log; null for the default. By default, access logs and JSON lines are from the operator,
   * and all other formats from the service.
   */
  readonly side: Side | null;
  readonly fields: Readonly<Record<LogField, readonly string[]>>;
  /** True if no names are configured for a field, so that its usual names are used. */
  readonly isUsual: (field: LogField) => boolean;
  /** A regular expression for lines of text, with groups named after the fields; null if none is configured. */
  readonly pattern: LinePattern | null;
}

/** A compiled regular expression for lines of text. */
export interface LinePattern {
  /** Matches a line. Its groups are the fields of a call. */
  exec(line: string): { readonly groups?: Readonly<Record<string, string | undefined>> | undefined } | null;
}

/** The names that each field usually has in JSON logs. Programs in C# begin these names with a capital letter. */
const NAMES: Readonly<Record<LogField, readonly string[]>> = {
  time: [
    'StartUTC',
    'time',
    'timestamp',
    '@timestamp',
    'ts',
    'datetime',
    'date',
    'startedAt',
    'start_time',
    'time_local',
    'time_iso8601',
    'requestTime',
    'Timestamp',
    '@t',
    'asctime',
    'timeMillis',
    '_time',
    '__REALTIME_TIMESTAMP',
    'instant',
    'EdgeStartTimestamp',
    'eventTime',
    'Date',
    'msec',
    'createdAt',
    'created_at',
    'datetime_utc',
    'eventTimestamp',
    'logged_at',
    'loggedAt',
    'time.repr',
  ],
  method: [
    'method',
    'http_method',
    'request_method',
    'req.method',
    'request.method',
    'http.method',
    'http.request.method',
    'httpMethod',
    'requestMethod',
    'RequestMethod',
    'verb',
    'Method',
    'ClientRequestMethod',
    'CsMethod',
  ],
  url: [
    'url',
    'uri',
    'request_uri',
    'path',
    'req.url',
    'request.url',
    'request.uri',
    'request.path',
    'http.url',
    'url.full',
    'url.original',
    'url.path',
    'http.url_details.path',
    'resourcePath',
    'request',
    'requestUrl',
    'requestUri',
    'requestURI',
    'requestPath',
    'RequestPath',
    'request_url',
    'request_path',
    'rawPath',
    'Path',
    'ClientRequestURI',
    'CsUriStem',
    'http.target',
    'target',
  ],
  status: [
    'status',
    'statusCode',
    'status_code',
    'http_status',
    'response_status',
    'res.statusCode',
    'res.status',
    'response.status',
    'response.statusCode',
    'http.status_code',
    'http.response.status_code',
    'response_code',
    'responseCode',
    'responseStatus',
    'DownstreamStatus',
    'StatusCode',
    'EdgeResponseStatus',
    'ScStatus',
    'resultCode',
    'http.status',
    'httpStatus',
    'httpStatusCode',
    'http_status_code',
    'http_code',
    'responseStatusCode',
    'ResponseStatusCode',
    'response.status_code',
    'response.code',
    'res.code',
    'statuscode',
    'sc',
    'code',
  ],
  error: [
    'error',
    'err',
    'error.message',
    'err.message',
    'err.code',
    'errorMessage',
    'error_message',
    'exception',
    'exception.message',
    'exc',
    '@x',
    'exc_info',
    'stack_trace',
    'stackTrace',
  ],
  tookMs: [
    'tookMs',
    'durationMs',
    'duration_ms',
    'latency_ms',
    'latencyMs',
    'elapsed_ms',
    'responseTime',
    'response_time_ms',
    'responseTimeMs',
    'elapsedMs',
    'elapsed_time',
    'ElapsedMilliseconds',
    'Elapsed',
    'time_taken_ms',
    'ElapsedMs',
    'TimeTaken',
    'took_ms',
    'time_ms',
    'timeMs',
    'dur_ms',
    'durationMillis',
    'elapsedMillis',
  ],
  tookSeconds: ['request_time', 'duration_s', 'latency_s', 'elapsed_s', 'upstream_response_time'],
  took: ['duration', 'latency', 'elapsed', 'took', 'responseTime', 'response_time', 'dur'],
  correlation: [
    'correlation',
    'correlationId',
    'correlationID',
    'correlation_id',
    'requestId',
    'requestID',
    'request_id',
    'reqId',
    'req_id',
    'req.id',
    'traceId',
    'trace_id',
    'trace.id',
    'TraceId',
    'RequestId',
    '@tr',
  ],
  requestBody: [
    'requestBody',
    'request_body',
    'RequestBody',
    'req.body',
    'request.body',
    'http.request.body.content',
    'http.request.body',
    'body',
    'payload',
    'request',
    'req_body',
    'reqBody',
    'body_in',
    'Request',
  ],
  responseBody: [
    'responseBody',
    'response_body',
    'ResponseBody',
    'res.body',
    'response.body',
    'http.response.body.content',
    'http.response.body',
    'resp_body',
    'reply',
    'response',
    'respBody',
    'res_body',
    'resBody',
    'body_out',
    'Response',
  ],
  contentType: ['contentType', 'content_type', 'response.headers.content-type', 'res.headers.content-type'],
  call: ['call', 'action', 'operation', 'endpoint', 'op', 'event', 'evt', 'transactionType', 'txType', 'type'],
  session: ['sessionID', 'sessionId', 'session_id', 'session'],
  tx: ['txID', 'txId', 'tx_id', 'transactionID', 'transactionId', 'transaction_id'],
  origTx: ['origTxID', 'origTxId', 'orig_tx_id', 'originalTxID', 'originalTxId', 'original_tx_id'],
  round: ['roundID', 'roundId', 'round_id', 'round'],
  amount: ['amount'],
  type: ['type'],
  frID: ['frID', 'frId', 'fr_id'],
  player: ['player', 'playerID', 'playerId', 'player_id', 'userID', 'userId', 'user_id', 'user.id', 'usr.id'],
  currency: ['currency'],
  balance: ['balance', 'balanceAfter', 'balance_after', 'newBalance', 'new_balance', 'replyBalance', 'reply_balance'],
  replyTx: ['operatorTxID', 'operatorTxId', 'operator_tx_id', 'replyTxID'],
  code: ['errorCode', 'error_code', 'code'],
  signature: [
    'signature',
    'x-request-sign',
    'X-REQUEST-SIGN',
    'headers.x-request-sign',
    'headers.X-REQUEST-SIGN',
    'req.headers.x-request-sign',
    'req.headers.X-REQUEST-SIGN',
    'request.headers.x-request-sign',
    'request.headers.X-REQUEST-SIGN',
    'request_headers.x-request-sign',
    'http_x_request_sign',
  ],
};

/** The names of {@link NAMES}, and after them the same names with a capital letter. */
const USUAL: Readonly<Record<LogField, readonly string[]>> = withCapitals(NAMES);

function withCapitals(
  names: Readonly<Record<LogField, readonly string[]>>,
): Readonly<Record<LogField, readonly string[]>> {
  const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const both = (list: readonly string[]): readonly string[] => [
    ...new Set([...list, ...list.filter((name) => /^[a-z]+$/i.test(name)).map(capital)]),
  ];
  return Object.fromEntries(LOG_FIELDS.map((field) => [field, both(names[field])])) as Record<
    LogField,
    readonly string[]
  >;
}

/** The names that are configured for some fields. */
type NamedFields = Readonly<Partial<Record<LogField, string | readonly string[]>>>;

/** Returns a log form with the configured values. A configured name replaces the usual names of its field. */
export function logForm(
  given: {
    readonly zone?: Zone | undefined;
    readonly side?: Side | undefined;
    readonly fields?: NamedFields | undefined;
    readonly pattern?: LinePattern | undefined;
  } = {},
): LogForm {
  const fields = namedFields(given.fields ?? {});
  return {
    zone: given.zone ?? 0,
    side: given.side ?? null,
    fields,
    isUsual: (field) => given.fields?.[field] === undefined,
    pattern: given.pattern ?? null,
  };
}

/**
 * Returns the names of each field. All forms with only the usual names share one object. So the values of an entry are found only
 * once for all these forms.
 */
function namedFields(given: NamedFields): LogForm['fields'] {
  if (Object.values(given).every((named) => named === undefined)) return USUAL;
  return Object.fromEntries(
    LOG_FIELDS.map((field) => {
      const named = given[field];
      // If a name is configured for a field, the usual names are not tried. Otherwise a field with another meaning could be read by
      // accident.
      return [field, named === undefined ? USUAL[field] : [named].flat()];
    }),
  ) as Record<LogField, readonly string[]>;
}

/** Reads the values that a log contains beside the body, for example the player. Values that are absent or empty are left out. */
export function loggedOf(read: (field: LogField) => string | undefined): Partial<Record<LoggedField, string>> {
  const logged: Partial<Record<LoggedField, string>> = {};
  for (const field of LOGGED_FIELDS) {
    const value = read(field);
    // In many log entries, a field `type` is not the type of a transaction. So its value counts only if it is such a type.
    if (field === 'type' && !ACTION_TYPES.some((type) => type === value)) continue;
    if (value !== undefined && value !== '' && value !== '-') logged[field] = value;
  }
  return logged;
}
