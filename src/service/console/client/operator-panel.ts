import { button, byId, byIdAs, make } from '../../../pages/client/element.ts';
import type { ConsoleState, DefectChoice, OperatorView } from '../view.ts';
import { act, read } from './api.ts';

type Wallet = OperatorView['wallets'][number];

interface DefectLine {
  readonly line: HTMLLIElement;
  readonly box: HTMLInputElement;
  /** Everything that the search covers, in lower case. */
  readonly text: string;
}

/** The balances and defects of croupier's own operator. */
export class OperatorPanel {
  readonly #balances = new Map<string, HTMLElement>();
  readonly #defects = new Map<string, DefectLine>();
  readonly #search = byIdAs('defect-search', HTMLInputElement);
  readonly #off = byIdAs('defects-off', HTMLButtonElement);
  #isLoading = false;
  #on: readonly string[] = [];

  constructor() {
    this.#search.addEventListener('input', () => this.#filter());
    this.#off.addEventListener('click', () => void this.#switchAllOff());
  }

  take({ operator }: ConsoleState): void {
    byId('operator-foreign').hidden = operator !== null;
    byId('operator-balances').hidden = operator === null;
    byId('operator-defects').hidden = operator === null;
    if (operator === null) return;
    for (const wallet of operator.wallets) this.#showBalance(wallet);
    this.#on = operator.defects;
    this.#showDefects();
    void this.#loadDefects();
  }

  /**
   * Updates only the balance of a row. So the buttons of the row keep the focus, and an amount that the user has typed stays.
   */
  #showBalance(wallet: Wallet): void {
    const key = `${wallet.extCID} ${wallet.player} ${wallet.currency}`;
    const known = this.#balances.get(key);
    if (known) {
      if (known.textContent !== wallet.balance) known.textContent = wallet.balance;
      return;
    }
    const balance = make('td', { class: 'number' }, wallet.balance);
    this.#balances.set(key, balance);
    const whose = `${wallet.player}, ${wallet.currency}`;
    const amount = make('input', {
      class: 'amount',
      is: { value: '100', inputmode: 'decimal', autocomplete: 'off', 'aria-label': `Amount for ${whose}` },
    });
    const change = (kind: 'add' | 'take' | 'empty', label: string): Node =>
      button(label, () => void this.#change(wallet, kind, amount.value), { 'aria-label': `${label}: ${whose}` });
    byId('balance-list').append(
      make(
        'tr',
        {},
        make('td', {}, whose),
        balance,
        make(
          'td',
          {},
          make(
            'span',
            { class: 'buttons' },
            amount,
            change('add', 'Add'),
            change('take', 'Take'),
            change('empty', 'Empty'),
          ),
        ),
      ),
    );
  }

  async #change({ extCID, player, currency }: Wallet, kind: 'add' | 'take' | 'empty', amount: string): Promise<void> {
    const change = kind === 'empty' ? { kind } : { kind, amount: amount.trim() };
    byId('balance-said').textContent = (await act('balances', { extCID, player, currency, change })).message;
  }

  async #loadDefects(): Promise<void> {
    if (this.#isLoading || this.#defects.size > 0) return;
    this.#isLoading = true;
    const defects = (await read<readonly DefectChoice[]>('defects')) ?? [];
    this.#isLoading = false;
    for (const defect of defects) this.#defects.set(defect.name, this.#lineOf(defect));
    byId('defect-list').replaceChildren(...[...this.#defects.values()].map(({ line }) => line));
    this.#showDefects();
    this.#filter();
  }

  #lineOf({ name, description, breaks }: DefectChoice): DefectLine {
    const box = make('input', { is: { type: 'checkbox' } });
    box.addEventListener('change', () => void this.#switch(name, box.checked));
    const rules = breaks.length === 0 ? null : make('span', { class: 'breaks' }, `breaks ${breaks.join(', ')}`);
    const label = make('label', {}, box, make('strong', {}, name), make('span', {}, description), rules);
    return { line: make('li', {}, label), box, text: [name, description, ...breaks].join('\n').toLowerCase() };
  }

  async #switch(name: string, on: boolean): Promise<void> {
    const { ok, message } = await act('defects', { name, on });
    byId('defect-said').textContent = message;
    if (!ok) this.#showDefects();
  }

  async #switchAllOff(): Promise<void> {
    for (const name of this.#on) await act('defects', { name, on: false });
    byId('defect-said').textContent = 'All defects are off.';
  }

  #showDefects(): void {
    const count = byId('defect-count');
    count.hidden = this.#on.length === 0;
    count.dataset.some = String(this.#on.length > 0);
    const title = `${this.#on.length} ${this.#on.length === 1 ? 'defect is' : 'defects are'} on`;
    count.textContent = String(this.#on.length);
    count.title = title;
    this.#off.disabled = this.#on.length === 0;
    for (const [name, { box }] of this.#defects) box.checked = this.#on.includes(name);
  }

  #filter(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { line, text } of this.#defects.values()) {
      const fits = words.every((word) => text.includes(word));
      line.hidden = !fits;
      if (fits) found += 1;
    }
    byId('defect-said').textContent =
      words.length === 0 ? `${this.#defects.size} defects` : `${found} of ${this.#defects.size} defects match.`;
  }
}
