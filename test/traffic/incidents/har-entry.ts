/** The fields of a log entry of one call. A field that the log does not have is undefined. */
type Fields = Readonly<
  Partial<
    Record<
      | 'ts'
      | 'player'
      | 'currency'
      | 'method'
      | 'url'
      | 'requestBody'
      | 'status'
      | 'responseBody'
      | 'error'
      | 'durationMs',
      unknown
    >
  >
>;

/** Writes a log entry as an entry of a HAR file. */
export function harEntry({
  ts,
  player,
  currency,
  method,
  url,
  requestBody,
  status,
  responseBody,
  error,
  durationMs,
}: Fields): object {
  return {
    startedDateTime: ts,
    ...(durationMs !== undefined && { time: durationMs }),
    _croupier: { player, currency },
    request: {
      method,
      url,
      headers: [],
      ...(requestBody !== undefined && { postData: { mimeType: 'application/json', text: requestBody } }),
    },
    response:
      status === undefined
        ? { status: 0, statusText: '', headers: [], content: {}, _error: error }
        : { status, statusText: '', headers: [], content: { text: responseBody } },
  };
}
