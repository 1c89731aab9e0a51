import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';

/** The kinds of files that have a JSON Schema. */
export const SCHEMAS = [
  'scenario',
  'config',
  'baseline',
  'report',
  'journal',
  'incident',
  'doctor',
  'replay',
  'load',
  'mix',
  'history',
  'fleet',
  'fleet-status',
] as const;

export type SchemaName = (typeof SCHEMAS)[number];

/** Defines `croupier schema`. */
export function describeSchema(program: CommandUnknownOpts) {
  return program
    .command('schema')
    .description('print the JSON Schema of a kind of file')
    .addArgument(new Argument('<of>', 'the kind of file').choices(SCHEMAS))
    .addHelpText(
      'after',
      `
Examples:
  croupier schema scenario > scenario.schema.json    for an editor
  croupier schema report                             for readers of --json`,
    );
}
