import { type Command, Option } from 'commander';
import { LANGUAGES } from '../incident/explain/mends.ts';
import { configOption } from './client-options.ts';
import { collect } from './flag-values.ts';

/** The key is whichever of these is given first: a file, the environment, the configuration. */
function addKeyOptions(command: Command): Command {
  return command
    .optionsGroup('The key (default: CROUPIER_KEY, or that of the client):')
    .addOption(new Option('--key-file <file>', 'the file that holds it').env('CROUPIER_KEY_FILE'))
    .addOption(new Option('--client <extCID>', 'whose key').env('CROUPIER_CLIENT'))
    .addOption(configOption());
}

/** What is signed: given as an argument, in a file or on standard input. */
function addTextOptions(command: Command): Command {
  return command
    .argument('[body]', 'the body (default: standard input)')
    .optionsGroup('What is signed:')
    .option('--body <text>', 'the body, as the argument')
    .option('--query [text]', 'the query of a GET: sessionID=s-1, or a whole URL')
    .option('--file <file>', 'the file that holds it, taken to the byte; - for stdin');
}

/** The flags of `sign`. */
export function addSignOptions(command: Command): Command {
  return addKeyOptions(addTextOptions(command));
}

/** The flags of `verify`. */
export function addVerifyOptions(command: Command): Command {
  return addKeyOptions(
    addTextOptions(command).requiredOption('--signature <hex>', 'what the X-REQUEST-SIGN header held'),
  );
}

/** The flags of `explain`. */
export function addExplainOptions(command: Command): Command {
  return command
    .argument('[request]', 'a curl line, or a file (curl, HTTP, HAR; - is stdin)')
    .optionsGroup('The request, when it is not given whole:')
    .option('--body <text>', 'the body as it was sent')
    .option('--body-file <file>', 'the file that holds it, taken to the byte')
    .option('--query <text>', 'the query of a GET, or its whole URL')
    .option('--url <url>', 'where it was sent')
    .option('--signature <text>', 'sent, or computed by the operator (default: the header)')
    .option('--other-body <text>', 'as the other side had it: where do they differ?')
    .option('--other-body-file <file>', 'the file that holds it')
    .optionsGroup('Further keys (beside CROUPIER_KEY and croupier.yaml):')
    .addOption(
      new Option('--key-file <file>', 'a file with one, the right one first; repeatable')
        .argParser(collect)
        .env('CROUPIER_KEY_FILE'),
    )
    .option('--api-key-file <file>', 'that of the Core API: was it taken?; repeatable', collect)
    .addOption(configOption())
    .addOption(
      new Option('--client <extCID>', 'only the keys of this client; repeatable')
        .argParser(collect)
        .env('CROUPIER_CLIENT'),
    )
    .optionsGroup('What to print:')
    .addOption(new Option('--language <name>', 'the mend in this language').choices(LANGUAGES));
}
