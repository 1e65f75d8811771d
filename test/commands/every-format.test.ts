import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { OUTPUT_FORMATS } from '../../src/output/output.ts';
import {
  acceptingService,
  COMMAND_LINES,
  COMMAND_NAMES,
  formatsOf,
  isTextCommand,
  prepareCommand,
} from '../helpers/command-lines.ts';
import type { CliResult } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

const CHECKS: Readonly<Record<(typeof OUTPUT_FORMATS)[number], (result: CliResult) => void>> = {
  json: ({ json }) => expect(json).not.toThrow(),
  ndjson({ stdout }) {
    const lines = stdout.split('\n').filter((line) => line !== '');
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  },
  csv({ stdout }) {
    expect(parse(stdout).length).toBeGreaterThan(0);
  },
  table({ stdout, stderr }) {
    expect(stdout + stderr).not.toBe('');
    expect(stdout).not.toMatch(/\u001b| $/m);
  },
};

describe('every command of the command table', () => {
  it('is run by the tests of all commands', () => {
    expect(Object.keys(COMMAND_LINES).sort()).toEqual([...COMMAND_NAMES].sort());
  });

  it.each(COMMAND_NAMES.filter((name) => !isTextCommand(name)))(
    'prints %s in every format that it accepts',
    async (name) => {
      const { lines, run } = await prepareCommand(name, cli, acceptingService('usr_1'), 'usr_1');
      let printed = 0;
      for (const line of lines) {
        const { code, stdout } = await run([...line, '-o', 'json']);
        // A usage error.
        if (stdout === '') continue;
        printed++;
        for (const format of formatsOf(name)) {
          const result = await run([...line, '-o', format]);
          expect({ line, format, code: result.code }).toEqual({ line, format, code });
          CHECKS[format](result);
          // An empty array is no line.
          if (format === 'ndjson')
            expect({ line, isEmpty: result.stdout === '' }).toEqual({ line, isEmpty: stdout === '[]\n' });
        }
      }
      expect(printed).toBeGreaterThan(0);
    },
  );

  it.each(COMMAND_NAMES.filter(isTextCommand))('prints the text of %s, whatever the format', async (name) => {
    const { lines, run } = await prepareCommand(name, cli, acceptingService('usr_1'), 'usr_1');
    const line = lines[0] ?? [];
    const { code, stdout } = await run(line);
    expect(code).toBe(0);
    expect(stdout).not.toBe('');
    for (const format of OUTPUT_FORMATS) {
      const result = await run(line, { env: { ORGADM_OUTPUT: format } });
      expect(result).toMatchObject({ code, stdout });
    }
  });
});
