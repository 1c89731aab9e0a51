/** In which manner a call is signed; all but `valid` are deviations. */
export type SignKind =
  | 'valid'
  | 'missing' // no header at all
  | 'empty' // the header without a value
  | 'garbage' // 64 hexadecimal digits that have nothing to do with it
  | 'malformed' // not hexadecimal
  | 'wrong-key'
  | 'other-client' // another client's key
  | 'truncated' // the first half
  | 'prefix' // only the first eight digits are right
  | 'suffix' // only the last eight digits are right
  | 'one-off' // all but the last digit are right
  | 'upper-case'
  | 'base64' // the right bytes, not in hexadecimal
  | 'of-other-body'; // the right key's signature of `{}`

export const SIGN_KINDS: readonly SignKind[] = [
  'valid',
  'missing',
  'empty',
  'garbage',
  'malformed',
  'wrong-key',
  'other-client',
  'truncated',
  'prefix',
  'suffix',
  'one-off',
  'upper-case',
  'base64',
  'of-other-body',
];
