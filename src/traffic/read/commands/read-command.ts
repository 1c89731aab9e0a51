import type { CommandReading, ReadFileBeside, StandardInput } from './command.ts';
import { readCurl } from './curl.ts';
import { readHttpie } from './httpie.ts';
import { isInvokeError } from './invoke-output.ts';
import { readInvoke, withoutDotNetCalls } from './invoke-web-request.ts';
import { PowerShellVariables } from './powershell-variables.ts';
import { ASSIGNMENT, type Shell, shellOf, shellWords, withoutHereDocument } from './shell.ts';
import { readWget } from './wget.ts';

/** Matches the prompt of a shell before a command: `$`, `user@host ~ %`, `root@host:/#`, `PS C:\\>`. */
const PROMPT = /^\s*(?:(?:[^\s'"{]{1,80}\s){0,3}[^\s'"{]{0,80}[$>%#]\s+|PS [^>]*>\s*)?/;
/** Without this difference, the beginning of `$body = …` would count as a prompt. */
const PROMPT_OF_POWERSHELL = /^\s*(?:PS [^>]*>\s*)?/;
const BEGINS = new RegExp(
  `${PROMPT.source}(?:(?:printf|echo|cat)\\s+\\S.*\\|\\s*)?(curl(?:\\.exe)?|wget|https?(?=\\s(?!\\d{4}-)[^|\\r\\n]*\\/)|(?:\\$\\w{1,60}\\s*=\\s*)?(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm))\\s`,
  'i',
);

/**
 * Matches the name of a program of {@link BEGINS}. This pattern is fast. Most lines of a log contain no such name, so the slower
 * pattern is not needed for them.
 */
const PROGRAM = /curl|wget|https?\s|invoke-|iwr|irm|^\s*\$/i;

/**
 * The line for which {@link beginsCommand} was called last, with the result. The reader calls the function several times for the
 * same line.
 */
let last = { line: '', begins: false };

/** True if a line is the first line of a copied command. */
export function beginsCommand(line: string): boolean {
  if (line !== last.line) last = { line, begins: isFirstLine(line) };
  return last.begins;
}

function isFirstLine(line: string): boolean {
  // A line of JSON is no command, and most lines of a large log are JSON.
  if (line.startsWith('{') || !PROGRAM.test(line) || isInvokeError(line)) return false;
  if (ASSIGNMENT.test(line)) return true;
  const program = BEGINS.exec(line)?.[1] ?? 'HTTP';
  // In a log, `HTTP` in capital letters is the protocol. The program `http` has a lower-case name.
  return !/^HTTPS?$/.test(program);
}

/**
 * Reads a copied command: curl, Invoke-WebRequest, wget or HTTPie. Understands the quotation marks and escapes of bash, zsh, cmd
 * and PowerShell, because browsers copy requests for these shells.
 *
 * @param variables the PowerShell variables that earlier commands of the file have set
 */
export function readCommand(
  text: string,
  beside: ReadFileBeside = () => undefined,
  shell: Shell = shellOf(text),
  variables: PowerShellVariables = new PowerShellVariables(),
): CommandReading {
  const prompted = shell === 'powershell' ? PROMPT_OF_POWERSHELL : PROMPT;
  const command = withoutDotNetCalls(text.replace(prompted, ''));
  const here = shell === 'posix' ? withoutHereDocument(command) : { kind: 'read' as const, command, input: null };
  if (here.kind === 'open') return here;
  const reading = shellWords(here.command, shell);
  if (reading.kind === 'open') return reading;
  const ofShell = shell === 'powershell' ? ofPowerShell(reading.words, variables) : reading.words;
  if (ofShell === null) return { kind: 'assignment' };
  if (shell === 'powershell' && ofShell.at(-1) === '|') return { kind: 'open' };
  const { words, stdin } = redirected(ofShell, here.input, beside);
  const pipe = words.indexOf('|');
  const program = words[0]?.toLowerCase() ?? '';
  if (program === 'printf' || program === 'echo' || program === 'cat') {
    if (pipe < 0) return { kind: 'unreadable', why: `the ${program} is not piped into curl` };
    return readProgram(words.slice(pipe + 1), stdin ?? piped(program, words.slice(1, pipe), beside), beside);
  }
  const read = readProgram(words, stdin, beside);
  if (read.kind !== 'request' || read.request.body === null || read.request.body === 'unknown') return read;
  return variables.isProduced(read.request.body.data) ? { ...read, isBodyRewritten: true } : read;
}

/** Returns the words of a PowerShell command with its variables replaced. Returns null if it only sets a variable. */
function ofPowerShell(words: readonly string[], variables: PowerShellVariables): readonly string[] | null {
  const isAssignment = /^\$\w+$/.test(words[0] ?? '') && words[1] === '=';
  const command = isAssignment ? variables.assign(words) : words;
  return command && variables.expanded(command);
}

function readProgram(words: readonly string[], stdin: StandardInput | null, beside: ReadFileBeside): CommandReading {
  const program = words[0]?.toLowerCase() ?? '';
  const args = words.slice(1);
  switch (program) {
    case 'curl':
    case 'curl.exe':
      return readCurl(args, stdin, beside);
    case 'wget':
      return readWget(args, beside);
    case 'http':
    case 'https':
      return readHttpie(program, args, stdin, beside);
    default:
      return readInvoke(words);
  }
}

/**
 * Removes `< FILE` and `<<< TEXT` from a command. Returns the other words, and the standard input of the command (null if the
 * command has none).
 */
function redirected(
  words: readonly string[],
  input: string | null,
  beside: ReadFileBeside,
): { readonly words: readonly string[]; readonly stdin: StandardInput | null } {
  const at = words.findIndex((word) => word === '<' || word === '<<<');
  const value = words[at + 1];
  if (at < 0 || value === undefined) {
    return { words, stdin: input === null ? null : { bytes: Buffer.from(input), missing: undefined } };
  }
  const bytes = words[at] === '<' ? beside(value) : Buffer.from(`${value}\n`);
  return { words: words.toSpliced(at, 2), stdin: { bytes, missing: bytes === undefined ? value : undefined } };
}

/**
 * Returns the output of the command before a pipe: `printf FORMAT`, `echo` or `cat`. croupier itself prints a command that begins
 * with `printf`, if a terminal cannot show the body.
 */
function piped(program: string, args: readonly string[], beside: ReadFileBeside): StandardInput {
  const [first = ''] = args;
  switch (program.toLowerCase()) {
    case 'printf':
      // `printf %s TEXT` prints the text unchanged.
      return { bytes: first === '%s' ? Buffer.from(args[1] ?? '') : printed(first), missing: undefined };
    case 'cat':
      return { bytes: args.length === 1 ? beside(first) : undefined, missing: args.join(' ') };
    default: {
      const isBare = first === '-n';
      return { bytes: Buffer.from(`${args.slice(isBare ? 1 : 0).join(' ')}${isBare ? '' : '\n'}`), missing: undefined };
    }
  }
}

function printed(format: string): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (const [part, octal, percent] of format.matchAll(/\\([0-7]{1,3})|(%%)|[^\\%]+|[\\%]/g)) {
    if (octal !== undefined) pieces.push(Uint8Array.of(Number.parseInt(octal, 8) & 0xff));
    else pieces.push(Buffer.from(percent === undefined ? part : '%'));
  }
  return Buffer.concat(pieces);
}
