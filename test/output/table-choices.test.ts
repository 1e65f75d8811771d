import { describe, expect, it } from 'vitest';
import { plainStyle } from '../../src/output/style.ts';
import { type Column, renderTable } from '../../src/output/table.ts';

const plain = (width?: number) => ({ width, style: plainStyle });

describe('without its header', () => {
  const two: Column[] = [{ header: 'number', align: 'right' }, { header: 'text' }];

  it('prints only the rows, as wide as under the header, with no rule', () => {
    const more = [['7', 'seven']];
    expect(renderTable(two, more, { ...plain(), header: false })).toBe('     7  seven\n');
    expect(renderTable(two, more, { ...plain(80), header: false })).toBe('     7  seven\n');
    expect(renderTable(two, [], { ...plain(80), header: false })).toBe('');
  });

  it('records keep their labels, and a blank line parts them from those before', () => {
    const first = renderTable(two, [['10000000', 'one in words']], plain(17));
    const more = renderTable(two, [['20000000', 'two in words']], { ...plain(17), header: false });
    expect(first + more).toBe(
      ['number: 10000000', 'text: one in wor…', '', 'number: 20000000', 'text: two in wor…', ''].join('\n'),
    );
    expect(renderTable([...two, ...two, ...two], [], { ...plain(17), header: false })).toBe('');
  });
});

describe('not to be cut', () => {
  const records: Column[] = [{ header: 'type' }, { header: 'value', min: 4 }, { header: 'reason', wrap: true }];
  const value = 'v=DKIM1; k=rsa;  p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC監査の所見';

  it('does not change a table that fits the terminal', () => {
    expect(renderTable(records, [['TXT', value, 'ownership']], { ...plain(90), cut: false })).toBe(
      [
        'type  value                                                                 reason',
        `────  ${'─'.repeat(68)}  ─────────`,
        `TXT   ${value}  ownership`,
        '',
      ].join('\n'),
    );
  });

  it('becomes records, with every value whole on a line, where it does not fit', () => {
    expect(renderTable(records, [['TXT', value, 'ownership']], { ...plain(60), cut: false })).toBe(
      `type: TXT\nvalue:\n  ${value}\nreason: ownership\n`,
    );
  });

  it('still wraps the columns that wrap', () => {
    const reason = 'the name server cannot be reached';
    expect(renderTable(records, [['TXT', 'v=1', reason]], { ...plain(24), cut: false })).toBe(
      'type  value  reason\n────  ─────  ───────────\nTXT   v=1    the name\n             server\n             cannot be\n             reached\n',
    );
    expect(renderTable(records, [['TXT', value, reason]], { ...plain(24), cut: false })).toBe(
      `type: TXT\nvalue:\n  ${value}\nreason:\n  the name server cannot\n  be reached\n`,
    );
  });

  it('makes no difference when piped', () => {
    expect(renderTable(records, [['TXT', value, 'r']], { ...plain(), cut: false })).toBe(
      renderTable(records, [['TXT', value, 'r']], plain()),
    );
  });
});
