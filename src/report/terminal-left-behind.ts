import type { Owed } from '../journal/event.ts';
import type { Fold } from '../journal/fold.ts';
import { quoteWord } from './curl.ts';
import { forTerminal } from './escape.ts';
import { hanging } from './layout.ts';
import type { ReportOptions } from './options.ts';

/** Whose money hangs in the air after the run, and how it comes back. */
export function leftBehind(fold: Fold, options: ReportOptions): readonly string[] {
  const { width, journal, paint } = options;
  const unrestored = fold.scenarios.filter(({ restored }) => restored === false).map(({ planned }) => planned.id);
  const lines: string[] = [];
  if (unrestored.length > 0) {
    const what = `the balance could not be brought back to what it was after ${unrestored.join(', ')}`;
    lines.push(...hanging('  ! ', forTerminal(what), width));
  }
  for (const owed of fold.owed) lines.push(...hanging('  ! ', forTerminal(owedSentence(owed, fold)), width));
  if (fold.ended === null) {
    lines.push(...hanging('  ! ', 'the run was cut off: what it had under way may still be owed', width));
  }
  if (lines.length > 0 && journal !== null) {
    // Never broken into lines: it is there to be copied.
    lines.push(
      '',
      '  Send what is owed, and bring the balances back:',
      `    ${paint.cyan(forTerminal(`croupier settle ${quoteWord(journal)}`))}`,
    );
  }
  return lines;
}

/** What is owed to whom, in a sentence. */
export function owedSentence({ call, txID, sessionID, fields }: Owed, { run }: Fold): string {
  const currency = run.settings.sessions.find((session) => session.sessionID === sessionID)?.currency;
  const amount = [fields.amount, currency].filter((word) => typeof word === 'string').join(' ');
  const of = fields.amount === undefined ? '' : ` of ${amount}`;
  switch (call) {
    case 'win':
      return `the win ${txID}${of} was never answered 200: the player of session ${sessionID} may not have been paid it`;
    case 'bet':
      return `the bet ${txID}${of} of session ${sessionID} was not answered for certain`;
    case 'refund':
      return fields.origTxID === undefined
        ? `the bet ${txID}${of} may have been taken, and no refund of it was answered 200: the player of session ${sessionID} may have lost the stake`
        : `the refund ${txID}${of} was never answered 200: the player of session ${sessionID} may not have got the stake back`;
  }
}
