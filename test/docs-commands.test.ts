import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsIn, type PrintedCommand } from '../scripts/docs/commands-in-pages.ts';
import { croupier, ended, line, start } from './cli/croupier.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const PAGES = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  // `npm run docs:examples` has played the commands of rules.md, which have one rule and one defect each.
  ...readdirSync(path.join(ROOT, 'docs')).flatMap((file) =>
    file.endsWith('.md') && file !== 'rules.md' ? [`docs/${file}`] : [],
  ),
];

/** The words of the pages that a reader must replace, with their values in this test. */
const MEANT: readonly (readonly [printed: RegExp, meant: string])[] = [
  [/^acme-eu$/u, 'demo-eu'],
  [/^eu-usd-1(?=$|,)/u, 'eu-anna-usd-catch'],
  [/^eu-usd-2(?=$|,)/u, 'eu-carla-usd'],
  [/player=p1/u, 'player=anna'],
  [/^\.croupier\/(….ndjson|before\.ndjson)$|^JOURNAL$/u, '.croupier/run.ndjson'],
  [/^FILE…$/u, 'service.log'],
  [/^RULE$/u, 'bet.debit'],
  [/^\*\.ndjson$/u, 'shard-*.ndjson'],
  [/^7d0f…$|^91ab…$|^3c5e…$/u, '6f1d2c7e-3b54-4a86-9c0f-2a7b51d8e3c1'],
  [/^(21f6|6d7a)…$/u, '6d7a'.repeat(16)],
  [/^…$/u, ''],
];

/** Words that are replaced so that no command takes minutes, or needs a certain port or address. */
const SHORTER: readonly (readonly [of: RegExp, from: RegExp, to: string])[] = [
  [/^serve|^proxy|^run/u, / --(port|listen|core-api-port) \d+/u, ''],
  // No test listens on addresses that other machines can reach.
  [/^serve|^run/u, / --(host|core-api-host) 0\.0\.0\.0/u, ''],
  [/ --race-rounds/u, /--race-rounds \d+/u, '--race-rounds 1 concurrency/no-overdraft'],
  [
    /^run( -v| --report \S+| --json| --strict| --bail| --journal \S+| --contract \S+| --baseline \S+| --retries \d+| --allow-flaky| --no-github| --seed \S+| --require \S+)*$/u,
    /$/u,
    ' balance',
  ],
  [/^run --reference( --\S+ \S+)+$/u, /$/u, ' refund/restore'],
  [/^run .*--base-url/u, /$/u, ' balance'],
  [/^run .*--after \S+$/u, /$/u, ' balance'],
  [/^run --shard/u, /$/u, ' balance'],
  [/--launches/u, /$/u, ' --launch-wait 1s'],
  [/^history/u, / 12\b/gu, ' latest'],
  [/^explore/u, /$/u, ' --runs 2 --linger 100ms'],
  [/^fleet work$/u, /$/u, ' --until-idle'],
  [/^load/u, / --(rate|ramp|closed|duration|like|speed|disturb|every) ('[^']*'|\S+)/gu, ''],
  [/^load/u, /$/u, ' --rate 20 --duration 1s --linger 100ms'],
  [/^selftest( --json)?$/u, /^selftest/u, 'selftest refund-half'],
  [/^selftest --load$/u, /$/u, ' refund-moves-nothing'],
  [/^init/u, /^init/u, 'init --yes --force --base-url http://127.0.0.1:1 --ext-cid acme-eu --session eu-usd-1'],
];

/** The commands that run until a signal ends them. */
const SERVING = /^(serve|proxy|fleet board)\b|--watch/u;
/** The commands of a load on several machines. Each of them waits for the others, so one test runs them together. */
const SHARED_LOAD = /^load\b.* --(database|join)\b/u;
/** Commands that a page only names, without the arguments that they need. */
const NAMED_ALONE =
  /^(call|sign|verify|explain|capsule|incident|replay|settle|completion|schema|list|report \w+|history (open|diff|pin|unpin)|launch)$/u;

let folder = '';
let operator: ReturnType<typeof start>;
let baseUrl: string;
let key: string;

function argsOf({ args }: PrintedCommand): readonly string[] {
  const words = args.map((arg, at) => {
    if (arg === '…' && args[at - 1] === '--defect') return 'refund-half';
    const meant = MEANT.reduce((text, [printed, to]) => text.replace(printed, to), arg);
    return meant.replace(/^https:\/\/wallet\.(staging\.)?example\/eu$/u, baseUrl);
  });
  let text = words.filter((word) => word !== '').join('\0');
  for (const [of, from, to] of SHORTER) {
    const spaced = text.replaceAll('\0', ' ');
    if (!of.test(spaced)) continue;
    // The replaced words never contain blanks.
    if (!words.some((word) => word.includes(' '))) text = spaced.replace(from, to).replaceAll(' ', '\0');
  }
  return text.split('\0').flatMap((word) => (word.includes('*') ? globSync(word, { cwd: folder }) : word));
}

/** `npm run test:docs` runs these tests, which take a minute. */
describe.runIf(process.env.CROUPIER_DOCS)('every command of the pages', { timeout: 60_000, retry: 0 }, () => {
  const printed = PAGES.flatMap((page) => commandsIn(page, readFileSync(path.join(ROOT, page), 'utf8')));
  const different = [...new Map(printed.map((one) => [`${JSON.stringify(one.env)} ${one.text}`, one])).values()];
  const runnable = different.filter(({ args }) => {
    const text = args.join(' ');
    return (
      !NAMED_ALONE.test(text) &&
      !SHARED_LOAD.test(text) &&
      !/\bTAB\b|COMMAND|^$|^serve$|^report$|^fleet$|--defect$/u.test(text)
    );
  });

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'croupier-docs-'));
    operator = start(['serve', 'operator', '--write-config', 'croupier.yaml'], { cwd: folder });
    baseUrl = (await line(operator, 'operator ')).slice('operator '.length);
    key = readFileSync(path.join(folder, '.croupier', 'demo-eu.key'), 'utf8').trim();
    await prepare();
  }, 60_000);

  afterAll(async () => {
    operator.kill('SIGTERM');
    await once(operator, 'close');
    rmSync(folder, { recursive: true });
  });

  it.each(runnable.map((one) => [`${one.page}:${String(one.line)} ${one.text}`, one] as const))(
    '%s',
    async (_, one) => {
      const args = argsOf(one);
      const env = { CROUPIER_CLIENT: 'demo-eu', ...one.env, ...(one.env.CROUPIER_KEY && { CROUPIER_KEY: key }) };
      if (args.includes('--base-url') || args.includes('--reference')) Reflect.deleteProperty(env, 'CROUPIER_CLIENT');
      // A command that writes a configuration must not overwrite the one of this test.
      const cwd = /^(init|serve operator)/u.test(args.join(' '))
        ? mkdtempSync(path.join(folder, 'elsewhere-'))
        : folder;
      if (SERVING.test(args.join(' '))) {
        const child = start(args, { cwd, env });
        await line(child, args.includes('--watch') ? 'CONFORMING' : 'http://');
        child.kill('SIGTERM');
        expect([0, 143]).toContain((await ended(child)).status);
        return;
      }
      const { status, out, err } = await croupier(args, { cwd, env, stdin: '{"amount":"1.00"}' });
      // Without a failed run, there is nothing to repeat.
      const fine = args.includes('--last-failed') ? [0, 1, 2, 3] : [0, 1, 3];
      expect(fine, `${args.join(' ')}\n${out}${err}`).toContain(status);
    },
  );

  it('docs/load.md: a load with two workers that find their parts in a database', async () => {
    const commands = printed.map(({ args }) => args.join(' ')).filter((text) => SHARED_LOAD.test(text));
    expect(commands.some((text) => text.includes('--join'))).toBe(true);
    const env = { CROUPIER_CLIENT: 'demo-eu' };
    const database = ['--database', 'load.sqlite'];
    const workers = [1, 2].map(() => start(['load', '--join', ...database], { cwd: folder, env }));
    const args = ['load', '--workers', '2', ...database, '--rate', '20', '--duration', '1s', '--linger', '100ms'];
    const { status, out, err } = await croupier(args, { cwd: folder, env });
    expect(status, `${out}${err}`).toBe(0);
    expect((await Promise.all(workers.map((worker) => ended(worker)))).map((worker) => worker.status)).toEqual([0, 0]);
  });
});

/** The lines of an output that a page shows, in this order. Lines between them may be missing. */
function shownOutputs(text: string): readonly { readonly command: string; readonly lines: readonly string[] }[] {
  const blocks = [...text.matchAll(/^```\n(\$ [\s\S]*?)^```/gmu)].map(([, block = '']) => block);
  return blocks
    .flatMap((block) => block.split(/^\$ /mu).slice(1))
    .map((shown) => {
      const [command = '', ...lines] = shown.split('\n');
      return { command, lines: lines.filter((one) => one.trim() !== '' && one !== '…') };
    });
}

const withoutSpaces = (text: string) => text.replaceAll(/[\s,]/gu, '');

describe.runIf(process.env.CROUPIER_DOCS)('the outputs that a page shows', { timeout: 60_000, retry: 0 }, () => {
  let cwd = '';
  beforeAll(() => {
    cwd = mkdtempSync(path.join(tmpdir(), 'croupier-outputs-'));
    cpSync(path.join(ROOT, 'examples/incident'), cwd, { recursive: true });
  });
  afterAll(() => rmSync(cwd, { recursive: true }));

  const outputs = ['README.md', 'docs/support.md', 'docs/positions.md'].flatMap((page) =>
    shownOutputs(readFileSync(path.join(ROOT, page), 'utf8')).map((shown) => ({ page, ...shown })),
  );
  it.each(outputs)('$page: $command', async ({ page, command, lines }) => {
    const [printed] = commandsIn(page, `\`\`\`sh\n${command}\n\`\`\``);
    const { out, err } = await croupier(printed?.args ?? [], { cwd });
    // The folder of the clone stands before the paths of scenarios, and a page doesn't show it. A long
    // folder makes lines wrap elsewhere, without the comma. So spaces and commas are not compared.
    let rest = withoutSpaces(out + err).replaceAll(`${withoutSpaces(ROOT)}/`, '');
    for (const one of lines.map(withoutSpaces)) {
      expect(rest).toContain(one);
      rest = rest.slice(rest.indexOf(one) + one.length);
    }
  });
});

/** The files that the pages mention. */
async function prepare(): Promise<void> {
  const at = (...names: readonly string[]) => path.join(folder, ...names);
  const example = path.join(ROOT, 'examples/incident');
  const logs = readFileSync(path.join(example, 'croupier.yaml'), 'utf8');
  const written = readFileSync(at('croupier.yaml'), 'utf8');
  // The service accepts launches only from a client with a cID and an API key.
  const config = written.replaceAll(
    / {2}- extCID: (\S+)\n/gu,
    '$&    cID: c-$1\n    apiKey: { file: "./.croupier/$1.key" }\n',
  );
  for (const name of ['service.log', 'service-next-day.log', 'wallet.log'])
    copyFileSync(path.join(example, name), at(name));
  writeFileSync(at('croupier.yaml'), `${config}${logs}`);
  cpSync(path.join(ROOT, 'scenarios/idempotency'), at('our-scenarios'), { recursive: true });
  // Each scenario of a folder that is named must be decided, and this one needs an earlier run.
  rmSync(at('our-scenarios/durable-earlier-run.yaml'));
  mkdirSync(at('scenarios'), { recursive: true });
  for (const name of ['our-scenarios/example.yaml', 'scenarios/example.yaml'])
    copyFileSync(path.join(ROOT, 'scenarios/win/many-in-round.yaml'), at(name));
  copyFileSync(path.join(ROOT, 'scenarios/bet/zero.yaml'), at('found.yaml'));
  writeFileSync(at('bet.json'), '{"amount":"1.00","sessionID":"eu-anna-usd-catch"}');
  writeFileSync(at('mix.yaml'), 'zeroWins: 60\n');
  const operators = ['demo-eu', 'borealis'].map(
    (name) => `  - { name: ${name}, config: croupier.yaml, client: demo-eu, select: [balance/read] }\n`,
  );
  writeFileSync(at('fleet.yaml'), `schedule: "0 3 * * *"\noperators:\n${operators.join('')}`);
  writeFileSync(
    at('baseline.yaml'),
    '- { rule: idempotency.bet, reason: later, ticket: PAY-1, expires: 2099-01-01 }\n',
  );
  const curl = `curl -X POST ${baseUrl}/bet -H 'X-REQUEST-SIGN: ${'0'.repeat(64)}' -d '{"amount":"1.00"}'\n`;
  for (const name of ['request.txt', 'line.txt']) writeFileSync(at(name), curl);
  const env = { CROUPIER_CLIENT: 'demo-eu' };
  const run = ['run', 'balance', 'bet/debit', '--journal', '.croupier/run.ndjson', '--report', 'json=main.json'];
  await croupier(run, { cwd: folder, env });
  mkdirSync(at('ticket'));
  for (const name of ['service.log', 'wallet.log']) copyFileSync(at(name), at('ticket', name));
  for (const name of ['before.ndjson', 'now.ndjson', 'calls.ndjson', 'run.ndjson'])
    copyFileSync(at('.croupier/run.ndjson'), at(name));
  copyFileSync(at('main.json'), at('branch.json'));
  await croupier(['report', 'convert', 'run.ndjson', '--to', 'har=staging.har'], { cwd: folder });
  copyFileSync(at('found.yaml'), at('incident.yaml'));
  const parts = ['1/2', '2/2'].map((part, at) =>
    croupier(['run', 'balance', '--shard', part, '--seed', 'docs', '--journal', `shard-${String(at + 1)}.ndjson`], {
      cwd: folder,
      env,
    }),
  );
  await Promise.all(parts);
}
