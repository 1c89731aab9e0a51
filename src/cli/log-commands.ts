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

/** Matches the next character that can matter when the reader is in the middle of a line. */
const NEXT = /[#\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/g;

const ESCAPE = '\x1b';

/**
 * The ways in which readers of logs treat escape sequences. `keep`: as ordinary characters. The other two: the reader removes
 * escape sequences. For `remove to the bell`, a title (`ESC ]`) ends only at the bell character. For `remove`, it also ends at
 * the next escape character.
 */
const READINGS = ['keep', 'remove to the bell', 'remove'] as const;

/**
 * Returns a function for the output of one stream. It changes text so that no CI system reads a command in it: neither `::` at
 * the beginning of a line (GitHub, also after blanks and colours), nor `##[`, `##vso[` or `##teamcity[` anywhere.
 *
 * The last character of such a beginning is replaced by its code, as in `:\u003aerror` and `##vso\u005b`. In a JSON text, the
 * code stands for the same character, so the value stays the same. A beginning may be divided between several calls.
 */
export function logCommandFilter(): (text: string) => string {
  const readers = READINGS.map((reading) => new Reader(reading));

  return (text) => {
    let out = '';
    let done = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (readers.every((reader) => reader.isIdle)) {
        NEXT.lastIndex = at;
        const found = NEXT.exec(text);
        if (!found) break;
        at = found.index;
      }
      const character = text.charAt(at);
      // Each reader must process each character. So this is `filter` and not `some`, which would stop at the first reader.
      if (readers.filter((reader) => reader.completes(character)).length === 0) continue;
      out += text.slice(done, at) + codeOf(character);
      done = at + 1;
    }
    return done === 0 ? text : out + text.slice(done);
  };
}

/** Reads the characters of one stream in one of the {@link READINGS}, and finds the beginnings of commands. */
class Reader {
  readonly #reading: (typeof READINGS)[number];
  /** True while the line contains only characters that a reader may skip, and at most one colon. */
  #isStart = true;
  #hasColon = false;
  /** The characters so far of a command with a bracket. */
  #word = '';
  /** The kind of the escape sequence that is not complete yet. */
  #sequence: 'none' | 'begun' | 'colour' | 'title' | 'title end' = 'none';

  constructor(reading: (typeof READINGS)[number]) {
    this.#reading = reading;
  }

  /** True if only a `#` or the end of the line can change what this reader finds. */
  get isIdle(): boolean {
    return !this.#isStart && this.#word === '';
  }

  /** Takes one character. Returns true if it completes the beginning of a command. */
  completes(character: string): boolean {
    if (LINE_END.test(character)) {
      this.#isStart = true;
      this.#hasColon = false;
      this.#word = '';
      this.#sequence = 'none';
      return false;
    }
    if (this.#reading !== 'keep' && this.#isInSequence(character)) return false;
    const isCommand =
      (this.#isStart && this.#isSecondColon(character)) || (character === '[' && BRACKETED.includes(this.#word));
    this.#word = isCommand ? '' : nextWord(this.#word, character);
    return isCommand;
  }

  #isInSequence(character: string): boolean {
    const before = this.#sequence;
    switch (before) {
      case 'begun':
        this.#sequence = character === '[' ? 'colour' : character === ']' ? 'title' : 'none';
        // An escape character without a sequence is skipped, and the next character is read as usual.
        if (this.#sequence === 'none' && character !== ESCAPE) return false;
        break;
      case 'colour':
        if (character >= '@') this.#sequence = 'none';
        break;
      case 'title':
        if (character === '\x07') this.#sequence = 'none';
        else if (character === ESCAPE && this.#reading === 'remove') this.#sequence = 'title end';
        break;
      case 'title end':
        this.#sequence = 'none';
        if (character !== '\\') return this.#isInSequence(character);
        break;
      case 'none':
        break;
    }
    if (this.#sequence === 'none' && character === ESCAPE) this.#sequence = 'begun';
    return before !== 'none' || this.#sequence !== 'none';
  }

  #isSecondColon(character: string): boolean {
    if (character === ':' && !this.#hasColon) {
      this.#hasColon = true;
    } else if (!SKIPPED.test(character)) {
      this.#isStart = false;
      return character === ':';
    }
    return false;
  }
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
