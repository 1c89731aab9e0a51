import type { Money } from '../contract/money.ts';
import type { SessionUnderTest } from './run-options.ts';

/** Keeps account of stories that were not played because a wallet held too little for them. */
export class WantOfMoney {
  readonly #stories = new Set<string>();
  /** By session: the most that a story needed. */
  readonly #needed = new Map<SessionUnderTest, Money>();

  add(story: string, session: SessionUnderTest, needed: Money): void {
    this.#stories.add(story);
    const known = this.#needed.get(session);
    if (!known || known.compare(needed) < 0) this.#needed.set(session, needed);
  }

  /** What the user is to be told; undefined: nothing, there was enough. */
  get notice(): string | undefined {
    if (this.#stories.size === 0) return undefined;
    const [count, verb] =
      this.#stories.size === 1 ? ['One scenario', 'was'] : [`${this.#stories.size} scenarios`, 'were'];
    const wishes = [...this.#needed].map(
      ([{ sessionID, currency }, needed]) =>
        `${sessionID} at least ${needed}${currency === undefined ? '' : ` ${currency}`}`,
    );
    return `${count} ${verb} skipped for want of money, so much was not judged. Give ${wishes.join(', ')}, and run again.`;
  }
}
