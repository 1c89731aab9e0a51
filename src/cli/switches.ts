const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

/** Whether a CROUPIER_* variable that is either on or off is on. `0`, `false` and the like are not. */
export function isOn(text: string | undefined): boolean {
  return ON.has(text?.toLowerCase() ?? '');
}
