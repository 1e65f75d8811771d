import manifest from '../../package.json' with { type: 'json' };

/** The version in package.json, which the build inlines. */
export const VERSION: string = manifest.version;
