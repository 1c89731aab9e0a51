/** The `id` of what a report says about one scenario, rule or call. */
export function anchor(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `${of}-${id}`;
}

/** The address of that within the page. A case has a `#` in its id, which would begin another fragment. */
export function linkTo(of: 'scenario' | 'rule' | 'call', id: string): string {
  return `#${encodeURIComponent(anchor(of, id)).replaceAll('%2F', '/')}`;
}
