import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { type CallPaths, callAt } from '../incident/seen-call.ts';
import { openConnection } from '../wire/connect.ts';
import { readOrigin, splitUrl } from '../wire/origin.ts';
import { routeOf, type WireOptions } from '../wire/wire.ts';
import { type Fault, Faults } from './fault.ts';
import { type Judging, type Listener, Notes } from './notes.ts';
import { Passage } from './passage.ts';
import type { Surroundings } from './surroundings.ts';

export interface ProxyOptions {
  /** The operator's base URL: a call's path is appended to its path. */
  readonly to: string;
  /** How the operator is reached. */
  readonly wire: WireOptions;
  readonly paths: CallPaths;
  readonly faults: readonly Fault[];
  readonly listener: Listener;
  readonly judging: Judging;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  onFault(error: unknown): void;
  onOverload(): void;
  /** Monotonic, in ms. */
  readonly now: () => number;
}

export interface RunningProxy {
  /** Without a slash at the end. */
  readonly url: string;
  readonly notes: Notes;
  /** Takes no more connections, waits for the replies under way for so long, and judges what has passed. */
  close(graceMs: number): Promise<void>;
}

/**
 * Opens a port, passes on to the operator what arrives there, and tells the listener and the judging what has passed.
 *
 * It serves bytes, not requests: each connection of the service's has one to the operator, and what is sent over the one is sent over the
 * other, so that nothing is written anew that a server of HTTP would write in its own way.
 *
 * @throws Error when the port can't be opened; TypeError when the way to the operator can't be read
 */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const notes = new Notes(options);
  const around = surroundings(options, notes);
  const passages = new Set<Passage>();
  let count = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    count += 1;
    const passage: Passage = new Passage(client, count, around, () => passages.delete(passage));
    passages.add(passage);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    notes,
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const passage of passages) passage.leaveWhenIdle();
      const cutOff = setTimeout(() => {
        for (const passage of passages) passage.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
      notes.drain();
    },
  };
}

function surroundings(options: ProxyOptions, observer: Notes): Surroundings {
  const { base, target } = splitUrl(options.to);
  const origin = readOrigin(base);
  const route = routeOf(options.wire);
  const watch = { onResolved: () => {}, onConnected: () => {}, onSecured: () => {} };
  let id = 0;
  return {
    destination: { base, basePath: target.replace(/\/+$/, ''), authority: origin.authority },
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
