import { describe, expect, it } from 'vitest';
import { type Shell, shellOf, shellWords, withoutHereDocument } from '../../../../src/traffic/read/commands/shell.ts';

function words(command: string, shell: Shell): readonly string[] | 'open' {
  const reading = shellWords(command, shell);
  return reading.kind === 'open' ? 'open' : reading.words;
}

describe('shellOf', () => {
  it.each<[Shell, string]>([
    ['posix', "curl 'https://h/bet' -H 'a: b'"],
    ['posix', 'curl https://h/bet \\\n  -d x'],
    ['cmd', 'curl ^"https://h/bet^" ^\n  -H ^"a: b^"'],
    ['cmd', 'curl https://h/bet ^\n -d x'],
    ['powershell', 'Invoke-WebRequest -Uri "https://h/bet"'],
    ['powershell', 'iwr https://h/balance'],
    ['powershell', 'curl.exe "https://h/bet" `\n  -d x'],
  ])('detects the quoting of %s: %s', (shell, command) => {
    expect(shellOf(command)).toBe(shell);
  });
});

describe('shellWords', () => {
  it.each<[string, string, readonly string[] | 'open']>([
    ['spaces and tabs', 'a  b\tc\n', ['a', 'b', 'c']],
    ['an empty quotation', 'a \'\' ""', ['a', '', '']],
    ['joined quotations', `a'b'"c"d`, ['abcd']],
    ['a backslash in single quotes', String.raw`'a\n'`, [String.raw`a\n`]],
    ['escapes in double quotes', String.raw`"\" \\ \$ \n"`, [String.raw`" \ $ \n`]],
    ['a localised quotation', '$"a b"', ['a b']],
    ['an escaped space', String.raw`a\ b`, ['a b']],
    ['a continued line', 'a \\\n b', ['a', 'b']],
    ['a continued line with CRLF', 'a \\\r\n b', ['a', 'b']],
    ['a continued line in double quotes', '"a\\\nb"', ['ab']],
    ['operators without spaces', 'a|b;c&d', ['a', '|', 'b', ';', 'c', '&', 'd']],
    ['ANSI escapes', String.raw`$'a\tb\n\'\q'`, ["a\tb\n'q"]],
    ['hexadecimal and octal bytes', String.raw`$'\xc3\xa9\303\251'`, ['éé']],
    ['Unicode escapes', String.raw`$'\u00e9\U0001F600\ud83d\ude00'`, ['é😀😀']],
    ['a code above Unicode', String.raw`$'\UFFFFFFFF'`, ['\uFFFD']],
    ['an open single quotation', "a 'b", 'open'],
    ['an open double quotation', 'a "b', 'open'],
    ['an open ANSI quotation', "a $'b", 'open'],
    ['a backslash at the end', 'a \\', 'open'],
    ['a backslash and CR at the end', 'a \\\r', 'open'],
  ])('splits a POSIX command with %s', (_, command, expected) => {
    expect(words(command, 'posix')).toEqual(expected);
  });

  it.each<[string, string, readonly string[] | 'open']>([
    ['plain words', 'a  b', ['a', 'b']],
    ['carets before special characters', '^"a ^& b^" c', ['a & b', 'c']],
    ['a caret within a quotation', '"a^b"', ['a^b']],
    ['an escaped quotation mark', String.raw`"{\"a\":1}"`, ['{"a":1}']],
    ['a doubled quotation mark', '"a""b"', ['a"b']],
    ['backslashes before a quotation mark', String.raw`"a\\" b`, [String.raw`a\ `.trim(), 'b']],
    ['an empty quotation', 'a ""', ['a', '']],
    ['a continued line', 'a ^\n b', ['a', 'b']],
    ['a line end that Chrome writes twice', '^"a^\n\nb^"', ['a\nb']],
    ['an open quotation', '"a', 'open'],
    ['a caret at the end', 'a ^', 'open'],
  ])('splits a cmd command with %s', (_, command, expected) => {
    expect(words(command, 'cmd')).toEqual(expected);
  });

  it.each<[string, string, readonly string[] | 'open']>([
    ['both quotations', `a "b c" 'd e'`, ['a', 'b c', 'd e']],
    ['doubled quotation marks', `"a""b" 'c''d'`, ['a"b', "c'd"]],
    ['escapes in double quotes', '"a`n`"`$`u{1F600}"', ['a\n"$😀']],
    ['a backtick in single quotes', "'a`n'", ['a`n']],
    ['a table of headers', '@{ "a"="b" }', ['@', '{', 'a', '=', 'b', '}']],
    ['a continued line', 'a `\n b', ['a', 'b']],
    ['a continued line with CRLF', 'a `\r\n b', ['a', 'b']],
    ['an open quotation', 'a "b', 'open'],
    ['an open table', 'a @{ "b"="c"', 'open'],
    ['a backtick at the end', 'a `', 'open'],
  ])('splits a PowerShell command with %s', (_, command, expected) => {
    expect(words(command, 'powershell')).toEqual(expected);
  });
});

describe('withoutHereDocument', () => {
  it.each([
    ['no here-document', 'curl h -d x', 'curl h -d x', null],
    ['a here-document', 'curl h -d @- <<EOF\na\nb\nEOF', 'curl h -d @- ', 'a\nb\n'],
    ['words after its mark', 'curl h <<EOF -d @-\na\nEOF\n', 'curl h  -d @-', 'a\n'],
    ['a quoted mark', "curl h <<'E'\na\nE", 'curl h ', 'a\n'],
    ['tabs before its lines', 'curl h <<-E\n\ta\n\tE', 'curl h ', 'a\n'],
    ['CRLF line ends', 'curl h <<E\r\na\r\nE\r\n', 'curl h ', 'a\n'],
    ['a here-string', "curl h -d @-<<<'x'", "curl h -d @- <<< 'x'", null],
    ['the mark within quotation marks', "curl h -d '<<EOF'", "curl h -d '<<EOF'", null],
  ])('reads a command with %s', (_, text, command, input) => {
    expect(withoutHereDocument(text)).toEqual({ kind: 'read', command, input });
  });

  it.each(['curl h <<EOF', 'curl h <<EOF\na\nEOFX', 'curl h <<E \\\n -d @-'])(
    'needs more lines while the end mark is missing: %j',
    (text) => {
      expect(withoutHereDocument(text)).toEqual({ kind: 'open' });
    },
  );
});
