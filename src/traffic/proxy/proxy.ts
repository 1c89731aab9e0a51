import { type AddressInfo, createServer, type Socket } from 'node:net';
import { openConnection } from '../../wire/connect.ts';
import { readOrigin, splitUrl } from '../../wire/origin.ts';
import { routeOf, type WireOptions } from '../../wire/wire.ts';
import { type CallPaths, callAt } from '../recorded-call.ts';
import { type Fault, Faults } from './fault.ts';
import { type DeferredJudge, ObservationQueue, type TrafficListener } from './observation-queue.ts';
import { ProxyConnection } from './proxy-connection.ts';
import type { ProxyContext } from './proxy-context.ts';

export interface ProxyOptions {
  /** The operator's base URL. The path of each call is appended to it. */
  readonly to: string;
  /** The settings of the connection to the operator, such as an HTTP proxy and TLS. */
  readonly wire: WireOptions;
  readonly paths: CallPaths;
  readonly faults: readonly Fault[];
  readonly listener: TrafficListener;
  readonly judge: DeferredJudge;
  readonly host: string;
  /** The port to open; 0 for any free port. */
  readonly port: number;
  onFault(error: unknown): void;
  onOverload(): void;
  /** Returns the time of a monotonic clock in ms. */
  readonly now: () => number;
}

export interface RunningProxy {
  /** The URL of the proxy, without a slash at the end. */
  readonly url: string;
  readonly observations: ObservationQueue;
  /** Accepts no more connections, and waits at most `graceMs` for pending replies. Then processes all waiting observations. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens a port, passes its traffic to the operator, and reports the calls to the listener and the judge.
 *
 * The proxy forwards bytes, not requests: each connection of the service has its own connection to the operator, and bytes are
 * copied between the two. It uses no HTTP server, which would write heads and bodies in its own format.
 *
 * @throws Error if the port can't be opened; TypeError if the operator's URL or the route to it is invalid
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const observations = new ObservationQueue(options);
  const context = proxyContext(options, observations);
  const proxyConnections = new Set<ProxyConnection>();
  let count = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    count += 1;
    const proxyConnection: ProxyConnection = new ProxyConnection(client, count, context, () =>
      proxyConnections.delete(proxyConnection),
    );
    proxyConnections.add(proxyConnection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    observations,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const proxyConnection of proxyConnections) proxyConnection.closeWhenIdle();
      const cutOff = setTimeout(() => {
        for (const proxyConnection of proxyConnections) proxyConnection.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
      observations.drain();
    },
  };
}

function proxyContext(options: ProxyOptions, observer: ObservationQueue): ProxyContext {
  const { base, target } = splitUrl(options.to);
  const origin = readOrigin(base);
  const route = routeOf(options.wire);
  const watch = { onResolved: () => {}, onConnected: () => {}, onSecured: () => {} };
  let id = 0;
  return {
    destination: { base, basePath: target.replace(/(?<!\/)\/+$/, ''), authority: origin.authority },
    faults: new Faults(options.faults),
    observer,
    callOf: (method, path) => callAt(method, path, options.paths),
    open: (done: (error: Error | null, socket: Socket | null) => void) => openConnection(origin, route, watch, done),
    newId: () => {
      id += 1;
      return `p${id}`;
    },
    now: options.now,
  };
}
