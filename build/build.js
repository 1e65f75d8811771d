/*
 * Bundles the program into dist/. Prints one line, or what failed.
 */
import { build } from 'rolldown';
import config from '../rolldown.config.js';

await build({ ...config, logLevel: 'warn' });
process.stdout.write('✓ built dist/\n');
