/**
 * Counts the defects that cost money and that `explore` finds without scenarios, and checks that it accuses no correct operator.
 *
 * usage: explore-count.ts [--seed TEXT] [--runs N] [--time MS] [--variants] [DEFECT… | VARIANT… | correct]
 *   --runs: histories for each operator; --time: no new history starts after this time
 *   --variants: all correct operators instead of the defects
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startReference } from '../src/app/reference-operator.ts';
import { type RuleId, ruleById } from '../src/contract/catalogue.ts';
import { explore } from '../src/engine/explore/explore.ts';
import { DEFECTS, defectByName } from '../src/operator/defects.ts';
import { VARIANTS, variantByName } from '../src/operator/variants.ts';
import { behaviourWith, type Variation } from '../src/operator/variation.ts';

/** Minimum number of defects that the search must find. */
const MIN_FOUND = 40;
/** Number of threads. It is higher than the number of cores, because a search mostly waits for late effects. */
const THREADS = 4;
const DEADLINE_MS = 1000;
const SETTLE_MS = 200;

interface Order {
  readonly name: string;
  readonly seed: string;
  readonly runs: number;
  readonly timeMs: number;
}

interface Searched {
  readonly name: string;
  readonly finds: readonly {
    readonly rules: readonly RuleId[];
    readonly steps: number;
    readonly stepsBefore: number;
  }[];
  readonly flaky: readonly RuleId[];
  readonly histories: number;
  readonly durationMs: number;
}

async function search({ name, seed, runs, timeMs }: Order): Promise<Searched> {
  const defect = defectByName(name);
  const varied: readonly Variation[] = [defect ?? variantByName(name) ?? []].flat();
  const reference = await startReference(
    (error) => console.error(`${name}: the operator failed: ${String(error)}`),
    behaviourWith(varied, { deadlineMs: DEADLINE_MS }),
  );
  try {
    const exploration = await explore({
      croupier: 'explore-count',
      client: reference.client,
      seed,
      strict: false,
      stakes: {},
      decimals: {},
      campaign: reference.campaign,
      largeAmounts: false,
      deadlineMs: DEADLINE_MS,
      lingerMs: SETTLE_MS,
      workers: 8,
      bail: defect ? 1 : null,
      ratePerSecond: null,
      maxAtOnce: 64,
      signal: new AbortController().signal,
      uuid: randomUUID,
      now: () => performance.now(),
      record: () => {},
      runs,
      timeMs,
      onProgress: () => {},
    });
    return {
      name,
      finds: exploration.finds.map(({ rules, steps, stepsBefore }) => ({ rules, steps, stepsBefore })),
      flaky: exploration.flaky.flatMap(({ rules }) => rules),
      histories: exploration.histories,
      durationMs: exploration.durationMs,
    };
  } finally {
    await reference.close();
  }
}

/** Searches for the defects in several threads. A thread that becomes free takes the next defect. */
async function searchAll(orders: readonly Order[], onSearched: (searched: Searched) => void): Promise<void> {
  const queue = [...orders];
  await Promise.all(
    Array.from({ length: THREADS }, async () => {
      const worker = new Worker(new URL(import.meta.url), { workerData: 'search' });
      const ask = (order: Order) =>
        new Promise<Searched>((resolve, reject) => {
          worker.removeAllListeners().once('message', resolve).once('error', reject);
          worker.postMessage(order, []);
        });
      for (let order = queue.shift(); order; order = queue.shift()) onSearched(await ask(order));
      await worker.terminate();
    }),
  );
}

/** True if a defect was found, or if the search found nothing at a correct operator. */
function isRight({ name, finds }: Searched): boolean {
  const defect = defectByName(name);
  if (!defect) return finds.length === 0;
  const fitting = new Set<RuleId>([...defect.breaks, ...(defect.mayBreak ?? [])]);
  return finds.some(({ rules }) => rules.some((rule) => fitting.has(rule)));
}

function show(searched: Searched): void {
  const { name, finds, flaky, histories, durationMs } = searched;
  const found = finds.map(({ rules, steps, stepsBefore }) => `${rules.join(', ')} (${stepsBefore} → ${steps} steps)`);
  const came = flaky.length > 0 ? `; once: ${flaky.join(', ')}` : '';
  console.log(
    `${isRight(searched) ? 'ok    ' : 'MISSED'} ${name}: ${found.join('; ') || 'nothing'}${came} [${histories} histories, ${(durationMs / 1000).toFixed(1)} s]`,
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: 'count' },
      runs: { type: 'string', default: '60' },
      time: { type: 'string', default: '5000' },
      variants: { type: 'boolean', default: false },
    },
  });
  const money = DEFECTS.filter(
    ({ breaks, leavesUntested }) => !leavesUntested && breaks.some((rule) => ruleById(rule).money),
  ).map(({ name }) => name);
  const all = ['correct', ...(values.variants ? VARIANTS.map(({ name }) => name) : money)];
  const names = positionals.length > 0 ? positionals : all;
  const results: Searched[] = [];
  const began = performance.now();
  await searchAll(
    names.map((name) => ({ name, seed: values.seed, runs: Number(values.runs), timeMs: Number(values.time) })),
    (searched) => {
      show(searched);
      results.push(searched);
    },
  );
  const defects = results.filter(({ name }) => defectByName(name));
  const found = defects.filter(isRight).length;
  const accused = results.filter((one) => !defectByName(one.name) && !isRight(one)).map(({ name }) => name);
  console.log(
    `${found} of ${defects.length} defects found, ${accused.length} correct operators accused, in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  const few = positionals.length === 0 && !values.variants && found < MIN_FOUND;
  if (few) console.log(`At least ${MIN_FOUND} must be found.`);
  process.exitCode = few || accused.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else if (workerData === 'search') {
  parentPort?.on('message', (order: Order) => {
    void search(order).then((searched) => parentPort?.postMessage(searched, []));
  });
}
