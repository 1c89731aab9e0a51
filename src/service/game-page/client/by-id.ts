/**
 * Returns the element of the page with an id.
 *
 * @throws Error when there is none
 */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
