import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../src/journal/event.ts';
import { croupier } from './croupier.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'croupier-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function scenario(amount: string): void {
  const steps = `  - bet: { amount: "3.00" }\n  - balance:\n  - bet: { amount: "${amount}" }\n  - balance:\n`;
  const needs = 'needs: { balance: "10.00", currency: { decimals: 2 } }';
  writeFileSync(path.join(cwd, 'own.yaml'), `title: A bet\nrules: [bet.decimal-amount]\n${needs}\nsteps:\n${steps}`);
}

interface Rule {
  readonly id: string;
  readonly verdict: string;
  readonly reason: string | null;
}

async function judged(...defect: readonly string[]) {
  const { status, out } = await croupier(['run', '--reference', 'own.yaml', '--linger', '10ms', '--json', ...defect], {
    cwd,
  });
  const { rules } = JSON.parse(out) as { readonly rules: readonly Rule[] };
  return { status, rule: rules.find(({ id }) => id === 'bet.decimal-amount') };
}

describe('a scenario with a bet whose amount is a literal with decimals', () => {
  it('passes `bet.decimal-amount` at a correct operator', async () => {
    scenario('1.25');
    expect(await judged()).toMatchObject({ status: 0, rule: { verdict: 'pass' } });
  });

  it.each(['decimals-refused', 'decimals-cut-off'])(
    'fails `bet.decimal-amount` at an operator with the defect %s',
    async (defect) => {
      scenario('1.25');
      expect(await judged('--defect', defect)).toMatchObject({ status: 1, rule: { verdict: 'fail' } });
    },
  );

  it('is skipped if the amount has more decimals than the currency', async () => {
    scenario('1.255');
    const { rule } = await judged();
    expect(rule).toMatchObject({ verdict: 'skip' });
    expect(rule?.reason).toContain('more decimals than USD has (2)');
  });

  it('is accepted by lint for the rule, but an amount without decimals is not', async () => {
    scenario('1.25');
    expect(await croupier(['lint', 'own.yaml'], { cwd })).toMatchObject({ status: 0 });
    scenario('2.00');
    const { status, out, err } = await croupier(['lint', 'own.yaml'], { cwd });
    expect(status).toBe(2);
    expect(`${out}${err}`).toContain('no step of this scenario can decide `bet.decimal-amount`');
  });
});

describe('the amount of a call in the journal', () => {
  function journal(): { readonly file: string; readonly events: readonly JournalEvent[] } {
    const [name = ''] = readdirSync(path.join(cwd, '.croupier')).filter((each) => each.endsWith('.ndjson'));
    const file = path.join(cwd, '.croupier', name);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return { file, events: lines.map((text) => JSON.parse(text) as JournalEvent) };
  }
  const write = (name: string, events: readonly JournalEvent[]): void =>
    writeFileSync(path.join(cwd, name), events.map((event) => `${JSON.stringify(event)}\n`).join(''));

  it('is recorded for each bet, win and refund as it was sent, and not for reads', async () => {
    scenario('1.25');
    await judged();
    const sent = journal().events.flatMap((event) => (event.event === 'sending' ? [event] : []));
    const amounts = sent.map(({ call, amount }) => `${call} ${amount ?? 'none'}`);
    expect(amounts).toEqual(expect.arrayContaining(['bet 3.00', 'bet 1.25', 'balance none', 'win 0', 'win 5.25']));
    expect(amounts.filter((text) => /^(bet|win|refund) none$/.test(text))).toEqual([]);
  });

  it('is missing if the scenario sends no plain decimal, and is the sent amount if the scenario changes it', async () => {
    const steps = [
      '{ bet: , body: { set: { amount: "1e0" } }, expect: declined }',
      '{ bet: , body: { drop: [amount] }, expect: declined }',
      '{ bet: { amount: "2.00" }, tamper: { body: { amount: "7.00" } }, expect: refused }',
    ];
    writeFileSync(path.join(cwd, 'own.yaml'), `title: Bad\nsteps: [${steps.join(', ')}]\n`);
    await croupier(['run', '--reference', 'own.yaml', '--linger', '10ms'], { cwd });
    const bets = journal().events.flatMap((event) =>
      event.event === 'sending' && event.purpose === 'step' && event.call === 'bet' ? [event.amount ?? null] : [],
    );
    expect(bets).toEqual([null, null, '7.00']);
  });

  it('is used by `incident`, which reads the body if the journal has no amount', async () => {
    scenario('1.25');
    await judged();
    const { events } = journal();
    write(
      'old.ndjson',
      events.map((event) => {
        if (event.event !== 'sending') return event;
        const { amount: _, ...rest } = event;
        return rest;
      }),
    );
    write(
      'other.ndjson',
      events.map((event) =>
        event.event === 'sending' && event.amount === '1.25' ? { ...event, amount: '1.20' } : event,
      ),
    );
    write('new.ndjson', events);
    const timeline = async (file: string) => {
      const { status, out } = await croupier(['incident', file, '--json'], { cwd });
      return { status, out: out.replaceAll(file, 'journal') };
    };
    const known = await timeline('new.ndjson');
    expect(known.status).toBe(0);
    expect(await timeline('old.ndjson')).toEqual(known);
    // The balances no longer fit the amounts, and nothing in the journal says why.
    expect((await timeline('other.ndjson')).status).toBe(3);
  });
});
