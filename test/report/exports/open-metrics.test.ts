import { describe, expect, it } from 'vitest';
import { runEnded, runStarted } from '../../journal/events.ts';
import { foldOf, JOURNALS, reportOfEvents, reportText } from '../journals.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the samples. Each other line must be a description. open-metrics.slow.test.ts reads the text with real parsers. */
function read(text: string): readonly Sample[] {
  const lines = text.split('\n');
  expect(lines.slice(-2)).toEqual(['# EOF', '']);
  return lines.slice(0, -2).flatMap((line) => {
    if (/^# (TYPE|UNIT|HELP) croupier_[a-z0-9_]+ ./.test(line)) return [];
    const [, name = '', labels = '', value] =
      /^(croupier_[a-z0-9_]+)\{((?:[a-z]+="(?:[^"\\]|\\.)*",?)*)\} (\S+)$/.exec(line) ?? [];
    expect([line, name]).not.toEqual([line, '']);
    const pairs = [...labels.matchAll(/([a-z]+)="((?:[^"\\]|\\.)*)"/g)];
    return [{ name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value: Number(value) }];
  });
}

const named = (samples: readonly Sample[], name: string) => samples.filter((sample) => sample.name === name);

describe('the OpenMetrics report', () => {
  it.each(JOURNALS)('of the journal %s agrees with the run', async (name) => {
    const samples = read(await reportText(name, 'openmetrics'));
    const { rules, run, ended } = await foldOf(name);
    expect(new Set(samples.map(({ labels }) => labels.client))).toEqual(new Set([run.client.extCID]));
    const broken = named(samples, 'croupier_rule_broken').filter(({ value }) => value === 1);
    expect(broken.map(({ labels }) => labels.rule)).toEqual(
      rules.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule.id),
    );
    expect(named(samples, 'croupier_run_verdict').filter(({ value }) => value === 1)).toHaveLength(1);
    const [time] = named(samples, 'croupier_run_timestamp_seconds');
    expect(time?.value).toBeCloseTo((Date.parse(run.startedAt) + (ended?.durationMs ?? 0)) / 1000, 3);
  });

  it('gives 0 for a rule that was judged and holds, and nothing for a rule that was not judged', async () => {
    const samples = named(read(await reportText('failing', 'openmetrics')), 'croupier_rule_broken');
    const values = new Map(samples.map(({ labels, value }) => [labels.rule, value]));
    expect(values.get('idempotency.bet')).toBe(1);
    expect(values.get('balance.read')).toBe(0);
    expect(samples.find(({ labels }) => labels.rule === 'idempotency.bet')?.labels).toEqual({
      client: 'acme-eu',
      rule: 'idempotency.bet',
      money: 'true',
    });
    for (const { rule, verdict } of (await foldOf('failing')).rules)
      expect([rule.id, values.has(rule.id)]).toEqual([
        rule.id,
        !['skip', 'untested', 'inconclusive'].includes(verdict),
      ]);
  });

  it('has the response times of each call in seconds', async () => {
    const samples = named(read(await reportText('failing', 'openmetrics')), 'croupier_call_duration_p95_seconds');
    const { latency } = await foldOf('failing');
    expect(samples.map(({ labels, value }) => [labels.call, value])).toEqual(
      latency.map(({ call, p95Ms }) => [call, expect.closeTo(p95Ms / 1000, 6)]),
    );
  });

  it('keeps any name of a client inside its label', async () => {
    const start = runStarted([]);
    const client = { ...start.client, extCID: 'acme"} 1\ncroupier_rule_broken{rule="x\\' };
    const samples = read(await reportOfEvents([{ ...start, client }, runEnded()], 'openmetrics'));
    expect(named(samples, 'croupier_rule_broken')).toEqual([]);
    expect(named(samples, 'croupier_calls')[0]?.labels.client).toContain('acme\\"} 1');
  });
});
