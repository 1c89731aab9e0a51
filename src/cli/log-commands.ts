/**
 * The first characters of the commands that CI systems read from a log, without the bracket at their end: GitHub Actions (the
 * old form), Azure Pipelines and TeamCity. These systems find such a command anywhere in a line.
 */
const BRACKETED = ['##', '##vso', '##teamcity'];

/** Characters that begin a new line for at least one reader of logs. */
const LINE_END = /[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;

/**
 * Characters that a reader of logs may skip: blanks, control and format characters, and characters that a comparison of .NET
 * ignores. The runners of GitHub and Azure compare text in this way.
 */
const SKIPPED = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** The next character that matters in the middle of a line. */
const NEXT = /[#\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

const ESCAPE = '\x1b';

/**
 * Returns a function for the output of one stream. It changes text so that no CI system reads a command in it: neither `::` at
 * the beginning of a line (GitHub, also after blanks and colours), nor `##[`, `##vso[` or `##teamcity[` anywhere.
 *
 * The last character of such a beginning is replaced by its code, as in `:\u003aerror` and `##vso\u005b`. In a JSON text, the
 * code stands for the same character, so the value stays the same. A beginning may be divided between several calls.
 */
export function logCommandFilter(): (text: string) => string {
  /** True while the line holds only characters that a reader may skip, and perhaps one colon. */
  let isStart = true;
  let hasColon = false;
  /** The characters so far of a command with a bracket. */
  let word = '';
  /** The kind of the escape sequence at the beginning of the line that is not complete yet. */
  let sequence: 'none' | 'begun' | 'colour' | 'title' = 'none';

  /** Takes one character. Returns true if it completes the beginning of a command. */
  const completes = (character: string): boolean => {
    if (LINE_END.test(character)) {
      isStart = true;
      hasColon = false;
      word = '';
      sequence = 'none';
      return false;
    }
    const isCommand = (isStart && atStart(character)) || (character === '[' && BRACKETED.includes(word));
    word = isCommand ? '' : nextWord(word, character);
    return isCommand;
  };

  const atStart = (character: string): boolean => {
    if (sequence === 'begun') {
      sequence = character === '[' ? 'colour' : character === ']' ? 'title' : 'none';
    } else if (sequence === 'colour') {
      if (character >= '@') sequence = 'none';
    } else if (sequence === 'title') {
      if (character === '\x07') sequence = 'none';
      else if (character === ESCAPE) sequence = 'begun';
    } else if (character === ESCAPE) {
      sequence = 'begun';
    } else if (character === ':' && !hasColon) {
      hasColon = true;
    } else if (!SKIPPED.test(character)) {
      isStart = false;
      return character === ':';
    }
    return false;
  };

  return (text) => {
    let out = '';
    let done = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (!isStart && word === '') {
        NEXT.lastIndex = at;
        const found = NEXT.exec(text);
        if (!found) break;
        at = found.index;
      }
      const character = text.charAt(at);
      if (!completes(character)) continue;
      out += text.slice(done, at) + codeOf(character);
      done = at + 1;
    }
    return done === 0 ? text : out + text.slice(done);
  };
}

function nextWord(word: string, character: string): string {
  const longer = word + character.toLowerCase();
  if (BRACKETED.some((begin) => begin.startsWith(longer))) return longer;
  if (word !== '' && SKIPPED.test(character)) return word;
  // In `###[`, the last two signs are the beginning.
  if (character === '#') return word === '##' ? '##' : '#';
  return '';
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
