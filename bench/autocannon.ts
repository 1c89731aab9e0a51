import { createRequire } from 'node:module';
import { signBody } from '../src/contract/signature.ts';
import { Requests } from '../src/load/requests.ts';

/**
 * Sends calls with autocannon, in a process of its own. The calls have the same bytes as those of a load test: bets, wins and
 * balance calls, each signed and with ids of its own. They are built before autocannon starts.
 *
 * Arguments: the address, the key, the number of connections, the seconds. It prints the calls of each second as JSON.
 */
const [url = '', key = '', connections = '', seconds = ''] = process.argv.slice(2);

interface AutocannonRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The part of autocannon that is used here. It has no types of its own. */
type Autocannon = (
  options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly setupClient: (client: { setRequests(requests: AutocannonRequest[]): void }) => void;
  },
  done: (error: Error | null) => void,
) => { on(event: 'tick', listener: (tick: { readonly counter: number }) => void): void };

/**
 * Number of calls of each connection. After the last one, autocannon begins again with the first one. All connections together
 * have more calls than the wallet remembers, so that it books each call and repeats no reply.
 */
const CALLS = 4000;
/** Each connection sends a balance call after this number of other calls, as often as the default mix of a load test. */
const READ_AFTER = 12;

const requests = new Requests({ integratorBaseUrl: url, integrationApiKey: key, paths: {}, headers: {} });

function callsOf(sessionID: string): AutocannonRequest[] {
  let roundID = crypto.randomUUID() as string;
  return Array.from({ length: CALLS }, (_, at): AutocannonRequest => {
    if (at % (READ_AFTER + 1) === READ_AFTER) return read(sessionID);
    const call = at % 2 === 0 ? 'bet' : 'win';
    if (call === 'bet') roundID = crypto.randomUUID();
    const amount = `1.${String(at % 100).padStart(2, '0')}`;
    const body = requests.bodyOf({ call, sessionID, txID: crypto.randomUUID(), roundID, amount });
    const signature = signBody(Buffer.from(body), key);
    const headers = { 'Content-Type': 'application/json', 'X-REQUEST-SIGN': signature };
    return { method: 'POST', path: `/${call}`, headers, body };
  });
}

function read(sessionID: string): AutocannonRequest {
  const [, path = '', signature = ''] = /^GET (\S+) [\s\S]*X-REQUEST-SIGN: (\S+)/i.exec(requests.read(sessionID)) ?? [];
  return { method: 'GET', path, headers: { 'X-REQUEST-SIGN': signature } };
}

const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
const inSeconds: number[] = [];
let clients = 0;
const setupClient = (client: { setRequests(requests: AutocannonRequest[]): void }): void => {
  client.setRequests(callsOf(`s-${clients}`));
  clients += 1;
};
const options = { url, connections: Number(connections), duration: Number(seconds), setupClient };
autocannon(options, (error) => {
  if (error) throw error;
  process.stdout.write(JSON.stringify(inSeconds));
}).on('tick', ({ counter }) => inSeconds.push(counter));
