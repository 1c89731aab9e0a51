import type { LoggedExchange } from '../logged-exchange.ts';
import type { CallPaths } from '../recorded-call.ts';
import type { Line } from './file-bytes.ts';
import type { LogForm } from './logs/log-form.ts';
import type { AlikeLines } from './read-entries.ts';
import { type AlikeCall, LineTemplate } from './templates/line-template.ts';

/** Maximum number of templates for one file. A log needs one template for each name of a call, and for each kind of reply. */
const MAX_TEMPLATES = 24;
/**
 * Maximum number of lines for which croupier tries to make a template. Some loggers write each line in another way, so templates
 * would never match.
 */
const MAX_EXAMPLES = 500;

/** The functions that get the calls. */
interface Taker {
  /**
   * True if the line of the call may be the template for similar lines. If false, this line is no template. A similar line without
   * a template is read in full.
   */
  readonly isExample: (exchange: LoggedExchange) => boolean;
  /** Gets each call, with the number of its line. The call is valid only until the next line is read. */
  readonly take: (call: AlikeCall, line: number) => void;
}

/** Reads the calls on lines that differ from an earlier line of the same file only in values. */
export class AlikeCallLines implements AlikeLines {
  readonly #form: LogForm;
  readonly #paths: CallPaths;
  readonly #taker: Taker;
  /** The templates, the last used one first. */
  readonly #templates: LineTemplate[] = [];
  #examples = 0;
  /** The call of the last line. */
  #call: AlikeCall | null = null;

  constructor(form: LogForm, paths: CallPaths, taker: Taker) {
    this.#form = form;
    this.#paths = paths;
    this.#taker = taker;
  }

  isLike({ bytes, from, to }: Line): boolean {
    if (bytes === null) return false;
    for (let index = 0; index < this.#templates.length; index += 1) {
      const template = this.#templates[index];
      const call = template?.match(bytes, from, to);
      if (!template || !call) continue;
      if (index > 0) {
        this.#templates.splice(index, 1);
        this.#templates.unshift(template);
      }
      this.#call = call;
      return true;
    }
    return false;
  }

  take(line: number): void {
    if (this.#call) this.#taker.take(this.#call, line);
  }

  learn(text: string, exchange: LoggedExchange): void {
    if (this.#templates.length >= MAX_TEMPLATES || this.#examples >= MAX_EXAMPLES) return;
    this.#examples += 1;
    if (!this.#taker.isExample(exchange)) return;
    const template = LineTemplate.of(text, exchange, this.#form, this.#paths);
    if (template) this.#templates.unshift(template);
  }
}
