import { byId, byIdAs, make } from '../../../pages/client/element.ts';
import type { BoardRow, BoardView } from '../view.ts';
import { type Choice, FILTER_IDS, FILTERS, type FilterId, inOrder, isShown, type Order } from './choice.ts';
import { rowOf } from './rows.ts';
import { ageOf } from './words.ts';

/** The pause in typing after which the search begins, in milliseconds. */
const PAUSE_MS = 80;

interface DrawnRow {
  /** The contents and the ages of the row as text, to find out whether it has changed. */
  readonly text: string;
  readonly element: HTMLTableRowElement;
}

/** The table of the operators, with its search, its filters and its order. */
export class Table {
  readonly #open: (name: string) => void;
  readonly #search = byIdAs('search', HTMLInputElement);
  readonly #order = byIdAs('order', HTMLSelectElement);
  readonly #body = byId('rows');
  readonly #drawn = new Map<string, DrawnRow>();
  readonly #filters = new Set<FilterId>();
  readonly #groups = new Set<string>();
  #view: Pick<BoardView, 'groups' | 'operators' | 'now'> = { groups: [], operators: [], now: '' };
  /** The operators that are shown, in their order. */
  #shown: readonly string[] = [];
  #current = '';

  /** @param open called with the name of the operator whose details are to be shown */
  constructor(open: (name: string) => void) {
    this.#open = open;
    let waiting = 0;
    this.#search.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(() => this.#draw(), PAUSE_MS);
    });
    this.#order.addEventListener('change', () => this.#draw());
    byId('clear').addEventListener('click', () => this.#clear());
    this.#body.addEventListener('keydown', (event) => this.#move(event));
    addEventListener('keydown', (event) => this.#shortcut(event));
  }

  /** Shows the operators. Rows that have not changed are kept. */
  take(view: BoardView): void {
    const isOther = view.groups.join() !== this.#view.groups.join();
    this.#view = view;
    if (isOther) this.#drawn.clear();
    this.#drawHeads();
    this.#draw();
  }

  /** Moves the focus to an operator. */
  focus(name: string): void {
    this.#setCurrent(name);
    this.#button(name)?.focus();
  }

  /**
   * Moves the focus to an operator after its details were closed, but only if no operator has the focus. The browser
   * reports the closing late: the user may have moved on by then.
   */
  restoreFocus(name: string): void {
    if (!document.activeElement?.matches('.open')) this.focus(name);
  }

  #choice(): Choice {
    return {
      words: this.#search.value.toLowerCase().split(/\s+/).filter(Boolean),
      filters: this.#filters,
      groups: this.#groups,
      order: this.#order.value as Order,
    };
  }

  #draw(): void {
    const { operators, groups } = this.#view;
    const choice = this.#choice();
    const now = Date.parse(this.#view.now);
    const rows = inOrder(operators, choice.order).filter((row) => isShown(row, choice, groups));
    const focused = document.activeElement?.closest('tr');
    const elements = rows.map((row) => this.#rowElement(row, now));
    const isSame =
      elements.length === this.#body.children.length &&
      elements.every((element, at) => element === this.#body.children[at]);
    if (!isSame) this.#body.replaceChildren(...elements);
    this.#shown = rows.map(({ name }) => name);
    this.#setCurrent(this.#shown.includes(this.#current) ? this.#current : (this.#shown[0] ?? ''));
    // A row that was drawn again has lost the focus.
    if (focused && !focused.isConnected) this.#button(this.#current)?.focus();
    this.#drawFilters();
    const isFiltered = choice.words.length + this.#filters.size + this.#groups.size > 0;
    byId('clear').hidden = !isFiltered;
    byId('nothing').hidden = rows.length > 0 || operators.length === 0;
    byId('shown').textContent = isFiltered
      ? `${rows.length} of ${operators.length}`
      : `${operators.length} ${operators.length === 1 ? 'operator' : 'operators'}`;
  }

  #rowElement(row: BoardRow, now: number): HTMLTableRowElement {
    const ages = [row.run?.startedAt, row.load?.startedAt, row.late?.since].map((time) => time && ageOf(time, now));
    const text = JSON.stringify([row, ages]);
    const before = this.#drawn.get(row.name);
    if (before?.text === text) return before.element;
    const element = rowOf(row, this.#view.groups, now, () => {
      this.#setCurrent(row.name);
      this.#open(row.name);
    });
    this.#drawn.set(row.name, { text, element });
    return element;
  }

  #drawHeads(): void {
    const { groups, operators } = this.#view;
    const failing = groups.map((_, at) => operators.filter((row) => (row.groups[at]?.failed ?? 0) > 0).length);
    const heads = [
      head('operator', 'Operator'),
      head('result', 'Latest run'),
      ...groups.map((group, at) => this.#groupHead(group, failing[at] ?? 0)),
      head('trend', 'Last 30 days'),
      head('flaky', 'Flaky'),
      head('load', 'Load test'),
    ];
    const bar = byId('heads');
    const before = [...bar.children].map(({ outerHTML }) => outerHTML).join();
    if (before !== heads.map(({ outerHTML }) => outerHTML).join()) bar.replaceChildren(...heads);
  }

  #groupHead(group: string, failing: number): HTMLElement {
    const title = `${group}: ${failing} of ${this.#view.operators.length} ${this.#view.operators.length === 1 ? 'operator fails' : 'operators fail'}. Show only these operators`;
    const button = make(
      'button',
      {
        is: { type: 'button', 'aria-pressed': String(this.#groups.has(group)), title },
        click: () => {
          if (!this.#groups.delete(group)) this.#groups.add(group);
          button.setAttribute('aria-pressed', String(this.#groups.has(group)));
          this.#draw();
        },
      },
      make('span', { class: 'name' }, group),
      make('span', { class: 'failing' }, failing === 0 ? '' : String(failing)),
    );
    return make('th', { class: 'head head-group', is: { scope: 'col' } }, button);
  }

  #drawFilters(): void {
    const bar = byId('filters');
    if (bar.children.length === 0) bar.append(...FILTER_IDS.map((id) => this.#filterButton(id)));
    for (const id of FILTER_IDS) {
      const button = byId(`filter-${id}`);
      const count = this.#view.operators.filter((row) => FILTERS[id].fits(row)).length;
      button.setAttribute('aria-pressed', String(this.#filters.has(id)));
      button.hidden = count === 0 && !this.#filters.has(id);
      const number = button.firstElementChild;
      if (number && number.textContent !== String(count)) number.textContent = String(count);
    }
  }

  #filterButton(id: FilterId): HTMLButtonElement {
    const { label, tone } = FILTERS[id];
    return make(
      'button',
      {
        class: 'filter',
        data: { state: tone },
        is: { id: `filter-${id}`, type: 'button' },
        click: () => {
          if (!this.#filters.delete(id)) this.#filters.add(id);
          this.#draw();
        },
      },
      make('b', {}, ''),
      ` ${label}`,
    );
  }

  #clear(): void {
    this.#search.value = '';
    this.#filters.clear();
    this.#groups.clear();
    for (const button of document.querySelectorAll('#heads [aria-pressed="true"]'))
      button.setAttribute('aria-pressed', 'false');
    this.#draw();
  }

  #setCurrent(name: string): void {
    this.#button(this.#current)?.setAttribute('tabindex', '-1');
    this.#current = name;
    this.#button(name)?.setAttribute('tabindex', '0');
  }

  #button(name: string): HTMLButtonElement | null | undefined {
    return this.#drawn.get(name)?.element.querySelector<HTMLButtonElement>('.open');
  }

  /** Moves the focus between the operators. Only one of them is in the order of the Tab key. */
  #move(event: KeyboardEvent): void {
    if (!(event.target instanceof Element) || !event.target.matches('.open')) return;
    const at = this.#shown.indexOf(this.#current);
    const last = this.#shown.length - 1;
    const to =
      event.key === 'ArrowDown'
        ? Math.min(last, at + 1)
        : event.key === 'ArrowUp'
          ? Math.max(0, at - 1)
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? last
              : undefined;
    if (to === undefined) return;
    event.preventDefault();
    this.focus(this.#shown[to] ?? '');
  }

  #shortcut(event: KeyboardEvent): void {
    const isTyping = document.activeElement instanceof HTMLInputElement;
    if (event.key === 'Escape' && document.activeElement === this.#search) this.#clear();
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping || byIdAs('detail', HTMLDialogElement).open)
      return;
    event.preventDefault();
    this.#search.focus();
  }
}

function head(name: string, text: string): HTMLElement {
  return make('th', { class: `head head-${name}`, is: { scope: 'col' } }, text);
}
