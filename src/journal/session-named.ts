import { bodyText, type ExchangeRequest } from './exchange.ts';

/** The session that a call names in its query or its body; a body that is no JSON names none. It tells whose call it was, no more. */
export function sessionNamedIn({ url, body }: ExchangeRequest): string | undefined {
  if (body === null) return URL.parse(url)?.searchParams.get('sessionID') ?? undefined;
  return /"sessionID":"((?:[^"\\]|\\.)*)"/.exec(bodyText(body))?.[1];
}
