import manifest from '../../package.json' with { type: 'json' };

/** The version of this croupier, as the package says it. */
export const version: string = manifest.version;
