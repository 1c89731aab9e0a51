import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { RULES } from '../../contract/catalogue.ts';
import { CURRENCY_CODE, codeProblem } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { RULE_GROUPS } from '../../contract/rule.ts';
import { SESSION_STATES } from '../../contract/session-state.ts';
import { CONTRACT_VERSION, contractVersion } from '../../contract/versions.ts';
import { readDuration } from '../../scenario/duration.ts';
import { SIDES } from '../../traffic/logged-exchange.ts';
import { LOG_FIELDS } from '../../traffic/read/logs/log-form.ts';
import { decimalsProblem } from './decimals.ts';
import { LABEL_NAME } from './label-name.ts';
import { notifySchema } from './notify-schema.ts';

/**
 * The values that settings have if no flag, no variable and no file sets them. The deadline comes from the section "Limits" of the
 * contract.
 */
export const DEFAULTS = { deadline: `${REPLY_DEADLINE_SECONDS}s`, linger: '2s', workers: 10, maxAtOnce: 64 } as const;

/** The names that `require` accepts. */
const REQUIRABLE: readonly string[] = [...RULE_GROUPS, ...RULES.map(({ id }) => id)];

const MONEY = /^(0|[1-9]\d*)(\.\d+)?$/;

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:');
}

const text = z.string().min(1, 'must not be empty');
const httpUrl = z.string().refine(isHttpUrl, 'must be an http or https URL, such as https://wallet.example/eu');
const DURATION_WANTED = 'must be a duration with its unit: 300ms, 2s or 1m';
const duration = z
  .string(DURATION_WANTED)
  .refine((value) => readDuration(value) !== undefined, DURATION_WANTED)
  .meta({ pattern: '^\\d+(\\.\\d+)?(ms|s|m)$' });
const count = z.int().min(1, 'must be 1 or more');
const money = z.string().regex(MONEY, 'must be an amount in quotes, such as "1.00"');
const currencyCode = z.string().regex(CURRENCY_CODE, 'must be the code of a currency');
const path = z.string().regex(/^\//, 'must begin with /');

const keyText = z.union([
  text,
  z.strictObject({ file: text.describe('The path of a file that contains only the key.') }),
]);
const KEY_VALUE = 'Write ${NAME} for an environment variable, or { file: … }. A key in plain text gives a warning.';

/** The schema of one session, in the configuration and in the output of `sessionsFrom`. */
export const sessionSchema = z.strictObject({
  sessionID: text.describe('The id that the operator gave to the session. Every reverse call contains it.'),
  player: text
    .optional()
    .describe(
      'The player of the session. Sessions of one player share a wallet. With two players, croupier tests more rules and runs scenarios in parallel. Default: unknown, so the session counts as a separate wallet.',
    ),
  currency: text
    .regex(CURRENCY_CODE, 'must be the code of a currency, such as EUR or mBTC')
    .optional()
    .describe(
      'The code of the currency, such as EUR or mBTC. Capital and small letters matter. The currency decides the stake and the number of decimals. Default: unknown, so croupier skips scenarios that need a certain currency.',
    ),
  gameID: text
    .optional()
    .describe('The id of the game. With sessions of two games, croupier tests more rules. Default: unknown.'),
  state: z
    .enum(SESSION_STATES)
    .optional()
    .describe('active: the session is open. expired: the operator has ended the session. Default: active.'),
});

const tls = z.strictObject({
  ca: text
    .optional()
    .describe('The path of a certificate authority (PEM) that is trusted in addition to the usual ones.'),
  cert: text.optional().describe('The path of the client certificate (PEM) that croupier sends.'),
  key: text.optional().describe('The path of the private key (PEM) of the client certificate.'),
  insecure: z
    .boolean()
    .optional()
    .describe(
      'true: croupier does not check the certificate of the operator, and every report warns about that. Default: false.',
    ),
});

const sessionsFrom = z.union([
  z.strictObject({
    command: z
      .array(text)
      .min(1)
      .describe('A program and its arguments. The program runs in the folder of the configuration.'),
  }),
  z.strictObject({
    url: httpUrl.describe(
      'A URL of the operator. A request to this URL opens sessions, or launches games with --launches.',
    ),
    method: z.enum(['GET', 'POST']).optional().describe('The HTTP method of the request. Default: GET.'),
    headers: z.record(z.string(), z.string()).optional().describe('The headers of the request.'),
    body: text.optional().describe('The body of the request, which is sent unchanged.'),
  }),
]);

/** Adds an issue if a text can't be the code of a currency, or if only its letter case is wrong. */
function refuseWrongCode(code: string, context: z.RefinementCtx): void {
  const message = codeProblem(code);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
}

const client = z.strictObject({
  extCID: text.describe('The external client id. No other client of the service has the same id.'),
  integratorBaseUrl: httpUrl.describe(
    'The base URL of the operator for reverse calls. croupier adds the path of each call to this URL, for example …/eu/bet.',
  ),
  integrationApiKey: keyText.describe(`The key that signs the reverse calls. ${KEY_VALUE}`),
  cID: text
    .optional()
    .describe(
      'The id of the client at the service, for calls to the Core API. The simulated Core API accepts any value that you invent. Only `serve core-api`, `serve all --config` and `run --launches` need it.',
    ),
  apiKey: keyText
    .optional()
    .describe(
      `The API key, which signs calls to the Core API. The simulated Core API accepts any key that you invent. ${KEY_VALUE}`,
    ),
  paths: z
    .strictObject({
      balance: path.optional().describe('The path of the balance call. Default: /balance.'),
      bet: path.optional().describe('The path of the bet call. Default: /bet.'),
      win: path.optional().describe('The path of the win call. Default: /win.'),
      refund: path.optional().describe('The path of the refund call. Default: /refund.'),
    })
    .optional()
    .describe('The paths of the calls, if they differ from /balance, /bet, /win and /refund.'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('Additional headers of each call, for example for a staging gateway.'),
  games: z
    .array(text)
    .optional()
    .describe(
      'The ids of the games that the client may list and launch at the simulated Core API. Default: all games. This setting does not affect `sessions`.',
    ),
  currencies: z
    .array(text.superRefine(refuseWrongCode))
    .optional()
    .describe(
      'The codes of the currencies that the client may use at the simulated Core API. Default: all currencies. This setting does not affect `sessions`.',
    ),
  blocked: z
    .boolean()
    .optional()
    .describe(
      'true: the simulated Core API answers every launch of the client with 403 account_blocked. Default: false.',
    ),
  blockedUsers: z
    .array(text)
    .optional()
    .describe(
      'The `user.id`s of blocked players. The simulated Core API answers their launches with 403 account_blocked. Default: none.',
    ),
  sessions: z
    .array(sessionSchema)
    .min(1, 'needs at least one session')
    .optional()
    .describe(
      'Sessions that the operator has opened for the test. You can leave this out if you use sessionsFrom or --launches.',
    ),
  sessionsFrom: sessionsFrom
    .optional()
    .describe(
      'A program or a URL that opens sessions at the start of each run, and returns a JSON list with the same fields as `sessions`. With --launches, it makes the operator launch games instead, and croupier ignores what it returns.',
    ),
  tls: tls
    .optional()
    .describe('TLS settings for this client, used instead of the top-level `tls`. Default: the top-level `tls`.'),
  proxy: httpUrl
    .optional()
    .describe('The HTTP proxy for this client, used instead of the top-level `proxy`. Default: the top-level `proxy`.'),
  contract: z
    .string()
    .refine((text) => contractVersion(text) !== undefined, {
      error: `must be a version of the contract, from 1.0.0 to ${CONTRACT_VERSION}`,
    })
    .optional()
    .describe(
      `The version of the contract that the integration follows. croupier does not use fields or rules that a later version added. Default: the latest version, ${CONTRACT_VERSION}.`,
    ),
  production: z
    .boolean()
    .optional()
    .describe(
      'true: the wallet holds money of real players, so a command that moves money needs --production. false: the wallet is a test environment. Default: croupier guesses from the address.',
    ),
  hostOverride: text
    .optional()
    .describe(
      'The host or host:port that croupier connects to, in place of the host in the URL. Default: the host in the URL.',
    ),
});

const budget = z.strictObject({
  p95: duration.describe('The maximum time for 95 of 100 replies.'),
  fail: z.boolean().optional().describe('true: slower replies fail the run. Default: false.'),
});

const LABEL_NAME_WANTED = 'must be a name of letters, digits, dots, - and _, such as build';

const labelSource = z.union([
  z.strictObject({
    command: z
      .array(text)
      .min(1)
      .describe(
        'A program and its arguments. The program runs in the folder of the configuration at the start of each run, and its output is the label.',
      ),
  }),
  z.strictObject({
    header: text.describe("The name of a header of the operator's replies. The value of the header is the label."),
  }),
]);

const fieldPath = z.union([text, z.array(text).min(1)]);

const logs = z.strictObject({
  zone: text
    .optional()
    .describe('The time zone of times that are logged without a zone, such as Europe/Berlin or +01:00. Default: UTC.'),
  side: z
    .enum(SIDES)
    .optional()
    .describe(
      'The side that wrote the logs. Default: the operator for access logs and JSON lines, the service for all other formats.',
    ),
  fields: z
    .partialRecord(z.enum(LOG_FIELDS), fieldPath)
    .optional()
    .describe(
      'Where each field of a call is in JSON lines: a name, a path such as user.session, or a list of names and paths.',
    ),
  pattern: text
    .optional()
    .describe(
      'A regular expression for log lines that are plain text. Each named group gives a field of a call, for example (?<session>…).',
    ),
});

/** The schema of croupier.yaml. Editors show the description of each key. */
export const configSchema = z
  .strictObject({
    clients: z
      .array(client)
      .min(1, 'needs at least one client')
      .superRefine((clients, context) => {
        for (const [index, { extCID }] of clients.entries()) {
          if (clients.findIndex((one) => one.extCID === extCID) === index) continue;
          context.addIssue({
            code: 'custom',
            path: [index, 'extCID'],
            message:
              'must differ from the extCID of every other client, because reports and --client use it as the name of the client',
          });
        }
      })
      .optional()
      .describe('The clients to test: one entry for each ExtCID.'),
    freeRounds: z
      .strictObject({ frID: text.describe('The id of a free-rounds campaign that the operator knows.') })
      .optional()
      .describe(
        'The free-rounds campaign for free bets. Default: croupier invents an frID, which the operator may refuse.',
      ),
    stakes: z
      .record(currencyCode, money)
      .optional()
      .describe(
        'The stake of a bet, by currency, for example { USD: "1.00" }. Default: 1, or a usual amount of the currency, such as 100 in JPY.',
      ),
    decimals: z
      .record(currencyCode, z.int('must be a whole number'))
      .superRefine((numbers, context) => {
        for (const [code, number] of Object.entries(numbers)) {
          const message = decimalsProblem(code, number);
          if (message !== undefined) context.addIssue({ code: 'custom', path: [code], message });
        }
      })
      .optional()
      .describe(
        "The number of decimals of a wallet's amounts, by currency, for example { USDT: 6, mBCH: 5 }. For fiat currencies, the contract defines this number. Default: as many decimals as the operator's balances show.",
      ),
    scenarios: z
      .array(text)
      .optional()
      .describe(
        'Folders or files with your own scenarios. croupier runs them in addition to the built-in scenarios. Default: only the built-in scenarios.',
      ),
    require: z
      .array(z.enum(REQUIRABLE))
      .optional()
      .describe(
        'Groups and rules that a run must decide, as with --require. If you select scenarios, the run must decide only those rules that these scenarios test. Default: none.',
      ),
    deadline: duration
      .optional()
      .describe(`Maximum time for a reply, as in the contract. Default: ${DEFAULTS.deadline}.`),
    linger: duration.optional().describe(`Time to wait for a late debit. Default: ${DEFAULTS.linger}.`),
    budget: z
      .partialRecord(z.enum(CALL_NAMES), z.union([duration, budget]))
      .optional()
      .describe(
        'For each kind of call: 95 of 100 replies must arrive within this time, for example { bet: 800ms }. Slower replies give a warning. With { bet: { p95: 800ms, fail: true } }, slower replies fail the run. Default: no limit.',
      ),
    labels: z
      .record(z.string().regex(LABEL_NAME, LABEL_NAME_WANTED), z.union([text, labelSource]))
      .optional()
      .describe(
        'Labels of each run, such as the build of the operator, for example { build: { header: X-Build } }. Journals and reports show them. --label overrides a label. Default: none.',
      ),
    workers: count
      .optional()
      .describe(
        `Maximum number of scenarios that run in parallel. Each of these scenarios needs its own player. Default: ${DEFAULTS.workers}.`,
      ),
    rate: z
      .number()
      .positive('must be more than 0')
      .optional()
      .describe('Maximum number of calls per second: a number above 0, such as 45 or 0.5. Default: no limit.'),
    lock: z
      .strictObject({
        folder: text
          .optional()
          .describe(
            'The folder of the lock files, relative to this file. If several machines or users test with the same players, name a folder in which all of them can write files. Default: the folder croupier/locks in ~/.local/state, on Windows in %LOCALAPPDATA%.',
          ),
        wait: duration
          .optional()
          .describe('Time to wait for a player that another command uses. 0s: croupier does not wait. Default: 10m.'),
      })
      .optional()
      .describe(
        'The settings of the locks. A lock makes sure that only one command at a time uses a player. Default: the defaults of `wait` and `folder`.',
      ),
    history: z
      .strictObject({
        runs: count.optional().describe('Maximum number of runs of one client at one operator. Default: 1000.'),
        days: count.optional().describe('Maximum age of a run, in days. Default: 400.'),
        journals: count
          .optional()
          .describe(
            'Number of the latest runs whose compressed journals are kept. The journals of the latest 10 runs of each client at an operator are always kept. Default: 100.',
          ),
      })
      .optional()
      .describe(
        'The limits of the history in the working directory. Runs that `croupier history pin` marks are always kept. Default: the defaults of the three keys below.',
      ),
    maxAtOnce: count
      .optional()
      .describe(`Maximum number of calls that are in progress at the same time. Default: ${DEFAULTS.maxAtOnce}.`),
    largeAmounts: z
      .boolean()
      .optional()
      .describe(
        'true: croupier also tests very large amounts: more than 2^53 times the smallest amount of the currency. croupier pays these amounts with wins, and takes them back with bets. Default: false.',
      ),
    credit: z
      .boolean()
      .optional()
      .describe(
        'true: accounts have a credit line, so a wallet may accept bets above the balance. croupier then judges only the bets that the wallet declines. Default: false.',
      ),
    strict: z.boolean().optional().describe('true: a breach of a SHOULD rule also fails the run. Default: false.'),
    notify: notifySchema
      .optional()
      .describe(
        'The addresses that get the result of each run, for example [{ kind: slack, url: "${SLACK_URL}" }]. Default: none.',
      ),
    trace: z
      .boolean()
      .optional()
      .describe(
        'true: every call of `run`, `load` and `call` has a `traceparent` header, so that you find the call in your tracing system. Default: false.',
      ),
    tls: tls
      .optional()
      .describe(
        'TLS settings for every client. Default: the usual certificate authorities, and no client certificate.',
      ),
    proxy: httpUrl.optional().describe('The URL of an HTTP proxy for every call. Default: no proxy.'),
    logs: logs.optional().describe('Settings with which `incident`, `replay` and `capsule` read logs.'),
  })
  .meta({ title: 'croupier.yaml', description: 'The operators that croupier tests, and the settings of the tests.' });

/** The keys of one client in croupier.yaml, each with its schema. */
export const CLIENT_KEYS: Readonly<Record<string, z.ZodType>> = client.shape;

/** The keys of croupier.yaml, each with its schema. */
export const CONFIG_KEYS: Readonly<Record<string, z.ZodType>> = configSchema.shape;

export type Config = z.infer<typeof configSchema>;
export type ClientConfig = NonNullable<Config['clients']>[number];
