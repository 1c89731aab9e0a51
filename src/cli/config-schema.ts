import { z } from 'zod';
import { CALL_NAMES } from '../contract/call-name.ts';
import { currencyByCode } from '../contract/currencies.ts';
import { CONTRACT_VERSION, contractVersion } from '../contract/versions.ts';
import { LOG_FIELDS } from '../incident/read/log-form.ts';
import { readDuration } from '../scenario/duration.ts';

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
  .describe('A secret: ${NAME} of the environment, or { file: … }. A literal key is taken with a warning.');

/** One session of the operator, as a configuration or a command of the operator's names it. */
export const sessionSchema = z.strictObject({
  sessionID: text.describe("The operator's session reference, as every reverse call carries it."),
  player: text
    .optional()
    .describe('Who plays. Sessions of one player share a wallet; two players let more be tested, and side by side.'),
  currency: text
    .refine((code) => currencyByCode(code) !== undefined, 'must be the code of a currency of the service, such as EUR')
    .optional()
    .describe('The code of the currency. Stakes and decimals follow from it.'),
  gameID: text.optional().describe('Which game the session is for. Sessions of two games let more be tested.'),
  state: z
    .enum(['active', 'expired'])
    .optional()
    .describe('expired: the operator has ended it. active is meant when left out.'),
});

const tls = z.strictObject({
  ca: text.optional().describe('File: a certificate authority to trust beside the usual ones (PEM).'),
  cert: text.optional().describe('File: the certificate that croupier shows (PEM).'),
  key: text.optional().describe('File: the private key of that certificate (PEM).'),
  insecure: z
    .boolean()
    .optional()
    .describe('true: the certificate of the operator is not checked. Said loudly in every report.'),
});

const sessionsFrom = z
  .union([
    z.strictObject({
      command: z.array(text).min(1).describe('A program and its arguments, run where the configuration lies.'),
    }),
    z.strictObject({
      url: httpUrl.describe("An address of the operator's that opens sessions, or launches games for a test."),
      method: z.enum(['GET', 'POST']).optional().describe('GET is meant when left out.'),
      headers: z.record(z.string(), z.string()).optional(),
      body: text.optional().describe('Sent as it is.'),
    }),
  ])
  .describe(
    'Where sessions come from at the beginning of each run: what is printed or answered is a JSON list of sessions, like `sessions`. With --launches it makes the operator launch games, and its answer does not matter.',
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
      'The version of the contract that the integration was made by. What came later is neither sent nor judged.',
    ),
  production: z
    .boolean()
    .optional()
    .describe(
      "true: real players' money is there, and whatever moves money asks for --production. false: it is a test environment. Told from the address when left out.",
    ),
  hostOverride: text.optional().describe('Connect to this host or host:port, though the URL names another.'),
});

const fieldPath = z.union([text, z.array(text).min(1)]);

const logs = z.strictObject({
  zone: text.optional().describe('Of times that name none: Europe/Berlin or +01:00. UTC when left out.'),
  side: z.enum(['service', 'operator']).optional().describe('Whose logs they are.'),
  fields: z
    .partialRecord(z.enum(LOG_FIELDS), fieldPath)
    .optional()
    .describe('Where JSON lines have the fields of a call: a name, a path such as user.session, or a list of them.'),
  pattern: text.optional().describe('For lines of text: a regular expression with groups named like the fields.'),
});

/** What croupier.yaml may hold. Every key says what it means, so that an editor can show it. */
export const configSchema = z
  .strictObject({
    clients: z
      .array(client)
      .min(1, 'needs one client at least')
      .optional()
      .describe('Whom to judge: one entry per ExtCID.'),
    freeRounds: z
      .strictObject({ frID: text.describe('A campaign that the operator knows.') })
      .optional()
      .describe('Without it a frID is made up, which operators may refuse.'),
    stakes: z
      .record(z.string().regex(/^[A-Z0-9]{2,12}$/, 'must be the code of a currency'), money)
      .optional()
      .describe('The stake by currency. Others get a sensible one.'),
    scenarios: z.array(text).optional().describe('Folders (or files) of your own scenarios, beside the built-in ones.'),
    deadline: duration.optional().describe('How long a reply may take. The contract says 5s.'),
    linger: duration.optional().describe('After how long a late debit would have shown. 2s unless you know better.'),
    budget: z
      .partialRecord(z.enum(CALL_NAMES), duration)
      .optional()
      .describe('What 95 of 100 replies may take, by call, as { bet: 800ms }. More is a warning, never a failure.'),
    workers: count.optional().describe('Scenarios side by side; each needs a player of its own.'),
    rate: z.number().positive('must be more than 0').optional().describe('At most so many calls a second.'),
    maxAtOnce: count.optional().describe('At most so many calls at once.'),
    largeAmounts: z
      .boolean()
      .optional()
      .describe('true: amounts beyond 2^53 of the smallest unit are moved too, and back.'),
    strict: z.boolean().optional().describe('true: a breach of a SHOULD fails the run too.'),
    tls: tls.optional().describe('How to connect, for every client.'),
    proxy: httpUrl.optional().describe('An HTTP proxy for every call.'),
    logs: logs.optional().describe('How croupier incident reads logs.'),
  })
  .meta({ title: 'croupier.yaml', description: 'Whom croupier judges, and how.' });

export type Config = z.infer<typeof configSchema>;
export type ClientConfig = NonNullable<Config['clients']>[number];
