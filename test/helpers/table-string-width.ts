import { createRequire } from 'node:module';
import { displayWidth } from '../../src/output/text-width.ts';

/*
 * Lets cli-table3 measure text as our tables do, as build/aliases.js does in the built program. An alias of Vitest would not
 * apply to the `require` in cli-table3.
 */
const require = createRequire(import.meta.url);
const path = createRequire(require.resolve('cli-table3')).resolve('string-width');
require(path);
const loaded = require.cache[path];
if (loaded === undefined) throw new Error(`${path} is not a CommonJS module`);
loaded.exports = (text: string) => displayWidth(text);
