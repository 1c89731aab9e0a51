import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { croupier, type Ended, ended, start } from '../../croupier.ts';
import { type DemoOperator, demoOperator, type Relay, type Relayed, relayTo } from '../../demo-operator.ts';

export const CLIENT_FLAGS = ['--client', 'demo-eu', '--deadline', '2s', '--linger', '50ms'];

/** A folder for a run that is cut off and settled, and an operator that it calls over a relay. */
export class CutOffRun {
  readonly cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
  operator!: DemoOperator;
  relay!: Relay;
  before!: DemoOperator['books'] extends () => infer Books ? Books : never;

  async serve(): Promise<void> {
    this.operator = await demoOperator(this.cwd);
    this.relay = await relayTo(this.operator.url);
    this.before = this.operator.books();
  }

  cli(...args: readonly string[]): Promise<Ended> {
    return croupier([...args, '--base-url', this.relay.url, ...CLIENT_FLAGS], { cwd: this.cwd });
  }

  settle(...flags: readonly string[]): Promise<Ended> {
    return this.cli('settle', 'run.ndjson', ...flags);
  }

  /** Runs one scenario and kills it when a call arrives. The arguments decide what happens to that call and later ones. */
  async killedAt(
    steps: string,
    moment: (called: Relayed) => boolean,
    fate: 'pass' | 'lose',
    ...flags: readonly string[]
  ): Promise<void> {
    writeFileSync(path.join(this.cwd, 'mine.yaml'), `title: Mine\nrules: [bet.debit]\nsteps:\n${steps}`);
    const child = start(
      ['run', 'mine.yaml', '--journal', 'run.ndjson', '--base-url', this.relay.url, ...CLIENT_FLAGS, ...flags],
      { cwd: this.cwd },
    );
    this.relay.decide((called) => {
      if (!moment(called)) return 'pass';
      child.kill('SIGKILL');
      return fate;
    });
    expect((await ended(child)).status).toBeNull();
    // Calls that the relay forwarded before the kill must arrive.
    await new Promise((resolve) => setTimeout(resolve, 200));
    this.relay.decide(() => 'pass');
  }

  journal(): string {
    return readFileSync(path.join(this.cwd, 'run.ndjson'), 'utf8');
  }

  remove(): void {
    rmSync(this.cwd, { recursive: true, force: true });
  }
}
