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

/** Books that outlive the operator. */
export interface Books {
  readonly dataDir: string;
  /** This player's sessions have expired since the last start. */
  readonly expired?: string;
}

/** Starts the reference operator with keys that nobody else knows. @param books left out: they are kept in memory */
export async function startReference(
  onFault: (error: unknown) => void,
  behaviour: Behaviour = CORRECT,
  books?: Books,
): Promise<Reference> {
  const keys = { first: randomBytes(24).toString('hex'), second: randomBytes(24).toString('hex') };
  const options = demoOperator(keys);
  const [first, second] = options.clients;
  const sessions = first.sessions.map((session) =>
    session.player === books?.expired ? { ...session, state: 'expired' as const } : session,
  );
  const kept = books && { dataDir: books.dataDir };
  const listening = await createOperator(
    { clients: [{ ...first, sessions }, second], onFault, ...kept },
    behaviour,
  ).start();
  return {
    client: {
      extCID: first.extCID,
      integratorBaseUrl: `${listening.url}${first.basePath}`,
      integrationApiKey: keys.first,
      otherClientKey: keys.second,
      paths: {},
      headers: {},
      sessions: sessions.map(({ sessionID, player, currency, gameID, state }) => ({
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
