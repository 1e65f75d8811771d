import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = ['people', 'bulk-add', 'test/fixtures/members.csv'];
const FINDINGS = ['findings', 'list', '--all'];
const DOMAIN = ['domain', 'status', 'a.test'];

/** Options of which one would have no effect, by command. */
const COMBINATIONS: [argv: string[], message: string][] = [
  // Of every command.
  [['config', 'list', '--jq', '.', '-o', 'csv'], '--jq cannot be used with --output csv'],
  [['config', 'list', '--raw-output'], '--raw-output requires --jq'],
  [[...FINDINGS, '--fault', 'error500=1'], '--fault requires --sandbox'],
  [
    [...FINDINGS, '--sandbox', '--base-url', 'https://a.test'],
    "option '--sandbox' cannot be used with option '--base-url <url>'",
  ],
  [
    [...FINDINGS, '--sandbox', '--key-file', 'key'],
    "option '--sandbox' cannot be used with option '--key-file <path>'",
  ],
  [
    [...FINDINGS, '--sandbox', '--ca-cert', 'ca.pem'],
    "option '--sandbox' cannot be used with option '--ca-cert <file>'",
  ],
  [[...FINDINGS, '--sandbox', '--allow-http'], "option '--sandbox' cannot be used with option '--allow-http'"],

  [[...DOMAIN, '--interval', '1s'], '--interval requires --wait'],
  [[...DOMAIN, '--deadline', '1m'], '--deadline requires --wait'],

  [[...LIST, '--dry-run', '--restart'], "option '--dry-run' cannot be used with option '--restart'"],
  [
    [...LIST, '--columns', 'userId', '--header-row', '2'],
    "option '--columns <names>' cannot be used with option '--header-row <line>'",
  ],
  [['config', 'list', '--sandbox'], 'config list cannot be used with --sandbox'],
];

describe('an option that would have no effect', () => {
  it.each(COMBINATIONS)('is rejected before anything is sent: %j', async (argv, message) => {
    const { code, stdout, stderr } = await cli.plain(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const shown = stderr.startsWith('{') ? JSON.parse(stderr).error.message : stderr.split('\n')[0];
    expect(shown.replace(/^error: /, '')).toBe(message);
  });
});
