import { byId } from './by-id.ts';

const STEP_MS = 70;
/** Before the light stops, each of its last steps takes this many milliseconds longer than the step before. */
const SLOWER_MS = 55;
const LAST_STEPS = 6;

/** The row of multipliers. A light runs along the row while a round is played, and stops at the multiplier that was drawn. */
export class Ladder {
  readonly #list = byId('ladder');
  readonly #orb = byId('orb-text');
  readonly #stage = byId('stage');
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)');
  #multipliers: readonly string[] = [];
  #lit = -1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a new row of multipliers. */
  offer(multipliers: readonly string[]): void {
    if (multipliers.join() === this.#multipliers.join()) return;
    this.#multipliers = multipliers;
    this.#list.replaceChildren(
      ...multipliers.map((multiplier) => {
        const item = document.createElement('li');
        item.textContent = `×${multiplier}`;
        return item;
      }),
    );
  }

  /** Starts the light. */
  start(): void {
    this.#stage.dataset.state = 'playing';
    this.#orb.textContent = '';
    this.#light(-1);
    if (this.#calm.matches) return;
    const run = (): void => {
      this.#light((this.#lit + 1) % this.#multipliers.length);
      this.#timer = setTimeout(run, STEP_MS);
    };
    run();
  }

  /**
   * Stops the light.
   *
   * @param multiplier the multiplier at which the light stops; null switches it off, because the round has no outcome
   */
  async stop(multiplier: string | null, isWin: boolean): Promise<void> {
    clearTimeout(this.#timer);
    const target = multiplier === null ? -1 : this.#multipliers.indexOf(multiplier);
    if (target >= 0 && !this.#calm.matches) {
      const count = this.#multipliers.length;
      for (let left = LAST_STEPS; left >= 0; left -= 1) {
        this.#light((((target - left) % count) + count) % count);
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, STEP_MS + SLOWER_MS * (LAST_STEPS - left)));
      }
    }
    this.#light(target);
    this.#orb.textContent = multiplier === null ? '–' : `×${multiplier}`;
    this.#stage.dataset.state = multiplier === null ? 'none' : isWin ? 'won' : 'nothing';
  }

  #light(index: number): void {
    this.#list.children[this.#lit]?.classList.remove('lit');
    this.#list.children[index]?.classList.add('lit');
    this.#lit = index;
  }
}
