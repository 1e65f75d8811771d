import manifest from '../../package.json' with { type: 'json' };

/** The version in package.json; the build puts it in place. */
export const VERSION: string = manifest.version;
