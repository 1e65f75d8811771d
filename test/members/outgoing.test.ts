import { expect, it } from 'vitest';
import { EntryWriter } from '../../src/members/outgoing.ts';

it('an entry goes out with the fields that it has, in the order of the interface', () => {
  const writer = new EntryWriter('deviceMgmtLabelId');
  expect(writer.write({ userId: 'usr_1', role: 'member' })).toBe('{"userId":"usr_1","role":"member"}');
  const all = { deviceMgmtLabelId: 7, isActive: false, department: 'it', role: 'member', userId: 'usr_1' };
  expect(writer.write(all)).toBe(
    '{"userId":"usr_1","role":"member","department":"it","isActive":false,"deviceMgmtLabelId":7}',
  );
});

it('what one entry leaves out is not taken from the one before', () => {
  const writer = new EntryWriter('deviceMgmtLabelId');
  writer.write({ userId: 'usr_1', role: 'owner', department: 'hr', isActive: true });
  expect(writer.write({ userId: 'usr_2', role: 'member', department: '' })).toBe(
    '{"userId":"usr_2","role":"member","department":""}',
  );
  expect(writer.write({ userId: 'usr_3', role: '' })).toBe('{"userId":"usr_3","role":""}');
});

it('texts are escaped as JSON wants it', () => {
  const writer = new EntryWriter('the "label"');
  const entry = { userId: 'a"b', role: 'x\\y', department: 'Zürich\u2028"', deviceMgmtLabelId: -1 };
  expect(writer.write(entry)).toBe(
    '{"userId":"a\\"b","role":"x\\\\y","department":"Zürich\u2028\\"","the \\"label\\"":-1}',
  );
});
