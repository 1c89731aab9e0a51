import type { ConsoleState, SessionRow } from '../view.ts';
import { act } from './api.ts';
import { button, byId, byIdAs, make } from './element.ts';

/** The two forms of the console: one plays a round, and one adds a fault for the next call. */
export class Forms {
  readonly #session = byIdAs('play-session', HTMLSelectElement);
  readonly #stake = byIdAs('play-stake', HTMLSelectElement);
  readonly #faultSession = byIdAs('fault-session', HTMLSelectElement);
  readonly #armed = byId('fault-list');
  #sessions: readonly SessionRow[] = [];

  constructor() {
    const multiplier = byIdAs('play-multiplier', HTMLInputElement);
    submitted('play-form', 'play-said', () => {
      const chosen = multiplier.value.trim();
      const fields = { gsID: this.#session.value, stake: this.#stake.value };
      return act('rounds', chosen === '' ? fields : { ...fields, multiplier: chosen });
    });
    this.#session.addEventListener('change', () => this.#offerStakes());

    const kind = byIdAs('fault-kind', HTMLSelectElement);
    const call = byIdAs('fault-call', HTMLSelectElement);
    const ms = byIdAs('fault-ms', HTMLInputElement);
    kind.addEventListener('change', () => {
      byId('fault-delay').hidden = kind.value !== 'delay';
    });
    submitted('fault-form', 'fault-said', () => {
      const delay = kind.value === 'delay' ? { ms: ms.valueAsNumber } : {};
      const gsID = this.#faultSession.value || null;
      return act('faults', { call: call.value, kind: kind.value, gsID, ...delay });
    });
  }

  take({ sessions, faults }: ConsoleState): void {
    this.#sessions = sessions.filter(({ expired }) => !expired);
    const names = this.#sessions.map((session) => [session.gsID, nameOf(session)] as const);
    if (offer(this.#session, names)) this.#offerStakes();
    offer(this.#faultSession, [['', 'any'], ...names]);
    this.#armed.replaceChildren(
      ...faults.map(({ id, of, call, gsID, text }) => {
        const whose = gsID === null ? '' : ` of ${this.#nameOf(gsID)}`;
        const what = `The next ${call}${whose} ${text}.`;
        const cancel = button('Cancel', () => void act('faults/remove', { id, of }), {
          'aria-label': `Cancel: ${what}`,
        });
        return make('li', {}, make('span', {}, what), cancel);
      }),
    );
  }

  /** Selects the game session of the next round, and moves the focus to it. */
  choose(gsID: string): void {
    this.#session.value = gsID;
    this.#offerStakes();
    this.#session.focus();
  }

  #offerStakes(): void {
    const { stakes = [], currency = '' } = this.#sessions.find(({ gsID }) => gsID === this.#session.value) ?? {};
    offer(
      this.#stake,
      stakes.map((stake) => [stake, `${stake} ${currency}`] as const),
    );
  }

  #nameOf(gsID: string): string {
    const session = this.#sessions.find((one) => one.gsID === gsID);
    return session ? nameOf(session) : gsID;
  }
}

function nameOf({ player, gameID, currency, demo, sessionID }: SessionRow): string {
  return `${player}, ${gameID}, ${currency}${demo ? ', demo' : `, ${sessionID}`}`;
}

/**
 * Replaces the options of a list, and keeps the selected option if it still exists.
 *
 * @returns true if the options have changed
 */
function offer(select: HTMLSelectElement, choices: readonly (readonly [value: string, text: string])[]): boolean {
  const before = [...select.options].map(({ value, text }) => `${value} ${text}`).join('\n');
  if (before === choices.map(([value, text]) => `${value} ${text}`).join('\n')) return false;
  const chosen = select.value;
  select.replaceChildren(...choices.map(([value, text]) => make('option', { is: { value } }, text)));
  if (choices.some(([value]) => value === chosen)) select.value = chosen;
  return true;
}

/** Runs an action when a form is submitted, and shows the resulting message. */
function submitted(form: string, said: string, send: () => Promise<{ readonly message: string }>): void {
  byId(form).addEventListener('submit', (event) => {
    event.preventDefault();
    const place = byId(said);
    place.textContent = 'Under way…';
    void send().then(({ message }) => {
      place.textContent = message;
    });
  });
}
