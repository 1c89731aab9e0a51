import { randomUUID } from 'node:crypto';
import { builtInSource, loadSuite } from '../src/cli/suite.ts';
import { RULES, type RuleId } from '../src/contract/catalogue.ts';
import { run } from '../src/engine/run.ts';
import { type Fold, startFolding } from '../src/journal/fold.ts';
import { CORRECT } from '../src/operator/behaviour.ts';
import { type Defect, withDefects } from '../src/operator/defect.ts';
import { DEFECTS, defectByName } from '../src/operator/defects.ts';
import { DEMO_CAMPAIGN, demoOperator } from '../src/operator/demo.ts';
import { createOperator } from '../src/operator/operator.ts';

const SCALE = { deadlineMs: Number(process.env.DEADLINE ?? 400) };
const LINGER_MS = 300;
const AT_ONCE = 3;

async function judge(defect: Defect | undefined): Promise<Fold> {
  const options = demoOperator({ first: 'first-key', second: 'second-key' });
  const [client] = options.clients;
  const behaviour = defect ? withDefects([defect], SCALE) : CORRECT;
  const faults: unknown[] = [];
  const listening = await createOperator({ ...options, onFault: (error) => faults.push(error) }, behaviour).start();
  const folding = startFolding();
  const suite = loadSuite([builtInSource()], process.cwd(), randomUUID);
  try {
    await run({
      croupier: 'kill-matrix',
      client: {
        extCID: client.extCID,
        integratorBaseUrl: `${listening.url}${client.basePath}`,
        integrationApiKey: 'first-key',
        otherClientKey: 'second-key',
        paths: {},
        headers: {},
        wire: {},
        sessions: client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
          sessionID,
          player,
          currency,
          gameID,
          state,
        })),
      },
      scenarios: suite.scenarios,
      selection: [],
      whole: true,
      seed: 'kill-matrix',
      strict: false,
      stakes: {},
      campaign: DEMO_CAMPAIGN,
      largeAmounts: true,
      ...SCALE,
      lingerMs: LINGER_MS,
      workers: 8,
      bail: null,
      ratePerSecond: null,
      maxAtOnce: 64,
      signal: new AbortController().signal,
      uuid: randomUUID,
      now: () => performance.now(),
      record: (event) => folding.add(event),
    });
  } finally {
    await listening.close(0);
  }
  for (const fault of new Set(faults.map(String))) console.log(`    operator: ${fault}`);
  return folding.result();
}

function reported(fold: Fold, verdict: 'fail' | 'warn' | 'inconclusive'): readonly RuleId[] {
  return fold.rules.filter((result) => result.verdict === verdict).map(({ rule }) => rule.id);
}

/** @returns true when the judge was right */
function show(name: string, defect: Defect | undefined, fold: Fold): boolean {
  const fails = reported(fold, 'fail');
  const warns = reported(fold, 'warn');
  const open = reported(fold, 'inconclusive');
  const breaks = defect?.breaks ?? [];
  const known = new Set<string>([...breaks, ...(defect?.mayBreak ?? [])]);
  const found = new Set<string>([...fails, ...warns]);
  const missed = breaks.filter((rule) => !found.has(rule));
  const unrelated = fails.filter((rule) => !known.has(rule));
  const odd = warns.filter((rule) => !known.has(rule));
  const good = missed.length === 0 && unrelated.length === 0 && (defect !== undefined || open.length === 0);
  console.log(
    `${good ? 'ok    ' : 'WRONG '} ${name}: ${[...fails, ...warns.map((rule) => `${rule} (warn)`)].join(', ') || 'nothing'}`,
  );
  if (missed.length > 0) console.log(`    MISSED ${missed.join(', ')}`);
  if (unrelated.length > 0) console.log(`    UNRELATED ${unrelated.join(', ')}`);
  if (odd.length > 0) console.log(`    unrelated warning ${odd.join(', ')}`);
  if (open.length > 0) console.log(`    inconclusive ${open.join(', ')}`);
  if (process.env.DETAILS) detail(fold, new Set<string>([...missed, ...unrelated, ...odd, ...(defect ? [] : open)]));
  return good;
}

function detail(fold: Fold, rules: ReadonlySet<string>): void {
  for (const result of fold.rules) {
    if (!rules.has(result.rule.id)) continue;
    console.log(`      ${result.rule.id} ${result.verdict}: ${result.reason ?? ''}`);
    for (const finding of result.findings.slice(0, 6)) {
      if (finding.verdict === 'pass') continue;
      console.log(
        `        ${finding.verdict} ${finding.scenario} ${finding.place?.line ?? ''}: expected ${finding.expected}; ${finding.actual}${finding.because ? ` [${finding.because}]` : ''}${finding.causes.length > 0 ? ` {${finding.causes.join(', ')}}` : ''}`,
      );
    }
  }
}

const names = process.argv.slice(2);
const chosen =
  names.length === 0 ? [undefined, ...DEFECTS] : names.map((name) => (name === 'correct' ? undefined : named(name)));

function named(name: string): Defect {
  const defect = defectByName(name);
  if (!defect) throw new Error(`there is no defect ${name}`);
  return defect;
}

const broken = new Set(DEFECTS.flatMap(({ breaks }) => breaks));
const without = RULES.filter(({ id, level, group }) => level !== 'NOTE' && group !== 'launch' && !broken.has(id)).map(
  ({ id }) => id,
);
if (names.length === 0) console.log(`${DEFECTS.length} defects; rules without one: ${without.join(', ') || 'none'}`);

let wrong = 0;
const queue = [...chosen];
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (queue.length > 0) {
      const defect = queue.shift();
      const name = defect?.name ?? 'correct';
      const began = performance.now();
      const fold = await judge(defect);
      if (!show(`${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`, defect, fold)) wrong += 1;
    }
  }),
);
console.log(`${chosen.length - wrong} of ${chosen.length} as expected`);
process.exitCode = wrong === 0 ? 0 : 1;
