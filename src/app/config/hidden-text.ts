import { MASK } from '../../journal/secrets/scrubber.ts';
import { peculiarPlaces } from '../../journal/secrets/secret-forms.ts';

/** Names of values that are secrets. A value with such a name is hidden even in a wrong place. */
const SECRET_NAME =
  /key|secret|passw|passphrase|pwd|token|auth(?!or(?!i))|credential|cookie|jwt|bearer|signature|^pin$/i;

/** True if a value with this name is a secret, such as the value of `X-Api-Key`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Matches the user and the password of an address. */
const USER_OF_URL = /(?<=\/\/)[^/\s@"'<>]{1,500}(?=@)/g;
const SCHEME = /(?<=\b(?:bearer|basic|digest|token)\s{1,5})[\w.~+/=-]{6,}/gi;
/** Matches the value of a name, as in `token=x`, `--api-key x`, `"secret": "x"` and `X-Auth: x`. */
const NAMED =
  /(?<name>[\w.-]{0,60}(?:key|secret|passw|passphrase|pwd|token|auth(?!or(?!i))|credential|cookie|jwt|signature)[\w.-]{0,60})(?<between>["']?\s{0,5}[:=]\s{0,5}|\s{1,5}(?=[^\s-])(?<=--[\w.-]{1,120}\s{1,5}))(?<value>"[^"]*"?|'[^']*'?|(?:bearer|basic|digest)\s{1,5}[^\s,}"']+|[^\s,}&"']+)/gi;
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g;
const TOKEN = /[\w+/=.~-]{16,}/g;
const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;
/** Matches a reference to a variable or a file. A reference contains no secret. */
const REFERENCE = /^["']?(?:\$\{|\{)/;

/**
 * Hides what looks like a secret in a text: passwords of addresses, credentials, values with the name of a secret, private keys,
 * and random characters.
 *
 * @param mask returns the text that replaces a secret
 */
export function withoutCredentials(text: string, mask: (secret: string) => string = () => MASK): string {
  return text
    .replace(PRIVATE_KEY, mask)
    .replace(USER_OF_URL, mask)
    .replace(NAMED, (whole, name: string, between: string, value: string) =>
      REFERENCE.test(value) ? whole : `${name}${between}${mask(value)}`,
    )
    .replace(SCHEME, mask)
    .replace(TOKEN, (token) => (isRandom(token) ? mask(token) : token));
}

/** True for a text that nobody would choose as a name or a path, such as a key in hexadecimal. A UUID is usually an id. */
function isRandom(token: string): boolean {
  if (UUID.test(token) || /^[./~]|\.\w{2,5}$/.test(token)) return false;
  const places = peculiarPlaces(token);
  return places.filter(Boolean).length > places.length / 2;
}

/** Replaces each character, so that the columns of the text stay the same. */
export function asterisks(text: string): string {
  return '*'.repeat(text.length);
}
