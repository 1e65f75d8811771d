/*
 * Builds the program: bundles it into dist/, and generates schemas/ from it. Prints one line, or what failed.
 */
import { build } from 'rolldown';
import config from '../rolldown.config.js';

await build({ ...config, logLevel: 'warn' });
await import('./docs/generate.js');
process.stdout.write('✓ built dist/ and schemas/\n');
