import { setFlagsFromString } from 'node:v8';
import { createContext, Script } from 'node:vm';
import { UsageError } from '../../../app/exit-status.ts';
import { forTerminal } from '../../../report/escape.ts';
import type { LinePattern } from '../../../traffic/read/logs/log-form.ts';

/** Maximum time for one line, in milliseconds. */
const MAX_MS = 1000;

/**
 * V8's flag for an expression that is matched without backtracking. The flag is experimental, so tools such as linters don't
 * know it.
 */
const LINEAR = 'l';

/**
 * Compiles a regular expression that the user has written. With some expressions, the time doubles with each character of the line,
 * and somebody else may have written the line. V8 can match most expressions in linear time. The other expressions (with
 * lookaheads, back references or counted repetitions) are stopped after a second.
 *
 * @throws UsageError if the text is no regular expression. The returned pattern throws a UsageError if a line takes too long
 */
export function linePattern(text: string): LinePattern {
  let backtracking: RegExp;
  try {
    backtracking = new RegExp(text);
  } catch (error) {
    throw new UsageError(
      `--pattern is not a regular expression: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
  return linearPattern(text) ?? limitedPattern(backtracking);
}

/** Returns undefined if V8 can't match the expression in linear time. */
function linearPattern(text: string): LinePattern | undefined {
  setFlagsFromString('--enable-experimental-regexp-engine');
  try {
    return new RegExp(text, LINEAR);
  } catch {
    return undefined;
  }
}

function limitedPattern(pattern: RegExp): LinePattern {
  const globals = { pattern, line: '' };
  const context = createContext(globals);
  const script = new Script('pattern.exec(line)');
  return {
    exec(line) {
      globals.line = line;
      try {
        return script.runInContext(context, { timeout: MAX_MS }) as RegExpExecArray | null;
      } catch (error) {
        throw new UsageError(
          `The expression of --pattern needs more than ${MAX_MS / 1000} s for a line of ${line.length} characters: ${forTerminal(line.slice(0, 60))}${line.length > 60 ? '…' : ''}. Write it without a repetition inside a repetition, such as (a+)+, and without several .* in a row.`,
          { cause: error },
        );
      }
    },
  };
}
