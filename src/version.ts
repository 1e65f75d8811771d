import { readFileSync } from 'node:fs';

/** The version in package.json, which lies one folder above the sources and one above the build. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
