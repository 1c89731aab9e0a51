/** An address that a page may link to: http or https. Anything else, a script above all, is null. */
export function webAddress(text: string | undefined): string | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
