import { EventEmitter } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../src/output/output.ts';
import { API_KEY } from './api-key.ts';
import { membersOf } from './people-service.ts';
import type { CliOptions, CliResult } from './run-cli.ts';
import type { Handler, Reply, ScriptedService } from './scripted-service.ts';
import type { CommandRunner } from './service-run.ts';

/** Texts and services that the command lines of a test use. */
export interface CommandPlace {
  /** Text in every place where a service, a list or a user can put text of their own. */
  text: string;
  /** Returns the path of a file of the test. */
  file(name: string): string;
  /** The id of an import run; any text if there is none. */
  runId: string;
  /** The base URL of the service. */
  url: string;
  /** The API key in the file that `auth login` reads. */
  key: string;
}

/** Returns the path of a file with this content. */
function write(place: CommandPlace, name: string, content: string): string {
  const path = place.file(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

const SENDING = ['--request-lifetime', '1ms', '--restart', '--yes'];

/** Lists of people whose cells, names of columns, and file names are the text. */
function lists(place: CommandPlace): { valid: string; invalid: string; json: string } {
  const cell = quoted(place.text);
  // Cells with control characters, and words that begin with a mark, are invalid.
  const printable = quoted(`x${place.text.replace(/[^\x20-\x7e]/g, '')}`);
  // A file name holds no slash.
  const name = place.text.replaceAll('/', '');
  const valid = `userId,role,department\nusr_1,member,${printable}\nusr_2,member,it\nusr_3,${printable},\n`;
  const invalid = `userId,role,isActive,${cell}\nusr_1,member,${cell},1\n${cell},,${cell},2\n`;
  const json = JSON.stringify([{ userId: place.text, role: place.text, [place.text]: place.text }]);
  return {
    valid: write(place, `${name}.csv`, valid),
    invalid: write(place, 'invalid.csv', invalid),
    json: write(place, 'list.json', json),
  };
}

/**
 * The command lines of every command, by its name in the command table. A new command needs a line here: with it, the tests
 * run it in every format, with hostile text in all places, and with a key that must not be printed.
 */
export const COMMAND_LINES: Readonly<Record<string, (place: CommandPlace) => readonly (readonly string[])[]>> = {
  'role update': (place) => [
    ['role', 'update', 'rol_1', '--name', 'Auditor'],
    ['role', 'update', 'rol_1', '--permission', `${place.text}=${place.text}`, '--obligation', 'a=true', '--yes'],
    ['role', 'update', 'rol_1', '--obligation', `${place.text}=true`, '--dry-run'],
    ['role', 'update', place.text, '--name', 'Auditor'],
    ['role', 'update', 'rol_1', '--yes', '--from', roleFile(place)],
  ],
  'people bulk-add': (place) => {
    const { valid, invalid, json } = lists(place);
    return [
      ['people', 'bulk-add', valid, ...SENDING, '--errors-file', place.file('errors.csv')],
      ['people', 'bulk-add', valid, ...SENDING, '--all-rows', '--batch-size', '1'],
      ['people', 'bulk-add', valid, '--dry-run'],
      ['people', 'bulk-add', invalid],
      ['people', 'bulk-add', invalid, '--dry-run', '--ignore-extra-columns'],
      ['people', 'bulk-add', json],
      ['people', 'bulk-add', valid, '--map', `userId=${place.text}`],
    ];
  },
  'people template': () => [['people', 'template']],
  'runs list': () => [['runs', 'list']],
  'runs show': ({ runId, text }) => [
    ['runs', 'show', runId],
    ['runs', 'show', runId, '--all-rows'],
    ['runs', 'show', text],
  ],
  'runs resume': ({ runId }) => [['runs', 'resume', runId, '--yes']],
  'domain status': ({ text }) => [
    ['domain', 'status', 'trust.example.com', 'other.example.com'],
    ['domain', 'status', 'trust.example.com', '--wait', '--deadline', '2s'],
    ['domain', 'status', text],
  ],
  'findings list': ({ text }) => [
    ['findings', 'list', '--all'],
    ['findings', 'list', '--all', '--status', text.replaceAll(',', '')],
    ['findings', 'list', '--task', text],
  ],
  'auth login': (place) => {
    const keyFile = ['--key-file', write(place, 'key', place.key)];
    // A profile belongs to one service: it is named after the port.
    const profile = ['--profile', new URL(place.url).port];
    return [
      ['auth', 'login', '--base-url', place.url, ...keyFile, '--force', ...profile],
      ['auth', 'login', '--base-url', place.text, ...keyFile],
    ];
  },
  'auth status': () => [['auth', 'status']],
  'auth logout': () => [['auth', 'logout']],
  'config list': () => [['config', 'list']],
  'config set': ({ text }) => [
    ['config', 'set', 'wire.member.existing', text],
    ['config', 'set', 'timeout', text],
    ['config', 'set', 'retries', '1', '--profile', text],
  ],
  'config unset': ({ text }) => [
    ['config', 'unset', 'retries'],
    ['config', 'unset', text],
  ],
  'sandbox serve': () => [['sandbox', 'serve']],
  'sandbox reset': () => [['sandbox', 'reset']],
  api: ({ text }) => [
    ['api', 'GET', 'v1/findings'],
    ['api', 'PATCH', 'v1/roles/rol_1', '-f', `name=${text}`],
    ['api', text, 'v1/findings'],
    ['api', 'GET', text],
  ],
  completion: ({ text }) => [
    ['completion', 'bash'],
    ['completion', text],
  ],
  help: ({ text }) => [
    ['help', 'environment'],
    ['help', text],
  ],
};

/** The names of the commands in the command table. */
export const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

/** Whether a command prints text in every format. */
export function isTextCommand(name: string): boolean {
  return COMMANDS.some((entry) => entry.name === name && entry.ignoresOutputFormat === true);
}

/** Returns the formats that a command accepts on the command line; none for one that prints text in every format. */
export function formatsOf(name: string): readonly OutputFormat[] {
  if (isTextCommand(name)) return [];
  return name === 'api' ? ['json'] : OUTPUT_FORMATS;
}

function roleFile(place: CommandPlace): string {
  const { text } = place;
  const role = { name: 'Auditor', permissions: { [text]: [text] }, obligations: { [text]: true }, [text]: text };
  return write(place, 'role.json', JSON.stringify(role));
}

/** Returns a service that accepts every request, with this text in each field of its responses. */
export function acceptingService(text: string): Handler {
  return (request): Reply => {
    const headers = { 'x-request-id': headerText(text), 'x-echo': headerText(text) };
    if (request.path.startsWith('/v1/people')) {
      const [first, ...others] = membersOf(request).map(({ userId }) => userId);
      const created = others.map((userId) => ({ id: text, organizationId: text, userId, role: text, [text]: text }));
      return {
        status: 201,
        headers,
        body: {
          created,
          errors: [{ index: 0, userId: first, error: text, [text]: text }],
          summary: { total: 1 + others.length, successful: others.length, failed: 1 },
          authType: text,
          authenticatedUser: { id: text, email: text },
        },
      };
    }
    if (request.path.startsWith('/v1/roles')) {
      const role = { id: text, name: text, permissions: { [text]: [text] }, obligations: { [text]: text } };
      return { headers, body: { ...role, isBuiltIn: text, createdAt: text, updatedAt: text, [text]: text } };
    }
    if (request.path.startsWith('/v1/trust-portal')) {
      const record = { type: text, domain: text, value: text, reason: text, [text]: text };
      const verification = [record, { ...record, type: 'TXT' }];
      const status = { domain: text, verified: true, cnameTarget: text, verification, misconfigured: { [text]: text } };
      return { headers, body: { ...status, [text]: text } };
    }
    const finding = { id: text, severity: text, status: text, type: text, content: text, createdAt: text };
    return {
      headers,
      body: [{ ...finding, [text]: { [text]: text } }, { ...finding, severity: 'critical' }, { id: 'f' }],
    };
  };
}

/** Returns a service that rejects every request, with this text in all of its response. */
export function rejectingService(status: number, text: string, contentType = 'application/json'): Handler {
  const problem = { message: [text, `members.0.role ${text}`], error: text, code: text, errors: [{ [text]: text }] };
  const body = contentType === 'application/json' ? JSON.stringify(problem) : text;
  const headers = { 'content-type': contentType, 'x-request-id': headerText(text), location: headerText(text) };
  return () => ({ status, headers, body });
}

/** A header cannot hold controls below U+0080, and only characters of one byte. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e\x80-\xff]/g, '');
}

/** Commands whose only request is the one that an import sends before its first write. */
const KEY_CHECKS = ['auth login', 'auth status'];

/** The command lines of one command, its service, and a function that runs one of the lines. */
export interface CommandRun {
  service: ScriptedService;
  lines: readonly (readonly string[])[];
  run(argv: readonly string[], options?: CliOptions): Promise<CliResult>;
}

/**
 * Prepares the lines of a command: starts the service, stores a setting and, for the commands that need one, an import run.
 *
 * @param text what the command lines contain, see `CommandPlace`
 * @param key see `CommandPlace`
 */
export async function prepareCommand(
  name: string,
  cli: CommandRunner,
  service: Handler,
  text: string,
  key = API_KEY,
): Promise<CommandRun> {
  const { service: started, run } = await cli.scripted(service, { scriptsFirstRead: KEY_CHECKS.includes(name) });
  const place = { text, file: cli.file, url: started.url, runId: 'none', key };
  const [importLine = []] = COMMAND_LINES['people bulk-add']?.(place) ?? [];
  const needsRun = /^runs /.test(name);
  await run(['config', 'set', 'wire.member.existing', text]);
  if (needsRun) {
    await run(importLine);
    const listed = (await run(['runs', 'list', '--json'])).json() as { id: string }[];
    place.runId = listed[0]?.id ?? place.runId;
  }
  const lines = COMMAND_LINES[name]?.(place);
  if (lines === undefined) throw new Error(`test/helpers/command-lines.ts has no line for ${name}`);
  return {
    lines,
    service: started,
    run: (argv, options) => run(argv, name === 'sandbox serve' ? { ...options, signals: interrupted() } : options),
  };
}

/** Interrupts a command that waits for a signal, as soon as it waits. */
function interrupted(): EventEmitter {
  const signals = new EventEmitter();
  signals.on('newListener', () => setImmediate(() => signals.emit('signal', 'SIGINT')));
  return signals;
}
