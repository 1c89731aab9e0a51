/** The attributes and listeners of an element. */
export interface Traits {
  readonly class?: string;
  /** `data-` attributes. */
  readonly data?: Readonly<Record<string, string>>;
  /** Further attributes. */
  readonly is?: Readonly<Record<string, string>>;
  readonly click?: () => void;
}

/** Makes an element. Texts become text nodes, so that nothing that an operator or a user sends is used as markup. */
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

/** A button with its action. */
export function button(label: string, click: () => void, is: Readonly<Record<string, string>> = {}): HTMLButtonElement {
  return make('button', { click, is: { type: 'button', ...is } }, label);
}

/** An element of the page's HTML. @throws Error when there is none */
export function byId(id: string): HTMLElement {
  return byIdAs(id, HTMLElement);
}

/** As `byId`, for an element of one class. @throws Error when it has another class */
export function byIdAs<E extends HTMLElement>(id: string, kind: new () => E): E {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} ${id}`);
  return element;
}

/** A time of day, to the second. */
export function timeOf(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}
