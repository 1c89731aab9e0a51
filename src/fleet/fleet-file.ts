import { z } from 'zod';
import { notifySchema } from '../app/config/notify-schema.ts';
import { diagnosticsOf, PlacedValues, type Words } from '../app/config/placed-values.ts';
import { CONTRACT_VERSION, contractVersion } from '../contract/versions.ts';
import { nearest } from '../scenario/near.ts';
import { byPlace, type Diagnostic, diagnosticAt } from '../scenario/yaml/diagnostic.ts';
import { readDocument } from '../scenario/yaml/document.ts';
import { cronProblem, isZone, type Schedule } from './schedule.ts';

const text = z.string().min(1, 'must not be empty');

const schedule = text.superRefine((value, context) => {
  const problem = cronProblem(value);
  if (problem === undefined) return;
  const message = `must be a cron expression of five fields (minute, hour, day, month, day of the week), such as "0 3 * * *": ${problem}`;
  context.addIssue({ code: 'custom', message });
});

const zone = text.superRefine((value, context) => {
  if (isZone(value)) return;
  const near = nearest(value, Intl.supportedValuesOf('timeZone'));
  const advice = near === undefined ? '' : `. Did you mean ${near}?`;
  context.addIssue({ code: 'custom', message: `must be a time zone, such as Europe/Berlin${advice}` });
});

const clock = z.string('must be a time in quotes, such as "08:00"').regex(/^([01]\d|2[0-3]):[0-5]\d$/, {
  error: 'must be a time from "00:00" to "23:59"',
});

const quiet = z
  .strictObject({
    from: clock.describe('The local time at which the quiet hours begin.'),
    to: clock.describe('The local time at which the quiet hours end. It may be on the next day.'),
  })
  .superRefine(({ from, to }, context) => {
    if (from === to) context.addIssue({ code: 'custom', path: ['to'], message: 'must differ from `from`' });
  });

const rate = z.number('must be a number').positive('must be more than 0');
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

const operator = z.strictObject({
  name: text
    .regex(NAME, 'must have only letters, digits, dots, - and _')
    .describe('The name of the operator in this fleet.'),
  config: text.describe(
    'The path of the croupier configuration for this operator, relative to this file. The secret keys in the configuration must come from environment variables or from files.',
  ),
  client: text
    .optional()
    .describe('The ExtCID of the client in the configuration. Default: the only client of the configuration.'),
  schedule: schedule.optional().describe('When the operator is due. Default: the `schedule` of the fleet.'),
  zone: zone.optional().describe('The time zone of `schedule` and `quiet`. Default: the `zone` of the fleet.'),
  quiet: quiet.optional().describe('Hours in which no run begins. Default: the `quiet` of the fleet.'),
  rate: rate.optional().describe('Maximum number of calls per second. Default: the `rate` of the fleet.'),
  baseline: text.optional().describe('A file with known failures, relative to this file. Default: none.'),
  contract: z
    .string()
    .refine((value) => contractVersion(value) !== undefined, {
      error: `must be a version of the contract, from 1.0.0 to ${CONTRACT_VERSION}`,
    })
    .optional()
    .describe('The version of the contract. Default: the version in the configuration.'),
  select: z
    .array(text)
    .min(1, 'needs at least one group, rule or scenario')
    .optional()
    .describe('Groups, rules and scenarios to run. Default: everything.'),
  build: z
    .strictObject({
      command: z
        .array(text)
        .min(1)
        .describe('A program and its arguments. It runs in the folder of this file, and prints the id of the build.'),
    })
    .optional()
    .describe(
      'A program that prints the build of the wallet. Its output becomes the label build. Default: the labels of the configuration.',
    ),
  notify: notifySchema
    .optional()
    .describe('The addresses that get the results of this operator. Default: the `notify` of the fleet.'),
});

/** The schema of fleet.yaml. Editors show the description of each key. */
export const fleetSchema = z
  .strictObject({
    schedule: schedule
      .optional()
      .describe('A cron expression of five fields that says when each operator is due, such as "0 3 * * *".'),
    zone: zone.optional().describe('The time zone of `schedule` and `quiet`, such as Europe/Berlin. Default: UTC.'),
    quiet: quiet
      .optional()
      .describe('Hours in which no run begins. A run that is due in these hours begins at their end. Default: none.'),
    rate: rate.optional().describe('Maximum number of calls per second to one operator. Default: no limit.'),
    notify: notifySchema
      .optional()
      .describe(
        'The addresses that get the result of each run, as in croupier.yaml. Default: the `notify` of each configuration.',
      ),
    operators: z.array(operator).min(1, 'needs at least one operator').describe('The operators of the fleet.'),
  })
  .meta({ title: 'fleet.yaml', description: 'The operators that croupier judges together, and when.' });

type FleetEntry = z.infer<typeof operator>;

/** One operator of a fleet. If the operator has no value for a setting, it has the value of the fleet. */
export interface FleetOperator extends Omit<FleetEntry, 'schedule' | 'zone' | 'quiet'> {
  /** Undefined if the operator is judged only on request. */
  readonly schedule: Schedule | undefined;
  /** The time zone of the operator. */
  readonly zone: string;
  readonly quiet: FleetEntry['quiet'];
}

/** A fleet whose file has no mistake. The files that it names are not checked yet. */
export interface Fleet {
  readonly operators: readonly FleetOperator[];
  /** Creates a diagnostic about a key of an operator, for checks that need more than the file. `operator` counts from 0. */
  report(operator: number, key: string, message: string, fix?: string): Diagnostic;
}

export type FleetReading =
  | { readonly kind: 'read'; readonly fleet: Fleet }
  | {
      readonly kind: 'broken';
      readonly diagnostics: readonly Diagnostic[];
      /** The operators without their wrong keys. The files that they name can be checked too. */
      readonly rest: Fleet;
    };

const WORDS: Words = {
  schema: fleetSchema,
  whole: 'a fleet',
  named: { operators: 'an operator' },
  eitherOf: 'text',
};

/**
 * Reads the text of a fleet and finds every mistake in it, not only the first.
 *
 * @param file the file's name in diagnostics
 */
export function readFleet(file: string, yaml: string): FleetReading {
  const { root, diagnostics: syntax, source } = readDocument(yaml, file);
  const values = new PlacedValues(root ?? { kind: 'map', range: { source, start: 0, end: 1 }, entries: [] });
  const parsed = syntax.length > 0 ? undefined : fleetSchema.safeParse(values.value);
  const mistakes = parsed?.error ? diagnosticsOf(parsed.error.issues, values, WORDS) : syntax;
  const { operators: all, ...common } = parsed?.data ?? { operators: parsed ? entriesOf(values.value) : [] };
  const reportAt = (place: number, key: string, message: string, fix?: string): Diagnostic => {
    const path = ['operators', place, key];
    return diagnosticAt(values.node(path) ? values.range(path) : values.keyRange(path.slice(0, -1)), message, fix);
  };
  const entries = all.flatMap((one, place) => (one ? [{ one, place }] : []));
  const twice = entries.flatMap(({ one: { name }, place }) => {
    const first = entries.find(({ one }) => one.name === name)?.place ?? place;
    return first < place ? [reportAt(place, 'name', `\`${name}\` is already the name of operator ${first + 1}`)] : [];
  });
  const fleet: Fleet = {
    operators: entries.map(({ one }) => operatorOf({ ...common, ...one })),
    report: (index, ...about) => reportAt(entries[index]?.place ?? 0, ...about),
  };
  const diagnostics = [...mistakes, ...twice].sort(byPlace);
  return diagnostics.length > 0 ? { kind: 'broken', diagnostics, rest: fleet } : { kind: 'read', fleet };
}

/**
 * Returns the operators of a file with mistakes, each without its wrong keys. Undefined in the place of an operator without a name
 * or a configuration.
 */
function entriesOf(value: unknown): readonly (FleetEntry | undefined)[] {
  const list: unknown = typeof value === 'object' && value !== null && 'operators' in value ? value.operators : [];
  return Array.isArray(list) ? list.map((one) => operator.safeParse(withoutWrongKeys(one)).data) : [];
}

function withoutWrongKeys(entry: unknown): Readonly<Record<string, unknown>> {
  const known = Object.entries(operator.shape).filter(([key, schema]) => {
    const value = valueAt(entry, key);
    return value !== undefined && schema.safeParse(value).success;
  });
  return Object.fromEntries(known.map(([key]) => [key, valueAt(entry, key)]));
}

function valueAt(entry: unknown, key: string): unknown {
  return typeof entry === 'object' && entry !== null ? Reflect.get(entry, key) : undefined;
}

function operatorOf(own: FleetEntry): FleetOperator {
  const { zone: named = 'UTC', quiet: hours } = own;
  const schedule = own.schedule === undefined ? undefined : { cron: own.schedule, zone: named, quiet: hours };
  return { ...own, zone: named, quiet: hours, schedule };
}
