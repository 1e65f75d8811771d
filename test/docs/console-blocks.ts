import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startSandbox } from '../../src/sandbox/server.ts';
import { RUN_ORGADM } from '../helpers/orgadm-process.ts';
import { runBuilt } from '../helpers/run-cli.ts';

/** The address that documents use for a service. It is replaced by that of a local one, and back in what is printed. */
const SERVICE = 'https://api.example.com';

/** The home directory that documents use. */
const HOME = '/home/anna';

/** Matches any text within a line, and any number of lines if it is alone. */
const ELLIPSIS = '…';

/** A command in a `console` block of a document, and what the document shows below it. */
export interface DocumentedCommand {
  /** The lines of the command, without the prompt. */
  text: string;
  /** From a comment such as `# exit code 3: ...`; otherwise 0. */
  exitCode: number;
  /** False below a comment such as `<!-- not run: it asks for a key -->`. */
  isRun: boolean;
  /** The lines of the document that show the output: from the first, to before the second number. */
  output: [start: number, end: number];
  /** The `json` block behind the `console` block, which shows the output of its last command. */
  json?: string;
}

export interface Execution {
  exitCode: number;
  /** Standard output and standard error, without empty lines at the end. */
  printed: string;
}

/**
 * Finds the commands in the `console` blocks of a Markdown document, and those of comments such as `<!-- edit: sed … -->`, which
 * do what the text tells the reader to do in an editor.
 */
export function documentedCommands(markdown: string): DocumentedCommand[] {
  const lines = markdown.split('\n');
  const commands: DocumentedCommand[] = [];
  const add = (text: string, line: number, isRun: boolean) =>
    commands.push({ text, exitCode: 0, isRun, output: [line + 1, line + 1] });
  let block = '';
  let isRun = true;
  let isContinued = false;
  for (const [index, line] of lines.entries()) {
    const command = commands.at(-1);
    if (line.startsWith('```')) {
      block = block === '' ? line.slice(3) : '';
      isRun = !lines[index - 1]?.startsWith('<!-- not run: ');
      if (block === 'json' && lines[index - 2] === '```' && command !== undefined) command.json = '';
    } else if (block === 'json' && command?.json !== undefined) {
      command.json += line;
    } else if (block === 'console') {
      if (isContinued && command !== undefined) {
        command.text += `\n${line}`;
        command.output = [index + 1, index + 1];
      } else if (line.startsWith('$ ')) {
        add(line.slice(2), index, isRun);
      } else if (command !== undefined) {
        command.output[1] = index + 1;
      }
      isContinued = (isContinued || line.startsWith('$ ')) && line.endsWith('\\');
    } else {
      const [, edit] = /^<!-- edit: (.+) -->$/.exec(line) ?? [];
      if (edit !== undefined) add(edit, index, true);
    }
  }
  return commands.map((command) => ({
    ...command,
    exitCode: Number(/#.*\bexit code (\d+)/.exec(command.text)?.[1] ?? 0),
  }));
}

/** Returns the document with the output that its commands printed, where it shows another one. */
export function refreshOutput(
  markdown: string,
  commands: readonly DocumentedCommand[],
  executions: readonly Execution[],
): string {
  const lines = markdown.split('\n');
  for (const [index, { output }] of [...commands.entries()].toReversed()) {
    const [start, end] = output;
    const { printed = '' } = executions[index] ?? {};
    if (start === end || isSameOutput(lines.slice(start, end), printed)) continue;
    lines.splice(start, end - start, ...withEllipses(lines.slice(start, end), printed.split('\n')));
  }
  return lines.join('\n');
}

/** Leaves out of printed lines what a document left out before, as far as the lines next to it are still there. */
function withEllipses(shown: readonly string[], printed: readonly string[]): string[] {
  const lines = printed.map((line) => shown.find((old) => old !== ELLIPSIS && isSameOutput([old], line)) ?? line);
  for (const [index, line] of shown.entries()) {
    if (line !== ELLIPSIS) continue;
    const [before, after] = [shown[index - 1], shown[index + 1]];
    const start = before === undefined ? 0 : lines.indexOf(before) + 1;
    const end = after === undefined ? lines.length : lines.indexOf(after, start);
    if ((start > 0 || before === undefined) && end >= 0) lines.splice(start, end - start, ELLIPSIS);
  }
  return lines;
}

/** Parts that differ from run to run, and the widths of columns that depend on them. */
const VARYING: readonly [RegExp, string][] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?/g, '<time>'],
  [/\b\d{4}-\d\d-\d\d\b/g, '<day>'],
  [/\breq_[\w-]{36}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{12}\b/g, '<id>'],
  [/\b(run|runs show) [0-9a-f]{8}\b/g, '$1 <id>'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
  [/\b\d+(?:\.\d+)? m?s\b/g, '<duration>'],
  [/ {2,}/g, '  '],
  [/─+/g, '─'],
];

/** Returns text without what differs from run to run. */
export function withoutVarying(text: string): string {
  return VARYING.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
}

/** Compares what a document shows with what was printed. */
function isSameOutput(shown: readonly string[], printed: string): boolean {
  const pattern = shown.map((line) =>
    line === ELLIPSIS
      ? '(?:.*\n)*'
      : `${withoutVarying(line)
          .split(ELLIPSIS)
          .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
          .join('.*')}\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(`${withoutVarying(printed)}\n`);
}

/** A directory in which the commands of documents run. Without `--sandbox` they use a local service. */
export interface Shell {
  path: string;
  /** Runs commands one after another, each in a shell of its own, or in this process if it needs none. */
  run(commands: readonly string[], env?: Readonly<Record<string, string>>): Promise<Execution[]>;
  close(): Promise<void>;
}

/** Programs that documents use, as shell scripts. `npm` and `npx` run what is built and install nothing. */
const PROGRAMS: Readonly<Record<string, string>> = {
  orgadm: RUN_ORGADM,
  npm: `case $1 in ci | install) ;; run) grep -q "^    \\"$2\\": " '${resolve('package.json')}' ;; *) exit 1 ;; esac`,
  npx: 'exec "$@"',
};

/** Creates a directory with the examples. */
export async function openShell(): Promise<Shell> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'orgadm-documents-')));
  const programs = join(path, '.programs');
  mkdirSync(programs);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  cpSync('examples', join(path, 'examples'), { recursive: true });
  const { url, apiKey, close } = await startSandbox({ stateFile: join(path, '.service', 'state.json') });
  const environment = {
    PATH: `${programs}:${process.env.PATH}`,
    HOME: path,
    EDITOR: 'cat',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
    ORGADM_BASE_URL: url,
    ORGADM_API_KEY: apiKey,
  };
  return {
    path,
    async run(commands, env = {}) {
      const executions: Execution[] = [];
      for (const command of commands) {
        const text = command.replaceAll(SERVICE, url);
        const words = plainWords(text);
        const own = { ...environment, ...env };
        const { exitCode, printed } = await (words === undefined
          ? runInShell(text, path, own)
          : runHere(words, path, own));
        const documented = printed.replaceAll(path, HOME).replaceAll(url, SERVICE).trimEnd();
        executions.push({ exitCode, printed: documented });
      }
      return executions;
    },
    async close() {
      await close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function runInShell(text: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Execution> {
  const words = ['-o', 'pipefail', '-c', `{ ${text}\n} 2>&1`];
  return new Promise((done) => {
    const child = execFile('/bin/bash', words, { cwd, env }, (error, printed) =>
      done({ exitCode: error === null ? 0 : Number(error.code), printed }),
    );
    child.stdin?.end();
  });
}

/** Runs the built program in this process, which is cheaper than one of its own. */
async function runHere(words: readonly string[], path: string, env: NodeJS.ProcessEnv): Promise<Execution> {
  const unset = { ORGADM_STATE_DIR: undefined, ORGADM_CONFIG_DIR: undefined };
  const before = process.cwd();
  process.chdir(path);
  try {
    const { code, stdout } = await runBuilt(path, words, { env: { ...unset, ...env }, isMerged: true });
    return { exitCode: code, printed: stdout };
  } finally {
    process.chdir(before);
  }
}

/** A part of a word that every shell reads as it is. */
const PART = /'[^'\n]*'|"[^"$`\\\n]*"|[\w.,:/=@+-]/.source;
const PLAIN = new RegExp(`^(?:npx )?orgadm((?: +(?:${PART})+)+)$`);

/** Returns the arguments of an `orgadm` without shell syntax other than quotes; undefined for other commands. */
function plainWords(command: string): string[] | undefined {
  const line = command.replace(/\\\n */g, '').replace(/ +#.*$/, '');
  const [, words] = PLAIN.exec(line) ?? [];
  const found = words?.match(new RegExp(`(?:${PART})+`, 'g'));
  return found?.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
