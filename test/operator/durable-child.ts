// Runs an operator in its own process, so that a test can kill it: node durable-child.ts DATA_DIR
import { createOperator } from '../../src/operator/operator.ts';

const listening = await createOperator({
  dataDir: process.argv[2] ?? '',
  clients: [
    {
      extCID: 'acme',
      integrationApiKey: 'key',
      basePath: '',
      campaigns: [],
      sessions: [{ sessionID: 's', player: 'p', currency: 'USD', gameID: 'g', balance: '1000.00', state: 'active' }],
    },
  ],
}).start();
process.stdout.write(`${listening.url}\n`);
