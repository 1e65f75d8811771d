/*
 * Draws docs/images/demo.svg: `npm run demo [-- <file>]`. Types commands into a real terminal, a window of tmux, where the built
 * program runs with a sandbox of its own, and renders the screen. The terminal erases the progress line when the import is
 * interrupted; the picture keeps it where it was, with the ^C of the key. An ellipsis stands for lines that the picture leaves out. It follows the color scheme of the reader.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMPORT = 'orgadm people bulk-add okta-people.csv --mapping okta.json --sandbox';
/** The questions about the new column, and the keys that answer them. */
const DIALOG = [
  [/does not name "Status"[^?]*\?/, ['Down', 'Enter']],
  [/Which values of "Status" mean active\?/, ['Space', 'Down', 'Space', 'Enter']],
  [/Is this right\?/, ['Down', 'Enter']],
  [/Name of the mapping file/, ['Enter']],
];
/** Parts of the output that the picture leaves out: from a line with the first pattern, to before one with the second. */
const LEFT_OUT = [
  [/^Your answers:/, /^Importing/],
  [/^ {2}columns:/, /^ {2}totals:/],
  [/^Importing the remaining/, /^✓/],
];
const COLUMNS = 80;
const ROWS = 70;
/** How long one step may take, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Pixels: the size of a cell, and of the margin around the text. */
const CELL = { width: 8.4, height: 19 };
const MARGIN = 20;

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const LIGHT = {
  red: '#cf222e',
  green: '#1a7f37',
  yellow: '#9a6700',
  blue: '#0969da',
  magenta: '#8250df',
  cyan: '#1b7c83',
};
const DARK = {
  red: '#ff7b72',
  green: '#3fb950',
  yellow: '#d29922',
  blue: '#58a6ff',
  magenta: '#d2a8ff',
  cyan: '#39c5cf',
};

/** A green dollar sign. */
const PROMPT = '\\[\\e[32m\\]$\\[\\e[0m\\] ';

const [file = join(ROOT, 'docs/images/demo.svg')] = process.argv.slice(2);
writeFileSync(file, renderSvg(parseScreen(await runInTerminal())));

/** Returns what the terminal shows, with the escape sequences of its colors. */
async function runInTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-demo-'));
  const tmux = (...words) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'socket'), ...words], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC' },
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
  /** Waits until the screen shows a pattern. */
  const seen = async (pattern) => {
    for (const endsAt = Date.now() + PATIENCE_MS; Date.now() < endsAt; ) {
      const screen = tmux('capture-pane', '-p', '-e');
      const match = pattern.exec(screen.replaceAll(/\u001b\[[\d;]*m/g, ''));
      if (match !== null) return screen.trimEnd().split('\n');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the terminal does not show ${pattern}:\n${tmux('capture-pane', '-p')}`);
  };
  const type = (line) => tmux('send-keys', '-l', `${line}\n`);
  try {
    for (const [name, text] of Object.entries(files())) writeFileSync(join(folder, name), text);
    // The latency leaves time to interrupt the import.
    const orgadm = [process.execPath, join(ROOT, 'bin/orgadm.js')].map((word) => `'${word}'`).join(' ');
    const slowly = `case "$*" in *okta.json*) set -- "$@" --fault latency=700ms ;; esac`;
    writeFileSync(join(folder, 'orgadm'), `#!/bin/sh\n${slowly}\nexec ${orgadm} "$@"\n`);
    chmodSync(join(folder, 'orgadm'), 0o755);
    writeFileSync(join(folder, 'bashrc'), `PS1='${PROMPT}' PS2='' HISTFILE=\n`);
    tmux('new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), 'bash --rcfile bashrc');
    await seen(/^\$ ?$/m);
    type(IMPORT);
    for (const [question, keys] of DIALOG) {
      await seen(question);
      for (const key of keys) tmux('send-keys', key);
    }
    const running = await seen(/2,500 of .*\/s/);
    tmux('send-keys', 'C-c');
    await seen(/orgadm runs resume \w+\n\$ ?$/m);
    type(IMPORT);
    const screen = await seen(/✓ [\d,]+ created\n\$ ?$/m);
    return leaveOut(screen.toSpliced(running.length - 1, 0, `${running.at(-1)}\u001b[0m  ^C`).slice(0, -1));
  } finally {
    tmux('kill-server');
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

/** Replaces parts of the output with an ellipsis. */
function leaveOut(lines) {
  const plain = lines.map((line) => line.replaceAll(/\u001b\[[\d;]*m/g, ''));
  let end;
  return lines.flatMap((line, at) => {
    if (end?.test(plain[at])) end = undefined;
    if (end !== undefined) return [];
    end = LEFT_OUT.find(([start]) => start.test(plain[at]))?.[1];
    return end === undefined ? [line] : ['\u001b[2m…\u001b[0m'];
  });
}

/** Returns an export with everyone in the sandbox who is not a member yet, the IDs of these people, and last month's mapping. */
function files() {
  const names = ['zoe', 'aisha', 'bjorn', 'chloe', 'david'];
  const departments = ['it', 'hr', 'gov'];
  const people = Array.from({ length: 4_988 }, (_, at) => ({
    id: `usr_${String(at + 13).padStart(4, '0')}`,
    // Okta's IDs have 20 characters, of which the first are 00u.
    oktaId: `00u${(at + 1_000_000).toString(36)}abcd2EFGHIJKL`,
    login: `${names[at % names.length]}${at < names.length ? '' : at}@example.com`,
    department: departments[at % departments.length],
    status: at % 97 === 96 ? 'DEPROVISIONED' : at % 97 === 1 ? 'PASSWORD_EXPIRED' : 'ACTIVE',
  }));
  const quoted = (cells) => cells.map((cell) => `"${cell}"`).join(',');
  const rows = people.map(({ oktaId, login, department, status }) => quoted([oktaId, login, department, status]));
  const mapping = {
    columns: { userId: 'Login' },
    lookups: { userId: { file: 'users.csv', from: 'email', to: 'id' } },
    defaults: { role: 'employee' },
    ignored: ['User Id'],
  };
  return {
    'okta-people.csv': [quoted(['User Id', 'Login', 'Department', 'Status']), ...rows, ''].join('\n'),
    'users.csv': ['email,id', ...people.map(({ id, login }) => `${login},${id}`), ''].join('\n'),
    'okta.json': JSON.stringify(mapping),
  };
}

/**
 * Splits lines into parts that are drawn at their own column, with the style of the terminal. Wide characters and gaps end a
 * part, so that columns stay aligned in fonts whose characters have other widths.
 */
function parseScreen(screen) {
  // A style lasts until it is changed, across lines too.
  let classes = [];
  return screen.map((line) => {
    const parts = [];
    let column = 0;
    for (const [, codes, gap, words] of line.matchAll(/\u001b\[([\d;]*)m|( {2,})|((?:(?! {2})[^\u001b])+)/g)) {
      if (codes !== undefined) classes = codes.split(';').reduce(applyCode, classes);
      for (const piece of words?.match(/[\u0020-\u2e7f]+|[^\u0020-\u2e7f]/gu) ?? []) {
        const text = piece.trim();
        const indent = piece.indexOf(text);
        if (text !== '') parts.push({ column: column + indent, text, width: stringWidth(text), classes });
        column += stringWidth(piece);
      }
      column += gap?.length ?? 0;
    }
    return parts;
  });
}

/** Returns the classes of the text after one code of an escape sequence (SGR). */
function applyCode(classes, code) {
  const number = Number(code);
  const without = (dropped) => classes.filter((name) => !dropped.includes(name));
  if (number === 0) return [];
  if (number === 1) return [...classes, 'bold'];
  if (number === 2) return [...classes, 'dim'];
  if (number === 22) return without(['bold', 'dim']);
  if (number === 39) return without(COLORS);
  if (number === 49) return classes;
  const color = number >= 30 && number <= 37 ? COLORS[number - 30] : COLORS[number - 90];
  if (color === undefined) throw new Error(`the terminal has the style ${code}, which build/demo.js does not draw`);
  return [...without(COLORS), color];
}

function renderSvg(lines) {
  const width = Math.ceil(COLUMNS * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  const text = lines.flatMap((parts, row) =>
    parts.map((part) => {
      const style = part.classes.length > 0 ? ` class="${part.classes.join(' ')}"` : '';
      const x = round(MARGIN + part.column * CELL.width);
      const y = MARGIN + row * CELL.height + 14;
      return `<text${style} x="${x}" y="${y}" textLength="${round(part.width * CELL.width)}">${escapeXml(part.text)}</text>`;
    }),
  );
  const css = (colors) => Object.entries(colors).map(([name, color]) => `.${name}{fill:${color}}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>orgadm in a terminal</title>
<style>
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:14px;fill:#1f2328}
rect{fill:#fff;stroke:#d0d7de}
.bold{font-weight:600}
.dim{fill:#656d76}
${css(LIGHT).join('\n')}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
rect{fill:#0d1117;stroke:#30363d}
.dim{fill:#8b949e}
${css(DARK).join('\n')}
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${text.join('\n')}
</svg>
`;
}

function round(pixels) {
  return Math.round(pixels * 10) / 10;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
