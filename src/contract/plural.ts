/** Writes a number with its noun, such as `1 call` or `2 calls`. @param many the plural of the noun; default: `one` with an s */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
