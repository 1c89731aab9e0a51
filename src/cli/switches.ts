const ON: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'on']);

/** Variables that are either on or off, by their flag's attribute: commander would take `0` for on. */
export const SWITCHES: Readonly<Record<string, string>> = {
  strict: 'CROUPIER_STRICT',
  insecure: 'CROUPIER_INSECURE',
  production: 'CROUPIER_PRODUCTION',
};

/** Whether a CROUPIER_* variable that is either on or off is on. `0`, `false` and the like are not. */
export function isOn(text: string | undefined): boolean {
  return ON.has(text?.toLowerCase() ?? '');
}
