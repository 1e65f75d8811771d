import { describe, expect, it } from 'vitest';
import { escapeMarkdown } from '../../src/output/markdown.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const FINDINGS = ['findings', 'list', '--all'];

describe('escapeMarkdown', () => {
  it.each([
    ['a|b', 'a\\|b'],
    ['a\\|b', 'a\\\\\\|b'],
    ['`rm -rf`', '\\`rm -rf\\`'],
    ['<img src=x onerror=1> & co', '&lt;img src=x onerror=1&gt; &amp; co'],
    ['[click](javascript:1)', '\\[click\\](javascript:1)'],
    ['**bold** _em_ ~~gone~~ $x$', '\\*\\*bold\\*\\* \\_em\\_ \\~\\~gone\\~\\~ \\$x\\$'],
    ['tsk_0001', 'tsk_0001'],
    ['see https://evil.test/a_b and HTTP://x.test', 'see https:&#8203;//evil.test/a_b and HTTP:&#8203;//x.test'],
    ['www.evil.test, awww.x', 'www&#8203;.evil.test, awww.x'],
    ['fixes #12 and acme/app#7, GH-3; no. # 4', 'fixes #&#8203;12 and acme/app#&#8203;7, GH-&#8203;3; no. # 4'],
    ['one\r\ntwo\nthree', 'one<br>two<br>three'],
    ['ping @acme/security, mail ada@acme.test', 'ping @&#8203;acme/security, mail ada@acme.test'],
    ['\u001b[31mred\u202e', 'red\\\\u202e'],
    ['  padded\t', 'padded'],
  ])('escapes %j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe('-o markdown', () => {
  it('is a table of findings that keeps every value and line break', async () => {
    const body = [{ id: 'fnd_1', severity: 'high', content: 'a|b\n<b>', createdAt: '2026-01-05T09:00:00.000Z' }];
    const { run } = await cli.scripted(() => ({ body }));
    const stdout =
      '| id | severity | content | createdAt |\n| --- | --- | --- | --- |\n' +
      '| fnd_1 | high | a\\|b<br>&lt;b&gt; | 2026-01-05T09:00:00.000Z |\n';
    expect(await run([...FINDINGS, '-o', 'markdown'])).toMatchObject({ code: 0, stdout, stderr: '' });
    expect((await run(FINDINGS, { env: { ORGADM_OUTPUT: 'markdown' } })).stdout).toBe(stdout);
    expect((await run([...FINDINGS, '-o', 'markdown'], { columns: 20, env: { FORCE_COLOR: '1' } })).stdout).toBe(
      stdout,
    );
  });
});
