import type { CallName } from '../contract/call-name.ts';
import type { Tally } from '../journal/event.ts';
import type { Finding } from '../journal/finding.ts';
import type { Plan } from '../scenario/plan.ts';
import type { Patience } from './patience.ts';

/** In so many stories running an endpoint may let the deadline pass. */
const MOST_BREACHES = 5;

/** Knows which stories would be played in vain, from how the ones before them went. */
export class Futility {
  readonly #patience: Patience;
  /** In how many stories in a row an endpoint let the deadline pass. */
  readonly #breaches = new Map<CallName, number>();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Takes note of what a story showed. */
  saw(findings: readonly Finding[], passes: Tally): void {
    const late = new Set(
      findings.flatMap(({ rule, verdict, endpoint }) =>
        rule === 'reply.deadline' && verdict === 'fail' && endpoint !== null ? [endpoint] : [],
      ),
    );
    for (const call of late) this.#breaches.set(call, (this.#breaches.get(call) ?? 0) + 1);
    // Who is late only now and then is waited for.
    for (const call of this.#breaches.keys())
      if (!late.has(call) && passes['reply.deadline']?.[call] !== undefined) this.#breaches.delete(call);
  }

  /** Why a story would be played in vain. null: it would not. */
  reasonAgainst(plan: Plan): string | null {
    const late = this.#tooLate(plan);
    if (late) {
      return `${late === 'balance' ? 'GET' : 'POST'} /${late} has let the deadline pass in ${MOST_BREACHES} scenarios running, so what needs it is not tried any more`;
    }
    return this.isWithoutBets(plan)
      ? `POST /bet has failed each time, ${this.#patience.failuresOf('bet')} times by now, so what needs it is not tried any more`
      : null;
  }

  /** It needs a bet, and none is ever carried out. A story that is about plain bets is what tells so. */
  isWithoutBets({ steps, rules }: Plan): boolean {
    if (!this.#patience.isAtItsEnd('bet') || rules.includes('bet.decimal-amount')) return false;
    return steps.some((step) => {
      const calls = step.kind === 'together' ? step.steps : step.kind === 'call' ? [step] : [];
      return calls.some(({ call, expect }) => call === 'bet' && expect.outcome === 'accepted');
    });
  }

  /** An endpoint that is late again and again would make every story that needs it wait in vain. */
  #tooLate(plan: Plan): CallName | undefined {
    const needed = new Set(
      plan.steps.flatMap((step) => (step.kind === 'call' && step.expect.outcome === 'accepted' ? [step.call] : [])),
    );
    return [...needed].find((call) => (this.#breaches.get(call) ?? 0) >= MOST_BREACHES);
  }

  /** What the user is to be told at the end; undefined: nothing. */
  get notice(): string | undefined {
    if (!this.#patience.isAtItsEnd('bet')) return undefined;
    return `POST /bet failed each time that it was answered (${this.#patience.failuresOf('bet')} times with a 5xx, never with a 200), so little could be judged. Look into the operator's own log, mend it, and run again.`;
  }
}
