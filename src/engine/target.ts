import type { CallSpec } from '../wire/request.ts';
import type { ClientUnderTest } from './run-options.ts';

/** Where the client takes its calls, and with which key they are signed. */
export function addressOf(client: ClientUnderTest): Pick<CallSpec, 'target' | 'key'> {
  const { integratorBaseUrl, paths, headers, contract, integrationApiKey } = client;
  return { target: { baseUrl: integratorBaseUrl, paths, headers, contract }, key: integrationApiKey };
}
