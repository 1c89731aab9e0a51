import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createScrubber } from '../src/journal/secrets/scrubber.ts';
import { lenientMoney } from '../src/reply/read.ts';
import { technicalTextIn } from '../src/reply/technical-text.ts';
import {
  forHtml,
  forHtmlBlock,
  forMarkdown,
  forTerminal,
  forWorkflowProperty,
  forXmlAttribute,
} from '../src/report/escape.ts';
import { Aliases } from '../src/traffic/capsule/aliases.ts';
import { IdReplacer } from '../src/traffic/capsule/id-replacer.ts';
import { Secrets } from '../src/traffic/capsule/secrets.ts';
import { TextRewriter } from '../src/traffic/capsule/text-rewriter.ts';
import { loggedBody } from '../src/traffic/cut-body.ts';
import { beginsCommand, readCommand } from '../src/traffic/read/commands/read-command.ts';
import { WgetOutput } from '../src/traffic/read/commands/wget-output.ts';
import { readTextLine } from '../src/traffic/read/logs/access-log.ts';
import { readPlainText } from '../src/traffic/read/logs/json-line.ts';
import { logForm } from '../src/traffic/read/logs/log-form.ts';
import { printedBodies } from '../src/traffic/read/logs/printed.ts';
import { embeddedJson, namedPairs, withoutPrefix } from '../src/traffic/read/logs/wrapped.ts';
import { LineBlock } from '../src/traffic/read/multiline/line-block.ts';
import { LogbookMessage } from '../src/traffic/read/multiline/logbook.ts';
import { readRequests } from '../src/traffic/read/read-requests.ts';
import { lineFormat } from '../src/traffic/read/unknown-format.ts';

/** Texts that are repeated. Each made some pattern slow, or looks like the beginning of what a pattern searches. */
const PIECES = [
  ' ',
  '\n',
  ' \n',
  '\r\n',
  '\t',
  '.',
  '-',
  '_',
  '/',
  '\\',
  '"',
  "'",
  '\\"',
  '(',
  '{',
  '}',
  '[',
  '<',
  '=',
  '+',
  '0',
  '9',
  'a',
  'A',
  'a.b.',
  'a-',
  'a=',
  'A-',
  '@=-',
  '"{"""',
  '""{',
  '{}',
  ' {}',
  ']\t[',
  '${',
  '//a',
  'x-key',
  ' cookie',
  '|http ',
  '\u200b',
  '😀',
  'select ',
  'SELECT ',
  'select a from a ',
  'from a ',
  'insert into ',
  'update a set ',
  'delete from a ',
  'File "x", line ',
  'File "',
  'java.lang.Foo',
  'FooException',
  'at a.b',
  '\tat a.b.C',
  '  at x\n',
  'at node:',
  '#1 a',
  '/var/',
  'C:\\a',
  '<a ',
  '<!',
  'www.',
  'http://a',
  "Duplicate entry '",
  'no such table: ',
  'Cannot invoke "',
  'dial tcp ',
  'json: ',
  'PrismaClient',
  'a::',
  '%25',
  '&amp;',
  "-H 'a",
  '<<A\n',
  'curl.exe `',
  '[21/Nov/2026:14:03:07] a b 1/1/1/1/1 200 ',
  '2026-11-25T18:00:00Z ',
  '{"a":',
  '1.2.3.4 - - [x] "',
  'connect',
  'abcdefgh',
] as const; // prettier-ignore

const FORM = logForm({});
const linesOfWget = (text: string): unknown => {
  const output = new WgetOutput();
  output.take('--2026-11-23 14:03:07--  http://h/bet', 'all');
  const sent = [`Connecting to ${text}`, `Connecting to ${text} failed: ${text}`].map((line) =>
    output.take(line, 'all'),
  );
  output.take('  HTTP/1.1 200 OK', 'all');
  return [
    sent,
    output.take(text, 'all'),
    output.take(`2026-11-23 14:03:07 (${text}`, 'all'),
    output.take(` [${text}`, 'all'),
  ];
};
const scrub = createScrubber(['abcdefgh\\"/+ 0', '\\\\\\\\', '0000']);
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ['the check of an error message', technicalTextIn],
  ['the reader of amounts', lenientMoney],
  ['the removal of keys', scrub],
  [
    'the escaping for reports',
    (text) =>
      [forTerminal, forHtml, forHtmlBlock, forMarkdown, forWorkflowProperty, forXmlAttribute].map((written) =>
        written(text),
      ),
  ],
  [
    'the reader of a line of a log',
    (text) => [
      withoutPrefix(text),
      embeddedJson(text),
      namedPairs(text),
      readTextLine(text, FORM, { file: 'a.log', line: 1 }),
      readPlainText(text, FORM, { file: 'a.log', line: 1 }),
      printedBodies(`POST /bet ${text}`),
      lineFormat(text),
      loggedBody(`{"a":${text}`),
      new LineBlock(`[13:03:07.165] INFO: ${text}`, 1).take(`    a: ${text}`),
      new LineBlock(text, 1).take(text),
      LogbookMessage.begin(text),
      LogbookMessage.begin('Incoming Request: a-1-aaaa')?.take(text),
      loggedBody(`{"a":"${text}`),
    ],
  ],
  [
    'the reader of a pasted request',
    async (text) => readRequests(Buffer.from(`curl http://h/bet -d ${text}`), 'a').catch(() => {}),
  ],
  [
    'the reader of commands',
    (text) => [
      new WgetOutput().take(`--2026-11-23 14:03:07--  http://${text}`, 'all'),
      linesOfWget(text),
      beginsCommand(text),
      beginsCommand(`echo a ${text}`),
      readCommand(`curl ${text}`),
    ],
  ],
  [
    'the capsule',
    (text) => {
      const known = { aliases: new Aliases(digest), secrets: new Secrets() };
      new TextRewriter({ ...known, replacer: null }).rewrite(text);
      const replacer = new IdReplacer({
        aliases: known.aliases.all,
        secrets: [...known.secrets.all, 'aaaaaa', 'a-a-a-'],
      });
      return replacer.replaceLast(new TextRewriter({ ...known, replacer }).rewrite(text));
    },
  ],
];

/** Repeats a text up to a length. The last character fits no pattern, so that a search that fails is measured too. */
function repeated(piece: string, length: number): string {
  return `${piece.repeat(Math.ceil(length / piece.length))}\u0001`;
}

async function timeOf(read: (text: string) => unknown, text: string): Promise<number> {
  const begun = performance.now();
  await read(text);
  return performance.now() - begun;
}

/** Other programs may hold the processor during a measurement, so only the fastest of several measurements counts. */
const MEASUREMENTS = 4;

// A text that is 100 times as long takes 100 times as long, but 10,000 times if the time grows with its square. The constant stands
// for what else the machine does meanwhile.
it.each(READERS)('%s takes a time that grows only linearly with the text', { timeout: 120_000 }, async (_, read) => {
  const slow: string[] = [];
  for (const piece of PIECES) {
    await read(repeated(piece, 1000));
    const short = await timeOf(read, repeated(piece, 1000));
    const limit = 400 * short + 300;
    let long = Number.POSITIVE_INFINITY;
    for (let times = 0; times < MEASUREMENTS && long > limit; times += 1)
      long = Math.min(long, await timeOf(read, repeated(piece, 100_000)));
    if (long > limit) slow.push(`${JSON.stringify(piece)}: ${short.toFixed(2)} ms, then ${long.toFixed(0)} ms`);
  }
  expect(slow).toEqual([]);
});
