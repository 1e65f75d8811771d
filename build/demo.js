/*
 * Draws docs/images/demo.svg: `npm run demo [-- <file>]`. Runs the built program in a real terminal, a window of tmux, with a
 * sandbox of its own, and renders what is on the screen. The picture follows the color scheme of the reader.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import stringWidth from 'string-width';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const COMMANDS = [
  'orgadm people bulk-add examples/mistakes.csv --sandbox',
  'orgadm people bulk-add examples/members.csv --sandbox --ignore-existing',
  'orgadm findings list --task tsk_0001 --sort severity --sandbox',
];
const COLUMNS = 100;

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

const [file = join(ROOT, 'docs/images/demo.svg')] = process.argv.slice(2);
writeFileSync(file, renderSvg(parseScreen(runInTerminal())));

/** Returns the screen after the commands, with the escape sequences of its colors. */
function runInTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-demo-'));
  const tmux = (...words) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'socket'), ...words], {
      cwd: folder,
      env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC' },
      encoding: 'utf8',
      timeout: 60_000,
    });
  try {
    cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
    writeFileSync(
      join(folder, 'orgadm'),
      `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/orgadm.js')}' "$@"\n`,
    );
    chmodSync(join(folder, 'orgadm'), 0o755);
    const shown = COMMANDS.map(
      (command) => `printf '\\033[32m$\\033[0m \\033[1m%s\\033[0m\\n' '${command}'\n${command}\necho\n`,
    );
    writeFileSync(join(folder, 'script'), `${shown.join('')}tmux wait-for -S ended\nexec cat\n`);
    tmux('new-session', '-d', '-x', String(COLUMNS), '-y', '60', `sh '${join(folder, 'script')}'`);
    tmux('wait-for', 'ended');
    return tmux('capture-pane', '-p', '-e').trimEnd();
  } finally {
    tmux('kill-server');
    rmSync(folder, { recursive: true });
  }
}

/**
 * Splits lines into parts that are drawn at their own column, with the style of the terminal. Wide characters and gaps end a
 * part, so that columns stay aligned in fonts whose characters have other widths.
 */
function parseScreen(screen) {
  // A style lasts until it is changed, across lines too.
  let classes = [];
  return screen.split('\n').map((line) => {
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
