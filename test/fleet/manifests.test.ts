import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { croupier } from '../cli/croupier.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../examples/fleet');
const read = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');

interface Job {
  readonly kind: string;
  readonly spec: {
    readonly completions: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value: string }[];
        }[];
      };
    };
  };
}

it('compose.yaml starts commands that croupier has', async () => {
  const { services } = parse(read('compose.yaml')) as {
    services: Record<string, { image: string; command?: string[]; environment: Record<string, string> }>;
  };
  const own = Object.values(services).filter(({ image }) => image === 'croupier');
  expect(own.length).toBeGreaterThan(0);
  for (const { command = [], environment } of own) {
    const { status, out } = await croupier([...command, '--help'], { cwd: FOLDER });
    expect([status, out]).toEqual([0, expect.stringContaining('--database')]);
    expect(environment.CROUPIER_DATABASE).toMatch(/^postgres:\/\/croupier@database\//u);
  }
});

it('the Indexed Job plays one shard in each pod, and fails only if a pod has no result', () => {
  const job = parseAllDocuments(read('kubernetes.yaml'))
    .map((document) => document.toJS() as Job)
    .find(({ kind }) => kind === 'Job');
  const [container] = job?.spec.template.spec.containers ?? [];
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  expect(env.SHARDS).toBe(String(job?.spec.completions));
  const cwd = mkdtempSync(path.join(tmpdir(), 'croupier-job-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const program = path.join(cwd, 'croupier');
  writeFileSync(program, '#!/bin/sh\necho "$@"\nexit $STATUS\n');
  chmodSync(program, 0o755);
  const pod = (STATUS: string) =>
    spawnSync('bash', ['-c', container?.args[0] ?? ''], {
      env: { ...env, JOB_COMPLETION_INDEX: '2', STATUS, PATH: `${cwd}:${process.env.PATH}` },
      encoding: 'utf8',
    });
  expect(pod('0').stdout).toBe(`run --shard 3/4 --seed ${env.SEED} --journal /journals/shard-3.ndjson\n`);
  expect(['0', '1', '3', '2', '70', '143'].map((status) => pod(status).status)).toEqual([0, 0, 0, 2, 70, 143]);
});
