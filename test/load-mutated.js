import { mutatedFiles } from './mutation-areas.js';

// Stryker runs a mutant with the tests during which its code ran, but a constant is created only once: when its module is loaded.
// If that happens before the tests, Stryker runs the mutant with all of them.
for (const file of mutatedFiles) await import(/* @vite-ignore */ `../${file}`);
