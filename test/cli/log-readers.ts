/**
 * The commands that each CI system finds in a log. Each function follows the code of the system's own runner, which differs in
 * where a command may begin.
 */

/** GitHub Actions: `::name …::…` at the beginning of a line, and the old `##[name …]…` anywhere in a line. */
const GITHUB = new Set(
  'add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env set-output stop-commands warning'.split(
    ' ',
  ),
);

function githubCommand(line: string): string | undefined {
  const begin = bare(line).trimStart();
  const end = begin.indexOf('::', 2);
  if (begin.startsWith('::') && end >= 0 && GITHUB.has(nameOf(begin.slice(2, end)))) return begin;
  return bracketed(line, '##[', (name) => GITHUB.has(name));
}

/** Azure Pipelines: `##vso[area.event …]…` anywhere in a line. */
function azureCommand(line: string): string | undefined {
  return bracketed(line, '##vso[', (name) => name.split('.').length === 2);
}

/** TeamCity: `##teamcity[name …]` anywhere in a line. */
function teamcityCommand(line: string): string | undefined {
  return bracketed(line, '##teamcity[', (name) => name !== '');
}

function bracketed(line: string, begin: string, isName: (name: string) => boolean): string | undefined {
  const text = bare(line);
  const at = text.indexOf(begin);
  const end = text.indexOf(']', at);
  if (at < 0 || end < 0) return undefined;
  return isName(nameOf(text.slice(at + begin.length, end))) ? text.slice(at) : undefined;
}

function nameOf(info: string): string {
  return info.split(' ', 1)[0] ?? '';
}

/** Removes colours, and the characters that comparisons of .NET ignore. */
function bare(line: string): string {
  return line
    .replace(/\u001b\[[0-9;]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g, '')
    .replace(/[^\P{Cc}\t]|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** Returns all commands that GitHub Actions, Azure Pipelines or TeamCity find in a log. */
export function commandsIn(log: string): readonly string[] {
  return log
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .flatMap((line) =>
      [githubCommand(line), azureCommand(line), teamcityCommand(line)].filter((found) => found !== undefined),
    );
}
