export interface ColourQuestion {
  /** `--color` or `--no-color`; undefined: neither was given. */
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tty: boolean;
}

/**
 * Whether one stream gets colours: the flag decides, then `FORCE_COLOR` (empty, `0` and `false` mean no), then `NO_COLOR`
 * (not empty means no), then whether it is a terminal that can show them.
 */
export function wantsColour({ flag, env, tty }: ColourQuestion): boolean {
  if (flag !== undefined) return flag;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== '' && forced !== '0' && forced !== 'false';
  if (env.NO_COLOR) return false;
  return tty && env.TERM !== 'dumb';
}
