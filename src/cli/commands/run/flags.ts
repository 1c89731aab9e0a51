import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { shardPart } from '../../../app/config/run-flags.ts';
import { addSettings } from '../../options/client.ts';
import { collect, countFlag, durationFlag, jsonOption, verboseOption } from '../../options/parts.ts';
import { addReferenceOptions } from '../../options/reference.ts';

/** Checks the value of `--shard`, such as 2/4. @throws InvalidArgumentError unless it names an existing part */
function shardFlag(text: string): string {
  const part = shardPart(text);
  if (!part) throw new InvalidArgumentError('Write the part and the number of parts, such as 2/4.');
  const { index, count } = part;
  if (index > count)
    throw new InvalidArgumentError(`There are only ${count} parts: write 1/${count} to ${count}/${count}.`);
  return text;
}

/** Defines `croupier run` and its flags. */
export function describeRun(program: CommandUnknownOpts) {
  const run = program
    .command('run')
    .description('judge an operator; SELECTION: groups, rules, scenarios, files (default: all)')
    .summary('judge an operator by the rules of the contract')
    .argument('[selection...]')
    .optionsGroup('Operator (default: each client of croupier.yaml):');
  const chosen = addReferenceOptions(run)
    .addOption(new Option('--launches <n>', 'wait until the operator has launched n sessions').argParser(countFlag))
    .optionsGroup('Scenarios:')
    .option('--quick', 'every MUST rule, with few calls (about 350)')
    .option('--tag <tag>', 'only scenarios with this tag; repeatable', collect)
    .option('--grep <text>', 'only scenarios whose id or title contains the text')
    .option('--last-failed [journal]', 'repeat what failed, warned or was undecided last time')
    .addOption(new Option('--shard <i/n>', 'play part i of n; each part needs its own player').argParser(shardFlag))
    .option('--timings <journal>', 'plan shards with the times in a journal; repeatable', collect)
    .option('--allow-skipped', 'what SELECTION names may stay undecided')
    .option('--watch', 'run again when a file changes or a key is pressed')
    .option('--list', 'print the selected scenarios, and send nothing')
    .optionsGroup('Run:')
    .option('--after <journal>', 'verify the transactions of an earlier run; repeatable', collect)
    .addOption(new Option('--bail [n]', 'stop after one (or n) failed scenarios').argParser(countFlag))
    .addOption(new Option('--time <duration>', 'start no scenario after this time, such as 5m').argParser(durationFlag))
    .addOption(
      new Option('--retries <n>', 'how often to retry a failed scenario').argParser(countFlag).env('CROUPIER_RETRIES'),
    )
    .option('--allow-flaky', 'a flaky scenario is a warning, not a failure')
    .addOption(new Option('--baseline <file>', 'file with rules that may fail for a while').env('CROUPIER_BASELINE'))
    .option('--strict', 'a breach of a SHOULD fails the run too')
    .addOption(new Option('--seed <text>', 'repeat the random choices of an earlier run').env('CROUPIER_SEED'))
    .addOption(
      new Option('--race-rounds <n>', 'repeat each race scenario n times (default: 2 to 12)').argParser(countFlag),
    );
  return addSettings(chosen)
    .optionsGroup('Output:')
    .option('--report <KIND=file>', 'write a report: json, junit, html …; repeatable', collect)
    .option('--journal <file>', 'journal file (default: a new one in .croupier/)')
    .option('--no-github', 'print nothing for GitHub Actions')
    .addOption(jsonOption())
    .addOption(verboseOption('one line per call, and every rule; -vv: everything'))
    .addHelpText(
      'after',
      `
Example:
  CROUPIER_KEY=… croupier run --base-url URL --ext-cid ID --session ID

Exit status: 0 conforming, 1 not conforming, 2 usage, 3 undecided, 70 a bug`,
    );
}
