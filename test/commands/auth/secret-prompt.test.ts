import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { closeAfterTests } from '../../helpers/opened.ts';
import { ORGADM } from '../../helpers/orgadm-program.ts';
import { type OnTerminal, runOnPseudoTerminal } from '../../helpers/pseudo-terminal.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const [HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[?25l', '\x1b[?25h'];

const opened = closeAfterTests();
const folder = temporaryFolder();

/** Runs the built tool on a real terminal, and types when it asks. */
function onTerminal(typed: readonly string[], argv: readonly string[]): Promise<OnTerminal> {
  const env = { ORGADM_CONFIG_DIR: folder.file('config'), ORGADM_STATE_DIR: folder.file('state'), NO_COLOR: '1' };
  return runOnPseudoTerminal([...ORGADM, ...argv], { prompt: '://', typed, env });
}

describe('the prompt for the key on a real terminal', () => {
  it('does not echo the key, and restores the terminal', async () => {
    const { url } = opened(await startScriptedService([{ body: [] }], { scriptsFirstRead: true }));
    const { code, shown, echo } = await onTerminal([`${CANARY_KEY}\r`], ['auth', 'login', '--base-url', url]);
    expect(shown).toContain(`API key for ${url}\r\n`);
    expect(shown).not.toContain('canary');
    expect(code).toBe(0);
    expect(echo).toEqual({ before: true, asked: false, after: true });
    expect(JSON.parse(readFileSync(folder.file('config/credentials.json'), 'utf8'))).toEqual({
      profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } },
    });
  });

  it.each<[string, string[]]>([
    ['corrections', ['wrong\x15canary-kez\x7fy-0123456789abcdef', '\x1b[D', '\x1b[D', 'x', '\b', '\r']],
    ['a bracketed paste', [`\x1b[200~${CANARY_KEY}\x1b[201~`, '\r']],
  ])('reads a key that is typed with %s', async (_name, typed) => {
    const { url } = opened(await startScriptedService([{ body: [] }], { scriptsFirstRead: true }));
    const { code, shown, echo } = await onTerminal(typed, ['auth', 'login', '--base-url', url]);
    expect(shown).not.toContain('canary');
    expect(code).toBe(0);
    expect(echo).toEqual({ before: true, asked: false, after: true });
    expect(JSON.parse(readFileSync(folder.file('config/credentials.json'), 'utf8'))).toMatchObject({
      profiles: { default: { apiKey: CANARY_KEY } },
    });
  });

  it.each([
    ['Ctrl-C', 'canary\x03'],
    ['Ctrl-D', '\x04'],
    ['Escape', '\x1b'],
  ])('restores the terminal after %s', async (_name, typed) => {
    const { code, shown, echo } = await onTerminal([typed], ['auth', 'login', '--base-url', 'http://127.0.0.1:9']);
    expect(shown.endsWith('Canceled. Nothing was stored.\r\n')).toBe(true);
    expect(shown.lastIndexOf(SHOW_CURSOR)).toBeGreaterThan(shown.lastIndexOf(HIDE_CURSOR));
    expect(code).toBe(130);
    expect(echo).toEqual({ before: true, asked: false, after: true });
    expect(existsSync(folder.file('config'))).toBe(false);
  });
});
