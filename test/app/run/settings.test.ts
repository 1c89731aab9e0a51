import { describe, expect, it } from 'vitest';
import { readDecimals, readStake, runSettings } from '../../../src/app/run/settings.ts';

describe('runSettings', () => {
  it('prefers flags to the file, and the file to defaults', () => {
    const config = {
      deadline: '3s',
      linger: '1s',
      stakes: { USD: '2.00', EUR: '3.00' },
      freeRounds: { frID: 'spring' },
    };
    const settings = runSettings(config, { linger: 250, stake: ['USD=5.00'] }, {});
    expect(settings).toMatchObject({
      lingerMs: 250,
      deadlineMs: 3000,
      stakes: { USD: '5.00', EUR: '3.00' },
      campaign: 'spring',
      strict: false,
      bail: null,
      ratePerSecond: null,
    });
  });

  it('has the deadline of the contract and a linger of two seconds', () => {
    expect(runSettings({}, {}, {})).toMatchObject({ deadlineMs: 5000, lingerMs: 2000 });
  });

  it('leaves the number of race rounds to the engine if no flag gives it', () => {
    expect(runSettings({}, {}, {}).raceRounds).toBeUndefined();
    expect(runSettings({}, { raceRounds: 200 }, {}).raceRounds).toBe(200);
  });

  it('stops at the first failure if --bail has no number', () => {
    expect(runSettings({}, { bail: true }, {}).bail).toBe(1);
    expect(runSettings({}, { bail: 3 }, {}).bail).toBe(3);
  });

  it.each([
    ['1', true],
    ['true', true],
    ['0', false],
    ['false', false],
    ['', false],
  ])('reads CROUPIER_STRICT=%s as strict = %s', (text, expected) => {
    expect(runSettings({}, {}, { CROUPIER_STRICT: text }).strict).toBe(expected);
  });

  it('lets CROUPIER_STRICT=0 override the file', () => {
    expect(runSettings({ strict: true }, {}, { CROUPIER_STRICT: '0' }).strict).toBe(false);
    expect(runSettings({ strict: true }, {}, {}).strict).toBe(true);
  });

  it('refuses a value that means neither on nor off', () => {
    expect(() => runSettings({}, {}, { CROUPIER_STRICT: 'y' })).toThrow(
      'The variable CROUPIER_STRICT is "y", but it must be 1 (on) or 0 (off). Nothing was sent.',
    );
  });

  it('makes a new seed each time, or uses the given one', () => {
    expect(runSettings({}, {}, {}).seed).not.toBe(runSettings({}, {}, {}).seed);
    expect(runSettings({}, { seed: 'again' }, {}).seed).toBe('again');
  });
});

describe('readStake', () => {
  it('reads a currency with an amount', () => {
    expect(readStake('USD=1.00')).toEqual(['USD', '1.00']);
  });

  it.each([
    ['USD', 'it needs a currency and an amount'],
    ['=1.00', 'it needs a currency and an amount'],
    ['U$D=1.00', 'U$D is not the code of a currency'],
    ['USD=1e3', '1e3 is not an amount above zero'],
    ['USD=0.00', '0.00 is not an amount above zero'],
    ['USD=-1', '-1 is not an amount above zero'],
  ])('refuses %s with the message: %s', (text, reason) => {
    expect(() => readStake(text)).toThrow(reason);
  });
});

describe('readDecimals', () => {
  it.each([
    ['USDT=6', ['USDT', 6]],
    ['mBCH=5', ['mBCH', 5]],
    ['CLP=2', ['CLP', 2]],
    ['JPY=0', ['JPY', 0]],
  ])('reads %s as %j', (text, expected) => {
    expect(readDecimals(text)).toEqual(expected);
  });

  it.each([
    ['USDT', 'it needs a currency and a number of decimals'],
    ['U$D=2', 'U$D is not the code of a currency'],
    ['USDT=19', 'the decimals of USDT must be a whole number from 0 to 18'],
    ['USDT=1.5', 'the decimals of USDT must be a whole number from 0 to 18'],
    ['KWD=3', 'the decimals of KWD must be a whole number from 0 to 2'],
    ['JPY=2', 'JPY has no decimals by the contract'],
  ])('refuses %s with the message: %s', (text, reason) => {
    expect(() => readDecimals(text)).toThrow(reason);
  });
});
