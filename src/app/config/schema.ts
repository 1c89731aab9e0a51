import { z } from 'zod';
import { CALL_NAMES } from '../../contract/call-name.ts';
import { currencyByCode } from '../../contract/currencies.ts';
import { REPLY_DEADLINE_SECONDS } from '../../contract/limits.ts';
import { SESSION_STATES } from '../../contract/session-state.ts';
import { CONTRACT_VERSION, contractVersion } from '../../contract/versions.ts';
import { readDuration } from '../../scenario/duration.ts';
import { SIDES } from '../../traffic/logged-exchange.ts';
import { LOG_FIELDS } from '../../traffic/read/logs/log-form.ts';

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
const path = z.string().regex(/^\//, 'must begin with /');

const secret = z
  .union([text, z.strictObject({ file: text.describe('A file that holds nothing but the key.') })])
  .describe('A secret: ${NAME} of the environment, or { file: … }. A literal key works, with a warning.');

/** The schema of one session, in the configuration and in the output of `sessionsFrom`. */
export const sessionSchema = z.strictObject({
  sessionID: text.describe("The operator's session reference, as every reverse call carries it."),
  player: text
    .optional()
    .describe(
      'Who plays. Sessions of one player share a wallet; with two players, more rules are tested, and in parallel.',
    ),
  currency: text
    .refine((code) => currencyByCode(code) !== undefined, 'must be the code of a currency of the service, such as EUR')
    .optional()
    .describe('The code of the currency. Stakes and decimals follow from it.'),
  gameID: text.optional().describe('Which game the session is for. With sessions of two games, more rules are tested.'),
  state: z.enum(SESSION_STATES).optional().describe('expired: the operator has ended it. active when left out.'),
});

const tls = z.strictObject({
  ca: text.optional().describe('File: a certificate authority to trust in addition to the usual ones (PEM).'),
  cert: text.optional().describe('File: the certificate that croupier shows (PEM).'),
  key: text.optional().describe('File: the private key of that certificate (PEM).'),
  insecure: z
    .boolean()
    .optional()
    .describe('true: the certificate of the operator is not checked. Every report warns about it.'),
});

const sessionsFrom = z
  .union([
    z.strictObject({
      command: z.array(text).min(1).describe('A program and its arguments, run where the configuration lies.'),
    }),
    z.strictObject({
      url: httpUrl.describe("An address of the operator's that opens sessions, or launches games for a test."),
      method: z.enum(['GET', 'POST']).optional().describe('GET when left out.'),
      headers: z.record(z.string(), z.string()).optional(),
      body: text.optional().describe('Sent as it is.'),
    }),
  ])
  .describe(
    'Where sessions come from at the beginning of each run: what is printed or answered is a JSON list of sessions, like `sessions`. With --launches it makes the operator launch games, and its answer is ignored.',
  );

const client = z.strictObject({
  extCID: text.describe('The external client id, unique across all integrations.'),
  integratorBaseUrl: httpUrl.describe("Base URL of the reverse calls; a call's path is appended: …/eu/bet"),
  integrationApiKey: secret,
  cID: text.optional().describe("The client id on the service's side, for calls to the Core API."),
  apiKey: secret.optional(),
  paths: z
    .strictObject({ balance: path.optional(), bet: path.optional(), win: path.optional(), refund: path.optional() })
    .optional()
    .describe('Where endpoints differ from /balance, /bet, /win and /refund.'),
  headers: z.record(z.string(), z.string()).optional().describe('Further headers, as a staging gateway may want them.'),
  sessions: z
    .array(sessionSchema)
    .min(1, 'needs one session at least')
    .optional()
    .describe('Sessions that are open for the test. Not needed with sessionsFrom or --launches.'),
  sessionsFrom: sessionsFrom.optional(),
  tls: tls.optional().describe('For this client instead of what holds for all.'),
  proxy: httpUrl.optional().describe('For this client instead of what holds for all.'),
  contract: z
    .string()
    .refine((text) => contractVersion(text) !== undefined, {
      error: `must be a version of the contract, from 1.0.0 to ${CONTRACT_VERSION}`,
    })
    .optional()
    .describe(
      'The version of the contract that the integration was made by. Later additions are neither sent nor judged.',
    ),
  production: z
    .boolean()
    .optional()
    .describe(
      "true: real players' money is there, and whatever moves money asks for --production. false: it is a test environment. Decided by the address when left out.",
    ),
  hostOverride: text.optional().describe('Connect to this host or host:port, though the URL names another.'),
});

const fieldPath = z.union([text, z.array(text).min(1)]);

const logs = z.strictObject({
  zone: text.optional().describe('Of times that name none: Europe/Berlin or +01:00. UTC when left out.'),
  side: z.enum(SIDES).optional().describe('Whose logs they are.'),
  fields: z
    .partialRecord(z.enum(LOG_FIELDS), fieldPath)
    .optional()
    .describe('Where JSON lines have the fields of a call: a name, a path such as user.session, or a list of them.'),
  pattern: text.optional().describe('For lines of text: a regular expression with groups named like the fields.'),
});

/** The schema of croupier.yaml. Editors show the description of each key. */
export const configSchema = z
  .strictObject({
    clients: z
      .array(client)
      .min(1, 'needs one client at least')
      .optional()
      .describe('The clients to test: one entry per ExtCID.'),
    freeRounds: z
      .strictObject({ frID: text.describe('A campaign that the operator knows.') })
      .optional()
      .describe('Without it croupier invents a frID, which operators may refuse.'),
    stakes: z
      .record(z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be the code of a currency'), money)
      .optional()
      .describe('The stake by currency. Others get a sensible one.'),
    scenarios: z
      .array(text)
      .optional()
      .describe('Folders (or files) of your own scenarios, in addition to the built-in ones.'),
    deadline: duration.optional().describe(`Maximum time for a reply. The contract says ${REPLY_DEADLINE_SECONDS}s.`),
    linger: duration.optional().describe('Time to wait for a late debit. 2s when left out.'),
    budget: z
      .partialRecord(z.enum(CALL_NAMES), duration)
      .optional()
      .describe('Maximum time for 95 of 100 replies, by call, as { bet: 800ms }. More is a warning, never a failure.'),
    workers: count.optional().describe('Scenarios to run in parallel; each needs a player of its own.'),
    rate: z.number().positive('must be more than 0').optional().describe('Maximum number of calls per second.'),
    maxAtOnce: count.optional().describe('Maximum number of calls in parallel.'),
    largeAmounts: z
      .boolean()
      .optional()
      .describe('true: amounts beyond 2^53 of the smallest unit are moved too, and back.'),
    strict: z.boolean().optional().describe('true: a breach of a SHOULD fails the run too.'),
    tls: tls.optional().describe('Settings of the connection, for every client.'),
    proxy: httpUrl.optional().describe('An HTTP proxy for every call.'),
    logs: logs.optional().describe('Settings for reading logs, for croupier incident.'),
  })
  .meta({ title: 'croupier.yaml', description: 'The operators that croupier tests, and how.' });

export type Config = z.infer<typeof configSchema>;
export type ClientConfig = NonNullable<Config['clients']>[number];
