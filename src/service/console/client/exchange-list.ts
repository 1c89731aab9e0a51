import { byId, byIdAs, make, timeOf } from '../../../pages/client/element.ts';
import type { ExchangeRow } from '../view.ts';
import { VERDICTS } from './verdicts.ts';

/** The maximum number of exchanges in memory. The service keeps the same number. */
const MAX_ROWS = 1000;
/** The maximum number of rows on the page. A search also finds exchanges that have no row. */
const MAX_SHOWN = 200;

/** The list of exchanges, the latest first, with its search and filters. */
export class ExchangeList {
  readonly #list = byIdAs('exchange-list', HTMLOListElement);
  readonly #note = byId('exchanges-note');
  readonly #search = byIdAs('search', HTMLInputElement);
  readonly #direction = byIdAs('direction', HTMLSelectElement);
  readonly #result = byIdAs('result', HTMLSelectElement);
  readonly #pause = byId('pause');
  readonly #chosen: (row: ExchangeRow) => void;
  readonly #rows = new Map<number, ExchangeRow>();
  readonly #lines = new Map<number, { readonly line: HTMLLIElement; row: ExchangeRow }>();
  /** While the list is paused, the id of the latest exchange that may be shown; null while it is not paused. */
  #pausedAfter: number | null = null;
  #selected: number | null = null;
  #isDue = false;

  /** @param chosen called with the exchange that the user selects */
  constructor(chosen: (row: ExchangeRow) => void) {
    this.#chosen = chosen;
    for (const filter of [this.#search, this.#direction, this.#result]) {
      filter.addEventListener('input', () => this.#draw());
    }
    this.#pause.addEventListener('click', () => this.#togglePause());
    this.#list.addEventListener('keydown', (event) => this.#move(event));
  }

  clear(): void {
    this.#rows.clear();
    this.#draw();
  }

  take(rows: readonly ExchangeRow[]): void {
    for (const row of rows) this.#rows.set(row.id, row);
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= MAX_ROWS) break;
      this.#rows.delete(id);
    }
    this.#draw();
  }

  /** Shows only the exchanges that contain an id. */
  searchFor(text: string): void {
    this.#search.value = text;
    this.#direction.value = '';
    this.#result.value = '';
    this.#draw();
    this.#search.focus();
  }

  /**
   * Marks the exchange that is shown in detail.
   *
   * @param id null to remove the mark
   */
  select(id: number | null): void {
    for (const [one, isIt] of [
      [this.#selected, false],
      [id, true],
    ] as const) {
      if (one !== null) this.#buttonOf(one)?.setAttribute('aria-current', String(isIt));
    }
    this.#selected = id;
    this.#draw();
  }

  focus(id: number): void {
    this.#buttonOf(id)?.focus();
  }

  /** Redraws the list, at most once per frame of the screen. */
  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const after = this.#pausedAfter;
    const all = [...this.#rows.values()].toReversed();
    const seen = after === null ? all : all.filter(({ id }) => id <= after);
    const found = seen.filter((row) => this.#fits(row));
    const shown = found.slice(0, MAX_SHOWN);
    const wanted = new Set(shown.map(({ id }) => id));
    for (const [id, { line }] of this.#lines) {
      if (wanted.has(id)) continue;
      line.remove();
      this.#lines.delete(id);
    }
    // Rows that are already on the page stay in their place, because a row that is moved would lose the focus.
    for (const [at, row] of shown.entries()) {
      const line = this.#lineOf(row);
      if (this.#list.children[at] !== line) this.#list.insertBefore(line, this.#list.children[at] ?? null);
    }
    this.#setTabStop(shown);
    this.#describe(seen, found.length, shown.length);
    const waiting = all.length - seen.length;
    this.#pause.textContent = after === null ? 'Pause' : `Resume (${waiting} new)`;
  }

  #describe(seen: readonly ExchangeRow[], found: number, shown: number): void {
    const all = seen.length;
    const broken = seen.filter(({ findings }) => findings[0]?.verdict === 'fail').length;
    const total = `${all} ${all === 1 ? 'exchange' : 'exchanges'}`;
    const matches =
      found === all && shown === found
        ? `${total}.`
        : found === 0
          ? `None of the ${total} matches.`
          : `${shown < found ? `The latest ${shown} of ` : ''}${found} ${found === 1 ? 'match' : 'matches'} among ${total}.`;
    const rules = broken === 0 ? '' : ` ${broken} of them ${broken === 1 ? 'breaks' : 'break'} a rule.`;
    this.#note.textContent =
      all === 0 ? 'There are no exchanges yet. Launch a game, or send a round.' : `${matches}${rules}`;
  }

  #fits({
    name,
    player,
    extCID,
    gsID,
    roundID,
    txID,
    direction,
    state,
    result,
    code,
    notes,
    findings,
    searchText,
  }: ExchangeRow): boolean {
    if (this.#direction.value !== '' && this.#direction.value !== direction) return false;
    if (!hasResult(this.#result.value, state, findings)) return false;
    const words = this.#search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return true;
    const found = findings.flatMap(({ rule, text }) => [rule ?? '', text]);
    const text = [name, player, extCID, gsID, roundID, txID, result, code, ...notes, ...found].join('\n').toLowerCase();
    return words.every((word) => text.includes(word) || searchText.includes(word));
  }

  #lineOf(row: ExchangeRow): HTMLLIElement {
    const known = this.#lines.get(row.id);
    if (known?.row === row) return known.line;
    if (known) {
      known.row = row;
      known.line.firstElementChild?.replaceChildren(...cells(row));
      known.line.dataset.state = row.state;
      known.line.dataset.balance = row.balanceResult ?? '';
      return known.line;
    }
    const click = (): void => this.#chosen(this.#rows.get(row.id) ?? row);
    const line = make(
      'li',
      { data: { state: row.state, balance: row.balanceResult ?? '' } },
      make('button', { click, is: { type: 'button' } }, ...cells(row)),
    );
    this.#lines.set(row.id, { line, row });
    return line;
  }

  /** Makes one row reachable by the Tab key. The arrow keys move from this row to the other rows. */
  #setTabStop(shown: readonly ExchangeRow[]): void {
    const focused = shown.find(({ id }) => this.#buttonOf(id) === document.activeElement)?.id;
    const selected = shown.find(({ id }) => id === this.#selected)?.id;
    const stop = focused ?? selected ?? shown[0]?.id;
    for (const { id } of shown) {
      const line = this.#buttonOf(id);
      if (line) line.tabIndex = id === stop ? 0 : -1;
      if (id === this.#selected) line?.setAttribute('aria-current', 'true');
    }
  }

  #move(event: KeyboardEvent): void {
    const line = (event.target as HTMLElement).closest('li');
    const to =
      event.key === 'ArrowDown'
        ? line?.nextElementSibling
        : event.key === 'ArrowUp'
          ? line?.previousElementSibling
          : event.key === 'Home'
            ? this.#list.firstElementChild
            : event.key === 'End'
              ? this.#list.lastElementChild
              : undefined;
    const next = to?.firstElementChild;
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
    this.#draw();
  }

  #togglePause(): void {
    const [newest = 0] = [...this.#rows.keys()].toReversed();
    this.#pausedAfter = this.#pausedAfter === null ? newest : null;
    this.#pause.setAttribute('aria-pressed', String(this.#pausedAfter !== null));
    this.#draw();
  }

  #buttonOf(id: number): HTMLElement | undefined {
    const line = this.#lines.get(id)?.line.firstElementChild;
    return line instanceof HTMLElement ? line : undefined;
  }
}

/** True if an exchange has the result that the user wants to see. */
function hasResult(wanted: string, state: ExchangeRow['state'], findings: ExchangeRow['findings']): boolean {
  if (wanted === '') return true;
  if (wanted === 'fail' || wanted === 'warn') return findings.some(({ verdict }) => verdict === wanted);
  return wanted === state;
}

function cells(row: ExchangeRow): readonly Node[] {
  const { id, at, direction, name, player, amount, result, state, code, ms, notes, balance, expected } = row;
  const way = direction === 'reverse' ? 'to the operator' : 'to the Core API';
  const about = [player, code, ...notes].filter((one) => one !== null).join(' · ');
  const call = amount === null ? name : `${name} ${amount}`;
  return [
    make('span', { class: 'id' }, make('span', { class: 'unseen' }, 'call '), String(id)),
    make('span', { class: 'time' }, timeOf(at)),
    make(
      'span',
      { class: 'way', is: { title: way } },
      direction === 'reverse' ? '→' : '←',
      make('span', { class: 'unseen' }, way),
    ),
    make('span', { class: 'name', is: { title: call } }, call),
    make('span', { class: 'notes', is: { title: about } }, about),
    amountCell('balance', 'balance', balance),
    amountCell('expected', 'expected', expected),
    findingCell(row),
    make('span', { class: 'badge', is: { title: result } }, state === 'under-way' ? '…' : result),
    make('span', { class: 'ms' }, ms === null ? '' : `${ms} ms`),
  ];
}

function amountCell(kind: string, label: string, amount: string | null): Node {
  if (amount === null) return make('span', { class: kind });
  return make(
    'span',
    { class: kind, is: { title: `${label} ${amount}` } },
    make('span', { class: 'tag' }, `${label} `),
    amount,
  );
}

/** Shows the rule of the most serious finding, and the number of the other rules with findings. */
function findingCell({ findings }: ExchangeRow): Node {
  const [worst] = findings;
  if (!worst) return make('span', { class: 'finding' });
  const rules = new Set(findings.map(({ rule }) => rule)).size;
  const more = rules === 1 ? '' : ` +${rules - 1}`;
  const text = worst.rule ?? 'unexplained balance';
  return make(
    'span',
    { class: 'finding', data: { verdict: worst.verdict }, is: { title: `${text}: ${worst.text}` } },
    make('span', { is: { 'aria-hidden': 'true' } }, `${VERDICTS[worst.verdict].sign} `),
    make('span', { class: 'unseen' }, `${VERDICTS[worst.verdict].word} `),
    `${text}${more}`,
  );
}
