import { useLargeYoungHeap } from '../src/cli/heap-growth.ts';
import { Connections } from '../src/load/connections.ts';
import { Requests } from '../src/load/requests.ts';
import { loadUuid } from '../src/load/uuids.ts';
import { readOrigin } from '../src/wire/origin.ts';
import { routeOf } from '../src/wire/wire.ts';

/**
 * Signs and sends calls over the connections of a load test, and discards the replies, in a process of its own. Its heap has the
 * settings of a load test, and its calls are as in a load test: bets and wins with ids of their own, and some balance calls.
 *
 * Arguments: the address, the key, the number of connections, the seconds, the seconds at the beginning that do not count, and
 * the share of the calls whose connection is closed on purpose. It prints the microseconds of processor time for each call.
 */
const [url = '', key = '', connections = '', seconds = '', warmSeconds = '', broken = ''] = process.argv.slice(2);

/** Each connection sends a balance call after this number of other calls, as often as the default mix of a load test. */
const READ_AFTER = 12;

useLargeYoungHeap();
const requests = new Requests({ integratorBaseUrl: url, integrationApiKey: key, paths: {}, headers: {} });
const sender = new Connections({ origin: readOrigin(url), route: routeOf({}), deadlineMs: 5000 });
const start = performance.now();
const until = start + Number(seconds) * 1000;
const warmUntil = start + Number(warmSeconds) * 1000;
const share = Number(broken);
let calls = 0;
let warm: { readonly used: NodeJS.CpuUsage; readonly calls: number } | undefined;

async function sendAll(sessionID: string): Promise<void> {
  let roundID = '';
  for (let now = start, count = 0; now < until; now = performance.now(), count += 1) {
    if (now >= warmUntil) warm ??= { used: process.cpuUsage(), calls };
    calls += 1;
    const breakAfterMs = Math.floor(calls * share) > Math.floor((calls - 1) * share) ? 0 : null;
    const call = count % 2 === 0 ? 'bet' : 'win';
    if (call === 'bet') roundID = loadUuid();
    const bytes =
      count % (READ_AFTER + 1) === READ_AFTER
        ? requests.read(sessionID)
        : requests.transaction({ call, sessionID, txID: loadUuid(), roundID, amount: '1.00' });
    await new Promise<void>((resolve) => {
      sender.send({ bytes, breakAfterMs, done: () => resolve(), onLateBytes: () => {} });
    });
  }
}

await Promise.all(Array.from({ length: Number(connections) }, (_, at) => sendAll(`s-${at}`)));
const { user, system } = process.cpuUsage(warm?.used);
sender.close();
process.stdout.write(JSON.stringify((user + system) / (calls - (warm?.calls ?? 0))));
