import { button, byId, byIdAs, make, offer } from '../../../pages/client/element.ts';
import type { ConsoleState, FaultRow, SessionRow } from '../view.ts';
import { act } from './api.ts';

/** The kinds of faults in a reply of the operator. All other kinds are faults in a call of the service. */
const IN_REPLY: ReadonlySet<string> = new Set(['error-500', 'late', 'declined']);

/** The two forms of the console: one sends a round, and one injects a fault into the next call. */
export class Forms {
  readonly #session = byIdAs('play-session', HTMLSelectElement);
  readonly #stake = byIdAs('play-stake', HTMLSelectElement);
  readonly #faultSession = byIdAs('fault-session', HTMLSelectElement);
  readonly #replies = byIdAs('fault-replies', HTMLOptGroupElement);
  #sessions: readonly SessionRow[] = [];
  /** True once the user has used the form that sends a round. Then the form keeps its session. */
  #isUsed = false;
  #shown = '';

  constructor() {
    const multiplier = byIdAs('play-multiplier', HTMLInputElement);
    submitted('play-form', async () => {
      byId('play-said').textContent = 'Under way…';
      this.#isUsed = true;
      const chosen = multiplier.value.trim();
      const fields = { gsID: this.#session.value, stake: this.#stake.value };
      const { message } = await act('rounds', chosen === '' ? fields : { ...fields, multiplier: chosen });
      byId('play-said').textContent = message;
    });
    this.#session.addEventListener('change', () => this.#offerStakes());
    byId('play-form').addEventListener('input', () => {
      this.#isUsed = true;
    });

    const kind = byIdAs('fault-kind', HTMLSelectElement);
    const call = byIdAs('fault-call', HTMLSelectElement);
    const ms = byIdAs('fault-ms', HTMLInputElement);
    kind.addEventListener('change', () => {
      ms.disabled = kind.value !== 'delay';
    });
    submitted('fault-form', async () => {
      const fault = { call: call.value, kind: kind.value, gsID: this.#faultSession.value || null };
      const delay = kind.value === 'delay' ? { ms: ms.valueAsNumber } : {};
      const { ok, message } = IN_REPLY.has(kind.value)
        ? await act('replies', fault)
        : await act('faults', { ...fault, ...delay });
      // A success needs no message: the new fault is in the list of waiting faults until a call has used it.
      byId('fault-said').textContent = ok ? '' : message;
    });
  }

  take({ sessions, rounds, faults, operator }: ConsoleState): void {
    this.#sessions = sessions.filter(({ expired }) => !expired);
    const names = this.#sessions.map((session) => [session.gsID, nameOf(session)] as const);
    const isNew = offer(this.#session, names);
    const isMoved = !this.#isUsed && this.#selectLast(rounds);
    if (isNew || isMoved) this.#offerStakes();
    offer(this.#faultSession, [['', 'any'], ...names]);
    byId('play-none').hidden = names.length > 0;
    byId('play-form').hidden = names.length === 0;
    this.#replies.disabled = operator === null;
    this.#replies.label = `The operator answers it badly${operator === null ? ' (only croupier’s own operator)' : ''}`;
    this.#showFaults(faults);
  }

  /** Selects the game session of the next round, and moves the focus to it. */
  choose(gsID: string): void {
    this.#session.value = gsID;
    this.#isUsed = true;
    this.#offerStakes();
    this.#session.focus();
  }

  /**
   * Selects the game session that played last.
   *
   * @returns true if another session was selected before
   */
  #selectLast(rounds: ConsoleState['rounds']): boolean {
    const open = new Set(this.#sessions.map(({ gsID }) => gsID));
    const last = rounds.find(({ gsID }) => open.has(gsID))?.gsID;
    if (last === undefined || last === this.#session.value) return false;
    this.#session.value = last;
    return true;
  }

  /** Shows the faults that are waiting, but only if they have changed. Otherwise a button would lose the focus. */
  #showFaults(faults: readonly FaultRow[]): void {
    const now = JSON.stringify(faults);
    if (now === this.#shown) return;
    this.#shown = now;
    byId('fault-none').hidden = faults.length > 0;
    byId('fault-list').replaceChildren(
      ...faults.map(({ id, of, call, gsID, sessionID, text }) => {
        const whose = gsID !== null ? ` of ${this.#nameOf(gsID)}` : sessionID !== null ? ` of ${sessionID}` : '';
        const what = `The next ${call}${whose} ${text}.`;
        const cancel = button('Cancel', () => void act('faults/remove', { id, of }), {
          'aria-label': `Cancel: ${what}`,
        });
        return make('li', {}, make('span', {}, what), cancel);
      }),
    );
  }

  #offerStakes(): void {
    const session = this.#sessions.find(({ gsID }) => gsID === this.#session.value);
    const { stakes = [], currency = '', usualStake = '' } = session ?? {};
    const isNew = offer(
      this.#stake,
      stakes.map((stake) => [stake, `${stake} ${currency}`] as const),
    );
    if (isNew) this.#stake.value = usualStake;
  }

  #nameOf(gsID: string): string {
    const session = this.#sessions.find((one) => one.gsID === gsID);
    return session ? nameOf(session) : gsID;
  }
}

function nameOf({ player, gameID, currency, demo, sessionID }: SessionRow): string {
  return `${player}, ${gameID}, ${currency}${demo ? ', demo' : `, ${sessionID}`}`;
}

/** Runs an action when a form is submitted. */
function submitted(form: string, send: () => Promise<void>): void {
  byId(form).addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
}
