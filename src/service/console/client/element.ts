/** What an element is made with, beside what is in it. */
export interface Traits {
  readonly class?: string;
  /** `data-` attributes. */
  readonly data?: Readonly<Record<string, string>>;
  /** Further attributes. */
  readonly is?: Readonly<Record<string, string>>;
  readonly click?: () => void;
}

/** Makes an element. Texts become text nodes and nothing else: whatever an operator or a user says, it is never markup. */
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

/** A button that does something. */
export function button(label: string, click: () => void, is: Readonly<Record<string, string>> = {}): HTMLButtonElement {
  return make('button', { click, is: { type: 'button', ...is } }, label);
}

/** An element that the page has from the start. @throws Error when it has not */
export function byId(id: string): HTMLElement {
  return byIdAs(id, HTMLElement);
}

/** As `byId`, for one of a certain kind. @throws Error when it is of another */
export function byIdAs<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`);
  return element;
}

/** A time of day, to the second. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
