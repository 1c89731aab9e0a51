import { environmentVariables } from '../../src/cli/environment.ts';
import { croupierCommands } from './commands-page.ts';

const INTRODUCTION = `# Environment variables

<!-- Written by \`npm run docs\` from the flags of the commands. -->

This page lists every environment variable that croupier reads. You can set a variable in place of a flag, for example in a pipeline or a container. These two commands do the
same:

\`\`\`sh
CROUPIER_STRICT=1 CROUPIER_RATE=45 croupier run balance
croupier run balance --strict --rate 45
\`\`\`

A flag overrides a variable, and a variable overrides \`croupier.yaml\`. A variable with the name of a flag has the effect of this flag. With \`(1)\`, the value \`1\` switches the
flag on. \`croupier help environment\` prints this list too.

| variable | effect |
|---|---|
`;

const END = `
\`croupier.yaml\` can contain \`\${NAME}\` for any other variable. \`croupier run --print-config\` prints every setting and its source.
[ci.md](ci.md#github-actions) explains the output for GitHub Actions.

croupier removes keys from everything that it writes: from its output in the terminal, from journals and from reports. It also removes encoded keys, for example in base64.
`;

/** Returns the text of the page that lists the environment variables. */
export function environmentPage(): string {
  const rows = environmentVariables(croupierCommands()).map(({ name, meaning }) => {
    const names = name.split(', ').map((one) => `\`${one}\``);
    const effect = meaning.replace(/^(--[\w-]+)/, '`$1`').replaceAll('|', '\\|');
    return `| ${names.join(', ')} | ${effect} |\n`;
  });
  return INTRODUCTION + rows.join('') + END;
}
