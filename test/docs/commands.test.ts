import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../helpers/opened.ts';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { documentedCommands, openShell, refreshOutput, withoutVarying } from './console-blocks.ts';

/** The pages with commands that people type, which run one after the other, in a folder with the examples. */
const PAGES = [
  'README.md',
  ...['ci.md', 'exports.md', 'how-services-differ.md', 'json.md', 'troubleshooting.md'].map((name) => `docs/${name}`),
];

const textOf = (page: string) => readFileSync(page, 'utf8');
const commandsOf = (page: string) => documentedCommands(textOf(page)).filter(({ isRun }) => isRun);

const opened = closeAfterTests();
const shell = async () => opened(await openShell());

describe('the commands of a page', () => {
  it('are in console blocks of these pages only, so that they are tested', () => {
    const documents = ['README.md', 'SECURITY.md', ...readdirSync('docs').map((name) => join('docs', name))];
    const pages = documents.filter((name) => name.endsWith('.md'));
    expect(pages.filter((page) => documentedCommands(textOf(page)).length > 0)).toEqual(PAGES);
    const languages = pages.flatMap((page) => [...textOf(page).matchAll(/^```(\S+)$/gm)].map(([, name]) => name));
    expect(new Set(languages)).toEqual(new Set(['console', 'yaml', 'json', 'text']));
  });

  it.each(PAGES.filter((page) => commandsOf(page).length > 0))(
    'print what the page shows (`npm run docs` rewrites it): %s',
    async (page) => {
      const markdown = textOf(page);
      const commands = commandsOf(page);
      const executions = await (await shell()).run(commands.map(({ text }) => text));
      for (const [index, { text, exitCode, json }] of commands.entries()) {
        const { exitCode: actual, printed = '' } = executions[index] ?? {};
        expect({ text, exitCode: actual, printed: actual === exitCode ? '' : printed }).toEqual({
          text,
          exitCode,
          printed: '',
        });
        if (json === undefined) continue;
        // Without the messages around the document.
        const [document = ''] = /^(?:[[{]\n[\s\S]*?^[\]}]|\{.*\})$/m.exec(printed) ?? [];
        expect(JSON.parse(withoutVarying(document))).toEqual(JSON.parse(withoutVarying(json)));
      }
      await expect(refreshOutput(markdown, commands, executions)).toMatchFileSnapshot(resolve(page));
    },
    240_000,
  );

  it.each(PAGES)('and its text name options that exist: %s', (page) => {
    const typed = documentedCommands(textOf(page)).filter(({ isRun }) => !isRun);
    const mentioned = [...textOf(page).matchAll(/`((?:orgadm |--)[^`]*)`/g)].map(([, code = '']) => code);
    const optionsIn = (text: string) => text.match(/(?<= |^|\[)--[a-z][\w-]*/gm) ?? [];
    const known = new Set(optionsIn(textOf('docs/reference.md')));
    const named = [...typed.map(({ text }) => text), ...mentioned].flatMap(optionsIn);
    expect(named.filter((option) => !known.has(option))).toEqual([]);
  });

  it('differ from what the page shows if they print anything else than what varies', () => {
    const markdown = '```console\n$ one\nold\n$ two\nid 9f31c2aa07b4\n…\nat 2026-11-21 09:14\n$ three\n```';
    const printed = ['new\nlines', 'id 52e0d7f6b913\nmore\nat 2026-11-22 10:00', 'hidden'];
    const executions = printed.map((text) => ({ exitCode: 0, printed: text }));
    expect(refreshOutput(markdown, documentedCommands(markdown), executions)).toBe(
      markdown.replace('old', 'new\nlines'),
    );
  });
});

describe('the recipes for people whom a service can remove, deactivate, or invite', () => {
  it('send the requests that docs/how-services-differ.md describes', async () => {
    const addMembers = addsMembers();
    const sent: string[] = [];
    const service = opened(
      await startScriptedService((request, response) => {
        if (request.path === '/v1/people/bulk') return addMembers(request, response);
        sent.push(`${request.method} ${request.path} ${request.body}`.trim());
        return { body: [] };
      }),
    );
    const { run } = await shell();
    const env = { ORGADM_BASE_URL: service.url };
    const started = await run(
      [
        String.raw`printf 'userId,role\nusr_1,member\nusr_2,member\n' > list.csv`,
        'orgadm people bulk-add list.csv',
        `orgadm runs list -r --jq '.[0].id'`,
      ],
      env,
    );
    const commands = documentedCommands(textOf('docs/how-services-differ.md')).filter(({ isRun }) => !isRun);
    const id = started.at(-1)?.printed ?? '';
    const executions = await run(
      commands.map(({ text }) => text.replace('3f9a2c0d', id)),
      env,
    );
    expect(executions.map(({ exitCode }) => exitCode)).toEqual(commands.map(() => 0));
    expect(sent).toEqual([
      expect.stringMatching(/^DELETE \/v1\/people\/mem_\w+$/),
      expect.stringMatching(/^DELETE \/v1\/people\/mem_\w+$/),
      'PATCH /v1/people/mem_0042 {"isActive":false}',
      'POST /v1/people/invite {"invites":[{"email":"new.colleague@example.com","roles":["employee"]}]}',
    ]);
  });
});

/** By system of the table in docs/exports.md, the people who are sent for its sample, in order. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  Okta: ['usr_0027 employee true', 'usr_0028 employee true', 'usr_0029 employee false'],
  'Google Workspace': ['usr_0021 employee it true', 'usr_0022 employee hr false', 'usr_0023 employee true'],
  'Google Workspace, GAM': ['usr_0021 employee true', 'usr_0022 employee false', 'usr_0023 employee false'],
  'Microsoft Entra ID': ['usr_0024 employee true', 'usr_0025 employee true', 'usr_0026 employee false'],
  Slack: ['usr_0021 employee true', 'usr_0024 employee true', 'usr_0029 employee false'],
  GitHub: ['usr_0021 employee true', 'usr_0024 employee true'],
  Salesforce: ['usr_0021 employee true', 'usr_0025 employee true', 'usr_0029 employee false'],
  Keycloak: ['usr_0028 employee it true', 'usr_0029 employee false'],
  'OneRoster 1.1': ['usr_0027 employee true', 'usr_0023 admin true', 'usr_0026 employee false'],
};

describe('the table of systems in docs/exports.md', () => {
  it('has a command for each system, which sends the people of its sample, and only those active who are', async () => {
    const service = opened(await startScriptedService(addsMembers()));
    const { run } = await shell();
    const rows = [...textOf('docs/exports.md').matchAll(/^\| ([^|]+) \|.*\| `(orgadm people bulk-add [^`]+)` \|$/gm)];
    const sent: Record<string, string[]> = {};
    for (const [, system = '', command = ''] of rows) {
      const before = service.requests.length;
      await run([command], { ORGADM_BASE_URL: service.url });
      sent[system] = service.requests
        .slice(before)
        .flatMap(membersOf)
        .map((one) => Object.values(one).join(' '));
    }
    expect(sent).toEqual(SENT);
  });
});

/** Examples of the help that cannot be tried everywhere: with a service, a name server, or runs of one's own, and without end. */
const ELSEWHERE = /orgadm (?:auth login|domain status .*--check-dns|runs (?:show|resume)|sandbox serve)/;

/** Exit codes other than 0: findings are left, there is no key, and rows are left to send. */
const EXIT_CODES: readonly [RegExp, number][] = [
  [/^orgadm findings list .*--exit-status/, 7],
  [/^orgadm auth status/, 4],
  [/--limit 1 /, 3],
];

/** The sections of the reference, which are the pages of the help, with their examples. */
const SECTIONS = textOf('docs/reference.md')
  .split(/^## /m)
  .map((section) => {
    const lines = [...section.matchAll(/^ {2}\$ (.*(?:\n {6}\S.*)*)/gm)].map(([, line = '']) => line);
    const examples = lines.filter((line) => !ELSEWHERE.test(line));
    return { title: section.slice(0, section.indexOf('\n')), examples };
  })
  .filter(({ examples }) => examples.length > 0);

describe('the examples of the help', () => {
  it.each(SECTIONS)(
    'run unchanged in an empty directory: $title',
    async ({ examples }) => {
      const { run } = await shell();
      const prepared = [
        'rm -r examples',
        ...['default', 'staging'].map((name) => `orgadm config set base-url https://acme.example --profile ${name}`),
      ];
      const executions = await run([...prepared, ...examples], { ORGADM_BASE_URL: '', ORGADM_API_KEY: '' });
      for (const [at, { exitCode, printed }] of executions.slice(prepared.length).entries()) {
        const line = examples[at] ?? '';
        const expected = EXIT_CODES.find(([pattern]) => pattern.test(line))?.[1] ?? 0;
        expect({ line, exitCode, printed: exitCode === expected ? '' : printed }).toEqual({
          line,
          exitCode: expected,
          printed: '',
        });
      }
    },
    60_000,
  );
});
