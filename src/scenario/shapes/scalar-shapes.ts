import { readDuration } from '../duration.ts';
import type { Template } from '../expressions/expression.ts';
import type { Reading } from '../reading.ts';
import type { Word } from '../scenario.ts';
import { suggestion } from '../synonyms.ts';
import { describeNode, type ScalarNode, type YamlNode } from '../yaml/yaml-node.ts';
import { INTERPOLATED, refuse, type Shape } from './shape.ts';

export const LANGUAGE_VERSION = 1;

/** The shape of `croupier: 1`, the version of the language at the beginning of a file. */
export const version: Shape<number> = {
  read(node, reading) {
    if (node.kind === 'scalar' && node.value === LANGUAGE_VERSION) return LANGUAGE_VERSION;
    return refuse(reading, node, 'the version of the language, 1', `write croupier: ${LANGUAGE_VERSION}`);
  },
  json: () => ({ const: LANGUAGE_VERSION }),
};

/** Reads a text. Reports numbers and booleans that are not in quotes. */
function readText(node: YamlNode, reading: Reading, wanted: string): (ScalarNode & { value: string }) | undefined {
  const resolved = reading.resolve(node);
  if (resolved.kind === 'scalar') {
    if (typeof resolved.value === 'string') return { ...resolved, value: resolved.value };
    if (resolved.value !== null) return refuse(reading, resolved, wanted, `write "${resolved.written}"`);
  }
  return refuse(reading, resolved, wanted);
}

/** Creates the shape of a value that is one of the given words. */
export function word<const W extends string>(
  what: string,
  words: readonly W[],
  about: Partial<Record<W, string>> = {},
): Shape<W> {
  const listed = words.join(', ');
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'scalar' || typeof resolved.value !== 'string')
        return refuse(reading, resolved, `${what} (${listed})`);
      const found = words.find((each) => each === resolved.value);
      if (found) return found;
      if (resolved.value.includes('${')) return refuse(reading, resolved, what);
      const near = suggestion(resolved.value, words);
      reading.report(
        resolved.range,
        `\`${resolved.value}\` is not ${what}`,
        near ? `did you mean \`${near}\`?` : `possible: ${listed}`,
      );
      return undefined;
    },
    json: () => {
      const documented = words.map((each) => ({ const: each, ...(about[each] && { description: about[each] }) }));
      const choice = Object.keys(about).length > 0 ? { oneOf: documented } : { enum: words };
      return { anyOf: [choice, INTERPOLATED] };
    },
  };
}

/** Creates the shape of a text in which `${…}` is not evaluated, such as a title. */
export function text(what: string): Shape<Word> {
  return {
    read(node, reading) {
      const found = readText(node, reading, what);
      if (!found) return undefined;
      if (found.value.trim() === '') return refuse(reading, found, what);
      return { text: found.value, range: found.range };
    },
    json: () => ({ type: 'string', minLength: 1 }),
  };
}

/** Matches the names of steps, sessions and case variables. */
export const NAME = /^[A-Za-z_]\w*(-[A-Za-z]\w*)*$/;

/** Creates the shape of a name that a scenario declares or refers to. */
export function name(what: string): Shape<Word> {
  return {
    read(node, reading) {
      const found = readText(node, reading, what);
      if (!found) return undefined;
      if (found.value.includes('${')) return refuse(reading, found, what);
      if (NAME.test(found.value)) return { text: found.value, range: found.range };
      reading.report(
        found.range,
        `\`${found.value}\` cannot be a name`,
        'a name consists of letters, digits, _ and -, and begins with a letter',
      );
      return undefined;
    },
    json: () => ({ anyOf: [{ type: 'string', pattern: NAME.source }, INTERPOLATED] }),
  };
}

const AMOUNT = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Creates the shape of an amount: a plain decimal in quotes, or `${…}`.
 *
 * @param strict false if a scenario may also send text that is not an amount, to test the reply
 */
export function money(what: string, strict: boolean): Shape<Template> {
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'scalar' || resolved.value === null) return refuse(reading, resolved, `${what}, in quotes`);
      if (typeof resolved.value !== 'string') {
        reading.report(
          resolved.range,
          `${what} must be text in quotes, not ${describeNode(resolved)}`,
          `write "${resolved.written}"`,
        );
        return undefined;
      }
      if (strict && !resolved.value.includes('${') && !AMOUNT.test(resolved.value)) {
        return refuse(
          reading,
          resolved,
          what,
          'write a plain decimal such as "11.00", or an expression such as "${2 * stake}"',
        );
      }
      return reading.template(resolved);
    },
    json: () => ({
      type: 'string',
      ...(strict ? { anyOf: [{ pattern: AMOUNT.source }, { pattern: INTERPOLATED.pattern }] } : {}),
      examples: ['${stake}', '${2 * stake}', '${stake + unit}'],
    }),
  };
}

/** Creates the shape of an id or another text that may contain `${…}`. */
export function templateText(what: string): Shape<Template> {
  return {
    read(node, reading) {
      const found = readText(node, reading, `${what}, in quotes`);
      return found && reading.template(found);
    },
    json: () => ({ type: 'string' }),
  };
}

/**
 * Creates the shape of any JSON value whose texts may contain `${…}`. A decimal must be quoted, because it may be an amount of
 * money.
 */
export function anything(): Shape<Template> {
  const shape: Shape<Template> = {
    read(node, reading) {
      const resolved = reading.resolve(node);
      switch (resolved.kind) {
        case 'broken':
          return undefined;
        case 'scalar':
          if (typeof resolved.value === 'number' && /[.eE]/.test(resolved.written)) {
            reading.report(
              resolved.range,
              `the number ${resolved.written} must be in quotes, because its exact digits are lost otherwise`,
              `write "${resolved.written}"`,
            );
            return undefined;
          }
          return reading.template(resolved);
        case 'list': {
          const items = resolved.items.map((item) => shape.read(item, reading));
          return items.every((item) => item !== undefined) ? { kind: 'list', items } : undefined;
        }
        case 'map': {
          const entries = resolved.entries.map((entry) => [entry.key, shape.read(entry.value, reading)] as const);
          const valid = entries.flatMap(([key, value]) => (value ? [[key, value] as const] : []));
          return valid.length === entries.length ? { kind: 'map', entries: valid } : undefined;
        }
      }
    },
    json: () => ({}),
  };
  return shape;
}

export function integer(what: string, min: number, max: number): Shape<number> {
  const wanted = `${what}: a whole number from ${min} to ${max}`;
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'scalar') return refuse(reading, resolved, wanted);
      const { value } = resolved;
      if (typeof value === 'string' && /^\d+$/.test(value))
        return refuse(reading, resolved, wanted, `write ${value} without quotes`);
      if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
        return refuse(reading, resolved, wanted);
      return value;
    },
    json: () => ({ anyOf: [{ type: 'integer', minimum: min, maximum: max }, INTERPOLATED] }),
  };
}

/** Creates the shape of a duration, which is read as milliseconds. The given words are allowed too. */
export function duration<const W extends string = never>(what: string, words: readonly W[] = []): Shape<number | W> {
  const wanted = [...words.map((each) => `\`${each}\``), `${what} such as 300ms, 2s or 1m`].join(' or ');
  return {
    read(node, reading) {
      const resolved = reading.resolve(node);
      if (resolved.kind !== 'scalar' || typeof resolved.value !== 'string') {
        const unit =
          resolved.kind === 'scalar' && typeof resolved.value === 'number'
            ? `write the unit of the time, such as ${resolved.written}ms or ${resolved.written}s`
            : undefined;
        return refuse(reading, resolved, wanted, unit);
      }
      const { value } = resolved;
      const found = words.find((each) => each === value);
      if (found) return found;
      const near = suggestion(value, words);
      return readDuration(value) ?? refuse(reading, resolved, wanted, near && `did you mean \`${near}\`?`);
    },
    json: () => ({
      anyOf: [
        ...(words.length > 0 ? [{ enum: words }] : []),
        { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m)$' },
        INTERPOLATED,
      ],
    }),
  };
}
