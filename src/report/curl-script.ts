import type { Fold } from '../journal/fold.ts';
import { answerOf } from './answer.ts';
import { curlLine } from './curl.ts';
import { forTerminal } from './escape.ts';
import type { JournalledExchange } from './evidence.ts';
import { sentExchanges } from './in-order.ts';
import { noReplySentence } from './no-reply.ts';
import type { OpenJournal } from './options.ts';

/** All requests as a shell script, in the order in which they were sent, each with the signature that it had and what was answered. */
export async function* curlReport({ run, exchanges }: Fold, open: OpenJournal): AsyncGenerator<string> {
  const { extCID, integratorBaseUrl } = run.client;
  yield [
    '#!/bin/sh',
    comment(
      `What croupier sent to ${extCID} at ${integratorBaseUrl}: ${exchanges.sent} call${exchanges.sent === 1 ? '' : 's'}, in this order.`,
    ),
    comment(`Run ${run.runID}, begun ${run.startedAt}.`),
    comment('Sent again, a bet, win or refund is a replay: an operator that knows its txID must move no money.'),
    '',
    comment('A line end after each reply.'),
    `curl() { command curl -w '\\n' "$@"; }`,
    '',
  ].join('\n');
  let number = 0;
  for await (const exchange of sentExchanges(open)) {
    number += 1;
    const line = curlLine(exchange.sending.request);
    yield `\n${comment(`${number}. ${whatFor(exchange)}: ${whatCame(exchange)}`)}\n${
      line ?? comment('Not all of the body was kept, so that it can be sent no more.')
    }\n`;
  }
}

/** One line that a shell does not obey, whoever wrote the text. */
function comment(text: string): string {
  return `# ${forTerminal(text)}`;
}

function whatFor({ sending: { scenario, step, purpose, call } }: JournalledExchange): string {
  const where = [scenario, step === null ? null : `step ${step}`].filter((part) => part !== null);
  const why = purpose === 'step' ? call : `${call} (${purpose})`;
  return [...where, why].join(', ');
}

function whatCame({ received }: JournalledExchange): string {
  if (received === null) return 'what came of it is not known';
  const { outcome } = received;
  return outcome.kind === 'none'
    ? `no reply: ${noReplySentence(outcome.reason)}`
    : `answered ${answerOf(outcome).text}`;
}
