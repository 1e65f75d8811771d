import { describe, expect, it } from 'vitest';
import { ColumnsError } from '../../../src/import/list/open-list.ts';
import { type ListText, listErrorOf, readListText } from './read-list.ts';

async function suggestedFor(content: string, given: ListText = {}): Promise<readonly string[]> {
  try {
    return (await readListText(content, given)).check.suggestedOptions;
  } catch (error) {
    if (error instanceof ColumnsError) return error.suggestedOptions;
    throw error;
  }
}

describe('the suggestion for userId', () => {
  it.each([
    ['Email', 'Employee ID,Email\n,a@x.com\n,b@x.com\n', 'a column that is empty'],
    ['Email', 'Employee ID,Email\n1,a@x.com\n1,b@x.com\n', 'a column with the same value twice'],
    ['Email', 'Employee ID,Email\n1,a@x.com\n,b@x.com\n', 'a column that is blank in a row'],
    ['<column>', 'User,Team\nAda,it\nBo,hr\n', 'columns whose names do not mean an id'],
    ['Email', 'User IP,Email\n10.0.0.1,a@x.com\n10.0.0.2,b@x.com\n', 'a name that differs in a letter'],
    [
      'email',
      '[{"manager":{"id":7},"email":"a@x.com"},{"manager":{"id":8},"email":"b@x.com"}]',
      'the id of another person',
    ],
  ])('is %s for %j, because it leaves out %s', async (column, content) => {
    expect(await suggestedFor(content, { defaults: { role: 'm' } })).toEqual([
      ...['--map', `userId=${column}`],
      '--ignore-extra-columns',
    ]);
  });

  it('comes with --lookup if the values are email addresses', async () => {
    const { hint } = await listErrorOf('Email,role\na@x.com,m\nb@x.com,m\n');
    expect(hint).toBe(
      'The IDs are email addresses. If your service has its own IDs, translate them: --lookup userId=<file>:<column>=<column>',
    );
  });
});

describe('the suggestion for role', () => {
  it.each([
    ['Roles\nDefault;VPN\nDefault\n', 'lists of roles'],
    ['Roles\n"Default, VPN"\nDefault\n', 'lists of roles with commas'],
    [`Role name\n${Array.from({ length: 21 }, (_, at) => `r${at}\n`).join('')}`, 'more than 20 values'],
  ])('is a placeholder for %j, because the column holds %s', async (content) => {
    const ids = content
      .split('\n')
      .map((line, at) => (line === '' ? '' : at === 0 ? `userId,${line}` : `u${at},${line}`));
    expect(await suggestedFor(ids.join('\n'))).toEqual(['--default', 'role=<role>', '--ignore-extra-columns']);
  });

  it('is a placeholder for a list of roles in JSON', async () => {
    expect(
      await suggestedFor('[{"userId":"u1","roles":["Default","VPN"]},{"userId":"u2","roles":["Default"]}]'),
    ).toEqual([...['--default', 'role=<role>', '--ignore-extra-columns']]);
  });

  it('is the column if it has few values', async () => {
    expect(await suggestedFor('userId,Org role\nu1,Admin\nu2,User\nu3,User\n')).toEqual(['--map', 'role=Org role']);
  });
});

describe('the suggestion for isActive', () => {
  const suggested = async (header: string, cells: readonly string[]) => {
    const rows = cells.map((cell, at) => `u${at},m,${cell}\n`).join('');
    return (await suggestedFor(`userId,role,${header}\n${rows}`)).filter((word) => word !== '--ignore-extra-columns');
  };

  it.each([
    ['Status', ['Active', 'Inactive', ''], ['--map', 'isActive=Status']],
    ['Status', ['ACTIVE', 'SUSPENDED'], ['--map', 'isActive=Status', '--map-value', 'isActive:SUSPENDED=false']],
    ['suspended', ['yes', 'no'], ['--map', 'isActive=!suspended']],
    ['Locked', ['T', 'F'], ['--map', 'isActive=!Locked']],
    ['accountEnabled', ['1', '0'], ['--map', 'isActive=accountEnabled']],
    ['Aktiv', ['WAHR', 'FALSCH'], ['--map', 'isActive=Aktiv']],
    ['Suspendu', ['oui', 'non'], ['--map', 'isActive=!Suspendu']],
    ['Suspended', ['Suspended', 'no'], ['--map', 'isActive=!Suspended', '--map-value', 'isActive:Suspended=false']],
    ['Disabled', ['Disabled', ''], ['--map', 'isActive=Disabled']],
    [
      'userAccountControl',
      ['512', '66050'],
      [
        '--map',
        'isActive=userAccountControl',
        '--map-value',
        'isActive:512=true',
        '--map-value',
        'isActive:66050=false',
      ],
    ],
    [
      'Status',
      ['Active', 'PASSWORD_EXPIRED'],
      ['--map', 'isActive=Status', '--map-value', 'isActive:PASSWORD_EXPIRED=<true or false>'],
    ],
    ['Status', ['1', '2'], ['--map', 'isActive=<column>']],
    ['Status', ['A', 'T'], ['--map', 'isActive=<column>']],
    ['Status', ['a=b', 'Active'], ['--map', 'isActive=<column>']],
    ['activated', ['true', 'false'], ['--map', 'isActive=<column>']],
    ['billing-active', ['1', '0'], ['--map', 'isActive=<column>']],
    ['mfa.enabled', ['true', 'false'], []],
    ['Activated', ['2024-01-08', '2024-01-09'], []],
    ['Termination date', ['2024-01-08', ''], ['--map', 'isActive=<column>']],
    ['state,suspended', ['ACTIVATED,false', 'SUSPENDED,true'], ['--map', 'isActive=<column>']],
    ['Status,Termination date', ['Active,', 'Terminated,2024-01-08'], ['--map', 'isActive=<column>']],
    ['Enabled', ['true', ''], ['--map', 'isActive=Enabled', '--default', 'isActive=<true or false>']],
    ['inactive', ['x', 'yes'], ['--map', 'isActive=!inactive', '--map-value', 'isActive:x=<true or false>']],
  ])('depends on the values: %s %j', async (header, cells, words) => {
    expect(await suggested(header, cells)).toEqual(words);
  });

  it('names the columns and their values where it leaves the choice to the user', async () => {
    const { hint } = await listErrorOf('userId,role,state,suspended\nu1,m,ACTIVATED,false\nu2,m,SUSPENDED,true\n');
    expect(hint.split('\n')).toEqual([
      'Columns that may say who is active: "state" ("ACTIVATED", "SUSPENDED"), "suspended" ("false", "true")',
      'Choose the column that says who is active: --map isActive=<column>, with "!" before the name of a column such as "Suspended". If everyone is active, use --default isActive=true instead.',
    ]);
  });

  it('says how to read the days on which people left', async () => {
    const { hint } = await listErrorOf('userId,role,Termination date\nu1,m,2024-01-08\nu2,m,\n');
    expect(hint.split('\n')).toEqual([
      'Columns that may say who is active: "Termination date" (dates in the past)',
      expect.stringMatching(/^Choose the column that says who is active: /),
      "If the column has the dates when people left, add --map-value 'isActive:*=false'.",
    ]);
  });

  it('is left to the user if isActive contradicts another column', async () => {
    const content = 'userId,role,isActive,suspended\nu1,m,yes,yes\nu2,m,yes,no\n';
    expect(await suggestedFor(content)).toEqual(['--map', 'isActive=<column>', '--ignore-extra-columns']);
    expect((await listErrorOf(content)).hint).toMatch(
      /^orgadm treats 1 person as active, although column "suspended" says otherwise \(line 2\)\nChoose the column/,
    );
    // Nothing is suggested where the user has chosen.
    const chosen = 'userId,role,on,suspended\nu1,m,yes,yes\nu2,m,yes,no\n';
    expect(await suggestedFor(chosen, { map: { isActive: 'on' } })).toEqual([]);
  });
});

describe('the suggestion for values of isActive', () => {
  it('translates the words that say who is active', async () => {
    expect(await suggestedFor('userId,role,isActive\nu1,m,Active\nu2,m,Suspended\nu3,m,SUSPENDED\nu4,m,x\n')).toEqual([
      ...['--map-value', 'isActive:SUSPENDED=false'],
      ...['--map-value', 'isActive:x=<true or false>'],
    ]);
    expect(await suggestedFor('userId,role,isActive\nu1,m,maybe\n')).toEqual([]);
  });

  it('is none if it would add people as active who are not by another column', async () => {
    const content = 'userId,role,isActive,suspended\nu1,m,ACTIVATED,no\nu2,m,ACTIVATED,yes\n';
    expect(await suggestedFor(content, { ignoreExtraColumns: true })).toEqual([]);
  });
});

describe('the suggestion for a list with title lines', () => {
  it.each([
    ['CSV', 'Staff report\n\nas of today\nuserId,role\nu1,m\n', ['--header-row', '4']],
    [
      'CSV with another delimiter than the titles',
      'Staff, all offices, report\nEmployee ID;Name;Role\n1;Ada;m\n2;Bo;m\n',
      ['--header-row', '2', '--map', 'userId=Employee ID', '--ignore-extra-columns'],
    ],
  ])('is the line of the header: %s', async (_name, content, words) => {
    expect(await suggestedFor(content)).toEqual(words);
    expect((await listErrorOf(content)).hint).toContain(`Line ${words[1]} looks like the header.`);
  });

  it('is none if the user has named the line, or no line looks like a header', async () => {
    expect(await suggestedFor('Report\nuserId,role\nu1,m\n', { headerRow: 1 })).not.toContain('--header-row');
    expect(await suggestedFor('Report\nu1,m\nu2,m\n')).not.toContain('--header-row');
  });

  it('does not depend on lines that begin within quotes', async () => {
    const { message } = await listErrorOf('Name,Title,Address\nAda,m,"Street 1\nTown"\nBo,m,"Street 2\nTown"\n');
    expect(message).toMatch(/^the list has no column for userId\n/);
  });
});
