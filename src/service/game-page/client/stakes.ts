import type { GameView } from '../view.ts';
import { byId } from './by-id.ts';
import type { Texts } from './texts/texts.ts';

/** The indices of the stakes that have a button of their own. */
const QUICK = [0, 2, 3, 5, 6];

/** The controls with which the player chooses the stake. */
export class Stakes {
  readonly #shown = byId('stake');
  readonly #less = byId('less');
  readonly #more = byId('more');
  readonly #chips = byId('chips');
  readonly #changed: () => void;
  #stakes: readonly string[] = [];
  #currency = '';
  #at = 0;

  /** @param changed called when the player has chosen another stake */
  constructor(changed: () => void) {
    this.#changed = changed;
    this.#less.addEventListener('click', () => this.#choose(this.#at - 1));
    this.#more.addEventListener('click', () => this.#choose(this.#at + 1));
  }

  get chosen(): string {
    return this.#stakes[this.#at] ?? '';
  }

  /** Shows the stakes of a view. If they have not changed, the chosen stake stays chosen. */
  offer({ stakes, usualStake, currency }: GameView): void {
    if (stakes.join() === this.#stakes.join()) return;
    this.#stakes = stakes;
    this.#currency = currency;
    this.#at = Math.max(0, stakes.indexOf(usualStake));
    this.#chips.replaceChildren(
      ...QUICK.flatMap((at) => {
        const stake = stakes[at];
        return stake === undefined ? [] : [this.#chip(stake, at)];
      }),
    );
    this.#show();
  }

  /** Writes the names of the buttons in the language of the game. */
  name({ lowerStake, raiseStake }: Texts): void {
    this.#less.setAttribute('aria-label', lowerStake);
    this.#more.setAttribute('aria-label', raiseStake);
  }

  #chip(stake: string, at: number): HTMLElement {
    const chip = document.createElement('button');
    chip.type = 'button';
    chip.className = 'chip';
    chip.dataset.at = String(at);
    chip.textContent = stake;
    chip.addEventListener('click', () => this.#choose(at));
    return chip;
  }

  #choose(at: number): void {
    this.#at = Math.min(this.#stakes.length - 1, Math.max(0, at));
    this.#show();
    this.#changed();
  }

  #show(): void {
    this.#shown.textContent = `${this.chosen} ${this.#currency}`;
    // `aria-disabled` is used because a button with `disabled` would lose the keyboard focus at the first and the last stake.
    this.#less.setAttribute('aria-disabled', String(this.#at === 0));
    this.#more.setAttribute('aria-disabled', String(this.#at === this.#stakes.length - 1));
    for (const chip of this.#chips.children) {
      chip.setAttribute('aria-pressed', String((chip as HTMLElement).dataset.at === String(this.#at)));
    }
  }
}
