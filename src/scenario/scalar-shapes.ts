import { type Cell, describeCell, type ScalarCell } from './cell.ts';
import { readDuration } from './duration.ts';
import { nearest } from './near.ts';
import type { Template } from './plan.ts';
import type { Reading } from './reading.ts';
import type { Word } from './scenario.ts';
import { INTERPOLATED, refuse, type Shape } from './shape.ts';

/** A text; numbers and such must be quoted. */
function readText(cell: Cell, reading: Reading, wanted: string): (ScalarCell & { value: string }) | undefined {
  const settled = reading.settle(cell);
  if (settled.kind === 'scalar') {
    if (typeof settled.value === 'string') return { ...settled, value: settled.value };
    if (settled.value !== null) return refuse(reading, settled, wanted, `write "${settled.written}"`);
  }
  return refuse(reading, settled, wanted);
}

/** One of a few words. */
export function word<const W extends string>(
  what: string,
  words: readonly W[],
  about: Partial<Record<W, string>> = {},
): Shape<W> {
  const listed = words.join(', ');
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || typeof settled.value !== 'string')
        return refuse(reading, settled, `${what} (${listed})`);
      const found = words.find((each) => each === settled.value);
      if (found) return found;
      if (settled.value.includes('${')) return refuse(reading, settled, what);
      const near = nearest(settled.value, words);
      reading.complain(
        settled.spot,
        `\`${settled.value}\` is not ${what}`,
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

/** Text without `${…}` of its own meaning, such as a title. */
export function text(what: string): Shape<Word> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, what);
      if (!found) return undefined;
      if (found.value.trim() === '') return refuse(reading, found, what);
      return { text: found.value, spot: found.spot };
    },
    json: () => ({ type: 'string', minLength: 1 }),
  };
}

/** What a step, a session, a case variable can be called. */
export const NAME = /^[A-Za-z_]\w*(-[A-Za-z]\w*)*$/;

/** A name that a scenario gives, or refers to. */
export function name(what: string): Shape<Word> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, what);
      if (!found) return undefined;
      if (found.value.includes('${')) return refuse(reading, found, what);
      if (NAME.test(found.value)) return { text: found.value, spot: found.spot };
      reading.complain(
        found.spot,
        `\`${found.value}\` cannot be a name`,
        'a name has letters, digits, _ and -, and begins with a letter',
      );
      return undefined;
    },
    json: () => ({ anyOf: [{ type: 'string', pattern: NAME.source }, INTERPOLATED] }),
  };
}

const AMOUNT = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * An amount: a plain decimal in quotes, or `${…}`.
 *
 * @param strict false where a scenario may send what is no amount, to see what happens
 */
export function money(what: string, strict: boolean): Shape<Template> {
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || settled.value === null) return refuse(reading, settled, `${what}, in quotes`);
      if (typeof settled.value !== 'string') {
        reading.complain(
          settled.spot,
          `${what} must be text in quotes, not ${describeCell(settled)}`,
          `write "${settled.written}"`,
        );
        return undefined;
      }
      if (strict && !settled.value.includes('${') && !AMOUNT.test(settled.value)) {
        return refuse(
          reading,
          settled,
          what,
          'write a plain decimal such as "11.00", or an expression such as "${2 * stake}"',
        );
      }
      return reading.template(settled);
    },
    json: () => ({
      type: 'string',
      ...(strict ? { anyOf: [{ pattern: AMOUNT.source }, { pattern: INTERPOLATED.pattern }] } : {}),
      examples: ['${stake}', '${2 * stake}', '${stake + unit}'],
    }),
  };
}

/** An id or other text with `${…}`. */
export function templateText(what: string): Shape<Template> {
  return {
    read(cell, reading) {
      const found = readText(cell, reading, `${what}, in quotes`);
      return found && reading.template(found);
    },
    json: () => ({ type: 'string' }),
  };
}

/** Any JSON value, with `${…}` in its texts. An unquoted decimal is taken for money, and must be quoted. */
export function anything(): Shape<Template> {
  const shape: Shape<Template> = {
    read(cell, reading) {
      const settled = reading.settle(cell);
      switch (settled.kind) {
        case 'broken':
          return undefined;
        case 'scalar':
          if (typeof settled.value === 'number' && /[.eE]/.test(settled.written)) {
            reading.complain(
              settled.spot,
              `the number ${settled.written} must be in quotes: without them its exact digits are lost`,
              `write "${settled.written}"`,
            );
            return undefined;
          }
          return reading.template(settled);
        case 'list': {
          const items = settled.items.map((item) => shape.read(item, reading));
          return items.every((item) => item !== undefined) ? { kind: 'list', items } : undefined;
        }
        case 'map': {
          const entries = settled.entries.map((entry) => [entry.key, shape.read(entry.value, reading)] as const);
          const sound = entries.flatMap(([key, value]) => (value ? [[key, value] as const] : []));
          return sound.length === entries.length ? { kind: 'map', entries: sound } : undefined;
        }
      }
    },
    json: () => ({}),
  };
  return shape;
}

export function integer(what: string, least: number, most: number): Shape<number> {
  const wanted = `${what}: a whole number from ${least} to ${most}`;
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar') return refuse(reading, settled, wanted);
      const { value } = settled;
      if (typeof value === 'string' && /^\d+$/.test(value))
        return refuse(reading, settled, wanted, `write ${value} without quotes`);
      if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
        return refuse(reading, settled, wanted);
      return value;
    },
    json: () => ({ anyOf: [{ type: 'integer', minimum: least, maximum: most }, INTERPOLATED] }),
  };
}

/** A length of time in ms, or one of a few words. */
export function duration<const W extends string = never>(what: string, words: readonly W[] = []): Shape<number | W> {
  const wanted = [...words.map((each) => `\`${each}\``), `${what} such as 300ms, 2s or 1m`].join(' or ');
  return {
    read(cell, reading) {
      const settled = reading.settle(cell);
      if (settled.kind !== 'scalar' || typeof settled.value !== 'string') {
        const unit =
          settled.kind === 'scalar' && typeof settled.value === 'number'
            ? `a number needs its unit: ${settled.written}ms or ${settled.written}s`
            : undefined;
        return refuse(reading, settled, wanted, unit);
      }
      const { value } = settled;
      const found = words.find((each) => each === value);
      if (found) return found;
      const near = nearest(value, words);
      return readDuration(value) ?? refuse(reading, settled, wanted, near && `did you mean \`${near}\`?`);
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
