import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import type { Fault } from '../../../src/traffic/proxy/fault.ts';
import type { DeferredJudge } from '../../../src/traffic/proxy/observation-queue.ts';
import type { ProxiedCall, ProxiedCallEnd } from '../../../src/traffic/proxy/proxied-call.ts';
import { type RunningProxy, startProxy } from '../../../src/traffic/proxy/proxy.ts';

/** A server that keeps every byte it gets, and lets the test say what it answers. */
export interface RawServer {
  readonly port: number;
  readonly sockets: readonly Socket[];
  /** All bytes of each connection. */
  received(connection?: number): Buffer;
  readonly closed: readonly number[];
  close(): Promise<void>;
}

export async function rawServer(onData: (socket: Socket, bytes: Buffer) => void): Promise<RawServer> {
  const sockets: Socket[] = [];
  const pieces: Buffer[][] = [];
  const closed: number[] = [];
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const at = sockets.push(socket) - 1;
    pieces.push([]);
    socket.on('error', () => {});
    socket.on('end', () => closed.push(at));
    socket.on('close', () => closed.push(at));
    socket.on('data', (bytes: Buffer) => {
      pieces[at]?.push(bytes);
      onData(socket, bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    received: (connection = 0) => Buffer.concat(pieces[connection] ?? []),
    closed,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Passed {
  readonly proxiedCall: ProxiedCall;
  readonly end: ProxiedCallEnd;
}

export interface RawProxy extends RunningProxy {
  readonly port: number;
  readonly passed: readonly Passed[];
  /** Ids of the calls behind whose replies more bytes came. */
  readonly exceeded: readonly string[];
  /** The senders of bytes that could not be parsed. */
  readonly unparsed: readonly string[];
  readonly faults: readonly unknown[];
}

export async function rawProxy(
  to: string,
  { faults = [], judging }: { readonly faults?: readonly Fault[]; readonly judging?: DeferredJudge } = {},
): Promise<RawProxy> {
  const passed: Passed[] = [];
  const exceeded: string[] = [];
  const unparsed: string[] = [];
  const failures: unknown[] = [];
  const proxy = await startProxy({
    to,
    wire: {},
    paths: new Map(),
    faults,
    listener: {
      requested: () => {},
      ended: (proxiedCall, end) => passed.push({ proxiedCall, end }),
      exceeded: ({ id }) => exceeded.push(id),
      unparsed: (_, sender) => unparsed.push(sender),
    },
    judge: judging ?? { requested: () => {}, ended: () => {}, missed: () => {} },
    host: '127.0.0.1',
    port: 0,
    onFault: (error) => failures.push(error),
    onOverload: () => {},
    now: () => performance.now(),
  });
  return { ...proxy, port: Number(new URL(proxy.url).port), passed, exceeded, unparsed, faults: failures };
}

/** Sends bytes, in the pieces given, and collects what comes back until the connection is closed or `until` says it is enough. */
export function talk(
  port: number,
  pieces: readonly (string | Buffer)[],
  until: (back: Buffer) => boolean,
): Promise<{ readonly back: Buffer; readonly how: 'enough' | 'ended' | 'reset' }> {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    let back = Buffer.alloc(0);
    const done = (how: 'enough' | 'ended' | 'reset'): void => {
      socket.destroy();
      resolve({ back, how });
    };
    socket.on('data', (bytes: Buffer) => {
      back = Buffer.concat([back, bytes]);
      if (until(back)) done('enough');
    });
    socket.on('end', () => done('ended'));
    socket.on('error', () => done('reset'));
    socket.on('connect', () => {
      void (async () => {
        for (const piece of pieces) {
          await new Promise((next) => socket.write(piece, next));
          // The other sockets of this process get their turn, so that most pieces are read one by one.
          await new Promise((next) => setImmediate(next));
        }
      })();
    });
  });
}

/** Waits until something holds. Only the time limit of the test ends this wait, because a busy machine can take any time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setTimeout(next, 5));
}
