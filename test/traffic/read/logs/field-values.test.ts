import { describe, expect, it } from 'vitest';
import { valuesOf } from '../../../../src/traffic/read/logs/field-values.ts';
import { logForm } from '../../../../src/traffic/read/logs/log-form.ts';

const FORM = logForm({ fields: { session: ['user.session', 'sid', 'a.b.c'] } });

const sessions = (object: Readonly<Record<string, unknown>>) =>
  (valuesOf(object, FORM).session ?? []).map(({ value }) => value);

describe('the values of a field in an object', () => {
  it.each<[string, Readonly<Record<string, unknown>>, readonly unknown[]]>([
    ['a nested value', { user: { session: 's' } }, ['s']],
    ['a name that contains dots', { 'user.session': 's' }, ['s']],
    ['dots within an inner object', { a: { 'b.c': 's' } }, ['s']],
    ['three levels', { a: { b: { c: 's' } } }, ['s']],
    ['the order of the paths, not of the object', { sid: 'second', user: { session: 'first' } }, ['first', 'second']],
    ['a path twice: the name with dots counts', { user: { session: 'inner' }, 'user.session': 'own' }, ['own']],
    ['another object on the path', { user: 's' }, []],
    ['a list on the path', { user: [{ session: 's' }] }, []],
  ])('are found: %s', (_what, object, values) => {
    expect(sessions(object)).toEqual(values);
  });

  it('are those of the object that is asked for, also if another object was asked for before', () => {
    const [one, two] = [{ sid: '1' }, { sid: '2' }];
    expect([sessions(one), sessions(two), sessions(one)]).toEqual([['1'], ['2'], ['1']]);
  });
});
