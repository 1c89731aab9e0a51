import { Argument, type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { nearest } from '../../../scenario/near.ts';
import { configOption } from '../../options/client.ts';
import { type FlagsOf, jsonOption, versionFlag } from '../../options/parts.ts';

/** The lists that `croupier list` can print, each with its meaning. */
export const LISTS = {
  rules: 'the rules of the contract, one line for each',
  rule: 'everything about one rule: list rule RULE',
  scenarios: 'the scenarios that test the rules, and what each scenario needs',
  clients: 'the clients of croupier.yaml, for example for a matrix of jobs',
  defects: 'the defects of serve operator, for --defect',
  variants: 'its variants, which differ but are correct, for --variant',
} as const;

export type ListName = keyof typeof LISTS;

const NAMES = Object.keys(LISTS) as ListName[];

/**
 * Reads the name of a list. Accepts `habits`, the former name of `variants`.
 *
 * @throws InvalidArgumentError for an unknown name
 */
function listName(text: string): ListName {
  const name = text === 'habits' ? 'variants' : NAMES.find((one) => one === text);
  if (name !== undefined) return name;
  const near = nearest(text, NAMES);
  throw new InvalidArgumentError(
    `Allowed choices are ${NAMES.join(', ')}.${near === undefined ? '' : ` Did you mean ${near}?`}`,
  );
}

/** Defines `croupier list` and its flags. */
export function describeList(program: CommandUnknownOpts) {
  const what = new Argument('[what]', 'what to list (default: name the lists)').choices(NAMES).argParser(listName);
  // `argParser` has removed the choices of the argument. They are set again, because the help and the completion need them.
  what.argChoices = [...NAMES];
  return program
    .command('list')
    .description(
      'show the rules of the contract, their scenarios, the clients in croupier.yaml, or the defects and variants of the reference operator',
    )
    .summary('show rules, scenarios, clients, defects and variants')
    .addArgument(what)
    .argument('[names...]', 'only the entries with these names, or of these rules or groups (default: everything)')
    .addOption(new Option('--since <version>', 'only rules that were added after this version').argParser(versionFlag))
    .addOption(configOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  croupier list rules --since 1.8.0    rules that came after contract 1.8.0
  croupier list rules refund           the refund rules
  croupier list rule refund.once       its page: replies, harm, fix, scenarios
  croupier list defects idempotency    the defects that break these rules
  croupier list variants               operators that differ, but are correct
  croupier list clients --json         for a matrix of jobs; needs no keys

Exit status: 0 listed, 2 there is no such rule, group or name`,
    );
}

export type ListFlags = FlagsOf<typeof describeList>;
