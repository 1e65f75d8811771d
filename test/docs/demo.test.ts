import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

const folder = temporaryCliDirectory();
const image = (name: string) => readFileSync(`docs/images/${name}.svg`, 'utf8');

describe('the images of the documentation', () => {
  it('show the current output of a terminal (`npm run demo` draws it)', () => {
    const file = folder.file('demo.svg');
    execFileSync(process.execPath, ['build/demo.js', file]);
    expect(readFileSync(file, 'utf8')).toBe(image('demo'));
  }, 60_000);

  it('are readable on light and dark pages', () => {
    expect(image('demo')).toMatch(/rect\{fill:#fff.*@media \(prefers-color-scheme:dark\)\{.*rect\{fill:#0d1117/s);
  });

  it('state the license and the Node.js version of the package', () => {
    const { license, engines } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(image('license')).toContain(`aria-label="license: ${license}"`);
    expect(image('license')).toContain(`>${license}</text>`);
    const node = engines.node.replace('>', '&gt;');
    expect(image('node')).toContain(`aria-label="node: ${node}"`);
    expect(image('node')).toContain(`>${node}</text>`);
  });
});
