import { describe, expect, it } from 'vitest';
import { parseHelpText } from '../../build/docs/help-text.ts';

describe('parseHelpText', () => {
  it('joins the lines of a paragraph', () => {
    expect(parseHelpText('\nThe list is read\nfirst.\n\nThen it is sent.\n')).toEqual([
      {
        blocks: [
          { type: 'paragraph', text: 'The list is read first.' },
          { type: 'paragraph', text: 'Then it is sent.' },
        ],
      },
    ]);
  });

  it('reads a list of names, with descriptions of several lines, below a sentence', () => {
    expect(
      parseHelpText(
        'It is sent then. Each row\nends in one state:\n  created    added now\n  unknown    sent, outcome\n             unknown\n',
      ),
    ).toEqual([
      {
        blocks: [
          { type: 'paragraph', text: 'It is sent then. Each row ends in one state:' },
          {
            type: 'items',
            items: [
              { term: 'created', description: 'added now' },
              { term: 'unknown', description: 'sent, outcome unknown' },
            ],
          },
        ],
      },
    ]);
  });

  it.each(['Examples:', 'EXAMPLES'])(
    'keeps commands as they are under the heading %s, and ends it at a paragraph',
    (heading) => {
      expect(parseHelpText(`${heading}\n  $ orgadm api GET /v1/x \\\n      --json\n\nThat is all.\n`)).toEqual([
        { heading: 'Examples', blocks: [{ type: 'preformatted', lines: ['$ orgadm api GET /v1/x \\', '    --json'] }] },
        { blocks: [{ type: 'paragraph', text: 'That is all.' }] },
      ]);
    },
  );

  it('separates a sentence in a list from the items around it', () => {
    expect(parseHelpText('Places:\n  FIRST   one\n  SECOND and THIRD follow.\n  FOURTH  four\n')).toEqual([
      {
        heading: 'Places',
        blocks: [
          { type: 'items', items: [{ term: 'FIRST', description: 'one' }] },
          { type: 'paragraph', text: 'SECOND and THIRD follow.' },
          { type: 'items', items: [{ term: 'FOURTH', description: 'four' }] },
        ],
      },
    ]);
  });
});
