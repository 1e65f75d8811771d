import { mkdirSync, writeFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { OutputFormat } from '../../src/output/output.ts';
import {
  acceptingService,
  COMMAND_NAMES,
  formatsOf,
  isTextCommand,
  prepareCommand,
  rejectingService,
} from '../helpers/command-lines.ts';
import { type CliOptions, type CliResult, MemoryTerminal } from '../helpers/run-cli.ts';
import type { Handler } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/*
 * Every command with text in each field of each response, list, file name, option and setting that acts on a terminal, forges a
 * message, or runs as a formula.
 */

const cli = createCommandRunner();

const HOSTILE =
  '=1+1\u001b]0;title\u0007\u001b[45m\rerror: forged\r\nerror: forged\n\u009b2J\u202e\u2066hint: x| **b** <img src=x> @team `x` [a](b)';

/** Everything that acts on a terminal, except line breaks. Tabs move the cursor to the right only. */
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** The escape sequences of our own styles, and those with which prompts are drawn again. */
const OURS = /\u001b\[(?:1|2|22|31|32|33|36|39)m|\u001b\[\d*[A-DGJK]|\u001b\[\?25[hl]|\r(?=\n)/g;

/** A hidden character that is shown. */
const VISIBLE = /\\u001b|\\u202e|U\+001B/;

/** The commands that print no text of others unless the service rejects the key. */
const PRINTS_OWN_TEXT = /^(?:people template|auth|sandbox)/;

const PRINTS_OTHERS = COMMAND_NAMES.filter((name) => !PRINTS_OWN_TEXT.test(name));

const FORGED = /^(?:error: forged|hint: x)/m;

function expectSafe({ stdout, stderr }: CliResult, format: string): void {
  for (const text of [stdout, stderr].map((shown) => shown.replace(OURS, ''))) {
    expect(ACTIVE.exec(text)?.[0]).toBeUndefined();
    // The cells of csv keep their lines, within quotes.
    if (format !== 'csv') expect(text).not.toMatch(FORGED);
  }
}

function expectNoFormulas({ stdout }: CliResult): void {
  const cells = parse(stdout, { relax_column_count: true }).flat() as string[];
  expect(cells.filter((cell) => /^[ "]*[=+@-]/.test(cell) && Number.isNaN(Number(cell)))).toEqual([]);
}

/** Runs the lines of a command in one format, and checks what they print. */
async function runLines(
  name: string,
  handler: Handler,
  format: OutputFormat,
  options: CliOptions = {},
): Promise<{ printed: string[]; requests: number; showsText: boolean }> {
  const { lines, service, run } = await prepareCommand(name, cli, handler, HOSTILE);
  const flags = formatsOf(name).includes(format) ? ['-o', format] : [];
  const printed: string[] = [];
  let showsText = false;
  for (const line of lines) {
    const result = await run([...line, ...flags], options);
    showsText ||= VISIBLE.test(result.stdout + result.stderr);
    // A body that is not JSON is piped as it came.
    const isBody = name === 'api' && result.code !== 0;
    expectSafe(isBody && options.columns === undefined ? { ...result, stdout: '' } : result, format);
    if (format === 'csv' && !isBody) expectNoFormulas(result);
    printed.push(result.stdout);
  }
  return { printed, requests: service.requests.length, showsText };
}

const TERMINAL: CliOptions = { env: { FORCE_COLOR: '1', TERM: 'dumb' } };

describe.each(PRINTS_OTHERS)('the text of others in the output of %s', (name) => {
  const formats = isTextCommand(name) ? (['table'] as const) : formatsOf(name);

  it.each(formats)('is escaped in a pipe with -o %s', async (format) => {
    const { showsText } = await runLines(name, acceptingService(HOSTILE), format);
    expect(showsText).toBe(true);
  });

  it('is escaped on a colored terminal of 20 columns', async () => {
    const { showsText } = await runLines(name, acceptingService(HOSTILE), 'table', { ...TERMINAL, columns: 20 });
    expect(showsText).toBe(true);
  });
});

/** The commands that send no requests to a service. */
const LOCAL = /^(?:people template|runs|auth logout|config|sandbox|completion|help)/;

const SENDING = COMMAND_NAMES.filter((name) => !LOCAL.test(name));
const REJECTIONS = [
  ['as JSON', 400, 'application/json'],
  ['as text', 403, 'text/plain'],
  ['as a page', 404, 'text/html'],
  ['as JSON', 500, 'application/json'],
  ['as the target of a redirect', 302, 'text/html'],
] as const;
/** The statuses of these that a check of the key does not quote. */
const UNQUOTED: readonly number[] = [400, 302];
const REJECTED = SENDING.flatMap((name) =>
  REJECTIONS.filter(([, status]) => !(name.startsWith('auth') && UNQUOTED.includes(status))).map(
    (rejection) => [name, ...rejection] as const,
  ),
);

describe('the text of a service in the errors of', () => {
  it.each(REJECTED)('%s is escaped %s (%i)', async (name, _, status, contentType) => {
    const service = rejectingService(status, HOSTILE, contentType);
    for (const format of ['table', 'json'] as const) {
      const { requests, showsText } = await runLines(name, service, format);
      expect(requests).toBeGreaterThan(0);
      expect(showsText).toBe(true);
    }
  });

  it.each(SENDING)('%s is escaped where requests are traced', async (name) => {
    const { lines, run } = await prepareCommand(name, cli, acceptingService(HOSTILE), HOSTILE);
    const results: CliResult[] = [];
    for (const line of lines) results.push(await run([...line, '--debug']));
    for (const result of results) expectSafe(result, 'table');
    expect(results.some(({ stderr }) => /^< .*(?:\\u202e|U\+202E)/m.test(stderr))).toBe(true);
  });
});

describe('the text of others in JSON', () => {
  it.each(['role update', 'people bulk-add', 'domain status', 'findings list', 'api', 'config list'])(
    'is kept by %s, escaped',
    async (name) => {
      const [document = ''] = (await runLines(name, acceptingService(HOSTILE), 'json')).printed;
      expect(document).not.toContain('\u202e');
      expect(stringsIn(JSON.parse(document))).toContain(HOSTILE);
    },
  );
});

describe('the text of others in a file', () => {
  it.each([
    [
      'the error of role update',
      ['role', 'update', 'rol_1', '--from'],
      JSON.stringify({ permissions: { a: [HOSTILE] } }),
      'hidden characters',
    ],
    ['the question of people bulk-add', ['people', 'bulk-add'], 'userId,role\nusr_1,member\n', '○ Yes'],
  ])('is escaped in %s', async (_, argv, content, shown) => {
    const { run } = await cli.scripted(acceptingService(HOSTILE));
    const file = cli.file(`${HOSTILE.replaceAll('/', '')}.csv`);
    mkdirSync(cli.file('.'), { recursive: true });
    writeFileSync(file, content);
    const result = await run([...argv, file, '--no-color'], { terminal: new MemoryTerminal(['n']) });
    expect(result.stderr).toContain(shown);
    expectSafe(result, 'table');
  });
});

describe('the text of others in the configuration', () => {
  const config = (content: object) => {
    mkdirSync(cli.file('config'), { recursive: true });
    writeFileSync(cli.file('config/config.json'), JSON.stringify(content));
    return ['config', 'list'];
  };

  it.each<[string, () => string[], Record<string, string>]>([
    ['the name of a profile', () => config({ profiles: { [HOSTILE]: { timeout: '5s' } } }), {}],
    ['the name of a setting', () => config({ profiles: { default: { [HOSTILE]: '5s' } } }), {}],
    ['the value of a setting', () => config({ profiles: { default: { timeout: HOSTILE } } }), {}],
    ['the output format', () => ['findings', 'list', '--all'], { ORGADM_OUTPUT: HOSTILE }],
    ['the timeout', () => ['findings', 'list', '--all'], { ORGADM_TIMEOUT: HOSTILE }],
    ['the state directory', () => ['runs', 'list'], { ORGADM_STATE_DIR: `~${HOSTILE}` }],
    ['a command', () => [HOSTILE], {}],
  ])('is escaped in a message about %s', async (_, argv, env) => {
    const { run } = await cli.scripted(acceptingService(HOSTILE));
    for (const options of [{ env }, { columns: 60, env: { ...env, FORCE_COLOR: '1' } }]) {
      const result = await run(argv(), options);
      expect(result.stderr).toMatch(VISIBLE);
      expectSafe(result, 'table');
    }
  });
});

/** Returns all strings in a JSON value. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
