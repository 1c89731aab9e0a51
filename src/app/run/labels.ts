import type { Labels } from '../../journal/event.ts';
import { MAX_LABEL_LENGTH } from '../../journal/label-values.ts';
import type { Configuration } from '../config/configuration.ts';
import { LABEL_NAME } from '../config/label-name.ts';
import { runCommand } from '../config/run-command.ts';
import type { RunFlags } from '../config/run-flags.ts';
import { UsageError } from '../exit-status.ts';
import type { Stdio } from '../stdio.ts';

/** The labels of a run: those with a value, and those whose value is a header of the operator's replies. */
export interface RunLabels {
  readonly labels: Labels;
  /** The names of the headers, by label. */
  readonly labelHeaders: Labels;
}

/**
 * Reads the values of `--label`, such as `build=1.2.3`. A value can have several lines, and each line is one label: an environment
 * variable can hold only one value.
 *
 * @throws UsageError unless each line is a name and a text, and no name is given twice
 */
function labelsOfFlags({ label = [] }: RunFlags): Labels {
  const lines = label.flatMap((text) => text.split(/\r?\n/)).filter((text) => text.trim() !== '');
  const labels = new Map<string, string>();
  for (const text of lines) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0)).trim();
    if (!LABEL_NAME.test(name))
      throw new UsageError(
        `--label ${text}: it needs a name and a value. A name has letters, digits, dots, - and _. Write the label as in --label build=1.2.3. Nothing was sent.`,
      );
    const value = checked(text.slice(at + 1), `--label ${name}`);
    const other = labels.get(name);
    if (other !== undefined && other !== value)
      throw new UsageError(
        `--label ${name}: the label has two values, ${other} and ${value}. Give each label once. Nothing was sent.`,
      );
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

/**
 * Returns the labels of a run. Runs the commands that the configuration names for them.
 *
 * @throws UsageError when a label is wrong, or a command fails
 */
export async function runLabels({ config, dir }: Configuration, flags: RunFlags, stdio: Stdio): Promise<RunLabels> {
  const given = labelsOfFlags(flags);
  const labels: Record<string, string> = {};
  const labelHeaders: Record<string, string> = {};
  for (const [name, source] of Object.entries(config.labels ?? {})) {
    if (Object.hasOwn(given, name)) continue;
    const what = `labels.${name}`;
    if (typeof source === 'string') labels[name] = checked(source, what);
    else if ('header' in source) labelHeaders[name] = source.header;
    else labels[name] = checked(await runCommand(source.command, { what, dir, env: stdio.env }), what);
  }
  return { labels: { ...labels, ...given }, labelHeaders };
}

function checked(value: string, what: string): string {
  const text = value.trim();
  const wrong = (problem: string) => new UsageError(`${what}: ${problem}. Nothing was sent.`);
  if (text === '') throw wrong('the value is empty');
  if (/[\r\n]/.test(text)) throw wrong('the value must be one line');
  if (text.length > MAX_LABEL_LENGTH) throw wrong(`the value is longer than ${MAX_LABEL_LENGTH} characters`);
  return text;
}
