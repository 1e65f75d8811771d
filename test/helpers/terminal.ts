import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeOrgadm } from './orgadm-process.ts';

export interface TerminalOptions {
  columns: number;
  rows?: number;
}

/** A command line that runs in a real terminal. */
export interface Terminal {
  /** The text on the screen, without empty lines at the end. A line that the terminal had to wrap is several lines. */
  screen(): Promise<string>;
  /** The same with wrapped lines joined. */
  joined(): Promise<string>;
  /** The same with the escape sequences of its colors. */
  colored(): Promise<string>;
  isCursorVisible(): Promise<boolean>;
  /** Whether the terminal shows what is typed. */
  echoes(): Promise<boolean>;
  /** Types text, or keys by their tmux names: `C-c`. */
  press(...keys: string[]): Promise<void>;
  /** Pastes text, in brackets if the program asked for them. */
  paste(text: string): Promise<void>;
  /** Resolves with the screen as soon as it shows this. */
  untilSeen(text: string | RegExp): Promise<string>;
  /** Resolves when the command has ended. Its exit code is the last line: `exit 0`. */
  ended(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds between two reads of the screen, which has no event to wait for. */
const POLL_EVERY_MS = 100;

const run = promisify(execFile);

/**
 * Runs a line of shell in a tmux window of its own, `orgadm` being the built program with state and configuration of
 * its own.
 */
export async function openTerminal(line: string, { columns, rows = 60 }: TerminalOptions): Promise<Terminal> {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-terminal-'));
  writeOrgadm(folder);
  // With job control, as in the shell of a user, so that Ctrl-Z could stop the command. The script survives Ctrl-C.
  const script = `set -m\ntrap : INT\n${line}\necho "exit $?"\ntmux wait-for -S ended\nexec cat\n`;
  writeFileSync(join(folder, 'script'), script);

  const environment = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    ORGADM_STATE_DIR: join(folder, 'state'),
    ORGADM_CONFIG_DIR: join(folder, 'config'),
  };
  const tmux = async (...args: string[]) => {
    const { stdout } = await run('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'socket'), ...args], {
      env: environment,
      cwd: folder,
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('tmux is missing: install the Debian package tmux') : error;
    });
    return stdout;
  };
  const capture = async (...flags: string[]) => {
    const lines = (await tmux('capture-pane', '-p', ...flags)).split('\n').map((text) => text.trimEnd());
    return lines.join('\n').trimEnd();
  };
  await tmux('new-session', '-d', '-x', String(columns), '-y', String(rows), `sh '${join(folder, 'script')}'`);
  const device = (await tmux('display-message', '-p', '#{pane_tty}')).trim();

  return {
    screen: () => capture(),
    joined: () => capture('-J'),
    colored: () => capture('-e'),
    isCursorVisible: async () => (await tmux('display-message', '-p', '#{cursor_flag}')) === '1\n',
    echoes: async () => / echo /.test((await run('stty', ['-a', '-F', device])).stdout),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async paste(text) {
      await tmux('set-buffer', text);
      await tmux('paste-buffer', '-p');
    },
    async untilSeen(text) {
      for (;;) {
        const seen = await capture();
        if (typeof text === 'string' ? seen.includes(text) : text.test(seen)) return seen;
        await sleep(POLL_EVERY_MS);
      }
    },
    ended: async () => void (await tmux('wait-for', 'ended')),
    async close() {
      await tmux('kill-server');
      await removeFolder(folder);
    },
  };
}

/** Attempts to remove a folder in which programs that ended with their terminal may still write. */
const MAX_ATTEMPTS = 50;

async function removeFolder(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      await sleep(POLL_EVERY_MS);
    }
  }
}
