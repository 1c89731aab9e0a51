import { conclude } from '../../journal/conclusion.ts';
import type { Fold } from '../../journal/fold.ts';
import type { OpenJournal, ReportOptions } from '../options.ts';
import { summaryReport } from './summary.ts';

/** Maximum number of characters in the text of one section in Slack. */
const MAX_SECTION = 3000;

type Options = Pick<ReportOptions, 'journal'>;

/**
 * Writes the body for an incoming webhook of Slack: the summary as plain text. Slack formats no plain text, so it contains no links
 * and mentions nobody.
 */
export async function* slackReport(fold: Fold, open: OpenJournal, options: Options): AsyncGenerator<string> {
  const lines = (await linesOf(fold, open, options)).map(forSlack);
  const message = {
    // Notifications show this text instead of the blocks.
    text: lines[0] ?? '',
    blocks: sections(lines).map((text) => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } })),
    unfurl_links: false,
    unfurl_media: false,
  };
  yield `${JSON.stringify(message, null, 2)}\n`;
}

/**
 * The lines of the summary contain no `<`, `>` and `@`. `&` must be escaped, because it begins an entity in every text of Slack.
 */
function forSlack(line: string): string {
  return line.replaceAll('&', '&amp;');
}

/** Joins lines to texts that fit into a section. */
function sections(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + line.length < MAX_SECTION) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts;
}

const COLOURS = { conforming: 'Good', nonconforming: 'Attention', undecided: 'Warning' } as const;

/**
 * Writes the body for a workflow of Teams ("Post to a channel when a webhook request is received"): the summary as an adaptive
 * card. A text run has no Markdown, so the card contains no links and mentions nobody.
 */
export async function* teamsReport(fold: Fold, open: OpenJournal, options: Options): AsyncGenerator<string> {
  const [first = '', ...rest] = await linesOf(fold, open, options);
  const color = COLOURS[conclude(fold).verdict];
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: first,
    body: [
      { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: first, weight: 'Bolder', color }] },
      ...rest.map((text) => ({ type: 'RichTextBlock', spacing: 'Small', inlines: [{ type: 'TextRun', text }] })),
    ],
    msteams: { width: 'Full' },
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
  yield `${JSON.stringify({ type: 'message', attachments: [attachment] }, null, 2)}\n`;
}

async function linesOf(fold: Fold, open: OpenJournal, options: Options): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of summaryReport(fold, open, options)) lines.push(line.trimEnd());
  return lines;
}
