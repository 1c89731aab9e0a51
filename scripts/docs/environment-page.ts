import { environmentVariables, type Variable } from '../../src/cli/environment.ts';
import { croupierCommands } from './commands-page.ts';

const INTRODUCTION = `# Environment variables

<!-- Written by \`npm run docs\` from the flags of the commands. -->

This page lists every environment variable that croupier reads. In a pipeline or a container, a variable is often easier to set than a flag. These two commands have the same effect:

\`\`\`sh
CROUPIER_STRICT=1 CROUPIER_RATE=45 croupier run balance
croupier run balance --strict --rate 45
\`\`\`

A flag overrides a variable, and a variable overrides \`croupier.yaml\`. An empty variable of croupier counts as not set, except \`CROUPIER_KEY\`. \`croupier run --print-config\` prints every setting and its source. \`croupier help environment\` prints the
list of this page.

\`croupier.yaml\` can also contain variables with names of your choice, such as \`\${ACME_EU_KEY}\`.
`;

const FLAGS = `
## Variables with the effect of a flag

- **Flags without a value.** If the table shows \`(1)\` after a flag, set the variable to \`1\` to switch the flag on.
- **Flags that you can repeat.** A variable contains only one value. An exception: \`CROUPIER_LABEL\` can contain several labels, each on a line of its own.
`;

const OWN = `
## Other variables of croupier
`;

const OF_OTHERS = `
## Variables of other programs
`;

const HEAD = `
| variable | effect |
|---|---|
`;

const END = `
[ci.md](ci.md#github-actions) explains the output for GitHub Actions.

## Keys

croupier removes keys from everything that it writes: from its output in the terminal, from journals and from reports. It also removes encoded keys, for example in base64.
`;

/** Returns the text of the page that lists the environment variables. */
export function environmentPage(): string {
  const variables = environmentVariables(croupierCommands());
  const own = (name: string): boolean => name.startsWith('CROUPIER_');
  const flags = variables.filter(({ flag }) => flag !== undefined);
  const others = variables.filter(({ flag }) => flag === undefined);
  return [
    INTRODUCTION,
    FLAGS,
    tableOf(flags.toSorted((a, b) => a.name.localeCompare(b.name))),
    OWN,
    tableOf(others.filter(({ name }) => own(name))),
    OF_OTHERS,
    tableOf(others.filter(({ name }) => !own(name))),
    END,
  ].join('');
}

function tableOf(variables: readonly Variable[]): string {
  const rows = variables.map(({ name, meaning }) => {
    const names = name.split(', ').map((one) => `\`${one}\``);
    const effect = meaning.replace(/^(--[\w-]+)/, '`$1`').replaceAll('|', '\\|');
    return `| ${names.join(', ')} | ${effect} |\n`;
  });
  return HEAD + rows.join('');
}
