/*
 * Draws the picture of the README: `npm run demo [-- <file>]`. Types commands into a window of tmux, in which the built program runs
 * with a sandbox of its own. The terminal erases the progress line when the import is interrupted; the picture keeps it.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMPORT = 'orgadm people bulk-add people.csv --sandbox';
const PATIENCE_MS = 30_000;

const [file = join(ROOT, 'docs/images/demo.svg')] = process.argv.slice(2);
writeFileSync(file, renderSvg(await runInTerminal()));

/** Returns the lines of the terminal, with the escape sequences of its colors. */
async function runInTerminal() {
  const folder = mkdtempSync(join(tmpdir(), 'orgadm-demo-'));
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC' };
  const tmux = (...words) =>
    execFileSync('tmux', ['-u', '-f', '/dev/null', '-S', join(folder, 'socket'), ...words], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
  /** Waits until the screen shows a pattern, and returns its lines. */
  const seen = async (pattern) => {
    for (const endsAt = Date.now() + PATIENCE_MS; Date.now() < endsAt; ) {
      const screen = tmux('capture-pane', '-p', '-e').trimEnd();
      if (pattern.test(withoutStyle(screen))) return screen.split('\n');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the terminal does not show ${pattern}:\n${tmux('capture-pane', '-p')}`);
  };
  const type = (line) => tmux('send-keys', '-l', `${line}\n`);
  try {
    // Everyone in the sandbox who is not a member yet.
    const rows = Array.from(
      { length: 4_988 },
      (_, at) => `usr_${String(at + 13).padStart(4, '0')},employee,it,${at % 97 !== 96}\n`,
    );
    const header = 'userId,role,department,isActive\n';
    const mistakes = ['usr_0013,employee,it,maybe\n', ',employee,it,yes\n', 'usr_0014,,it,yes\n'];
    writeFileSync(join(folder, 'people.csv'), header + mistakes.join('') + rows.slice(mistakes.length).join(''));
    // The latency leaves time to interrupt the import.
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/orgadm.js')}' "$@" --fault latency=500ms\n`;
    writeFileSync(join(folder, 'orgadm'), script);
    chmodSync(join(folder, 'orgadm'), 0o755);
    writeFileSync(join(folder, 'bashrc'), "PS1='\\[\\e[32m\\]$\\[\\e[0m\\] ' HISTFILE=\n");
    tmux('new-session', '-d', '-x', '100', '-y', '40', 'bash --rcfile bashrc');
    await seen(/^\$$/m);
    type(IMPORT);
    await seen(/^hint: .*\n\$$/m);
    writeFileSync(join(folder, 'people.csv'), header + rows.join(''));
    type(IMPORT);
    const running = await seen(/2,\d00 of .*\/s/);
    tmux('send-keys', 'C-c');
    await seen(/orgadm runs resume \w+\n\$$/);
    type(IMPORT);
    const ended = await seen(/✓ .*\n\$$/);
    return ended.toSpliced(running.length - 1, 0, `${running.at(-1)}\u001b[0m  ^C`).slice(0, -1);
  } finally {
    tmux('kill-server');
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

function withoutStyle(text) {
  return text.replaceAll(/\u001b\[[\d;]*m/g, '');
}

/** Renders the lines of a terminal with its eight colors, which follow the color scheme of the reader. */
function renderSvg(lines) {
  const height = lines.length * 19 + 34;
  let style = '0';
  const text = lines.map((line, row) => {
    const spans = [];
    // A style lasts until it is changed, across lines too.
    for (const [, codes, part] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
      if (part === undefined) style = codes.split(';').at(-1) || '0';
      else spans.push(`<tspan class="s${style}">${escapeXml(part)}</tspan>`);
    }
    return `<text xml:space="preserve" x="20" y="${row * 19 + 32}">${spans.join('')}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 ${height}" width="880" height="${height}" role="img">
<title>orgadm in a terminal</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
rect{fill:#fff;stroke:#d0d7de}
.s1{font-weight:600}.s2{fill:#656d76}.s31{fill:#cf222e}.s32{fill:#1a7f37}.s33{fill:#9a6700}.s36{fill:#1b7c83}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
rect{fill:#0d1117;stroke:#30363d}
.s2{fill:#8b949e}.s31{fill:#ff7b72}.s32{fill:#3fb950}.s33{fill:#d29922}.s36{fill:#39c5cf}
}
</style>
<rect x="0.5" y="0.5" width="879" height="${height - 1}" rx="8"/>
${text.join('\n')}
</svg>
`;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
