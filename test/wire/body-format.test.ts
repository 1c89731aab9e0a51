import { expect, test } from 'vitest';
import { type BodyFormat, formatBody } from '../../src/wire/body-format.ts';

const value = { b: 'é/"x', a: [1, { z: null, y: true }], c: '' };

test.each<[BodyFormat, string]>([
  ['canonical', '{"a":[1,{"y":true,"z":null}],"b":"é/\\"x","c":""}'],
  ['spaced', '{"a": [1, {"y": true, "z": null}], "b": "é/\\"x", "c": ""}'],
  ['unsorted', '{"c":"","b":"é/\\"x","a":[1,{"z":null,"y":true}]}'],
  ['escaped', '{"a":[1,{"y":true,"z":null}],"b":"\\u00e9\\/\\"x","c":""}'],
])('%s', (format, text) => {
  expect(formatBody(value, format)).toBe(text);
});

test.each<BodyFormat>(['pretty', 'spaced', 'unsorted', 'escaped'])(
  '%s means the same and is not canonical',
  (format) => {
    const body = { ...value, txID: 'abc' };
    expect(JSON.parse(formatBody(body, format))).toEqual(body);
    expect(formatBody(body, format)).not.toBe(formatBody(body, 'canonical'));
  },
);
