/**
 * Returns the element of the page with this id.
 *
 * @throws Error when the page has no such element
 */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element ${id}`);
  return element;
}
