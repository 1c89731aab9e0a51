import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChosenVariation, chosenVariations } from '../../src/app/variations.ts';
import { createOperator, type Operator } from '../../src/operator/operator.ts';
import { behaviourWith } from '../../src/operator/variation.ts';
import { type Ended, ended, start } from '../cli/croupier.ts';

/** The behaviours of the simulated operators: correct ones, variants and defects, in turn. */
const BEHAVIOURS: readonly { readonly defect?: string[]; readonly variant?: string[] }[] = [
  {},
  { defect: ['refund-half'] },
  { variant: ['signature-in-any-case'] },
  { defect: ['replayed-bet-charged'] },
];

/** Many reference operators in this process, and a folder with the fleet that names them. */
export interface SimulatedFleet {
  readonly cwd: string;
  /** The names of the operators. Those with the same behaviour have the same remainder when divided by `kinds`. */
  readonly names: readonly string[];
  readonly kinds: number;
  readonly env: Readonly<Record<string, string>>;
  operatorOf(name: string): Operator;
  /** Returns the players of an operator. */
  playersOf(name: string): readonly string[];
  /** True if the operator moves wrong amounts. */
  hasDefect(name: string): boolean;
  /** Returns the names of the correct operators whose players do not have their first balance. */
  wrongBalances(): readonly string[];
  close(): Promise<void>;
}

const BALANCE = '1000.00';

/** Returns the players of an operator. Their names differ from operator to operator, because runs on one player wait for each other. */
function playersOf(name: string): readonly string[] {
  return [`ada-${name}`, `bob-${name}`];
}

/**
 * @param size number of operators
 * @param select the scenarios with which each operator is judged
 * @param rate maximum number of calls per second to one operator
 */
export async function simulatedFleet(size: number, select: readonly string[], rate?: number): Promise<SimulatedFleet> {
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-simulated-'));
  const key = randomBytes(24).toString('hex');
  const names = Array.from({ length: size }, (_, index) => `operator-${String(index).padStart(3, '0')}`);
  const sessionsOf = (name: string) =>
    playersOf(name).map((player) => ({
      sessionID: `session-${player}`,
      player,
      currency: 'USD',
      gameID: 'catch',
      balance: BALANCE,
      state: 'active' as const,
    }));
  const operators = BEHAVIOURS.map((flags, kind) => {
    const chosen: readonly ChosenVariation[] = chosenVariations(flags);
    const own = names.filter((_, index) => index % BEHAVIOURS.length === kind);
    const clients = own.map((name) => ({
      extCID: name,
      integrationApiKey: key,
      basePath: `/${name}`,
      campaigns: [],
      sessions: sessionsOf(name),
    }));
    return createOperator({ clients }, behaviourWith(chosen.map(({ variation }) => variation)));
  });
  const served = await Promise.all(operators.map((operator) => operator.start()));
  const operatorOf = (name: string): Operator => {
    const operator = operators[names.indexOf(name) % BEHAVIOURS.length];
    if (!operator) throw new Error(`there is no operator ${name}`);
    return operator;
  };
  const hasDefect = (name: string): boolean =>
    BEHAVIOURS[names.indexOf(name) % BEHAVIOURS.length]?.defect !== undefined;
  const clients = names.map((name, index) => ({
    extCID: name,
    integratorBaseUrl: `${served[index % BEHAVIOURS.length]?.url}/${name}`,
    integrationApiKey: '${SIMULATED_KEY}',
    sessions: sessionsOf(name).map(({ sessionID, player, currency, gameID }) => ({
      sessionID,
      player,
      currency,
      gameID,
    })),
  }));
  // JSON is YAML too.
  writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ linger: '10ms', clients }));
  const entries = names.map((name) => ({ name, config: 'croupier.yaml', client: name, select }));
  writeFileSync(path.join(cwd, 'fleet.yaml'), JSON.stringify({ schedule: '0 3 * * *', rate, operators: entries }));
  return {
    cwd,
    names,
    kinds: BEHAVIOURS.length,
    env: { SIMULATED_KEY: key },
    operatorOf,
    playersOf,
    hasDefect,
    wrongBalances: () =>
      names.filter(
        (name) =>
          !hasDefect(name) &&
          playersOf(name).some((player) => operatorOf(name).balanceOf(name, player, 'USD') !== BALANCE),
      ),
    close: async () => {
      await Promise.all(served.map((one) => one.close(0)));
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** A worker of a fleet, with its runs. */
export interface TestWorker {
  readonly ended: Promise<Ended>;
  /** Sends a signal to the worker and to all its runs. */
  signalAll(name: NodeJS.Signals): void;
  /** Sends a signal to the worker alone. */
  signal(name: NodeJS.Signals): void;
}

/** Starts `fleet work` in a process group of its own. */
export function startWorker(
  args: readonly string[],
  { cwd, env }: Pick<SimulatedFleet, 'cwd' | 'env'>,
  more: Readonly<Record<string, string>> = {},
): TestWorker {
  const child = start(['fleet', 'work', ...args], { cwd, env: { ...env, ...more }, detached: true });
  const { pid = 0 } = child;
  const send = (to: number, name: NodeJS.Signals): void => {
    try {
      process.kill(to, name);
    } catch {
      // The worker has already ended.
    }
  };
  return {
    ended: ended(child),
    signalAll: (name) => send(-pid, name),
    signal: (name) => send(pid, name),
  };
}
