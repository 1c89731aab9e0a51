import type { Fold } from '../../journal/fold.ts';
import { baseUrlsText } from '../base-urls.ts';
import { curlLine } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import { answerOf, noReplySentence } from '../exchange-summary.ts';
import type { JournalledExchange } from '../exchanges.ts';
import { sentExchanges } from '../exchanges.ts';
import type { OpenJournal } from '../options.ts';

/**
 * Writes all requests as a shell script of curl commands, in the order in which they were sent. Each command has the original
 * signature and a comment with the original result.
 */
export async function* curlReport({ run, exchanges }: Fold, open: OpenJournal): AsyncGenerator<string> {
  yield [
    '#!/bin/sh',
    comment(
      `The calls of croupier to ${run.client.extCID} at ${baseUrlsText(run)}: ${exchanges.sent} call${exchanges.sent === 1 ? '' : 's'}, in this order.`,
    ),
    comment(`Run ${run.runID}, started ${run.startedAt}.`),
    comment(
      'This script sends the calls again. An operator that knows the txID of a bet, win or refund must not move money again.',
    ),
    '',
    comment('Print a line end after each reply.'),
    `curl() { command curl -w '\\n' "$@"; }`,
    '',
  ].join('\n');
  let number = 0;
  for await (const exchange of sentExchanges(open)) {
    number += 1;
    const line = curlLine(exchange.sending.request);
    yield `\n${comment(`${number}. ${purposeText(exchange)}: ${replyText(exchange)}`)}\n${
      line ?? comment('No curl command: the journal does not hold the whole body.')
    }\n`;
  }
}

/** Writes text from outside as a comment of one line. */
function comment(text: string): string {
  return `# ${forTerminal(text)}`;
}

function purposeText({ sending: { scenario, step, purpose, call } }: JournalledExchange): string {
  const where = [scenario, step === null ? null : `step ${step}`].filter((part) => part !== null);
  const why = purpose === 'step' ? call : `${call} (${purpose})`;
  return [...where, why].join(', ');
}

function replyText({ received }: JournalledExchange): string {
  if (received === null) return 'unknown result';
  const { outcome } = received;
  return outcome.kind === 'none'
    ? `no reply: ${noReplySentence(outcome.reason)}`
    : `answered ${answerOf(outcome).text}`;
}
