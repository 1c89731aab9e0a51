import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { SHELLS } from './scripts.ts';

/** Defines `croupier completion` and its flags. */
export function describeCompletion(program: CommandUnknownOpts) {
  return program
    .command('completion')
    .description('print a script that completes commands, flags, rules and scenarios in your shell')
    .summary('complete commands, flags and rules in your shell')
    .addArgument(
      new Argument('<shell>', 'the shell (answer: only for the printed scripts)').choices([
        ...SHELLS,
        'answer',
      ] as const),
    )
    .argument('[words...]', 'only with answer: the words after the program name; the last one is at the cursor')
    .option('--line <text>', 'only with answer: the text before the cursor, instead of words')
    .addHelpText(
      'after',
      `
Examples:
  echo 'source <(croupier completion bash)' >> ~/.bashrc
  echo 'source <(croupier completion zsh)' >> ~/.zshrc    after compinit
  croupier completion fish > ~/.config/fish/completions/croupier.fish
  croupier completion answer -- run refund.               as a script calls it`,
    );
}
