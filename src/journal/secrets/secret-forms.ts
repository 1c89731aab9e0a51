/** A text that reveals a secret, and how many of its characters must be found. */
export interface SecretForm {
  readonly text: string;
  /** Minimum number of characters of the text that must be found. A shorter part does not reveal the secret. */
  readonly min: number;
  /**
   * True if the secret is encoded in this text. False if the text contains the characters of the secret themselves, which may be
   * ordinary words.
   */
  readonly encoded: boolean;
}

/** This number of successive characters of a secret must never remain in a text. */
export const MIN_RUN = 8;

type Encoding = (bytes: Buffer) => readonly string[];

const HEX: Encoding = (bytes) => [bytes.toString('hex')];

/** The encodings that anybody can decode. `length` is the number of characters that `count` bytes have in the encoding. */
const ENCODINGS: readonly { readonly encode: Encoding; readonly length: (count: number) => number }[] = [
  { encode: HEX, length: (count) => 2 * count },
  { encode: base64Within, length: (count) => Math.floor((8 * count) / 6) },
];

/**
 * Returns the texts that reveal a secret: the secret itself, the secret written backwards, and the UTF-8 and UTF-16 bytes of both
 * in hexadecimal and base64, each encoded once or twice.
 */
export function formsOf(secret: string): readonly SecretForm[] {
  const reversed = Array.from(secret).reverse().join('');
  // A form of an HTML page writes a space as a plus.
  const plain = new Set([secret, reversed, secret.replaceAll(' ', '+'), reversed.replaceAll(' ', '+')]);
  const bytes = [secret, reversed].flatMap((text) => {
    // If a secret has only ASCII characters, every second byte of its UTF-16 form is 0. A part that lacks only the last of these
    // zeros reveals as much. So the minimum is one byte less.
    const wide = Buffer.from(text, 'utf16le');
    return [
      { bytes: Buffer.from(text, 'utf8'), min: MIN_RUN },
      { bytes: wide, min: 2 * MIN_RUN - 1 },
      { bytes: Buffer.from(wide).swap16(), min: 2 * MIN_RUN - 1 },
    ];
  });
  const once = bytes.flatMap(encodedOnce);
  const twice = once.flatMap(({ text, min }) => encodedOnce({ bytes: Buffer.from(text), min }));
  return [...[...plain].map((text) => ({ text, min: MIN_RUN, encoded: false })), ...once, ...twice];
}

function encodedOnce({ bytes, min }: { readonly bytes: Buffer; readonly min: number }): readonly SecretForm[] {
  return ENCODINGS.flatMap(({ encode, length }) =>
    encode(bytes).map((text) => ({ text, min: length(min), encoded: true })),
  );
}

/**
 * Returns the base64 text of these bytes as it appears inside a longer base64 text. Base64 encodes three bytes at once, so the
 * bytes may begin at three offsets. There is one result for each offset.
 */
export function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((offset) => base64At(bytes, offset));
}

/**
 * Returns the base64 characters of these bytes if `offset` other bytes come before them. A character at the beginning or the end
 * may also depend on other bytes. Such a character is left out, because it reveals at most four bits of the secret.
 */
function base64At(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** A key of hexadecimal digits, with or without the hyphens of a UUID. */
const HEX_KEY = /^(?=.*\d)(?=.*[a-f])[\da-f-]{16,}$/i;
const NUMBER = /^[\d\s.,:/+_-]*$/;
const WORDS = /^[\p{L}\d\s.,:/+_-]*$/u;
/** No ordinary word has five consonants in a row. */
const NO_WORD = /[bcdfghjklmnpqrstvwxz]{5}/i;
const VOWEL = /[aeiouy]/i;

/**
 * For each place of a secret, true if the 8 characters from there can't be ordinary words or numbers, such as `7Qz8LmT2`. False if
 * these characters may occur in any text by chance, such as `integrat` or `20261125`.
 */
export function peculiarPlaces(secret: string): readonly boolean[] {
  const isHex = HEX_KEY.test(secret);
  return Array.from({ length: Math.max(0, secret.length - MIN_RUN + 1) }, (_, at) => {
    const window = secret.slice(at, at + MIN_RUN);
    return !NUMBER.test(window) && (isHex || !isWords(window));
  });
}

function isWords(text: string): boolean {
  if (!WORDS.test(text)) return false;
  const changes = text.match(/\d(?=\p{L})|\p{L}(?=\d)/gu)?.length ?? 0;
  const humps = text.match(/\p{Ll}(?=\p{Lu})/gu)?.length ?? 0;
  const shouts = text.match(/\p{Lu}{2}(?=\p{Ll})/gu)?.length ?? 0;
  return changes <= 1 && humps <= 2 && shouts === 0 && VOWEL.test(text) && !NO_WORD.test(text);
}
