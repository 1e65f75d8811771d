import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

/** Checks a list with these options, and returns the error. */
async function check(name: string, content: string, options: readonly string[]) {
  writeFileSync(cli.file(name), content);
  const argv = ['people', 'bulk-add', cli.file(name), '--dry-run', '--json', ...options];
  const result = await cli.sandbox(argv);
  return { code: result.code, ...(result.code === 2 && { error: errorOf(result) }) };
}

describe('a column whose name begins with "!"', () => {
  const ONLY = 'userId,role,!x\nusr_1,m,true\nusr_2,m,false\n';
  const BOTH = 'userId,role,!x,x\nusr_1,m,true,true\nusr_2,m,false,false\n';

  it.each([
    ['no other has the rest of its name', ONLY],
    ['another has the rest of its name', BOTH],
    ['the rest has another spelling', ONLY.replace('!x', '! X ')],
  ])('is never taken for the opposite of another one: the error names its number if %s', async (_, list) => {
    const { code, error } = await check('list.csv', list, ['--map', 'isActive=!x', '--ignore-extra-columns']);
    expect(code).toBe(2);
    expect(error?.message).toContain('--map isActive=!x: ');
    expect(error?.message).toContain('#3');
  });

  it('says so', async () => {
    const { error } = await check('list.csv', ONLY, ['--map', 'isActive=!x']);
    expect(error?.message.split('\n')[0]).toMatch(
      /list\.csv: --map isActive=!x: "!x" \(column 3\) begins with "!", which inverts a column \(remove it, or name the column by its number: #3\)$/,
    );
  });

  it.each([
    ['#3', [true, false]],
    ['!#3', [false, true]],
  ])('is read by its number: %s', async (source, active) => {
    writeFileSync(cli.file('list.csv'), BOTH);
    const { service, run } = await cli.scripted(addsMembers());
    const options = ['--map', `isActive=${source}`, '--ignore-extra-columns'];
    await run(['people', 'bulk-add', cli.file('list.csv'), ...options]);
    expect(service.requests.flatMap(membersOf).map(({ isActive }) => isActive)).toEqual(active);
  });

  it('is shown with its number where it is to be mapped', async () => {
    const { error } = await check('list.csv', 'userId,role,!isActive\nusr_1,m,true\n', []);
    expect(error?.message).toContain('#3 (!isActive)');
    expect(error?.hint).not.toContain('isActive=!isActive');
  });

  it.each(['userId', 'role', 'department'])(
    'cannot be mapped to %s by its name, and the hint says how',
    async (field) => {
      const { code, error } = await check('list.csv', ONLY, ['--map', `${field}=!x`]);
      expect({ code, hint: error?.hint }).toEqual({
        code: 2,
        hint: `If the name of the column begins with "!", use its number: --map ${field}=#<number>`,
      });
    },
  );

  it('cannot be read from a JSON list, which has no numbers', async () => {
    const list = '[{"userId":"usr_1","role":"m","!x":true,"x":true}]';
    const { code, error } = await check('list.json', list, ['--map', 'isActive=!x', '--ignore-extra-columns']);
    expect(code).toBe(2);
    expect(error?.message).toContain('(rename the key)');
  });
});
