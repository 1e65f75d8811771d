import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';

const folder = temporaryCliDirectory();

function releaseNotes(version: string): { status: number | null; stdout: string; stderr: string } {
  const file = folder.file('CHANGELOG.md');
  writeFileSync(
    file,
    '# Changelog\n\n## [Unreleased]\n\n- Later\n\n## [1.2.0] - 2026-11-22\n\n### Fixed\n\n- This\n\n## [1.2.0-rc.1] - 2026-11-01\n\n- That\n\n## 1.1.0\n',
  );
  const { status, stdout, stderr } = spawnSync(process.execPath, ['build/release-notes.js', version, file], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.replace(file, 'CHANGELOG.md') };
}

describe('the release notes of a version', () => {
  it('are its section of the changelog', () => {
    expect(releaseNotes('1.2.0')).toEqual({ status: 0, stdout: '### Fixed\n\n- This\n', stderr: '' });
    expect(releaseNotes('1.2.0-rc.1')).toEqual({ status: 0, stdout: '- That\n', stderr: '' });
  });

  it.each(['1.1.0', '1.2', '2.0.0'])('are an error for version %s, which has no text in the changelog', (version) => {
    const stderr = `CHANGELOG.md has no section for ${version}\n`;
    expect(releaseNotes(version)).toEqual({ status: 1, stdout: '', stderr });
  });
});
