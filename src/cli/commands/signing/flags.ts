import { type Command, type CommandUnknownOpts, Option, type OptionValues } from '@commander-js/extra-typings';
import { LANGUAGES } from '../../../signing/fixes.ts';
import { configOption } from '../../options/client.ts';
import { collect, type FlagsOf, jsonOption } from '../../options/parts.ts';

/**
 * Adds the flags for the key. If several places have a key, a key file has priority over CROUPIER_KEY, and CROUPIER_KEY over the
 * configuration.
 */
function addKeyOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .optionsGroup('The key (default: CROUPIER_KEY, or the key of the client):')
    .addOption(new Option('--key-file <file>', 'file with the key').env('CROUPIER_KEY_FILE'))
    .addOption(new Option('--client <extCID>', 'use the key of this client').env('CROUPIER_CLIENT'))
    .addOption(configOption());
}

/** Adds the flags for the text to sign, which is an argument, a file or standard input. */
function addTextOptions<Args extends unknown[], Opts extends OptionValues, Global extends OptionValues>(
  command: Command<Args, Opts, Global>,
) {
  return command
    .argument('[body]', 'the body (default: standard input)')
    .optionsGroup('Signed text:')
    .option('--body <text>', 'the body, in place of the argument')
    .option('--query [text]', 'the query of a GET, such as sessionID=s-1, or its whole URL')
    .option('--file <file>', 'file with the body or query, read byte for byte; - for stdin');
}

/** Defines `croupier sign` and its flags. */
export function describeSign(program: CommandUnknownOpts) {
  const sign = program
    .command('sign')
    .description('sign a body or a query as the service does; nothing is sent')
    .summary('sign a body or a query as the service does');
  return addKeyOptions(addTextOptions(sign))
    .optionsGroup('Output:')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier sign --file bet.json                  a body, byte for byte
  printf %s '{"amount":"1.00"}' | croupier sign  standard input
  croupier sign --query 'sessionID=eu-usd-1'     a GET: its canonical JSON

Exit status: 0 signed, 2 there is nothing to sign, or no key`,
    );
}

/** Defines `croupier verify` and its flags. */
export function describeVerify(program: CommandUnknownOpts) {
  const verify = program
    .command('verify')
    .description('check the signature of a body or a query; nothing is sent')
    .summary('check the signature of a body or a query');
  const text = addTextOptions(verify).requiredOption('--signature <hex>', 'value of the X-REQUEST-SIGN header');
  return addKeyOptions(text)
    .optionsGroup('Output:')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier verify --file bet.json --signature 6d7a…
  croupier verify --query 'sessionID=s-1' --signature 6d7a…

Exit status: 0 the signature is right, 1 it is wrong (croupier explain finds out
  why), 2 usage`,
    );
}

/** Defines `croupier explain` and its flags. */
export function describeExplain(program: CommandUnknownOpts) {
  return program
    .command('explain')
    .description('find the mistake behind a signature that does not match')
    .argument('[request]', 'a curl line, or a file (curl, HTTP, HAR; - is stdin)')
    .optionsGroup('The request, in parts:')
    .option('--body <text>', 'the body as it was sent')
    .option('--body-file <file>', 'file with the body, read byte for byte')
    .option('--query <text>', 'the query of a GET, or its whole URL')
    .option('--url <url>', 'the address of the request')
    .option('--signature <text>', 'the signature to explain (default: the header of the request)')
    .option('--other-body <text>', 'the body of the other side, to find the first difference')
    .option('--other-body-file <file>', 'file with the body of the other side')
    .optionsGroup('Further keys (after CROUPIER_KEY and croupier.yaml):')
    .addOption(
      new Option('--key-file <file>', 'file with a key; give the right key first; repeatable')
        .argParser(collect)
        .env('CROUPIER_KEY_FILE'),
    )
    .option(
      '--api-key-file <file>',
      'file with a Core API key. croupier checks whether the call was signed with this key by mistake; repeatable',
      collect,
    )
    .addOption(configOption())
    .addOption(
      new Option('--client <extCID>', 'only the keys of this client; repeatable')
        .argParser(collect)
        .env('CROUPIER_CLIENT'),
    )
    .optionsGroup('Output:')
    .addOption(new Option('--language <name>', 'programming language of the fix').choices(LANGUAGES))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Hundreds of ways to make the signature are tried with each key. The report
names the difference from the contract, with the line that fixes it.

Examples:
  croupier explain request.txt                  with the keys of croupier.yaml
  pbpaste | croupier explain --signature 9f2c…  what the operator computed
  croupier explain --body-file bet.json --signature 9f2c… --key-file old.key
  croupier explain --query 'sessionID=s%201' --signature 9f2c… --language php

Exit status: 0 the signature is right, or explained; 1 no known mistake gives
  it; 2 usage`,
    );
}

export type SignFlags = FlagsOf<typeof describeSign>;
export type VerifyFlags = FlagsOf<typeof describeVerify>;
export type ExplainFlags = FlagsOf<typeof describeExplain>;
