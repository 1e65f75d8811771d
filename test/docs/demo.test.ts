import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

const folder = temporaryCliDirectory();
const image = (name: string) => readFileSync(`docs/images/${name}.svg`, 'utf8');

/** Returns the text of a picture, without what differs from run to run: the frame of the spinner, the rate, the ID, and the time. */
function textOf(svg: string): string {
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
  return texts
    .join('\n')
    .replace(/^[⠀-⣿]$/m, '<spinner>')
    .replace(/[\d,]+\/s/, '<rate>')
    .replaceAll(/(?<=resume |run )[0-9a-f]{8}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, '<time>');
}

const COMMAND = 'orgadm people bulk-add okta-people.csv --mapping okta.json --sandbox';

describe('the images of the documentation', () => {
  it('show what the built program prints in a terminal (`npm run demo` draws it)', () => {
    const file = folder.file('demo.svg');
    execFileSync(process.execPath, ['build/demo.js', file]);
    const text = textOf(readFileSync(file, 'utf8'));
    expect(text).toContain('00u');
    expect(text).toContain('Which values of "Status" mean active?');
    expect(text).toContain('4,937 active, 51 inactive');
    expect(text).toMatch(/2,500 of 4,988 · <rate>\n\^C\n/);
    expect(text.match(/^orgadm people bulk-add .*$/gm)).toEqual([COMMAND, COMMAND]);
    expect(text).toMatch(/\nContinuing run <id> of <time>: [\d,]+ of 4,988 rows are done\n…\n✓\n4,988 created$/);
    expect(textOf(image('demo'))).toBe(text);
  }, 60_000);

  it('have at most 24 lines of 80 columns', () => {
    const svg = image('demo');
    const rows = new Set([...svg.matchAll(/<text[^>]* y="(\d+)"/g)].map(([, y]) => y));
    expect(rows.size).toBeLessThanOrEqual(24);
    const columns = [...svg.matchAll(/ x="([\d.]+)"[^>]* textLength="([\d.]+)"/g)].map(
      ([, x, width]) => (Number(x) - 20 + Number(width)) / 8.4,
    );
    expect(Math.round(Math.max(...columns))).toBeLessThanOrEqual(80);
  });
});
