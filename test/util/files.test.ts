import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replaceFile } from '../../src/util/files.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const modesBelow = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      (statSync(`${folder}/${name}`).mode & 0o777).toString(8),
    ]),
  );

describe('what orgadm stores', () => {
  it('is in directories and files for its user alone, without drafts', async () => {
    mkdirSync(cli.file('home'));
    const env = { ORGADM_CONFIG_DIR: cli.file('home/a/b') };
    for (const retries of ['6', '7']) {
      expect(await cli.plain(['config', 'set', 'retries', retries], { env })).toMatchObject({ code: 0 });
    }
    expect(modesBelow(cli.file('home'))).toEqual({ a: '700', 'a/b': '700', 'a/b/config.json': '600' });
  });

  it('stays as it is, without a draft, if it cannot be replaced', () => {
    mkdirSync(cli.file('file/full'), { recursive: true });
    const replace = () => replaceFile(cli.file('file'), 'new', { durable: true });
    expect(replace).toThrow(expect.objectContaining({ syscall: 'rename' }));
    expect(readdirSync(cli.file('.'), { recursive: true })).toEqual(['file', 'file/full']);
  });
});
