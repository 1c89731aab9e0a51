import { describe, expect, it } from 'vitest';
import { Money } from '../../src/contract/money.ts';
import {
  allowedShare,
  lowerShare,
  lowestVaryingShare,
  notedDecimal,
  outlyingSums,
  percentText,
  readShare,
  shareDecimal,
  usualShare,
} from '../../src/journal/share.ts';

const STAKES = { USD: '1.00' };
const wrong = (amount: string, moved: string, currency = 'USD') => ({ amount, moved, currency });
const varying = (amount: string, moved: string) => ({ ...wrong(amount, moved), varies: true as const });
const ofSums = (...shares: readonly (readonly [string, string])[]) =>
  usualShare(
    shares.map(([amount, moved]) => wrong(amount, moved)),
    STAKES,
  );

describe('the usual share of wrong sums', () => {
  it('is the share that nine tenths of the sums do not exceed', () => {
    const fees = Array.from({ length: 9 }, () => ['-0.10', '1.00'] as const);
    expect(String(ofSums(...fees, ['-4', '5'])?.wrong)).toBe('0.10');
    expect(String(ofSums(['-0.10', '1.00'], ['-4', '5'])?.wrong)).toBe('4');
  });

  it('leaves out bets if the rule is about wins', () => {
    const { wrong: fee, moved } = usualShare([{ ...wrong('-0.20', '3'), movedOneWay: '2' }], STAKES) ?? {};
    expect([String(fee), String(moved)]).toEqual(['0.20', '2']);
  });

  it('leaves out calls for less than a stake, sums that depend on the balance, and sums without an amount', () => {
    expect(ofSums(['-0.01', '0.01'])).toBeUndefined();
    expect(usualShare([varying('-1', '10')], STAKES)).toBeUndefined();
    expect(usualShare([{ amount: '-1', currency: 'USD' }], STAKES)).toBeUndefined();
    expect(usualShare([wrong('-1', '10', 'BTC')], STAKES)).toBeUndefined();
  });
});

describe('outlying sums', () => {
  const usual = ofSums(['-0.10', '1.00']);

  it('are a larger share of their calls than one and a half times the usual share', () => {
    expect(outlyingSums([varying('-148.51', '990.09')], usual)).toEqual({});
    expect(outlyingSums([varying('-148.52', '990.09'), varying('-990.09', '990.09')], usual)).toEqual({
      USD: '990.09',
    });
  });

  it('are only sums that depend on the balance', () => {
    expect(outlyingSums([wrong('-990.09', '990.09')], usual)).toEqual({});
    expect(outlyingSums([varying('-990.09', '990.09')], undefined)).toEqual({});
  });
});

describe('the lowest share of the sums that depend on the balance', () => {
  const lowest = lowestVaryingShare([varying('-990', '990'), varying('-99', '990'), wrong('-0.01', '10')], STAKES);

  it('is doubled, because other calls may have been right', () => {
    expect([String(lowest?.wrong), String(lowest?.moved)]).toEqual(['198', '990']);
    expect(outlyingSums([varying('-296', '990')], lowest)).toEqual({});
    expect(outlyingSums([varying('-298', '990')], lowest)).toEqual({ USD: '298' });
  });

  it('leaves out calls for less than a stake', () => {
    expect(lowestVaryingShare([varying('-0.01', '0.50')], STAKES)).toBeUndefined();
  });

  it('counts only if it is lower than the share that a baseline allows', () => {
    expect(lowerShare(allowedShare([{ maxSums: { USD: '0.90' } }], STAKES), lowest)).toBe(lowest);
    const allowed = allowedShare([{ maxSums: { USD: '0.10' } }], STAKES);
    expect(lowerShare(allowed, lowest)).toBe(allowed);
    expect(lowerShare(undefined, lowest)).toBe(lowest);
    expect(lowerShare(allowed, undefined)).toBe(allowed);
  });
});

describe('the share that a baseline allows', () => {
  it('is the largest of its sums in a stake', () => {
    const { wrong, moved } =
      allowedShare([{ maxSums: { USD: '0.40', JPY: '20' } }, { maxSums: { USD: '0.10' } }], {
        USD: '1.00',
        JPY: '100',
      }) ?? {};
    expect([String(wrong), String(moved)]).toEqual(['0.40', '1']);
    expect(allowedShare([{ maxSums: { USD: '0' } }, { maxSums: { EUR: '1' } }], { USD: '1.00' })).toBeUndefined();
  });
});

describe('a share as text', () => {
  const decimal = (share: string, parts: string): string | undefined => {
    const [wrong, moved] = [Money.of(share), Money.of(parts)];
    return shareDecimal({ wrong, moved });
  };

  it('is rounded up to a hundredth of a percent', () => {
    expect([decimal('0.50', '1'), decimal('1', '3'), decimal('0.00001', '1')]).toEqual(['0.50', '0.3334', '0.0001']);
    expect([percentText('0.5'), percentText('0.3334'), percentText('9')]).toEqual(['50%', '33.34%', '900%']);
  });

  it('has two digits in a baseline, because a wallet rounds half of an amount to its smallest unit', () => {
    const noted = (wrong: string, moved: string) => notedDecimal({ wrong: Money.of(wrong), moved: Money.of(moved) });
    expect([noted('0.57', '1.13'), noted('0.56', '1.13'), noted('0.10', '1')]).toEqual(['0.50', '0.50', '0.10']);
    expect([noted('1', '1'), noted('1.26', '1'), noted('10', '1')]).toEqual(['1', '1.30', '10']);
    expect([noted('1', '30'), noted('0.0123', '1'), noted('0.00001', '1')]).toEqual(['0.033', '0.012', '0.0001']);
    expect([percentText('0.50'), percentText('1'), percentText('0.033')]).toEqual(['50%', '100%', '3.3%']);
    expect(noted('11', '1')).toBeUndefined();
  });

  it('is not written if it is more than ten times the amount', () => {
    expect(decimal('10', '1')).toBe('10');
    expect(decimal('99999999999999999999', '1')).toBeUndefined();
    expect(percentText(undefined)).toBe('more than 1000%');
  });

  it('counts before the sums of an entry', () => {
    const { wrong } = allowedShare([{ maxShare: '0.1', maxSums: { USD: '5' } }], STAKES) ?? {};
    expect(String(wrong)).toBe('0.10');
    expect(readShare('no share')).toBeUndefined();
  });
});
