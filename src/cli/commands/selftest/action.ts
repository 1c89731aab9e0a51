import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { interruptedStatus, UsageError } from '../../../app/exit-status.ts';
import { reportOptions } from '../../../app/run/publish.ts';
import type { Stdio } from '../../../app/stdio.ts';
import { builtInSource, loadSuite } from '../../../app/suite.ts';
import { nearest } from '../../../scenario/near.ts';
import { headingOf, rowOf, type TriedOutcome, totals } from '../../../selftest/matrix-text.ts';
import { idleScenarios, type Outcome } from '../../../selftest/outcome.ts';
import type { TrialTimes } from '../../../selftest/play-trial.ts';
import { isUnderLoad, TRIALS, type Trial, trialByName, UNDER_LOAD } from '../../../selftest/trials.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import { startThread } from '../../thread.ts';
import type { SelftestFlags } from './flags.ts';

/** The message that asks a worker thread to play one trial. */
export interface TrialOrder {
  readonly trial: string;
  readonly times: TrialTimes;
}

/**
 * The reply of a worker thread: the outcome of the trial and the delay of the thread's event loop in milliseconds, or the error
 * that stopped the trial.
 */
export type TrialAnswer = { readonly outcome: Outcome; readonly delayMs: number } | { readonly error: string };

/**
 * Number of trials that one thread plays in parallel: at the beginning and at most. A trial mostly waits, so a thread can play
 * several trials at once.
 */
const AT_ONCE = { first: 2, max: 6 } as const;
/**
 * Delays of the event loop of a thread, in milliseconds. If the delay is above `busy`, the thread plays one trial less at once. If
 * it is below `idle`, the thread plays one trial more. The reason: a server accepts one new connection in each turn of the event
 * loop, and a race opens up to twelve connections. With long turns, replies miss the deadline.
 */
const LOOP_DELAY_MS = { idle: 30, busy: 50 } as const;
const DEADLINE_MS = 1000;
const SETTLE_MS = 300;
/**
 * Maximum number of attempts of a trial. After a wrong verdict, the trial is repeated alone and with longer times. On a busy
 * machine, the calls of a race may not overlap, and replies may miss the deadline.
 */
const MAX_TRIES = 3;
/** Each further attempt has longer times than the attempt before, by this factor. */
const SLOWER = 4;

/**
 * `croupier selftest`: judges the reference operator with each of its defects and variants, and reports every wrong
 * verdict.
 *
 * @returns 0 if all verdicts are right, 1 if one is wrong, the status of the signal if it was interrupted
 */
export async function selftestCommand(names: readonly string[], flags: SelftestFlags, stdio: Stdio): Promise<number> {
  const trials = flags.load ? TRIALS.filter(isUnderLoad) : TRIALS;
  const chosen = names.length === 0 ? trials : [...new Set(names)].map((name) => choose(name, flags.load === true));
  const times = { deadlineMs: flags.deadline ?? DEADLINE_MS, lingerMs: flags.linger ?? SETTLE_MS };
  const threads = Math.min(flags.threads ?? availableParallelism(), chosen.length);
  const interrupt = listenForInterrupt(
    stdio,
    'Interrupted: trials that have not ended are stopped, without a result.\n',
  );
  const began = performance.now();
  const printer = new Printer(chosen, flags.json === true, stdio);
  try {
    const outcomes = await playAll(chosen, times, threads, interrupt.signal, (outcome) => printer.add(outcome));
    const interrupted = interrupt.signal.aborted;
    const idle = chosen === TRIALS && !interrupted ? idleScenarios(suiteScenarios(), outcomes) : null;
    const durationMs = performance.now() - began;
    if (flags.json) stdio.out.write(`${JSON.stringify({ outcomes, idle, durationMs, interrupted }, null, 2)}\n`);
    else printer.end(outcomes, idle, durationMs);
    if (interrupted) return interruptedStatus(interrupt.signal);
    return outcomes.every(({ wrongs }) => wrongs.length === 0) && (idle ?? []).length === 0 ? 0 : 1;
  } finally {
    interrupt.dispose();
  }
}

function choose(given: string, underLoad: boolean): Trial {
  const name = underLoad && !given.startsWith(UNDER_LOAD) ? `${UNDER_LOAD}${given}` : given;
  const trial = trialByName(name);
  if (trial) return trial;
  const names = TRIALS.map((one) => one.name);
  const near = underLoad
    ? nearest(
        given,
        names.filter((one) => one.startsWith(UNDER_LOAD)).map((one) => one.slice(UNDER_LOAD.length)),
      )
    : nearest(name, names);
  if (underLoad)
    throw new UsageError(
      `No load test judges ${given}.${near === undefined ? '' : ` Did you mean ${near}?`} The load tests judge every variant, and these defects: ${defectsUnderLoad()}.`,
    );
  throw new UsageError(
    `There is no defect or variant ${name}.${near === undefined ? '' : ` Did you mean ${near}?`} All names: \`croupier list defects\` and \`croupier list variants\`.`,
  );
}

function defectsUnderLoad(): string {
  const names = TRIALS.filter(({ kind }) => kind === 'load-defect').map(({ name }) => name.slice(UNDER_LOAD.length));
  return names.join(', ');
}

function suiteScenarios() {
  return loadSuite([builtInSource()], process.cwd(), randomUUID).scenarios;
}

/**
 * Plays the trials in threads.
 *
 * @returns the outcomes in the order of the trials; after an interrupt, only the outcomes of finished trials
 */
async function playAll(
  trials: readonly Trial[],
  times: TrialTimes,
  threads: number,
  signal: AbortSignal,
  done: (outcome: TriedOutcome) => void,
): Promise<readonly TriedOutcome[]> {
  const outcomes: TriedOutcome[] = [];
  const queue = [...trials];
  await Promise.all(
    Array.from({ length: threads }, () =>
      playInThread(queue, times, signal, (outcome) => {
        outcomes.push(outcome);
        done(outcome);
      }),
    ),
  );
  const order = new Map(trials.map(({ name }, index) => [name, index]));
  return outcomes.toSorted((a, b) => (order.get(a.name) ?? 0) - (order.get(b.name) ?? 0));
}

/** Starts a thread that takes trials from the queue until the queue is empty. */
function playInThread(
  queue: Trial[],
  times: TrialTimes,
  signal: AbortSignal,
  done: (outcome: TriedOutcome) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = startThread('selftest-worker');
    let open = 0;
    let atOnce: number = AT_ONCE.first;
    /** The trials that must be repeated. Each of these trials is played alone in its thread. */
    const again: string[] = [];
    let isAlone = false;
    const tries = new Map<string, number>();
    const order = (trial: string) => {
      const tried = (tries.get(trial) ?? 0) + 1;
      tries.set(trial, tried);
      open += 1;
      const slower = SLOWER ** (tried - 1);
      const scaled = { deadlineMs: times.deadlineMs * slower, lingerMs: times.lingerMs * slower };
      worker.postMessage({ trial, times: scaled } satisfies TrialOrder);
    };
    const finish = (error?: Error) => {
      signal.removeEventListener('abort', interrupted);
      worker.terminate().then(() => (error ? reject(error) : resolve()), reject);
    };
    const interrupted = () => finish();
    const next = () => {
      if (isAlone || (again.length > 0 && open > 0)) return;
      const repeated = again.shift();
      isAlone = repeated !== undefined;
      if (repeated !== undefined) order(repeated);
      else for (const { name } of queue.splice(0, Math.max(0, atOnce - open))) order(name);
      if (open === 0) finish();
    };
    worker.on('error', finish);
    worker.on('message', (answer: TrialAnswer) => {
      if ('error' in answer) {
        finish(new Error(answer.error));
        return;
      }
      const { outcome, delayMs } = answer;
      open -= 1;
      isAlone = false;
      if (delayMs > LOOP_DELAY_MS.busy) atOnce = Math.max(1, atOnce - 1);
      else if (delayMs < LOOP_DELAY_MS.idle) atOnce = Math.min(AT_ONCE.max, atOnce + 1);
      const tried = tries.get(outcome.name) ?? 1;
      if (outcome.wrongs.length > 0 && tried < MAX_TRIES) again.push(outcome.name);
      else done({ ...outcome, tries: tried });
      next();
    });
    signal.addEventListener('abort', interrupted, { once: true });
    next();
  });
}

/** Prints the rows of the matrix in the order of the trials, although trials end in any order. */
class Printer {
  readonly #trials: readonly Trial[];
  readonly #json: boolean;
  readonly #stdio: Stdio;
  readonly #ready = new Map<string, TriedOutcome>();
  readonly #column: number;
  readonly #look;
  #next = 0;

  constructor(trials: readonly Trial[], json: boolean, stdio: Stdio) {
    this.#trials = trials;
    this.#json = json;
    this.#stdio = stdio;
    this.#column = Math.max(...trials.map(({ name }) => name.length));
    this.#look = reportOptions(stdio.out, stdio, null);
  }

  add(outcome: TriedOutcome): void {
    this.#ready.set(outcome.name, outcome);
    for (;;) {
      const trial = this.#trials[this.#next];
      const ready = trial && this.#ready.get(trial.name);
      if (!trial || !ready) return;
      const before = this.#trials[this.#next - 1];
      this.#next += 1;
      if (this.#json) this.#stdio.err.write(`${this.#next} of ${this.#trials.length}: ${trial.name}\n`);
      else this.#print([...headingOf(trial, before, this.#look), ...rowOf(ready, this.#column, this.#look)]);
    }
  }

  end(outcomes: readonly TriedOutcome[], idle: readonly string[] | null, durationMs: number): void {
    // Rows are printed in the order of the trials, so a trial that has not ended delays the rows of later trials. After an
    // interrupt, such a trial never ends. So the rows of the later trials are printed now.
    const held = this.#trials.slice(this.#next).flatMap(({ name }) => this.#ready.get(name) ?? []);
    this.#print(held.flatMap((outcome) => rowOf(outcome, this.#column, this.#look)));
    this.#print(totals(outcomes, { idle, durationMs, wanted: this.#trials.length }, this.#look));
  }

  #print(lines: readonly string[]): void {
    this.#stdio.out.write(lines.map((line) => `${line}\n`).join(''));
  }
}
