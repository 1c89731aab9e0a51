import { nearest } from '../near.ts';
import { namesOf, type Reading, type Reference } from '../reading.ts';
import {
  type ScenarioCall,
  type ScenarioResend,
  type ScenarioStep,
  type SendingStep,
  sendingSteps,
  type Word,
} from '../scenario.ts';
import type { Range } from '../yaml/source.ts';
import type { Template } from './expression.ts';

/** The names that `${…}` can use in every scenario. */
export const BUILT_IN = ['stake', 'unit', 'balance', 'self', 'session', 'campaign', 'drift', 'begun'] as const;

/** A wrong use of a built-in name, with the way to correct it. */
interface Misuse {
  readonly message: string;
  readonly fix: string;
}

const BEGUN_PARTS: readonly string[] = ['txID', 'roundID', 'amount'];

/**
 * Checks the use of a built-in name whose value comes from outside the scenario.
 *
 * @param rest the parts that follow the name
 * @param earlierRun true if the scenario declares that it needs an earlier run
 * @returns null if the use is correct; undefined for any other name
 */
function misuseOf(head: string, rest: readonly string[], earlierRun: boolean): Misuse | null | undefined {
  switch (head) {
    case 'stake':
    case 'unit':
    case 'campaign':
      return rest.length > 0 ? { message: `\`${head}\` has no parts`, fix: `write \${${head}}` } : null;
    case 'drift':
      return rest.length !== 1 || !['first', 'second'].includes(rest[0] ?? '')
        ? { message: '`drift` has only the parts `first` and `second`', fix: 'write ${drift.first} or ${drift.second}' }
        : null;
    case 'begun':
      if (!earlierRun) {
        return {
          message: '`begun` is a bet of an earlier run, but the scenario does not say that it needs an earlier run',
          fix: 'add needs: { run: earlier }',
        };
      }
      return rest.length !== 1 || !BEGUN_PARTS.includes(rest[0] ?? '')
        ? { message: '`begun` has only the parts txID, roundID and amount', fix: 'write ${begun.roundID}' }
        : null;
    default:
      return undefined;
  }
}

/** The values of a step that other steps can use. */
const STEP_PROPERTIES = ['txID', 'roundID', 'amount', 'reply'] as const;
const RESERVED_NAMES = new Set<string>([...BUILT_IN, 'new', 'none', 'unknown', 'main']);

export interface NameContext {
  readonly steps: readonly ScenarioStep[];
  readonly aliases: ReadonlyMap<string, Range>;
  /** Names of steps that could not be read. A reference to such a name is not reported as a mistake. */
  readonly unreadNames: ReadonlySet<string>;
  /** True if the scenario declares that it needs an earlier run. Only then does `begun` name a bet of that run. */
  readonly earlierRun: boolean;
}

/**
 * Reports three kinds of mistakes: an unknown name, a name whose value is not known yet where it is used, and a declared session
 * that no step uses.
 */
export function checkNames(context: NameContext, reading: Reading): void {
  const sent = sendingSteps(context.steps);
  const named = collectNames(sent, reading);
  const checker = new NameChecker(context, sent, named, reading);
  for (const reference of reading.references) checker.reference(reference);
  for (const step of sent) checker.step(step);
  checker.aliases();
}

function collectNames(sent: readonly SendingStep[], reading: Reading): Map<string, SendingStep> {
  const named = new Map<string, SendingStep>();
  for (const step of sent) {
    if (!step.name) continue;
    const { text, range } = step.name;
    if (named.has(text)) reading.report(range, `two steps have the name \`${text}\``, 'choose another name');
    else if (RESERVED_NAMES.has(text))
      reading.report(range, `\`${text}\` already means something`, 'choose another name');
    else if (reading.bindings.has(text))
      reading.report(range, `\`${text}\` is a case variable already`, 'choose another name');
    if (!named.has(text)) named.set(text, step);
  }
  return named;
}

class NameChecker {
  readonly #context: NameContext;
  readonly #sent: readonly SendingStep[];
  readonly #named: ReadonlyMap<string, SendingStep>;
  readonly #reading: Reading;
  readonly #usedAliases = new Set<string>();

  constructor(
    context: NameContext,
    sent: readonly SendingStep[],
    named: ReadonlyMap<string, SendingStep>,
    reading: Reading,
  ) {
    this.#context = context;
    this.#sent = sent;
    this.#named = named;
    this.#reading = reading;
  }

  reference(reference: Reference): void {
    const [head, ...rest] = reference.path;
    const report = (message: string, fix?: string) => this.#reading.report(reference.range, message, fix);
    if (reference.step === undefined) {
      this.#outsideSteps(reference, report);
      return;
    }
    const misuse = misuseOf(head, rest, this.#context.earlierRun);
    if (misuse) report(misuse.message, misuse.fix);
    if (misuse !== undefined) return;
    switch (head) {
      case 'balance':
      case 'session':
        if (rest.length > 1) report(`\`${head}.${rest[0]}\` has no parts`);
        else if (rest[0] !== undefined) this.#alias({ text: rest[0], range: reference.range });
        return;
      case 'self':
        this.#self(reference, rest, report);
        return;
      default:
        this.#ofStep(head, rest, reference, reference.step, report);
    }
  }

  #outsideSteps({ path }: Reference, report: (message: string, fix?: string) => void): void {
    if (path.length === 1 && (path[0] === 'stake' || path[0] === 'unit')) return;
    const known = BUILT_IN.some((each) => each === path[0]) || this.#named.has(path[0]);
    const near = nearest(path[0], ['stake', 'unit', ...this.#reading.bindings.keys()]);
    if (known)
      report(`\`${path.join('.')}\` is not known before the first step`, 'only stake and unit can be used here');
    else
      report(
        `unknown name \`${path.join('.')}\``,
        near ? `did you mean \`${near}\`?` : 'only stake, unit and case variables can be used here',
      );
  }

  #self({ step }: Reference, rest: readonly string[], report: (message: string, fix?: string) => void): void {
    const [property] = rest;
    const own = this.#sent.find((each) => each.order === step);
    if (rest.length !== 1 || !['txID', 'roundID', 'amount'].includes(property ?? '')) {
      const near = property === undefined ? undefined : nearest(property, STEP_PROPERTIES.slice(0, 3));
      report(
        '`self` has only the parts txID, roundID and amount',
        near ? `did you mean \`self.${near}\`?` : 'write ${self.txID}',
      );
    } else if (own?.kind === 'call' && own.call === 'balance') report(`a balance call has no ${property}`);
  }

  #ofStep(
    head: string,
    rest: readonly string[],
    reference: Reference,
    order: number,
    report: (message: string, fix?: string) => void,
  ): void {
    const target = this.#named.get(head);
    if (!target) {
      if (!this.#context.unreadNames.has(head)) this.#unknown(head, reference, report);
      return;
    }
    const [property] = rest;
    const isBalance = target.kind === 'call' && target.call === 'balance';
    if (property === undefined)
      report(
        `\`${head}\` is a step. Name the value of the step that you need`,
        `write ${head}.txID, ${head}.roundID, ${head}.amount or ${head}.reply.balance`,
      );
    else if (!STEP_PROPERTIES.some((each) => each === property)) {
      const near = nearest(property, STEP_PROPERTIES);
      report(
        `a step has no \`${property}\``,
        near
          ? `did you mean \`${head}.${near}\`?`
          : `possible: ${STEP_PROPERTIES.map((each) => `${head}.${each}`).join(', ')}`,
      );
    } else if (isBalance && property !== 'reply')
      report(
        `\`${head}\` is a balance call and has no ${property}`,
        `write ${head}.reply.balance for the balance in its reply`,
      );
    else if (property === 'reply') this.#reply(head, rest, target, order, report);
    else if (rest.length > 1) report(`\`${head}.${property}\` has no parts`);
    else if (property === 'amount' && target.order > order)
      report(
        `the amount of \`${head}\` is not known yet, because \`${head}\` comes after this step`,
        `move this step after \`${head}\``,
      );
    else if (target.order === order) report('a step cannot use its own name', `write self.${property}`);
    else if (target.kind === 'resend' && 'from' in target.of)
      report(`the ids of \`${head}\` are not known before the run, because the step resends an earlier call`);
  }

  #reply(
    head: string,
    rest: readonly string[],
    target: SendingStep,
    order: number,
    report: (message: string, fix?: string) => void,
  ): void {
    const own = this.#sent.find((each) => each.order === order);
    if (rest.length === 1)
      report('the field of the reply is missing', `write ${head}.reply.txID or ${head}.reply.balance`);
    else if (target.order >= order)
      report(
        `the reply of \`${head}\` is not known yet, because ${target.order === order ? 'this step sends the call' : `\`${head}\` comes after this step`}`,
        'use the reply in a later step',
      );
    else if (target.within !== undefined && target.within === own?.within)
      report(
        `the reply of \`${head}\` is not known yet, because both steps start at the same instant`,
        'use the reply in a step after the `together`',
      );
    else if (target.deviations.break) report(`\`${head}\` has no reply, because the step breaks its connection`);
  }

  #unknown(head: string, { path }: Reference, report: (message: string, fix?: string) => void): void {
    const known = [...BUILT_IN, ...this.#named.keys(), ...this.#reading.bindings.keys()];
    const minus = head.split('-');
    if (minus.length > 1 && minus.every((part) => known.includes(part))) {
      report(`unknown name \`${head}\``, `a minus needs a space on each side: ${minus.join(' - ')}`);
      return;
    }
    const near = nearest(head, known);
    report(
      `unknown name \`${head}\``,
      near ? `did you mean \`${[near, ...path.slice(1)].join('.')}\`?` : `known here: ${known.join(', ')}`,
    );
  }

  step(step: SendingStep): void {
    if (step.kind === 'resend') {
      if (!('from' in step.of)) this.#resent(step, step.of);
      return;
    }
    this.#alias(step.session);
    if (step.fields.amount && usesOwnAmount(step.fields.amount)) {
      this.#reading.report(
        step.range,
        `the amount of this ${step.call} is computed from itself`,
        'use stake, or the amount of another step',
      );
    }
    const { round, of } = step.fields;
    if (round?.kind === 'of-step') {
      const target = this.#stepNamed(round.name, 'round', ['new', 'none']);
      if (target?.kind === 'call' && target.call === 'balance')
        this.#reading.report(round.name.range, `\`${round.name.text}\` is a balance call and has no round`);
      else if (target === step)
        this.#reading.report(round.name.range, 'a step cannot take its round from itself', 'write round: new');
    } else if (round?.kind === 'none' && step.call !== 'refund') {
      this.#reading.report(
        step.range,
        `a ${step.call} always has a round`,
        'only a refund can omit the round. To test a call without it, write body: { drop: [roundID] }',
      );
    }
    if (of?.kind === 'step') {
      const target = this.#stepNamed(of.name, 'of', ['unknown']);
      if (target?.kind === 'call' && target.call === 'balance')
        this.#reading.report(of.name.range, `\`${of.name.text}\` is a balance call, so there is nothing to refund`);
      else if (target === step) this.#reading.report(of.name.range, 'a refund cannot refund itself');
      else if (target?.kind === 'resend' && 'from' in target.of)
        this.#reading.report(
          of.name.range,
          `\`${of.name.text}\` resends an earlier call, so its id is not known before the run`,
        );
    } else if (step.call === 'refund' && !of && !step.fields.origTxID && !this.#betBefore(step)) {
      this.#reading.report(
        step.range,
        'no bet to refund is named, and the session of this refund has no bet before it',
        'name a bet with `of: NAME`, or write `of: unknown`',
      );
    }
  }

  #betBefore(step: ScenarioCall): boolean {
    if (this.#context.unreadNames.size > 0) return true;
    return this.#sent.some(
      (each) =>
        each.order < step.order &&
        each.kind === 'call' &&
        each.call === 'bet' &&
        each.session.text === step.session.text &&
        (each.times === undefined || each.within !== undefined),
    );
  }

  #resent(step: ScenarioResend, of: Word): void {
    const target = this.#stepNamed(of, 'resend', []);
    if (!target) return;
    if (target === step) this.#reading.report(of.range, 'a step cannot send itself again');
    else if (target.order > step.order)
      this.#reading.report(
        of.range,
        `\`${of.text}\` comes later, so it cannot be sent again yet`,
        'move the resend after that step',
      );
    else if (target.within !== undefined && target.within === step.within) {
      if ((step.atMs ?? 0) > (target.atMs ?? 0)) return;
      this.#reading.report(
        of.range,
        `\`${of.text}\` is sent at the same moment as this step, so this step cannot send it again`,
        'write copies: 2 at that step, give the resend a later `at`, or put it after the `together`',
      );
    }
  }

  #stepNamed(word: Word, key: string, others: readonly string[]): SendingStep | undefined {
    const found = this.#named.get(word.text);
    if (found || this.#context.unreadNames.has(word.text)) return found;
    const near = nearest(word.text, [...this.#named.keys(), ...others]);
    const names = [...this.#named.keys()];
    const help =
      names.length === 0 ? 'give the step a name with as: NAME' : `names given with \`as\`: ${names.join(', ')}`;
    this.#reading.report(
      word.range,
      `\`${key}\` needs the name of a step, and no step is named \`${word.text}\``,
      near ? `did you mean \`${near}\`?` : help,
    );
    return undefined;
  }

  #alias(word: Word): void {
    if (word.text === 'main' || word.text === 'unknown') return;
    this.#usedAliases.add(word.text);
    if (this.#context.aliases.has(word.text)) return;
    const near = nearest(word.text, [...this.#context.aliases.keys(), 'main', 'unknown']);
    // The author probably meant the session `near`. So `near` is not also reported as an unused session.
    if (near) this.#usedAliases.add(near);
    this.#reading.report(
      word.range,
      `\`needs\` declares no session \`${word.text}\``,
      near ? `did you mean \`${near}\`?` : `write needs: { ${word.text}: { player: other } }`,
    );
  }

  aliases(): void {
    for (const [alias, range] of this.#context.aliases) {
      if (!this.#usedAliases.has(alias))
        this.#reading.report(
          range,
          `no step uses the session \`${alias}\``,
          `remove the session, or write session: ${alias} at a call`,
        );
    }
  }
}

function usesOwnAmount(amount: Template): boolean {
  return [...namesOf(amount)].some((name) => name.path[0] === 'self' && name.path[1] === 'amount');
}
