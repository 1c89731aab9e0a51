import { randomBytes } from 'node:crypto';
import type { ClientUnderTest } from '../engine/run-options.ts';
import { type Behaviour, CORRECT } from '../operator/behaviour.ts';
import { DEMO_CAMPAIGN, demoOperator } from '../operator/demo.ts';
import { createOperator } from '../operator/operator.ts';

/** The embedded reference operator on a port of loopback, and how it is judged. */
export interface Reference {
  readonly client: ClientUnderTest;
  readonly campaign: string;
  readonly secrets: readonly string[];
  close(): Promise<void>;
}

/** Starts the reference operator with keys that nobody else knows. */
export async function startReference(
  onFault: (error: unknown) => void,
  behaviour: Behaviour = CORRECT,
): Promise<Reference> {
  const keys = { first: randomBytes(24).toString('hex'), second: randomBytes(24).toString('hex') };
  const options = demoOperator(keys);
  const [first] = options.clients;
  const listening = await createOperator({ ...options, onFault }, behaviour).start();
  return {
    client: {
      extCID: first.extCID,
      integratorBaseUrl: `${listening.url}${first.basePath}`,
      integrationApiKey: keys.first,
      otherClientKey: keys.second,
      paths: {},
      headers: {},
      sessions: first.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
        sessionID,
        player,
        currency,
        gameID,
        state,
      })),
      wire: {},
    },
    campaign: DEMO_CAMPAIGN,
    secrets: [keys.first, keys.second],
    close: () => listening.close(),
  };
}
