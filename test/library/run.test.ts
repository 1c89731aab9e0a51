import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/app/config/schema.ts';
import { UsageError } from '../../src/app/exit-status.ts';
import { type Reference, startReference } from '../../src/app/reference-operator.ts';
import { type RunOptions, run } from '../../src/library/run.ts';
import { defectByName } from '../../src/operator/defects.ts';
import { behaviourWith } from '../../src/operator/variation.ts';

const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-library-'));
let reference: Reference;
beforeAll(async () => {
  reference = await startReference(() => {});
});
afterEach(() => rmSync(path.join(cwd, 'croupier.yaml'), { force: true }));
afterAll(async () => {
  await reference.close();
  rmSync(cwd, { recursive: true, force: true });
});

function configOf({ client }: Reference): Config {
  const { extCID, integratorBaseUrl, integrationApiKey } = client;
  const sessions = client.sessions.map(({ sessionID, player, currency, gameID, state }) => ({
    sessionID,
    ...(player && { player }),
    ...(currency && { currency }),
    ...(gameID && { gameID }),
    ...(state && { state }),
  }));
  return { clients: [{ extCID, integratorBaseUrl, integrationApiKey, sessions }], linger: '300ms' };
}

const runHere = (options: RunOptions) => run({ cwd, ...options });

describe('run', () => {
  it('returns the JSON report with types for an operator that conforms', async () => {
    const { text, journal, ...report } = await runHere({ config: configOf(reference), select: ['idempotency.bet'] });
    expect([report.verdict, report.exitCode, report.whole]).toEqual(['conforming', 0, false]);
    const rule = report.rules.find(({ id }) => id === 'idempotency.bet');
    expect(rule).toMatchObject({ level: 'MUST', money: true, verdict: 'pass' });
    expect(report.scenarios.every(({ exchanges }) => exchanges?.some(({ outcome }) => outcome?.kind === 'reply'))).toBe(
      true,
    );
    expect(text).toContain('CONFORMING: demo-eu breaks none');
    expect(path.dirname(journal)).toBe(path.join(cwd, '.croupier'));
    expect(readFileSync(journal, 'utf8')).toContain('"event":"run-ended"');
    const schema = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../schema/report.json'), 'utf8'));
    const validate = new Ajv2020({ strict: false }).compile(schema);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  });

  it('is undecided if a selected or required rule was not tested, unless the caller accepts it', async () => {
    const config = configOf(reference);
    const select = ['session.expired-settles'];
    const strict = await runHere({ config, select });
    expect([strict.verdict, strict.exitCode]).toEqual(['undecided', 3]);
    expect(strict.firstLine).toContain('the selected rule session.expired-settles was not tested');
    expect((await runHere({ config, select, allowSkipped: true })).verdict).toBe('conforming');
    const required = await runHere({ config, select: ['balance/read'], require: ['refund.unknown'] });
    expect(required.firstLine).toContain('the required rule refund.unknown was not tested');
    await expect(runHere({ config, require: ['refund.unknwn'] })).rejects.toThrow(/Did you mean refund\.unknown\?/);
  });

  it('returns the findings for an operator that breaks a rule, without throwing', async () => {
    const defect = defectByName('replayed-bet-charged');
    const broken = await startReference(() => {}, behaviourWith(defect ? [defect] : []));
    onTestFinished(() => broken.close());
    const journal = path.join(cwd, 'of-ours.ndjson');
    const result = await runHere({ config: configOf(broken), select: ['idempotency.bet'], seed: 'again', journal });
    expect([result.verdict, result.exitCode, result.seed, result.journal]).toEqual([
      'nonconforming',
      1,
      'again',
      journal,
    ]);
    expect(result.causes[0]?.rule).toBe('idempotency.bet');
    const finding = result.scenarios.flatMap(({ findings }) => findings).find(({ verdict }) => verdict === 'fail');
    expect(finding?.actual).not.toBe('');
    expect(result.text).toContain('idempotency.bet');
    for (const key of broken.secrets) expect(JSON.stringify(result)).not.toContain(key);
  });

  it('takes a baseline, an earlier journal, a time limit and no lock, as the command does', async () => {
    const defect = defectByName('signature-403');
    const broken = await startReference(() => {}, behaviourWith(defect ? [defect] : []));
    onTestFinished(() => broken.close());
    const config = configOf(broken);
    const baseline = path.join(cwd, 'known.yaml');
    const entry = { rule: 'signature.mismatch', reason: 'a test', ticket: 'T-1', expires: '2999-01-01' };
    writeFileSync(baseline, JSON.stringify([entry]));
    const journal = path.join(cwd, 'before.ndjson');
    const known = await runHere({ config, select: ['signature/mismatch', 'bet/debit'], baseline, journal });
    expect([known.verdict, known.baseline?.[0]?.state]).toEqual(['conforming', 'failing']);
    const after = await runHere({
      config: configOf(broken),
      select: ['idempotency/durable-earlier-run'],
      after: journal,
      lock: false,
    });
    expect(after.rules.find(({ id }) => id === 'idempotency.durable')?.verdict).not.toBe('skip');
    expect([after.settings.noLock, after.text]).toEqual([true, expect.stringContaining('without locks (--no-lock)')]);
    const over = await runHere({ config, select: ['balance'], time: '0ms', lockWait: '1s' });
    expect([over.verdict, over.ended]).toEqual(['undecided', 'time']);
    await expect(runHere({ config, time: '10' })).rejects.toThrow(/the option time must be a duration, such as 30s/);
  });

  it.each<readonly [options: object, message: string]>([
    [{ selct: ['bet'] }, 'run: there is no option selct. Did you mean select? Nothing was sent.'],
    [{ allowskipped: true }, 'Did you mean allowSkipped?'],
    [{ clients: ['demo-eu'] }, 'Did you mean client?'],
    [{ watch: true }, 'there is no option watch. The options are config, client, select, tags,'],
    [{ toString: 1 }, 'there is no option toString.'],
    [{ select: 'bet' }, 'run: the option select must be a list of texts. Nothing was sent.'],
    [{ retries: '2' }, 'the option retries must be a whole number, 0 or more'],
    [{ strict: 'no' }, 'the option strict must be true or false'],
  ])('refuses the options %j, and says what is right', async (options, message) => {
    await expect(runHere({ config: configOf(reference), ...options })).rejects.toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(message) }) as Error,
    );
  });

  it('takes an option that is undefined as missing', async () => {
    const options: object = { config: configOf(reference), select: ['balance/read'], client: undefined };
    expect((await runHere(options)).verdict).toBe('conforming');
  });

  it('returns an undecided result for an operator that cannot be reached, without throwing', async () => {
    const [client] = configOf(reference).clients ?? [];
    if (!client) throw new Error('the configuration has a client');
    const config = { clients: [{ ...client, integratorBaseUrl: 'http://127.0.0.1:1/eu' }] };
    const result = await runHere({ config, select: ['balance'] });
    expect([result.verdict, result.exitCode, result.ended]).toEqual(['undecided', 3, 'unreachable']);
  });

  it('ends early without open bets when its signal aborts', async () => {
    const result = await runHere({ config: configOf(reference), signal: AbortSignal.timeout(200) });
    expect(result).toMatchObject({ exitCode: 130, interrupted: true, owed: [] });
  });

  it('reads croupier.yaml and the scenarios that it names', async () => {
    const { clients, linger } = configOf(reference);
    writeFileSync(
      path.join(cwd, 'ours.yaml'),
      'croupier: 1\ntitle: Ours\nrules: [balance.read]\nsteps:\n  - balance:\n    expect: { body: { balance: "0.01" } }\n',
    );
    writeFileSync(path.join(cwd, 'croupier.yaml'), JSON.stringify({ clients, linger, scenarios: ['ours.yaml'] }));
    const result = await runHere({ select: ['ours'] });
    expect(result.expectations.map(({ verdict, place }) => [verdict, place?.file])).toEqual([['fail', 'ours.yaml']]);
    expect(result.verdict).toBe('nonconforming');
  });

  it.each<[string, () => RunOptions, RegExp]>([
    ['an unknown key', () => ({ config: { clientz: [] } as Config }), /^config:2:3: `clientz`/],
    [
      'a selection that matches nothing',
      () => ({ config: configOf(reference), select: ['bett'] }),
      /Did you mean bet\b/,
    ],
    ['no configuration', () => ({ config: {} }), /No operator to test/],
    ['a file that does not exist', () => ({ config: 'nowhere.yaml' }), /there is no such file/],
    ['several clients', () => ({ config: twoClients() }), /has 2 clients.*demo-eu, other/],
    [
      'an environment that lacks a key',
      () => ({ config: withKey('${KEY_OF_NOBODY}'), env: {} }),
      /the environment has no KEY_OF_NOBODY/,
    ],
    [
      'a variable that is no text',
      () => ({ env: { CROUPIER_KEY: 5 } as never }),
      /the option env must be an object of texts/,
    ],
    [
      'a folder that does not exist',
      () => ({ cwd: path.join(cwd, 'nowhere') }),
      /the option cwd must be the path of a folder that exists/,
    ],
  ])('rejects %s before anything is sent', async (_, options, message) => {
    const error: unknown = await runHere(options()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toMatch(message);
  });

  it('reads a key from the given environment', async () => {
    const options = { config: withKey('${OUR_KEY}'), env: { OUR_KEY: reference.client.integrationApiKey } };
    expect((await runHere({ ...options, select: ['balance.read'] })).verdict).toBe('conforming');
  });
});

function withKey(integrationApiKey: string): Config {
  const config = configOf(reference);
  return { ...config, clients: (config.clients ?? []).map((client) => ({ ...client, integrationApiKey })) };
}

function twoClients(): Config {
  const config = configOf(reference);
  return { ...config, clients: (config.clients ?? []).flatMap((client) => [client, { ...client, extCID: 'other' }]) };
}
