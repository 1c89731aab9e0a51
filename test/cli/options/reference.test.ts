import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { croupier } from '../croupier.ts';

const cwd = tmpdir();

describe('the former word "habit" for a variant', () => {
  it('works as the flag --habit, and the message names the variant', async () => {
    const args = ['run', '--reference', 'balance.read'];
    const asVariant = await croupier([...args, '--variant', 'lost-update'], { cwd });
    const asHabit = await croupier([...args, '--habit', 'lost-update'], { cwd });
    expect(asVariant.status).toBe(2);
    expect(asVariant.err).toContain(
      '--variant lost-update: there is no such variant. It is a defect: --defect lost-update.',
    );
    expect(asHabit).toEqual(asVariant);
  });

  it('works as the name of a list in `croupier list`', async () => {
    const variants = await croupier(['list', 'variants', '--json'], { cwd });
    const habits = await croupier(['list', 'habits', '--json'], { cwd });
    expect(variants.status).toBe(0);
    expect(variants.out).toContain('"name": "gzip"');
    expect(habits).toEqual(variants);
  });

  it('is hidden from help and completion', async () => {
    const { out: page } = await croupier(['run', '--help'], { cwd });
    expect(page).toContain('--variant <name>');
    expect(page).not.toContain('habit');
    const { out: flags } = await croupier(['completion', 'answer', '--', 'run', '--'], { cwd });
    expect(flags).toContain('--variant\t');
    expect(flags).not.toContain('habit');
  });

  it('selects the same variants as --variant in a run', async () => {
    const { err, status } = await croupier(
      ['run', '--reference', '--habit', 'gzip', '--variant', 'gzip', 'balance/read', '--no-color'],
      { cwd },
    );
    expect({ err: err.match(/The embedded operator has the variant gzip:/g), status }).toEqual({
      err: ['The embedded operator has the variant gzip:'],
      status: 0,
    });
  });
});

it('croupier list suggests a similar word for an unknown list', async () => {
  const { status, err } = await croupier(['list', 'varients'], { cwd });
  expect(status).toBe(2);
  expect(err).toContain(
    'Allowed choices are rules, rule, scenarios, clients, defects, variants. Did you mean variants?',
  );
});
