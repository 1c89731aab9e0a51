/** The ways in which a call can deviate from the calls of the service. Scenarios name them, and src/wire/ carries them out. */

/** Number of digits of a signature that `prefix` and `suffix` keep. */
export const KEPT_DIGITS = 8;

/** Ways to sign a call, each with its meaning. All except `valid` are deviations. */
export const SIGN_MEANINGS = {
  valid: 'the right signature. With `resend`: a new, right signature in place of the first one',
  missing: 'no signature header',
  empty: 'a header without a value',
  garbage: '64 hexadecimal digits without any relation to the call',
  malformed: 'text that is not a signature',
  'wrong-key': 'a signature in the right form, made with a key that no client has',
  'empty-key': 'a signature in the right form, made with an empty key',
  'other-client': 'a signature made with the key of another ExtCID of the same operator',
  truncated: 'the first half of the right signature',
  prefix: `only the first ${KEPT_DIGITS} digits are right`,
  suffix: 'only the first digit is wrong',
  'one-off': 'only the last digit is wrong',
  'upper-case': 'the right signature, in upper-case hexadecimal',
  base64: 'the right signature, in base64',
  'of-other-body': 'the right signature of another body',
} as const;

export type SignKind = keyof typeof SIGN_MEANINGS;

export const SIGN_KINDS = Object.keys(SIGN_MEANINGS) as readonly SignKind[];

/** Ways to write the JSON of a body. All have the same meaning. */
export const BODY_FORMATS = [
  'canonical',
  'pretty', // indented
  'spaced', // a space after each comma and colon
  'unsorted', // the names in reverse order
  'escaped', // text with \u escapes that nothing requires
] as const;

export type BodyFormat = (typeof BODY_FORMATS)[number];

/** Orders of the parameters in a URL. The signature does not depend on the order. */
export const QUERY_ORDERS = ['sorted', 'reversed', 'as-given'] as const;

export type QueryOrder = (typeof QUERY_ORDERS)[number];

/** Ways to percent-encode parameters. After decoding, all of them have the same meaning. */
export const QUERY_ENCODINGS = [
  'standard', // as encodeURIComponent
  'all', // every byte
  'letters', // also the first letter of each value
  'minimal', // does not encode what a query may hold: `:`, `@`, `/`, `?`, `$`, `,`, and `=` in values
  'plus', // a space is a plus
] as const;

export type QueryEncoding = (typeof QUERY_ENCODINGS)[number];

/** Letter cases of the name of the signature header. */
export const HEADER_CASES = ['lower', 'upper', 'mixed'] as const;

export type HeaderCase = (typeof HEADER_CASES)[number];

/** Moments to close the connection before the whole request is sent. */
export const EARLY_BREAKS = [
  'head', // once the headers are sent
  'half-body', // once half of the body is sent
] as const;

export type EarlyBreak = (typeof EARLY_BREAKS)[number];

/**
 * The moment at which croupier closes the connection on purpose. `sent` means `afterMs` milliseconds after the last byte,
 * unless the reply comes first.
 */
export type BreakMoment = { readonly at: EarlyBreak } | { readonly at: 'sent'; readonly afterMs: number };

/** The settings for a request body that is sent in pieces, with a pause of `gapMs` milliseconds before each piece. */
export interface Trickle {
  readonly pieces: number;
  readonly gapMs: number;
}
