import type { Owed } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import type { ReportOptions } from '../options.ts';
import { hanging } from './layout.ts';

/** The calls that are still owed and the balances that were not restored, with the command that settles them. */
export function leftBehind(fold: Fold, options: ReportOptions): readonly string[] {
  const { width, journal, paint } = options;
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const lines: string[] = [];
  if (unrestored.length > 0) {
    const sentence = `the balance could not be restored after ${unrestored.join(', ')}`;
    lines.push(...hanging('  ! ', forTerminal(sentence), width));
  }
  for (const owed of fold.owed) lines.push(...hanging('  ! ', forTerminal(owedSentence(owed, fold)), width));
  if (fold.ended === null) {
    lines.push(...hanging('  ! ', 'the run was cut off: calls that were in flight may still be owed', width));
  }
  if (lines.length > 0 && journal !== null) {
    // Never broken into lines, so that it can be copied.
    lines.push(
      '',
      '  Send the owed calls and restore the balances:',
      `    ${paint.cyan(forTerminal(`croupier settle ${quoteWord(journal)}`))}`,
    );
  }
  return lines;
}

/** An owed call as a sentence. */
export function owedSentence({ call, txID, sessionID, fields }: Owed, { run }: Fold): string {
  const currency = run.settings.sessions.find((session) => session.sessionID === sessionID)?.currency;
  const amount = [fields.amount, currency].filter((word) => typeof word === 'string').join(' ');
  const of = fields.amount === undefined ? '' : ` of ${amount}`;
  switch (call) {
    case 'win':
      return `the win ${txID}${of} was never answered 200: the player of session ${sessionID} may not have received it`;
    case 'bet':
      return `the bet ${txID}${of} of session ${sessionID} has no certain outcome`;
    case 'refund':
      return fields.origTxID === undefined
        ? `the bet ${txID}${of} may have been accepted, and no refund of it was answered 200: the player of session ${sessionID} may have lost the stake`
        : `the refund ${txID}${of} was never answered 200: the player of session ${sessionID} may not have received the stake back`;
  }
}
