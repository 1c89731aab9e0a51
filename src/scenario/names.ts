import { BUILT_IN, misuseOf } from './built-in-names.ts';
import { nearest } from './near.ts';
import type { Template } from './plan.ts';
import { namesOf, type Reading, type Reference } from './reading.ts';
import type { StoryCall, StoryResend, StoryStep, Word } from './scenario.ts';
import { isSending } from './scenario.ts';
import type { Spot } from './source.ts';

const STEP_PROPERTIES = ['txID', 'roundID', 'amount', 'reply'] as const;
const RESERVED_NAMES = new Set<string>([...BUILT_IN, 'new', 'none', 'unknown', 'main']);

type Sent = StoryCall | StoryResend;

export interface NameContext {
  readonly steps: readonly StoryStep[];
  readonly aliases: ReadonlyMap<string, Spot>;
  readonly lost: ReadonlySet<string>;
  /** The story needs an earlier run, so that there is a round that was begun in it. */
  readonly earlierRun: boolean;
}

/** Complains about every name that means nothing, or nothing yet, at its place; and about names given in vain. */
export function checkNames(context: NameContext, reading: Reading): void {
  const sent = context.steps.flatMap((step): readonly Sent[] =>
    step.kind === 'together' ? step.steps : isSending(step) ? [step] : [],
  );
  const named = collectNames(sent, reading);
  const checker = new NameChecker(context, sent, named, reading);
  for (const reference of reading.references) checker.reference(reference);
  for (const step of sent) checker.step(step);
  checker.aliases();
}

function collectNames(sent: readonly Sent[], reading: Reading): Map<string, Sent> {
  const named = new Map<string, Sent>();
  for (const step of sent) {
    if (!step.name) continue;
    const { text, spot } = step.name;
    if (named.has(text)) reading.complain(spot, `the name \`${text}\` is given twice`, 'choose another one');
    else if (RESERVED_NAMES.has(text))
      reading.complain(spot, `\`${text}\` already means something`, 'choose another name');
    else if (reading.bindings.has(text))
      reading.complain(spot, `\`${text}\` is a case variable already`, 'choose another name');
    if (!named.has(text)) named.set(text, step);
  }
  return named;
}

class NameChecker {
  readonly #context: NameContext;
  readonly #sent: readonly Sent[];
  readonly #named: ReadonlyMap<string, Sent>;
  readonly #reading: Reading;
  readonly #usedAliases = new Set<string>();

  constructor(context: NameContext, sent: readonly Sent[], named: ReadonlyMap<string, Sent>, reading: Reading) {
    this.#context = context;
    this.#sent = sent;
    this.#named = named;
    this.#reading = reading;
  }

  reference(reference: Reference): void {
    const [head, ...rest] = reference.path;
    const complain = (message: string, mend?: string) => this.#reading.complain(reference.spot, message, mend);
    if (reference.step === undefined) {
      this.#outsideSteps(reference, complain);
      return;
    }
    const misuse = misuseOf(head, rest, this.#context.earlierRun);
    if (misuse) complain(misuse.message, misuse.mend);
    if (misuse !== undefined) return;
    switch (head) {
      case 'balance':
      case 'session':
        if (rest.length > 1) complain(`\`${head}.${rest[0]}\` has no parts`);
        else if (rest[0] !== undefined) this.#alias({ text: rest[0], spot: reference.spot });
        return;
      case 'self':
        this.#self(reference, rest, complain);
        return;
      default:
        this.#ofStep(head, rest, reference, reference.step, complain);
    }
  }

  #outsideSteps({ path }: Reference, complain: (message: string, mend?: string) => void): void {
    if (path.length === 1 && (path[0] === 'stake' || path[0] === 'unit')) return;
    const known = BUILT_IN.some((each) => each === path[0]) || this.#named.has(path[0]);
    const near = nearest(path[0], ['stake', 'unit', ...this.#reading.bindings.keys()]);
    if (known)
      complain(`\`${path.join('.')}\` is not known before the first step`, 'only stake and unit can be used here');
    else
      complain(
        `unknown name \`${path.join('.')}\``,
        near ? `did you mean \`${near}\`?` : 'only stake, unit and case variables can be used here',
      );
  }

  #self({ step }: Reference, rest: readonly string[], complain: (message: string, mend?: string) => void): void {
    const [property] = rest;
    const own = this.#sent.find((each) => each.order === step);
    if (rest.length !== 1 || !['txID', 'roundID', 'amount'].includes(property ?? '')) {
      const near = property === undefined ? undefined : nearest(property, STEP_PROPERTIES.slice(0, 3));
      complain(`\`self\` has txID, roundID and amount`, near ? `did you mean \`self.${near}\`?` : 'write ${self.txID}');
    } else if (own?.kind === 'call' && own.call === 'balance') complain(`a balance call has no ${property}`);
  }

  #ofStep(
    head: string,
    rest: readonly string[],
    reference: Reference,
    order: number,
    complain: (message: string, mend?: string) => void,
  ): void {
    const target = this.#named.get(head);
    if (!target) {
      if (!this.#context.lost.has(head)) this.#unknown(head, reference, complain);
      return;
    }
    const [property] = rest;
    const isBalance = target.kind === 'call' && target.call === 'balance';
    if (property === undefined)
      complain(
        `\`${head}\` is a step: which of its values is meant?`,
        `write ${head}.txID, ${head}.roundID, ${head}.amount or ${head}.reply.balance`,
      );
    else if (!STEP_PROPERTIES.some((each) => each === property)) {
      const near = nearest(property, STEP_PROPERTIES);
      complain(
        `a step has no \`${property}\``,
        near
          ? `did you mean \`${head}.${near}\`?`
          : `possible: ${STEP_PROPERTIES.map((each) => `${head}.${each}`).join(', ')}`,
      );
    } else if (isBalance && property !== 'reply')
      complain(`\`${head}\` is a balance call and has no ${property}`, `its reply is ${head}.reply.balance`);
    else if (property === 'reply') this.#reply(head, rest, target, order, complain);
    else if (rest.length > 1) complain(`\`${head}.${property}\` has no parts`);
    else if (property === 'amount' && target.order > order)
      complain(`the amount of \`${head}\` is not known yet: the step comes later`, 'move this step behind it');
    else if (target.order === order) complain(`a step cannot use itself by its name`, `write self.${property}`);
    else if (target.kind === 'resend' && 'from' in target.of)
      complain(`the ids of \`${head}\` are those of an earlier call, and not known`);
  }

  #reply(
    head: string,
    rest: readonly string[],
    target: Sent,
    order: number,
    complain: (message: string, mend?: string) => void,
  ): void {
    const own = this.#sent.find((each) => each.order === order);
    if (rest.length === 1)
      complain(`which field of the reply is meant?`, `write ${head}.reply.txID or ${head}.reply.balance`);
    else if (target.order >= order)
      complain(`the reply of \`${head}\` is not known yet: the step comes later`, 'use it in a step after that one');
    else if (target.within !== undefined && target.within === own?.within)
      complain(
        `the reply of \`${head}\` is not known yet: both steps begin at the same instant`,
        'use it after the `together`',
      );
    else if (target.deviations.break) complain(`\`${head}\` has no reply: its connection is broken`);
  }

  #unknown(head: string, { path }: Reference, complain: (message: string, mend?: string) => void): void {
    const known = [...BUILT_IN, ...this.#named.keys(), ...this.#reading.bindings.keys()];
    const minus = head.split('-');
    if (minus.length > 1 && minus.every((part) => known.includes(part))) {
      complain(`unknown name \`${head}\``, `a minus needs a space on each side: ${minus.join(' - ')}`);
      return;
    }
    const near = nearest(head, known);
    complain(
      `unknown name \`${head}\``,
      near ? `did you mean \`${[near, ...path.slice(1)].join('.')}\`?` : `known here: ${known.join(', ')}`,
    );
  }

  step(step: Sent): void {
    if (step.kind === 'resend') {
      if (!('from' in step.of)) this.#resent(step, step.of);
      return;
    }
    this.#alias(step.session);
    if (step.fields.amount && usesOwnAmount(step.fields.amount)) {
      this.#reading.complain(
        step.spot,
        `the amount of this ${step.call} is reckoned from itself`,
        'use stake, or the amount of another step',
      );
    }
    const { round, of } = step.fields;
    if (round?.kind === 'of-step') {
      const target = this.#stepNamed(round.name, 'round', ['new', 'none']);
      if (target?.kind === 'call' && target.call === 'balance')
        this.#reading.complain(round.name.spot, `\`${round.name.text}\` is a balance call and has no round`);
      else if (target === step)
        this.#reading.complain(round.name.spot, 'a step cannot take its round from itself', 'write round: new');
    } else if (round?.kind === 'none' && step.call !== 'refund') {
      this.#reading.complain(
        step.spot,
        `a ${step.call} always has a round`,
        'only of a refund it can be left out; to test that, write body: { drop: [roundID] }',
      );
    }
    if (of?.kind === 'step') {
      const target = this.#stepNamed(of.name, 'of', ['unknown']);
      if (target?.kind === 'call' && target.call === 'balance')
        this.#reading.complain(of.name.spot, `\`${of.name.text}\` is a balance call: there is nothing to give back`);
      else if (target === step) this.#reading.complain(of.name.spot, 'a refund cannot give back itself');
      else if (target?.kind === 'resend' && 'from' in target.of)
        this.#reading.complain(of.name.spot, `\`${of.name.text}\` sends a call of earlier: its id is not known`);
    } else if (step.call === 'refund' && !of && !step.fields.origTxID && !this.#betBefore(step)) {
      this.#reading.complain(
        step.spot,
        'which bet is given back? None comes before this refund in its session',
        'name one (of: NAME), or write of: unknown',
      );
    }
  }

  #betBefore(step: StoryCall): boolean {
    if (this.#context.lost.size > 0) return true;
    return this.#sent.some(
      (each) =>
        each.order < step.order &&
        each.kind === 'call' &&
        each.call === 'bet' &&
        each.session.text === step.session.text &&
        (each.times === undefined || each.within !== undefined),
    );
  }

  #resent(step: StoryResend, of: Word): void {
    const target = this.#stepNamed(of, 'resend', []);
    if (!target) return;
    if (target === step) this.#reading.complain(of.spot, 'a step cannot send itself again');
    else if (target.order > step.order)
      this.#reading.complain(
        of.spot,
        `\`${of.text}\` comes later: it cannot be sent again yet`,
        'move the resend behind it',
      );
    else if (target.within !== undefined && target.within === step.within) {
      if ((step.atMs ?? 0) > (target.atMs ?? 0)) return;
      this.#reading.complain(
        of.spot,
        `\`${of.text}\` leaves at the same instant: it cannot be sent again yet`,
        'write copies: 2 at that step, give the resend a later `at`, or put it after the `together`',
      );
    }
  }

  #stepNamed(word: Word, key: string, others: readonly string[]): Sent | undefined {
    const found = this.#named.get(word.text);
    if (found || this.#context.lost.has(word.text)) return found;
    const near = nearest(word.text, [...this.#named.keys(), ...others]);
    const names = [...this.#named.keys()];
    const help =
      names.length === 0 ? 'give that step a name: as: NAME' : `names given with \`as\`: ${names.join(', ')}`;
    this.#reading.complain(
      word.spot,
      `\`${key}\` needs the name of a step, and \`${word.text}\` is none`,
      near ? `did you mean \`${near}\`?` : help,
    );
    return undefined;
  }

  #alias(word: Word): void {
    if (word.text === 'main' || word.text === 'unknown') return;
    this.#usedAliases.add(word.text);
    if (this.#context.aliases.has(word.text)) return;
    const near = nearest(word.text, [...this.#context.aliases.keys(), 'main', 'unknown']);
    // The one that was meant is not left unused.
    if (near) this.#usedAliases.add(near);
    this.#reading.complain(
      word.spot,
      `\`needs\` declares no session \`${word.text}\``,
      near ? `did you mean \`${near}\`?` : `write needs: { ${word.text}: { player: other } }`,
    );
  }

  aliases(): void {
    for (const [alias, spot] of this.#context.aliases) {
      if (!this.#usedAliases.has(alias))
        this.#reading.complain(
          spot,
          `no step uses the session \`${alias}\``,
          `remove it, or write session: ${alias} at a call`,
        );
    }
  }
}

function usesOwnAmount(amount: Template): boolean {
  return [...namesOf(amount)].some((name) => name.path[0] === 'self' && name.path[1] === 'amount');
}
