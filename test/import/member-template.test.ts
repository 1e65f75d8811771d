import { expect, test } from 'vitest';
import { renderMemberTemplate } from '../../src/commands/people/template.ts';
import { valuesOf } from './list/read-list.ts';

test.each(['csv', 'json'] as const)(
  'the %s template is a list that passes the check, with every field',
  async (format) => {
    expect(await valuesOf(renderMemberTemplate(format))).toEqual([
      { userId: 'usr_0101', role: 'member', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
      { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
    ]);
  },
);
