import { Argument, type Command, CommanderError, Option } from 'commander';
import type { ContractVersion } from '../contract/versions.ts';
import { addClientOptions, addWaitOptions, configOption, productionOption, stakeOption } from './client-options.ts';
import { type CompletionShell, SHELLS } from './completion-scripts.ts';
import { addDoctor } from './doctor-command.ts';
import { addExploreOptions, type ExploreFlags } from './explore-flags.ts';
import { collect, countFlag, durationFlag, versionFlag } from './flag-values.ts';
import { addHelp, topicLines } from './help-command.ts';
import { addIncidentDesk } from './incident-commands.ts';
import type { InitFlags } from './init.ts';
import type { Listable } from './list.ts';
import { addReport } from './report-commands.ts';
import { addRun } from './run-command.ts';
import type { SchemaOf } from './schema.ts';
import type { SelftestFlags } from './selftest.ts';
import { addServe } from './serve-commands.ts';
import type { SettleFlags } from './settle.ts';
import type { Stdio } from './stdio.ts';

const JSON_FLAG = ['--json', 'JSON on stdout, for a machine'] as const;

function addInquiries(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program
    .command('list')
    .description('rules of the contract, scenarios that test them, or what serve operator can do otherwise')
    .summary('show rules, scenarios, and the defects of serve operator')
    .addArgument(new Argument('<what>', 'what to list').choices(['rules', 'scenarios', 'defects', 'habits']))
    .argument('[names...]', 'only what is about these rules or groups, or so called')
    .addOption(new Option('--since <version>', 'only rules that came after this version').argParser(versionFlag))
    .addOption(configOption())
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier list rules --since 1.8.0    what came after an integration was made
  croupier list rules refund           with the scenarios that test them
  croupier list defects idempotency    the faults that break these rules
  croupier list habits                 other ways of correct operators

Exit status: 0, 2 no rule, group or name is called so`,
    )
    .action(
      async (what: Listable, names: string[], flags: { config?: string; json?: boolean; since?: ContractVersion }) => {
        const { listCommand } = await import('./list.ts');
        done(await listCommand(what, names, flags, stdio));
      },
    );
  program
    .command('lint')
    .description('check scenario files without sending anything')
    .argument('[files...]', 'files or folders (default: configured and built-in ones)')
    .addOption(configOption())
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier lint                     before a commit
  croupier lint our-scenarios/ --json

Exit status: 0 nothing to complain about, 2 complaints`,
    )
    .action(async (files: string[], flags: { config?: string; json?: boolean }) => {
      const { lintCommand } = await import('./lint.ts');
      done(await lintCommand(files, flags, stdio));
    });
  program
    .command('schema')
    .description('print a JSON Schema')
    .addArgument(
      new Argument('<of>', 'of which file').choices([
        'scenario',
        'config',
        'baseline',
        'report',
        'journal',
        'incident',
        'doctor',
        'replay',
      ]),
    )
    .addHelpText(
      'after',
      `
Examples:
  croupier schema scenario > scenario.schema.json    for an editor
  croupier schema report                             for what reads --json`,
    )
    .action(async (of: SchemaOf) => {
      const { schemaCommand } = await import('./schema.ts');
      done(await schemaCommand(of, stdio));
    });
}

function addInit(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program
    .command('init')
    .description('write a commented croupier.yaml and an example scenario')
    .summary('write a croupier.yaml with comments, and an example scenario')
    .option('--yes', 'ask nothing: take the flags and sensible values')
    .option('--base-url <url>', "the operator's base URL for reverse calls")
    .option('--ext-cid <id>', "the client's ExtCID")
    .option('--session <session>', 'ID or ID,player=p1,currency=USD; repeatable', collect)
    .option('--key-env <name>', 'the variable for the key (default: from the ExtCID)')
    .option('--force', 'overwrite files that are there')
    .addHelpText(
      'after',
      `
Examples:
  croupier init                                              asks
  croupier init --yes --base-url https://wallet.example/eu \\
    --ext-cid acme-eu --session eu-usd-1,currency=USD        does not

Exit status: 0 written, 2 usage, or a file is there`,
    )
    .action(async (flags: InitFlags) => {
      const { initCommand } = await import('./init.ts');
      done(await initCommand(flags, stdio));
    });
}

function addSelftest(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program
    .command('selftest')
    .description("prove croupier's judgement on correct operators and on every defect")
    .summary('prove that every defect is found, and nothing else')
    .argument('[names...]', 'defects, habits, defects joined by + (default: all)')
    .addOption(new Option('--threads <n>', 'side by side (default: one per core)').argParser(countFlag))
    .addOption(new Option('--deadline <duration>', 'how long a reply may take (default: 1s)').argParser(durationFlag))
    .addOption(new Option('--linger <duration>', 'the wait for a late debit (default: 300ms)').argParser(durationFlag))
    .option(...JSON_FLAG)
    .addHelpText(
      'after',
      `
Examples:
  croupier selftest                                      all, some minutes
  croupier selftest replayed-bet-charged                 one defect
  croupier selftest float-hidden+replayed-bet-charged    two at once

Exit status: 0 every operator was judged rightly, 1 one was not, 2 there is no
  such defect or habit`,
    )
    .action(async (names: string[], flags: SelftestFlags) => {
      const { selftestCommand } = await import('./selftest.ts');
      done(await selftestCommand(names, flags, stdio));
    });
}

function addSettle(program: Command, stdio: Stdio, done: (status: number) => void): void {
  const settle = program
    .command('settle')
    .description('send what a run that was cut short still owes: refunds, wins, and money that it took')
    .summary('send what a run that was cut short still owes')
    .argument('<journal>', 'that of the run (.croupier/….ndjson); it is continued');
  addClientOptions(settle)
    .addOption(productionOption())
    .option('--dry-run', 'say what is owed, and send nothing')
    .addOption(
      new Option('--time <duration>', 'how long to try what is not answered 200 (default: 30s)').argParser(
        durationFlag,
      ),
    )
    .addOption(stakeOption())
    .option(...JSON_FLAG);
  addWaitOptions(settle)
    .addHelpText(
      'after',
      `
Examples:
  croupier settle .croupier/run.ndjson --dry-run   what is owed, without a call
  croupier settle .croupier/run.ndjson             send it, with croupier.yaml
  CROUPIER_KEY=… croupier settle run.ndjson        address and sessions are the
                                                   journal's

What is sent is written to the same journal, so that a settlement can be cut
short and taken up again, and one that is finished sends nothing more. Not for
a run that is still going.

Exit status: 0 nothing is owed (any more), 2 usage or no journal (nothing was
  sent), 3 something is still owed, 130 and 143 interrupted`,
    )
    .action(async (journal: string, flags: SettleFlags) => {
      const { settleCommand } = await import('./settle.ts');
      done(await settleCommand(journal, flags, stdio));
    });
}

function addExplore(program: Command, stdio: Stdio, done: (status: number) => void): void {
  addExploreOptions(
    program
      .command('explore')
      .description('search an operator with generated histories, and shorten those that fail')
      .summary('search an operator with generated histories'),
  ).action(async (flags: ExploreFlags) => {
    const { exploreCommand } = await import('./explore.ts');
    done(await exploreCommand(flags, stdio));
  });
}

function addCompletion(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program
    .command('completion')
    .description('complete commands, flags, rules and scenarios in your shell')
    .summary('complete commands, flags and rules in your shell')
    .addArgument(new Argument('<shell>', 'which one; answer is what scripts ask').choices([...SHELLS, 'answer']))
    .argument('[words...]', 'of answer: what stands behind the name of the program, the word at the cursor last')
    .option('--line <text>', 'of answer: instead of them, the line before the cursor')
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(croupier completion bash)' >> ~/.bashrc
  echo 'source <(croupier completion zsh)' >> ~/.zshrc    after compinit
  croupier completion fish > ~/.config/fish/completions/croupier.fish
  croupier completion answer -- run refund.               what a script asks`,
    )
    .action(async (shell: CompletionShell | 'answer', words: string[], flags: { line?: string }) => {
      const { completionAnswerCommand, completionCommand } = await import('./completion.ts');
      if (shell === 'answer') done(await completionAnswerCommand(program, words, flags.line, stdio));
      else done(completionCommand(shell, stdio));
    });
}

/** Every command with its flags. What a command does is imported when it is called. */
export function addCommands(program: Command, stdio: Stdio, done: (status: number) => void): void {
  program.hook('preAction', async (_, command) => {
    if (command.opts<{ printConfig?: true }>().printConfig !== true) return;
    const { printConfig } = await import('./print-config.ts');
    await printConfig(command, stdio);
    // Printed instead of what the command does.
    throw new CommanderError(0, 'croupier.printConfig', '');
  });
  program.commandsGroup('Judge an operator:');
  addInit(program, stdio, done);
  addDoctor(program, stdio, done);
  addRun(program, stdio, done);
  addExplore(program, stdio, done);
  addSettle(program, stdio, done);
  addReport(program, stdio, done);
  program.commandsGroup('The incident desk:');
  addIncidentDesk(program, stdio, done);
  program.commandsGroup('Develop against it:');
  addServe(program, stdio, done);
  program.commandsGroup('Look up and check:');
  addInquiries(program, stdio, done);
  addSelftest(program, stdio, done);
  addCompletion(program, stdio, done);
  addHelp(program, stdio);
  program.addHelpText(
    'after',
    `
Examples:
  croupier run --reference               see a whole run, without an operator
  croupier init && croupier run          judge yours

What all commands share:
${topicLines('  croupier help ')}`,
  );
}
