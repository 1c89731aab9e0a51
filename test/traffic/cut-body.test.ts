import { describe, expect, it } from 'vitest';
import { cutEntry, cutFields, loggedBody } from '../../src/traffic/cut-body.ts';
import {
  array,
  assert,
  boolean,
  constantFrom,
  dictionary,
  double,
  integer,
  nat,
  oneof,
  property,
  string,
} from '../properties.ts';

const BET = '{"amount":"5.00","roundID":"r-1","sessionID":"s-1","txID":"t-1","type":"regular"}';

describe('a body that a logger has cut', () => {
  it.each([
    ['…', '{"amount":"5.00","txID":"t-…'],
    ['...', '{"amount":"5.00","txID":"t-...'],
    ['[truncated]', '{"amount":"5.00","txID":"t-[truncated]'],
    ['... (1234 more bytes)', '{"amount":"5.00","txID":"t-... (1234 more bytes)'],
    ['<truncated>', '{"amount":"5.00",<truncated>'],
    ['…(truncated)', '{"amount":"5.00","txID":…(truncated)'],
    ['a mark after a comma', '{"amount":"5.00", ...'],
    ['a mark after a value', '{"amount":"5.00"...(truncated)'],
    ['no mark', '{"amount":"5.00","txID":"t-'],
    ['a name without its value', '{"amount":"5.00","txID"'],
    ['a number that may have more digits', '{"amount":"5.00","balance":95.0'],
    ['a number before a mark', '{"amount":"5.00","balance":95.0...'],
    ['a number and a mark apart', '{"amount":"5.00","balance":95 ... (truncated)'],
    ['an unfinished word', '{"amount":"5.00","isTest":tr'],
    ['an unfinished object', '{"amount":"5.00","player":{"id":"4711"'],
    ['an escaped quotation mark', String.raw`{"amount":"5.00","note":"he said \"`],
    ['the middle cut out', '{"amount":"5.00","txID":"t-1...(truncated)ype":"regular"}'],
    ['the middle cut out between two members', '{"amount":"5.00", … "type":"regular"}'],
  ])('keeps its complete fields if it ends with %s', (_, text) => {
    expect(cutFields(text)).toEqual({ amount: '5.00' });
    expect(loggedBody(text)).toMatchObject({ data: text, truncated: true });
  });

  it.each([
    ['is whole', BET],
    ['is whole and has an ellipsis in a message', '{"message":"please wait..."}'],
    ['has a comma too many', '{"balance":"95.00",}'],
    ['has names without quotation marks', '{balance: 95}'],
    ['has a number that JSON does not allow', '{"balance":095,"txID":"o-1"}'],
    ['has the wrong bracket', '{"balance":"95.00"]'],
    ['is followed by another object', '{"balance":"95.00"}{"balance":"95.00"}'],
    ['is HTML', '<html>...'],
    ['is empty', ''],
  ])('is not assumed if the body %s', (_, text) => {
    expect(cutFields(text)).toBeUndefined();
    expect(loggedBody(text).truncated).toBe(false);
  });

  it('shows only true fields, wherever it is cut', () => {
    const value = oneof(string(), integer(), double({ noNaN: true, noDefaultInfinity: true }), boolean());
    const object = dictionary(string(), oneof(value, array(value), dictionary(string(), value)));
    assert(
      property(object, nat(), constantFrom('', '…', '... [truncated]'), (fields, at, mark) => {
        const text = JSON.stringify(fields);
        const cut = `${text.slice(0, 1 + (at % Math.max(1, text.length - 1)))}${mark}`;
        const whole = JSON.parse(text) as Record<string, unknown>;
        for (const [name, found] of Object.entries(cutFields(cut) ?? {})) expect(found).toEqual(whole[name]);
      }),
    );
  });

  it('of a log entry keeps the beginning of the body in it', () => {
    expect(cutEntry('{"method":"POST","url":"/eu/bet","body":{"amount":"5.00","sess')).toEqual({
      method: 'POST',
      url: '/eu/bet',
      body: '{"amount":"5.00","sess',
    });
  });
});
