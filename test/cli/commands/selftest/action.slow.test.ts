import { expect, it } from 'vitest';
import { croupier } from '../../croupier.ts';

const cwd = import.meta.dirname;
/** The tests run the whole suite several times, together with other tests. */
const LONG_MS = 60_000;

it(
  'selftest judges the correct operator, a defect and two defects at once, and prints a row for each',
  async () => {
    const { status, out, err } = await croupier(
      ['selftest', 'correct', 'refund-unknown-404', 'cents+refund-unknown-404'],
      { cwd },
    );
    expect(err).toBe('');
    expect(out).toMatch(/✓ correct +nothing/);
    expect(out).toMatch(/✓ refund-unknown-404 +refund\.unknown/);
    expect(out).toContain('Several defects at once');
    expect(out).toContain('croupier judged every operator correctly.');
    expect(out).toContain('1 correct operator: 1 judged correctly, 0 accused.');
    // A part of the matrix can't decide which scenarios are idle.
    expect(out).not.toContain('could as well not be there');
    expect(status).toBe(0);
  },
  LONG_MS,
);

it(
  'selftest --load judges a defect and a variant by load tests, and prints a transaction that the defect lost',
  async () => {
    const { status, out } = await croupier(['selftest', '--load', 'lost-update', 'locked-wallet-409'], { cwd });
    expect(out).toMatch(/✓ load:lost-update +concurrency\.no-lost-update.*\n(.*\n)*? +(bet|win) [0-9a-f-]{36} of/u);
    expect(out).toMatch(/✓ load:locked-wallet-409/u);
    expect(out).toMatch(/2 operators under load: 2 judged correctly\.\n +2 load tests in/u);
    expect(status).toBe(0);
  },
  LONG_MS,
);

it(
  'selftest --json prints the outcomes as JSON',
  async () => {
    const { status, out } = await croupier(['selftest', 'refund-unknown-404', '--json', '--threads', '1'], { cwd });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      outcomes: [{ name: 'refund-unknown-404', kind: 'defect', expected: ['refund.unknown'], wrongs: [], exitCode: 1 }],
      idle: null,
    });
  },
  LONG_MS,
);

it('selftest suggests a similar name for an unknown defect', async () => {
  const { status, err } = await croupier(['selftest', 'refund-unknown-40'], { cwd });
  expect(status).toBe(2);
  expect(err).toContain('There is no defect or variant refund-unknown-40. Did you mean refund-unknown-404?');
  const underLoad = await croupier(['selftest', '--load', 'cents'], { cwd });
  expect(underLoad.status).toBe(2);
  expect(underLoad.err).toContain('No load test judges cents.');
});
