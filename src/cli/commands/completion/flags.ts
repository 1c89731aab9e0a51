import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { SHELLS } from './scripts.ts';

/** Defines `croupier completion` and its flags. */
export function describeCompletion(program: CommandUnknownOpts) {
  return program
    .command('completion')
    .description('print a script that completes commands, flags, rules and scenarios in your shell')
    .summary('complete commands, flags and rules in your shell')
    .addArgument(
      new Argument('<shell>', 'the shell, or `answer` (only for the scripts that this command prints)').choices([
        ...SHELLS,
        'answer',
      ] as const),
    )
    .argument(
      '[words...]',
      'only for `completion answer`: the words after the program name. The last word is at the cursor',
    )
    .option(
      '--line <text>',
      'only for `completion answer`: the text before the cursor. It replaces the argument `words`',
    )
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
