import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { DEFAULT_LOCALE } from '../../../contract/locales.ts';
import { addChoiceOptions, sessionOption } from '../../options/client.ts';
import { type FlagsOf, jsonOption } from '../../options/parts.ts';

/** Defines `croupier launch` and its flags. */
export function describeLaunch(program: CommandUnknownOpts) {
  const launch = program
    .command('launch')
    .description("launch a game, as your backend does, and print the game's address")
    .summary("launch a game and print the game's address")
    .requiredOption('--core-api <url>', 'base URL of the Core API, as croupier serve prints it')
    .option('--player <id>', "the player (default: the session's player)")
    .option('--currency <code>', "the currency (default: the session's currency)")
    .option('--game <id>', "the game (default: the session's game, else the first game of the service)")
    .option('--locale <locale>', 'the language of the game', DEFAULT_LOCALE)
    .option('--demo', 'play with play money; needs no session')
    .option('--return-url <url>', 'page to which the player returns (default: an example)')
    .option('--deposit-url <url>', 'page where the player can deposit money');
  return addChoiceOptions(launch)
    .addOption(sessionOption('--session <session>'))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
croupier signs POST /create-new-game with the apiKey of the client in
croupier.yaml. Without --session, the first session that fits --player and
--currency is used. A game in a session bets the money of its player.

Examples:
  croupier serve core-api --port 5000
  croupier launch --core-api http://127.0.0.1:5000/api/v1
  croupier launch --core-api http://127.0.0.1:5000/api/v1 --locale fi
  croupier launch --core-api http://127.0.0.1:5000/api/v1 --demo --currency EUR

Exit status: 0 launched, 1 the Core API refused it or did not answer, 2 usage`,
    );
}

export type LaunchFlags = FlagsOf<typeof describeLaunch>;
