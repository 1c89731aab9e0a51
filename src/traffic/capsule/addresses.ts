import { isIPv4, isIPv6 } from 'node:net';

/** The kinds of addresses that a capsule replaces if the user asks for it. */
export const ADDRESS_KINDS = ['email', 'ip'] as const;

export type AddressKind = (typeof ADDRESS_KINDS)[number];

const EMAIL = /(?<![\w.+%-])[\w.+%'-]{1,64}@(?:[\p{L}\d-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\d])/gu;
/**
 * Matches an IPv4 address. Does not match a version, which has a letter and a slash before its numbers, such as `Chrome/120.0.0.1`.
 */
const IPV4 = /(?<![\w.]|\d-|\w\/)\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)/g;
const IPV6 =
  /(?<![\w:.])\[?(?=[\da-f]*:[\da-f]*:)(?:[\da-f]{0,4}:){2,7}(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]{0,4})(?![\w:]|\.\d)\]?/gi;
/** Matches an IPv4 address in the name of a computer, such as `ip-10-0-0-7` or `ec2-10-0-0-7.example`. */
const IPV4_IN_NAME = /(?<=\b(?:ip|ec2|host|node|static|dyn)-)\d{1,3}(?:-\d{1,3}){3}(?![\w-])/gi;
/** Addresses that every computer has. They identify nobody, so they are not replaced. */
const OF_EVERYBODY = /^(?:127\.|0\.0\.0\.0$|255\.255\.255\.255$|::1?$)/;

/** Replaces every address of these kinds in a text. */
export function replaceAddresses(
  text: string,
  kinds: ReadonlySet<AddressKind>,
  aliasOf: (kind: AddressKind, address: string) => string,
): string {
  const withoutEmail = kinds.has('email') ? text.replace(EMAIL, (address) => aliasOf('email', address)) : text;
  if (!kinds.has('ip')) return withoutEmail;
  return withoutEmail
    .replace(IPV6, (found) => {
      const address = found.replace(/[[\]]/g, '');
      return isPersonalIP(address) ? aliasOf('ip', address) : found;
    })
    .replace(IPV4_IN_NAME, (found) => {
      const address = found.replaceAll('-', '.');
      return isPersonalIP(address) ? aliasOf('ip', address) : found;
    })
    .replace(IPV4, (found) => (isPersonalIP(found) ? aliasOf('ip', found) : found));
}

/** Returns the kind of a text that is an address as a whole. */
export function addressKind(text: string): AddressKind | undefined {
  if (isPersonalIP(text)) return 'ip';
  EMAIL.lastIndex = 0;
  return EMAIL.exec(text)?.[0] === text ? 'email' : undefined;
}

function isPersonalIP(text: string): boolean {
  // A short text such as `a::b` is usually a name in a program and not an address.
  const isAddress = isIPv4(text) || (isIPv6(text) && (/\d/.test(text) || text.split(':').length > 4));
  return isAddress && !OF_EVERYBODY.test(text);
}
