import { createHmac } from 'node:crypto';
import path from 'node:path';
import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import { forTerminal } from '../../report/escape.ts';
import { slackReport, teamsReport } from '../../report/exports/chat-messages.ts';
import { forOthers } from '../../report/for-others.ts';
import { jsonReport } from '../../report/json/json.ts';
import type { OpenJournal, Report, ReportOptions } from '../../report/options.ts';
import { type Configuration, diagnosticsError } from '../config/configuration.ts';
import type { ConfigFile } from '../config/file.ts';
import { readSecret } from '../config/key.ts';
import type { NotifyEntry } from '../config/notify-schema.ts';
import type { Stdio } from '../stdio.ts';
import { post } from './post.ts';

/** An address that gets the results of runs. */
export interface Target {
  readonly kind: NotifyEntry['kind'];
  readonly url: string;
  readonly when: 'always' | 'failed';
  /** The secret that signs the messages. Undefined: they are not signed. */
  readonly secret: string | undefined;
  /** An environment variable that the address or the secret needs, and that is not set. Then nothing is posted. */
  readonly missing: string | undefined;
}

/** The environment, the folder in which relative paths begin, and a function that hides secrets in all output. */
type Context = Pick<Stdio, 'env' | 'cwd' | 'hide'>;

/**
 * Returns the addresses that the variable `CROUPIER_NOTIFY` names, or else those of the configuration.
 *
 * @throws UsageError for a mistake in the variable, and for a secret that can't be read
 */
export async function readTargets(configuration: Configuration, context: Context): Promise<readonly Target[]> {
  const given = context.env.CROUPIER_NOTIFY;
  return given ? targetsOfText(given, context) : targetsIn(configuration, { ...context, cwd: configuration.dir });
}

/** Returns the addresses in a JSON text. @throws UsageError for a mistake in it, and for a secret that can't be read */
export async function targetsOfText(text: string, context: Context): Promise<readonly Target[]> {
  const { readConfig } = await import('../config/file.ts');
  const reading = readConfig('CROUPIER_NOTIFY', `{"notify": ${text}}`, context.env);
  if (reading.kind === 'broken') throw diagnosticsError(reading.diagnostics);
  return targetsIn(reading.file, context);
}

function targetsIn(file: ConfigFile, { env, cwd, hide }: Context): readonly Target[] {
  const targets = (file.config.notify ?? []).map((entry, index): Target => {
    const { kind, url, when = kind === 'webhook' ? 'always' : 'failed', secret } = entry;
    const named = ['url', 'secret'].flatMap((key) => file.origin(['notify', index, key])?.variables ?? []);
    const isFile = typeof secret === 'object';
    return {
      kind,
      url,
      when,
      secret: isFile ? readSecret(path.resolve(cwd, secret.file), `notify[${index}].secret`) : secret,
      missing: named.find((name) => !env[name]),
    };
  });
  hide(targets.flatMap(({ secret }) => secret ?? []));
  return targets;
}

/** A finished run with its journal. */
interface FinishedRun {
  readonly fold: Fold;
  readonly open: OpenJournal;
}

const NAMES: Readonly<Record<Target['kind'], string>> = { webhook: 'the webhook', slack: 'Slack', teams: 'Teams' };

const REPORTS: Readonly<Record<Target['kind'], Report>> = {
  webhook: forOthers((fold, open, options) => jsonReport(fold, open, { ...options, exchangesPerScenario: 0 })),
  slack: slackReport,
  teams: teamsReport,
};

/**
 * Posts the result of a finished run to each address. If an address does not accept it, prints a notice of one line. Never throws,
 * because the result of the run does not depend on other systems.
 *
 * @param options the options of the reports; `scrub` removes secrets from each message
 */
export async function notify(
  { fold, open }: FinishedRun,
  targets: readonly Target[],
  {
    options,
    stdio,
    signal,
  }: { readonly options: ReportOptions; readonly stdio: Pick<Stdio, 'err'>; readonly signal: AbortSignal },
): Promise<void> {
  const isFailed = conclude(fold).exitCode !== 0;
  const wanted = targets.filter(({ when }) => when === 'always' || isFailed);
  await Promise.all(
    wanted.map(async (target) => {
      const why = await postResult(fold, open, target, options, signal);
      if (why === undefined) return;
      const where = target.missing === undefined ? ` at ${new URL(target.url).host}` : '';
      stdio.err.write(
        `The result of ${forTerminal(fold.run.client.extCID)} is not posted to ${NAMES[target.kind]}${where}: ${why}. The result itself does not change.\n`,
      );
    }),
  );
}

/** Returns the reason why the result was not accepted. Undefined if it was. */
async function postResult(
  fold: Fold,
  open: OpenJournal,
  { kind, url, secret, missing }: Target,
  options: ReportOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (missing !== undefined) return `the environment has no ${missing}`;
  let body = '';
  for await (const piece of REPORTS[kind](fold, open, options)) body += piece;
  body = options.scrub(body);
  const headers = secret === undefined ? {} : signed(`msg_${fold.run.runID}`, body, secret);
  const delivery = await post({ url, body, headers, signal });
  if (delivery.kind === 'accepted') return undefined;
  // A reply can repeat the address, which is a secret for chats.
  const { pathname, search } = new URL(url);
  return [pathname, search]
    .filter((part) => part.length > 1)
    .reduce((text, part) => text.replaceAll(part, '…'), delivery.why);
}

/**
 * Returns the headers that sign a message, as Standard Webhooks defines them: HMAC-SHA256 of id, time and body.
 *
 * @param id the same for each attempt, so that the receiver finds repeated messages
 * @param secret text, or base64 after `whsec_`
 */
function signed(id: string, body: string, secret: string): Readonly<Record<string, string>> {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
