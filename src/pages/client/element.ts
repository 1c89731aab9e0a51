/** The attributes of an element, and the listener for clicks on it. */
export interface Traits {
  readonly class?: string;
  /** The `data-` attributes, by their name without `data-`. */
  readonly data?: Readonly<Record<string, string>>;
  /** All other attributes. */
  readonly is?: Readonly<Record<string, string>>;
  readonly click?: () => void;
}

/** Creates an element. Strings become text nodes, so that text from an operator or a user is never used as HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  traits: Traits,
  ...content: readonly (Node | string | null)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (traits.class !== undefined) element.className = traits.class;
  for (const [name, value] of Object.entries(traits.data ?? {})) element.dataset[name] = value;
  for (const [name, value] of Object.entries(traits.is ?? {})) element.setAttribute(name, value);
  if (traits.click) element.addEventListener('click', traits.click);
  element.append(...content.filter((one) => one !== null));
  return element;
}

/** Creates a button that runs an action. */
export function button(label: string, click: () => void, is: Readonly<Record<string, string>> = {}): HTMLButtonElement {
  return make('button', { click, is: { type: 'button', ...is } }, label);
}

/**
 * Returns the element with this id.
 *
 * @throws Error when the page has no such element
 */
export function byId(id: string): HTMLElement {
  return byIdAs(id, HTMLElement);
}

/**
 * Returns the element with this id, as an instance of a class.
 *
 * @throws Error when the page has no such element, or when the element is of another class
 */
export function byIdAs<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`);
  return element;
}

/** Writes the local time of day, to the second. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/**
 * Replaces the options of a list, and keeps the selected option if it still exists.
 *
 * @returns true if the options have changed
 */
export function offer(
  select: HTMLSelectElement,
  choices: readonly (readonly [value: string, text: string])[],
): boolean {
  const before = [...select.options].map(({ value, text }) => `${value} ${text}`).join('\n');
  if (before === choices.map(([value, text]) => `${value} ${text}`).join('\n')) return false;
  const chosen = select.value;
  select.replaceChildren(...choices.map(([value, text]) => make('option', { is: { value } }, text)));
  if (choices.some(([value]) => value === chosen)) select.value = chosen;
  return true;
}
