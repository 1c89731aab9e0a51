import manifest from '../../package.json' with { type: 'json' };

/** The version of croupier in package.json. */
export const version: string = manifest.version;
