import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetMetrics } from '../../../src/cli/commands/fleet/metrics.ts';
import { operatorChecked } from '../../fleet/operators.ts';
import { runEnded, runStarted } from '../../journal/events.ts';
import { JOURNALS, reportOfEvents, reportText } from '../journals.ts';

/** Debian's packages of the official parsers: the client library for Python, and promtool of Prometheus. */
const PACKAGES = ['python3-prometheus-client', 'python3-decorator', 'prometheus'];

/** Reads a text in both formats and prints the number of samples. */
const PARSERS = `
import sys
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client import parser as prometheus
text = sys.stdin.read()
for parser in (openmetrics, prometheus):
    print(sum(len(family.samples) for family in parser.text_string_to_metric_families(text)))
`;

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'croupier-metrics-'));
  const download = () => execFileSync('apt-get', ['download', ...PACKAGES], { cwd: dir, stdio: 'pipe' });
  try {
    download();
  } catch {
    execFileSync('apt-get', ['update'], { stdio: 'pipe' });
    download();
  }
  execFileSync('sh', ['-c', 'for each in *.deb; do dpkg -x "$each" .; done'], { cwd: dir });
}, 300_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Returns the number of samples that each parser finds. Both throw for a text that is not in their format. */
function samplesIn(text: string): readonly number[] {
  const env = { ...process.env, PYTHONPATH: path.join(dir, 'usr/lib/python3/dist-packages') };
  const out = execFileSync('python3', ['-c', PARSERS], { input: text, env, encoding: 'utf8' });
  return out.trim().split('\n').map(Number);
}

describe.skipIf(!existsSync('/usr/bin/apt-get'))('the OpenMetrics report, read by the official parsers', () => {
  it.each(JOURNALS)('of the journal %s is valid, and has the same samples in both formats', async (name) => {
    const text = await reportText(name, 'openmetrics');
    const samples = text.split('\n').filter((line) => line.startsWith('croupier_')).length;
    expect(samplesIn(text)).toEqual([samples, samples]);
    // promtool also complains about names and types against the conventions of Prometheus.
    execFileSync(path.join(dir, 'usr/bin/promtool'), ['check', 'metrics'], { input: text, stdio: 'pipe' });
  });

  it('of a fleet is valid, also for an operator that is late, owes something or was never judged', () => {
    const hostile = { ...operatorChecked('acme', '0 3 * * *'), extCID: 'a"} 1\n# EOF\\' };
    const nothing = { latest: undefined, begun: undefined, lastSuccess: undefined, runningSince: undefined, owed: [] };
    const since = '2026-11-26T01:00:00.000Z';
    const owed = [{ journal: 'run.ndjson', items: 3, worker: null }];
    const text = [
      ...fleetMetrics([
        { ...nothing, operator: operatorChecked('never', '0 3 * * *'), late: { since: null } },
        { ...nothing, operator: hostile, lastSuccess: since, late: { since }, owed },
      ]),
    ].join('');
    const samples = text.split('\n').filter((line) => line.startsWith('croupier_')).length;
    expect(samplesIn(text)).toEqual([samples, samples]);
    execFileSync(path.join(dir, 'usr/bin/promtool'), ['check', 'metrics'], { input: text, stdio: 'pipe' });
  });

  it('is valid whatever the name of the client is', async () => {
    const start = runStarted([]);
    const client = { ...start.client, extCID: 'a"} 1\n# EOF\\\u2028é' };
    expect(samplesIn(await reportOfEvents([{ ...start, client }, runEnded()], 'openmetrics'))[0]).toBeGreaterThan(5);
  });
});
