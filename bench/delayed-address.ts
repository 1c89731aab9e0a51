import { once } from 'node:events';
import net from 'node:net';

/**
 * Opens an address that passes all bytes to a local port and back, each after a delay. Calls `use` with the port of this address,
 * and closes it. It stands for an operator that is far away.
 *
 * @param delayMs the delay of each direction, in milliseconds
 */
export async function withDelay<T>(target: number, delayMs: number, use: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<net.Socket>();
  const pass = (from: net.Socket, to: net.Socket): void => {
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs));
    from.on('end', () => setTimeout(() => to.end(), delayMs));
    from.on('error', () => setTimeout(() => to.destroy(), delayMs));
    from.on('close', () => sockets.delete(from));
  };
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    const far = net.connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    return await use(address.port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}
