import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ORGADM, RUN_ORGADM } from '../helpers/orgadm-process.ts';
import { runBuilt } from '../helpers/run-cli.ts';

/** The address that documents use for a service. It is replaced by that of a local one, and back in what is printed. */
const SERVICE = 'https://api.example.com';

/** The home directory that documents use. */
const HOME = '/home/anna';

/** Matches any text within a line, and any number of lines if it is alone. */
const ELLIPSIS = '…';

/** A command in a `console` block of a document, and what the block shows below it. */
export interface DocumentedCommand {
  /** The lines of the command, without the prompt. */
  text: string;
  /** From a comment such as `# exit code 3: ...`; otherwise 0. */
  exitCode: number;
  /** False below a comment such as `<!-- not run: it asks for a key -->`. */
  isRun: boolean;
  /** The lines of the document that show the output: from the first, to before the second number. */
  output: [start: number, end: number];
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
  let isConsole = false;
  let isRun = true;
  let isContinued = false;
  for (const [index, line] of lines.entries()) {
    const command = commands.at(-1);
    if (/^```/.test(line)) {
      isConsole = !isConsole && line === '```console';
      isRun = !lines[index - 1]?.startsWith('<!-- not run: ');
      isContinued = false;
    } else if (!isConsole) {
      const [, text] = /^<!-- edit: (.+) -->$/.exec(line) ?? [];
      if (text !== undefined) commands.push({ text, exitCode: 0, isRun: true, output: [index, index] });
    } else if (isContinued && command !== undefined) {
      command.text += `\n${line}`;
      command.output = [index + 1, index + 1];
      isContinued = /[\\|]$/.test(line);
    } else if (line.startsWith('$ ')) {
      commands.push({ text: line.slice(2), exitCode: 0, isRun, output: [index + 1, index + 1] });
      isContinued = /[\\|]$/.test(line);
    } else if (command !== undefined) {
      command.output[1] = index + 1;
    }
  }
  return commands.map((command) => {
    const exitCode = Number(/#.*\bexit code (\d+)/.exec(command.text)?.[1] ?? 0);
    return { ...command, exitCode };
  });
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
  const lines = printed.map(
    (line) => shown.find((old) => old !== ELLIPSIS && old.includes(ELLIPSIS) && isSameOutput([old], line)) ?? line,
  );
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
  [/\b[0-9a-f]{12}\b/g, '<id>'],
  [/\brun [0-9a-f]{8}\b/g, 'run <id>'],
  [/127\.0\.0\.1:\d+/g, '<address>'],
  [/\b\d+(?:\.\d+)? m?s\b/g, '<duration>'],
  [/ {2,}/g, '  '],
  [/─+/g, '─'],
];

/** Compares what a document shows with what was printed. */
export function isSameOutput(shown: readonly string[], printed: string): boolean {
  const withoutVarying = (text: string) => VARYING.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
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
  /** Returns the arguments of each `orgadm` in these commands, without running anything. */
  argumentsIn(commands: readonly string[]): Promise<string[][]>;
  close(): Promise<void>;
}

/**
 * Programs that documents use, as shell scripts. `npm` and `npx` run what is built and install nothing, and `curl` and `tar` fail;
 * the editor fixes what is wrong with examples/mistakes.csv.
 */
const PROGRAMS: Readonly<Record<string, string>> = {
  orgadm: RUN_ORGADM,
  npm: `case $1 in
    ci | install | uninstall | test) ;;
    run) grep -q "^    \\"$2\\": " '${resolve('package.json')}' ;;
    *) exit 1 ;;
  esac`,
  npx: `case $1 in
    orgadm | git+*) shift; exec orgadm "$@" ;;
    vitest) ls '${resolve('.')}'"/$3" > /dev/null ;;
    *) exit 1 ;;
  esac`,
  curl: 'exit 1',
  tar: 'exit 1',
  editor: 'sed -i -e s/maybe/true/ -e s/^,/usr_0204,/ -e s/^usr_0201/usr_0205/ "$1"',
};

/** The folder with programs that record their arguments, and do nothing else. */
const RECORDERS = '.recorders';

/** Creates a directory with the examples. Its first command starts a sandbox. */
export function openShell(): Shell {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'orgadm-documents-')));
  const programs = join(path, '.programs');
  const recorders = join(path, RECORDERS);
  for (const [name, script] of Object.entries(PROGRAMS)) {
    writeProgram(programs, name, script);
    writeProgram(
      recorders,
      name,
      `printf '%s\\0' ${name} "$@" >> '${path}/.recorded'\nprintf '\\n' >> '${path}/.recorded'`,
    );
  }
  cpSync('examples', join(path, 'examples'), { recursive: true });
  const environment = {
    PATH: `${programs}:${process.env.PATH}`,
    HOME: path,
    EDITOR: 'editor',
    TZ: 'UTC',
    LANG: 'C.UTF-8',
  };
  let sandbox: Promise<Sandbox> | undefined;
  let running: ChildProcess | undefined;
  const runScript = async (script: string, env: NodeJS.ProcessEnv) => {
    // A process group of its own, so that a test that times out can end its commands too.
    const child = spawn('/bin/bash', ['-o', 'pipefail', '-c', script], {
      cwd: path,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running = child;
    const printed = await text(child.stdout);
    running = undefined;
    return printed;
  };

  return {
    path,
    async run(commands, env = {}) {
      sandbox ??= startSandbox(environment);
      const { url, apiKey } = await sandbox;
      const toDocumented = (text: string) => text.replaceAll(path, HOME).replaceAll(url, SERVICE).trimEnd();
      const connected = { ...environment, ORGADM_BASE_URL: url, ORGADM_API_KEY: apiKey, ...env };
      const executions: Execution[] = [];
      for (const text of commands.map((command) => command.replaceAll(SERVICE, url))) {
        const words = plainWords(text);
        const { exitCode, printed } =
          words === undefined
            ? await runScript(`{ ${text}\n} 2>&1\nprintf '\\1%s' "$?"`, connected).then(inParts)
            : await runHere(words, path, connected);
        executions.push({ exitCode, printed: toDocumented(printed) });
      }
      return executions;
    },
    async argumentsIn(commands) {
      const record = join(path, '.recorded');
      writeFileSync(record, '');
      await runScript(commands.join('\n'), { PATH: `${join(path, RECORDERS)}:/bin:/usr/bin` });
      const recorded = readFileSync(record, 'utf8');
      return recorded
        .split('\0\n')
        .map((line) => line.split('\0'))
        .filter(([name]) => name === 'orgadm')
        .map(([, ...words]) => words);
    },
    async close() {
      if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
      await (await sandbox)?.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** What a script printed, and its exit code behind it. */
function inParts(output: string): Execution {
  const [printed = '', exitCode] = output.split('\u0001');
  return { exitCode: Number(exitCode), printed };
}

/** Runs the built program in this process, which is cheaper than one of its own. */
async function runHere(words: readonly string[], path: string, env: NodeJS.ProcessEnv): Promise<Execution> {
  const unset = { ORGADM_STATE_DIR: undefined, ORGADM_CONFIG_DIR: undefined };
  const options = { env: { ...unset, ...env }, isMerged: true };
  const { code, stdout } = await within(path, () => runBuilt(path, words, options));
  return { exitCode: code, printed: stdout };
}

function writeProgram(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A local service and its key. */
interface Sandbox {
  url: string;
  apiKey: string;
  close(): Promise<void>;
}

async function startSandbox(env: NodeJS.ProcessEnv): Promise<Sandbox> {
  const [command, ...args] = [...ORGADM, 'sandbox', 'serve', '-o', 'ndjson'] as const;
  const service = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { url, apiKey } = await firstLine(service);
  return {
    url,
    apiKey,
    async close() {
      const ended = once(service, 'exit');
      service.kill();
      await ended;
    },
  };
}

async function firstLine({ stdout }: ChildProcess): Promise<{ url: string; apiKey: string }> {
  if (stdout === null) throw new Error('the sandbox has no standard output');
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line);
  throw new Error('the sandbox did not start');
}

/** Runs something in another current directory. */
export async function within<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await run();
  } finally {
    process.chdir(before);
  }
}

/** A part of a word that every shell reads as it is. */
const PART = /'[^'\n]*'|"[^"$`\\\n]*"|[\w.,:/=@+-]/.source;
const PLAIN = new RegExp(`^(?:npx )?orgadm((?: +(?:${PART})+)+)$`);

/** Returns the arguments of an `orgadm` without shell syntax other than quotes; undefined for other commands. */
export function plainWords(command: string): string[] | undefined {
  const line = command.replace(/\\\n */g, '').replace(/ +#.*$/, '');
  const [, words] = PLAIN.exec(line) ?? [];
  const found = words?.match(new RegExp(`(?:${PART})+`, 'g'));
  return found?.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}
