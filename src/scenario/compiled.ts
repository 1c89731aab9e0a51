import type { Place } from '../journal/finding.ts';
import type { SessionNeed } from './plan/plan.ts';
import type { Scenario } from './scenario.ts';
import { type Range, type Source, toSource } from './yaml/source.ts';

/** A scenario in the form of JSON, which can be loaded without parsing the file. */
export interface CompiledScenario {
  /** The whole text of the scenario's file. The compiled scenario is valid only while the file has exactly this text. */
  readonly text: string;
  /** A `Scenario` without its `file`. Objects under the keys of `PackedFields` have the packed form. */
  readonly scenario: Readonly<Record<string, unknown>>;
}

/** Compiled scenarios, by the id of the scenario. */
export type CompiledSuite = Readonly<Record<string, CompiledScenario>>;

/** The fields of a scenario, at any depth, that contain the name of the file or that JSON cannot represent. */
interface Fields {
  readonly range: Range;
  readonly place: Place;
  readonly sessions: ReadonlyMap<string, SessionNeed>;
}

type PackedPlace = readonly [line: number, column: number];

interface PackedFields {
  readonly range: readonly [start: number, end: number, usedFrom?: PackedPlace];
  readonly place: PackedPlace;
  readonly sessions: readonly (readonly [alias: string, need: SessionNeed])[];
}

/**
 * Turns a scenario into JSON. Leaves out the name of the file, because it depends on the working directory.
 *
 * @param text the text that the scenario was loaded from
 * @throws RangeError if the scenario uses a fragment, because some places of the scenario are then in another file
 */
export function compileScenario({ file, ...scenario }: Scenario, text: string): CompiledScenario {
  return { text, scenario: packObject(scenario, file) };
}

/**
 * Restores a compiled scenario. The result equals the scenario that `loadScenario` reads from the same text.
 *
 * @param compiled a value that was just parsed from JSON; its objects become part of the result
 * @param file the name of the file that every place shows
 */
export function restoreScenario({ text, scenario }: CompiledScenario, file: string): Scenario {
  restoreFields(scenario, toSource(file, text));
  return { ...(scenario as Omit<Scenario, 'file'> & Record<string, unknown>), file };
}

function packObject(value: object, file: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, packField(key, item, file)]));
}

function packField(key: string, value: unknown, file: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (key as keyof Fields) {
    case 'range':
      return packRange(value as Fields['range'], file);
    case 'place':
      return packPlace(value as Fields['place'], file);
    case 'sessions':
      return [...(value as Fields['sessions'])] satisfies PackedFields['sessions'];
    default:
      return Array.isArray(value) ? value.map((item) => packField('', item, file)) : packObject(value, file);
  }
}

function packRange({ source, start, end, usedFrom }: Range, file: string): PackedFields['range'] {
  if (source.file !== file)
    throw new RangeError(`${file} cannot be compiled, because it contains a place in another file, ${source.file}`);
  return usedFrom ? [start, end, packPlace(usedFrom, file)] : [start, end];
}

function packPlace(place: Place, file: string): PackedPlace {
  if (place.file !== file)
    throw new RangeError(`${file} cannot be compiled, because it contains a place in another file, ${place.file}`);
  return [place.line, place.column];
}

function restoreFields(parent: object, source: Source): void {
  const fields = parent as Record<string, unknown>;
  for (const key in fields) {
    const value = fields[key];
    if (typeof value !== 'object' || value === null) continue;
    switch (key as keyof Fields) {
      case 'range':
        fields[key] = toRange(value as PackedFields['range'], source);
        break;
      case 'place':
        fields[key] = toPlace(value as PackedFields['place'], source);
        break;
      case 'sessions':
        fields[key] = new Map(value as PackedFields['sessions']);
        break;
      default:
        restoreFields(value, source);
    }
  }
}

function toRange([start, end, usedFrom]: PackedFields['range'], source: Source): Range {
  return usedFrom ? { source, start, end, usedFrom: toPlace(usedFrom, source) } : { source, start, end };
}

function toPlace([line, column]: PackedPlace, { file }: Source): Place {
  return { file, line, column };
}
