import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KnownBlock } from '@slack/types';
import type * as AdaptiveCards from 'adaptivecards';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configurationOf } from '../../../src/app/config/configuration.ts';
import { notify, readTargets, type Target } from '../../../src/app/signals/notify.ts';
import { silentStdio } from '../../../src/app/stdio.ts';
import { readJournal } from '../../../src/journal/read.ts';
import { reportJsonSchema } from '../../../src/report/json/json-schema.ts';
import { croupier } from '../../cli/croupier.ts';
import { KEY, operatorServer, P1 } from '../../engine/operator-server.ts';
import { ended, found, planned, runEnded, runStarted, started } from '../../journal/events.ts';
import {
  foldOf,
  JOURNALS,
  type JournalName,
  journalText,
  OPTIONS,
  reportOfEvents,
  reportText,
} from '../../report/journals.ts';
import { receiver } from './receiver.ts';

// The package has an entry for bundlers only, so the test names the file for programs.
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof AdaptiveCards;

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** The body of a message for Slack. The types of its blocks are those of Slack's own package. */
interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

function textsOf({ blocks }: SlackMessage): readonly string[] {
  return blocks.map((block) => {
    if (block.type !== 'section' || block.text?.type !== 'plain_text') throw new Error('not a section of plain text');
    expect(block.text.text.length).toBeLessThanOrEqual(3000);
    expect(block.text.emoji).toBe(false);
    return block.text.text;
  });
}

/** Reads a message for Teams with the library of Microsoft. Fails if the card has an element that the library does not know. */
function cardTexts(body: string): readonly string[] {
  const { type, attachments } = JSON.parse(body) as {
    type: string;
    attachments: { contentType: string; content: object }[];
  };
  expect(type).toBe('message');
  const [attachment] = attachments;
  expect(attachment?.contentType).toBe('application/vnd.microsoft.card.adaptive');
  const card = new AdaptiveCard();
  const context = new SerializationContext(Versions.v1_4);
  card.parse(attachment?.content, context);
  const problems = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  expect(problems).toEqual([]);
  expect(card.validateProperties().validationEvents).toEqual([]);
  const { body: items } = card.toJSON(context) as { body: { inlines: { type: string; text: string }[] }[] };
  return items.flatMap(({ inlines }) =>
    inlines.map(({ type: kind, text }) => (kind === 'TextRun' ? text : `not text: ${kind}`)),
  );
}

describe('the messages for chats', () => {
  it.each(JOURNALS)('have the lines of the summary of the journal %s', async (name) => {
    const lines = (await reportText(name, 'summary')).trimEnd().split('\n');
    const slack = JSON.parse(await reportText(name, 'slack')) as SlackMessage;
    expect(textsOf(slack).join('\n').replaceAll('&amp;', '&').split('\n')).toEqual(lines);
    expect(slack.text.replaceAll('&amp;', '&')).toBe(lines[0]);
    expect(cardTexts(await reportText(name, 'teams'))).toEqual(lines);
  });

  it('mention nobody, and contain no links and no markup, whatever the names of scenarios are', async () => {
    const scenario = planned('own/<!channel> <@U1> &lt;!here&gt; <at>all</at> [x](https://evil.example)', [
      'balance.read',
    ]);
    const failed = [
      started(scenario.id),
      found(scenario.id, 'balance.read', 'fail'),
      ended(scenario.id, { verdict: 'fail' }),
    ];
    const events = [runStarted([scenario]), ...failed, runEnded()];
    const slack = JSON.parse(await reportOfEvents(events, 'slack')) as SlackMessage;
    const text = textsOf(slack).join('\n');
    expect(text).toContain('own/‹!channel› ‹＠U1› &amp;lt;!here&amp;gt;');
    expect(`${text}${slack.text}`).not.toMatch(/[<>@]|&(?!amp;)/);
    // A text run of a card has no Markdown, and a mention needs an entity in `msteams`.
    const teams = await reportOfEvents(events, 'teams');
    expect(cardTexts(teams).join('\n')).toContain('‹at›all‹/at› [x](https://evil.example)');
    expect(teams).not.toContain('entities');
  });
});

function target(kind: Target['kind'], url: string, more: Partial<Target> = {}): Target {
  return { kind, url, when: 'always', secret: undefined, missing: undefined, ...more };
}

/** Posts the result of a finished run, and returns the text that is printed. */
async function printed(
  name: JournalName,
  targets: readonly Target[],
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  const stdio = { err: { ...silentStdio('/', {}).err, write } };
  const run = { fold: await foldOf(name), open: () => readJournal([journalText(name)]) };
  await notify(run, targets, { options: OPTIONS, stdio, signal });
  return text;
}

describe('posting a result', () => {
  it('a signed webhook is verified by the library of Standard Webhooks, and its body by the schema of the report', async () => {
    const hook = await receiver((number) => (number === 0 ? 500 : 204));
    expect(await printed('failing', [target('webhook', hook.url, { secret: SECRET })])).toBe('');
    const [first, second] = hook.messages;
    expect(second).toEqual(first);
    const { body = '', headers = {} } = second ?? {};
    const report = new Webhook(SECRET).verify(body, headers as Record<string, string>);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(reportJsonSchema());
    expect([validate(report), validate.errors]).toEqual([true, null]);
    expect(report).toMatchObject({ verdict: 'nonconforming', exitCode: 1 });
    expect(body).not.toContain('"exchanges"');
    expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow('No matching');
  });

  it('a secret that is plain text signs with its bytes, and without a secret there is no signature', async () => {
    const hook = await receiver();
    await printed('green', [target('webhook', hook.url, { secret: 'plain text' })]);
    await printed('green', [target('webhook', hook.url)]);
    const [signed, plain] = hook.messages;
    const webhook = new Webhook('plain text', { format: 'raw' });
    expect(webhook.verify(signed?.body ?? '', signed?.headers as Record<string, string>)).toBeTruthy();
    expect(Object.keys(plain?.headers ?? {}).filter((name) => name.startsWith('webhook'))).toEqual([]);
  });

  it('a chat that refuses the message is named in one line, without the secret address', async () => {
    const hook = await receiver(() => 404, 'no_service for /services/T0/B0/abc\u001b[31m');
    const text = await printed('failing', [target('slack', `${hook.url}/services/T0/B0/abc`)]);
    expect(text).toMatch(
      /^The result of \S+ is not posted to Slack at 127\.0\.0\.1:\d+: it was answered 404: no_service for …\\x1b\[31m\. The result itself does not change\.\n$/,
    );
    expect(hook.messages).toHaveLength(1);
  });

  it('after an interrupt that ends croupier at once, nothing is posted', async () => {
    const hook = await receiver();
    const text = await printed('failing', [target('teams', hook.url)], AbortSignal.abort('SIGINT'));
    expect(text).toMatch(/is not posted to Teams at \S+: the run was interrupted\. /);
    expect(hook.messages).toEqual([]);
  });

  it('a chat that wants only failures gets nothing about a conforming run', async () => {
    const hook = await receiver();
    await printed('green', [target('teams', hook.url, { when: 'failed' })]);
    expect(hook.messages).toEqual([]);
    await printed('failing', [target('teams', hook.url, { when: 'failed' })]);
    expect(cardTexts(hook.messages[0]?.body ?? '')[0]).toMatch(/^NOT CONFORMING/);
  });
});

describe('the key notify', () => {
  it('has a default for each kind, reads secrets from variables and files, and names a missing variable', async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    writeFileSync(path.join(cwd, 'secret.txt'), `${SECRET}\n`);
    const env = { SLACK_URL: 'https://hooks.slack.example/a' };
    const list = [
      { kind: 'slack' as const, url: '$'.concat('{SLACK_URL}') },
      { kind: 'webhook' as const, url: 'https://ci.example', secret: { file: 'secret.txt' } },
      { kind: 'webhook' as const, url: 'https://ci.example', secret: '$'.concat('{NOT_SET}') },
    ];
    const configuration = await configurationOf({ notify: list }, { cwd, env });
    const hidden: string[] = [];
    const stdio = { cwd, env, hide: (secrets: Iterable<string>) => void hidden.push(...secrets) };
    const targets = await readTargets(configuration, stdio);
    expect(targets).toMatchObject([
      { kind: 'slack', url: env.SLACK_URL, when: 'failed', secret: undefined, missing: undefined },
      { kind: 'webhook', when: 'always', secret: SECRET, missing: undefined },
      { missing: 'NOT_SET' },
    ]);
    expect(hidden).toContain(SECRET);
    expect(await printed('green', targets.slice(2))).toMatch(
      /^The result of \S+ is not posted to the webhook: the environment has no NOT_SET\. /,
    );
    const other = { ...env, CROUPIER_NOTIFY: '[{ kind: teams, url: "https://teams.example" }]' };
    expect(await readTargets(configuration, { ...stdio, env: other })).toMatchObject([{ kind: 'teams' }]);
    const wrong = { ...env, CROUPIER_NOTIFY: '[{ kind: teems, url: "https://user:hunter2@teams.example" }]' };
    await expect(readTargets(configuration, { ...stdio, env: wrong })).rejects.toThrow(/kind[\s\S]*user or password/);
    await expect(readTargets(configuration, { ...stdio, env: wrong })).rejects.not.toThrow(/hunter2/);
  });

  it('makes `croupier run` post its result, without a change of the exit status', async () => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
    onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
    const hook = await receiver(() => 400);
    const operator = await operatorServer();
    const client = { extCID: 'acme', integratorBaseUrl: operator.url, integrationApiKey: { file: 'key.txt' } };
    const sessions = [{ sessionID: P1.sessionID, player: 'p1', currency: 'USD' }];
    const file = { notify: [{ kind: 'webhook', url: `${hook.url}/result` }], clients: [{ ...client, sessions }] };
    writeFileSync(path.join(cwd, 'key.txt'), KEY);
    writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify(file));
    const { status, err } = await croupier(['run', 'bet/debit', '--linger', '50ms', '--no-lock', '--no-history'], {
      cwd,
    });
    expect(status).toBe(0);
    expect(err).toMatch(/^The result of acme is not posted to the webhook at \S+: it was answered 400\. .*\n$/);
    expect(
      hook.messages.map(({ path: at, body }) => [at, (JSON.parse(body) as { exitCode: number }).exitCode]),
    ).toEqual([['/result', 0]]);
    expect(hook.messages[0]?.body).not.toContain(KEY);
  });
});
