import { type Fields, isFields } from '../../json-fields.ts';

/** The fields in which loggers put an error. */
const ERRORS = ['err', 'error', 'exception'] as const;

/** An object in which {@link ofHttpClient} finds a request has one of these names. */
export const NAMES_OF_CLIENTS: ReadonlySet<string> = new Set(['config', 'options', ...ERRORS]);

/**
 * HTTP clients of Node.js put the request into the fields of an error. axios puts it into `config`, also in a reply, and got into
 * `options`. Returns an object with the request and the reply in the usual fields, or undefined if there is no such request.
 */
export function ofHttpClient(object: Fields): Fields | undefined {
  const own = requestOf(object);
  if (own) return { ...object, ...own };
  for (const name of ERRORS) {
    const error = object[name];
    const inner = isFields(error) ? requestOf(error) : undefined;
    if (inner) return { ...object, error: textOf(error), ...inner };
  }
  return undefined;
}

function requestOf({ config, options, response, status, data, message, code, name }: Fields): Fields | undefined {
  const sent = [config, options].find((one) => isFields(one) && typeof one.url === 'string' && 'method' in one);
  if (!isFields(sent) || typeof sent.method !== 'string') return undefined;
  const reply = isFields(response) ? response : undefined;
  const isError = reply === undefined && typeof message === 'string' && typeof (name ?? code) === 'string';
  return {
    method: sent.method.toUpperCase(),
    url: sent.url,
    requestBody: sent.data ?? sent.json ?? sent.body,
    headers: sent.headers,
    status: reply?.status ?? reply?.statusCode ?? status ?? undefined,
    responseBody: reply?.data ?? reply?.body ?? (reply === undefined && !isError ? data : undefined),
    ...(isError && { error: textOf({ message, code }) }),
  };
}

/** Returns the code of an error and its message. */
function textOf(error: unknown): string {
  const { code, message } = isFields(error) ? error : {};
  return [code, message].filter((text) => typeof text === 'string').join(': ');
}
