/** A call with its reply, as a program logs it. */
export interface LoggedCall {
  readonly number: number;
  /** The time of the request in ms since 1970. */
  readonly atMs: number;
  readonly name: 'balance' | 'bet' | 'win';
  readonly session: string;
  /** The JSON of the request; null for a balance call. */
  readonly request: string | null;
  readonly status: number;
  /** The JSON of the reply. */
  readonly reply: string;
}

const TOOK_MS = 20;

/** Writes a call as several programs do. Each function returns the lines of one call, without line ends. */
export const FORMATS = {
  /** One line of JSON with the texts of both bodies. */
  json: (call: LoggedCall) => [jsonOf(call)],
  /** pino-http: one line of JSON with the bodies as objects. */
  pino: ({ number, ...call }: LoggedCall) => [
    JSON.stringify({
      level: 30,
      time: call.atMs + TOOK_MS,
      pid: 1,
      hostname: 'wallet-6c9f7',
      req: { id: number, method: methodOf(call), url: targetOf(call), ...bodyOf(call.request) },
      res: { statusCode: call.status, headers: { 'content-type': 'application/json' }, ...bodyOf(call.reply) },
      responseTime: TOOK_MS,
      msg: 'request completed',
    }),
  ],
  /** fastify: four lines of JSON with the id of the request. */
  fastify: ({ number, ...call }: LoggedCall) => {
    const line = (afterMs: number, fields: object, msg: string): string =>
      JSON.stringify({
        level: 30,
        time: call.atMs + afterMs,
        pid: 1,
        hostname: 'wallet-6c9f7',
        reqId: `req-${number.toString(36)}`,
        ...fields,
        msg,
      });
    const asked = {
      method: methodOf(call),
      url: targetOf(call),
      host: 'wallet:3000',
      remoteAddress: '10.0.3.7',
      remotePort: 50_112,
    };
    return [
      line(0, { req: asked }, 'incoming request'),
      ...(call.request === null ? [] : [line(1, bodyOf(call.request), 'parsed body')]),
      line(TOOK_MS, { payload: call.reply }, 'response body'),
      line(TOOK_MS, { res: { statusCode: call.status }, responseTime: TOOK_MS + 0.2371 }, 'request completed'),
    ];
  },
  /** zap: one line of JSON with the query apart from the path. */
  zap: (call: LoggedCall) => [
    JSON.stringify({
      level: 'info',
      ts: (call.atMs + TOOK_MS) / 1000,
      caller: 'middleware/log.go:41',
      msg: 'handled request',
      method: methodOf(call),
      path: `/wallet/${call.name}`,
      query: call.request === null ? `sessionID=${call.session}` : '',
      status: call.status,
      latency: TOOK_MS / 1000,
      request_id: traceOf(call),
      request: call.request ?? '',
      response: call.reply,
    }),
  ],
  /** Serilog: three lines of text without an id. */
  serilog: (call: LoggedCall) => {
    const time = (afterMs: number): string =>
      `${new Date(call.atMs + afterMs).toISOString().replace('T', ' ').replace('Z', '')} +00:00 [INF]`;
    return [
      `${time(0)} Request ${methodOf(call)} ${targetOf(call)}${call.request === null ? '' : ` ${call.request}`}`,
      `${time(TOOK_MS)} Response ${call.status} ${call.reply}`,
      `${time(TOOK_MS)} HTTP ${methodOf(call)} /wallet/${call.name} responded ${call.status} in ${TOOK_MS}.4567 ms`,
    ];
  },
  /** Logback: two lines of text with the id of the request. */
  logback: (call: LoggedCall) => {
    const head = (afterMs: number): string =>
      `${new Date(call.atMs + afterMs).toISOString().replace('T', ' ').replace('.', ',').replace('Z', '')} INFO  [http-nio-8080-exec-${call.number % 20}] [traceId=${traceOf(call)}] c.e.w.WalletController -`;
    return [
      `${head(0)} Request: ${methodOf(call)} ${targetOf(call)}${call.request === null ? '' : ` body=${call.request}`}`,
      `${head(TOOK_MS)} Response: ${call.status} body=${call.reply}`,
    ];
  },
  /** `docker compose logs` of a program that writes one line of JSON. */
  docker: (call: LoggedCall) => [`wallet-1  | ${jsonOf(call)}`],
  /** The log driver `json-file` of Docker, for a program that writes one line of JSON. */
  'docker-json': (call: LoggedCall) => [
    JSON.stringify({
      log: `${jsonOf(call)}\n`,
      stream: 'stdout',
      time: `${new Date(call.atMs).toISOString().slice(0, -1)}456789Z`,
    }),
  ],
  /** nginx with the bodies in its format of lines. */
  nginx: (call: LoggedCall) => {
    const [, day, month, year, time] = new Date(call.atMs).toUTCString().split(' ');
    const body = (text: string | null): string => (text === null ? '-' : text.replaceAll('"', String.raw`\x22`));
    return [
      `10.0.3.7 - - [${day}/${month}/${year}:${time} +0000] "${methodOf(call)} ${targetOf(call)} HTTP/1.1" ${call.status} ${call.reply.length} "-" "GameService/3.1" rt=0.020 request_body="${body(call.request)}" response_body="${body(call.reply)}"`,
    ];
  },
  /** One line of text with both bodies. */
  text: (call: LoggedCall) => [
    `${new Date(call.atMs).toISOString()} INFO ${methodOf(call)} ${targetOf(call)}${call.request === null ? '' : ` ${call.request}`} -> ${call.status} ${call.reply} (${TOOK_MS} ms)`,
  ],
} as const satisfies Readonly<Record<string, (call: LoggedCall) => readonly string[]>>;

export type FormatName = keyof typeof FORMATS;

type Call = Omit<LoggedCall, 'number'>;

function jsonOf(call: Call): string {
  return JSON.stringify({
    time: call.atMs,
    method: methodOf(call),
    url: targetOf(call),
    ...(call.request !== null && { requestBody: call.request }),
    status: call.status,
    responseBody: call.reply,
    durationMs: TOOK_MS,
  });
}

function methodOf({ name }: Call): string {
  return name === 'balance' ? 'GET' : 'POST';
}

function targetOf({ name, session }: Call): string {
  return `/wallet/${name}${name === 'balance' ? `?sessionID=${session}` : ''}`;
}

function bodyOf(text: string | null): { readonly body?: unknown } {
  return text === null ? {} : { body: JSON.parse(text) as unknown };
}

function traceOf({ number }: LoggedCall): string {
  return `4bf92f3577b34da6a3ce${number.toString(16).padStart(12, '0')}`;
}
