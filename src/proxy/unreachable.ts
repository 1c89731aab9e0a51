/** Marks a reply that croupier itself gave: the operator has not said it. */
const MARK = 'X-Croupier-Proxy';

/** The reply to a service whose call can't be passed on. */
export function unreachable(base: string, detail: string): Buffer {
  const message = `croupier proxy could not reach the operator at ${base}; this is not the operator's answer. ${detail}`;
  const body = Buffer.from(JSON.stringify({ message }));
  return Buffer.concat([
    Buffer.from(
      `HTTP/1.1 502 Bad Gateway\r\n${MARK}: unreachable\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
      'latin1',
    ),
    body,
  ]);
}
