/*
 * Prints the section of a changelog about one version: `node build/release-notes.js 1.2.0 [CHANGELOG.md]`.
 */
import { readFileSync } from 'node:fs';

const [version, file = 'CHANGELOG.md'] = process.argv.slice(2);
const sections = readFileSync(file, 'utf8').split(/^## /m).slice(1);
const headingOf = (changes) => changes.slice(0, changes.indexOf('\n'));
const changes = sections.find((candidate) => /^\[?([\d.]+[\w.-]*)/.exec(headingOf(candidate))?.[1] === version);
const notes = changes?.slice(changes.indexOf('\n')).trim() ?? '';
if (notes === '') {
  process.stderr.write(`${file} has no section for ${version}\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${notes}\n`);
}
