import { forTerminal } from '../../report/escape.ts';
import { capital } from '../../report/terminal/layout.ts';

/**
 * Thrown if a player is in use by another process for longer than the user wants to wait. Nothing was sent. The message says
 * who uses the player. The message is no sentence, and contains names that are not escaped yet.
 */
export class PlayersInUse extends Error {
  override readonly name = 'PlayersInUse';
}

/** Returns the message that a command prints if it cannot begin, because another process uses a player. */
export function inUseText({ message }: PlayersInUse): string {
  const why = "Nothing was sent, because two commands that use the same player would change each other's balances.";
  return `${forTerminal(`${capital(message)}.`)}\n${why}\nTry again later, or wait longer with --lock-wait.\n`;
}
