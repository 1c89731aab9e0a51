import type { Owed } from '../../journal/event.ts';
import type { Fold } from '../../journal/fold.ts';
import { quoteWord } from '../curl.ts';
import { forTerminal } from '../escape.ts';
import type { ReportOptions } from '../options.ts';
import { hanging } from './layout.ts';

/** Lists the calls that croupier must still send and the balances that it could not restore, with the command that does both. */
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
    lines.push(...hanging('  ! ', 'the run ended too early, so the result of calls without a reply is unknown', width));
  }
  if (lines.length > 0 && journal !== null) {
    // This command is never wrapped, so that a user can copy it.
    lines.push(
      '',
      '  Send the owed calls and restore the balances:',
      `    ${paint.cyan(forTerminal(`croupier settle ${quoteWord(journal)}`))}`,
    );
  }
  return lines;
}

/** Describes a call whose result is not settled, and says what the player may have lost. */
export function owedSentence({ call, txID, sessionID, fields }: Owed, { run }: Fold): string {
  const currency = run.settings.sessions.find((session) => session.sessionID === sessionID)?.currency;
  const amount = [fields.amount, currency].filter((word) => typeof word === 'string').join(' ');
  const of = fields.amount === undefined ? '' : ` of ${amount}`;
  switch (call) {
    case 'win':
      return `the win ${txID}${of} was never answered 200: the player of session ${sessionID} may not have received the win`;
    case 'bet':
      return `the bet ${txID}${of} in session ${sessionID} has no certain outcome: the stake may have been taken or not`;
    case 'refund':
      return fields.origTxID === undefined
        ? `the bet ${txID}${of} may have been accepted, and no refund of it was answered 200: the player of session ${sessionID} may have lost the stake`
        : `the refund ${txID}${of} was never answered 200: the player of session ${sessionID} may not have received the stake back`;
  }
}
