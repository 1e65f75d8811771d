import { UsageError } from '../../../util/errors.ts';

const SAVE_TABLE = 'Open it in Excel or LibreOffice, and save it as an Excel workbook (.xlsx) or as CSV UTF-8.';
const UNPACK = 'Unpack it, and pass the list in it. orgadm itself unpacks only gzip.';

/** Kinds of files that are often passed in place of a list: how they begin, as Latin-1, what they are, and what to do. */
const KINDS: readonly (readonly [pattern: RegExp, problem: string, hint: string])[] = [
  [
    /^%PDF-/,
    'is a PDF document',
    'Export the list as CSV, JSON, or an Excel workbook. If there is only the document, copy its table into a spreadsheet and check it.',
  ],
  [
    /^\{\\rtf/,
    'is an RTF document, not plain text',
    'Save it as plain text (in TextEdit: Format > Make Plain Text), or export the list as CSV.',
  ],
  [/^(?:7z\xbc\xaf|Rar!\x1a|BZh[1-9]1AY|\xfd7zXZ|\x28\xb5\x2f\xfd)/, 'is a compressed archive', UNPACK],
  [/^[\s\S]{257}ustar/, 'is a tar archive', UNPACK],
  [/^MIME-Version:/i, 'is a web archive (MHTML)', SAVE_TABLE],
  [
    /^\x1e/,
    'is a sequence of JSON texts (RFC 7464), not NDJSON',
    "Remove the characters between them: tr -d '\\036' < list.json > list.ndjson",
  ],
  [
    /^(?:\xef\xbb\xbf)?(?:#[^\n]*\n|\s*\n)*(?:version: *1\s|dn::? )/,
    'is LDIF, as LDAP programs write it',
    'Export the people as CSV or JSON, or convert the file with a script.',
  ],
  [
    /^(?:\xef\xbb\xbf)?(?:---\s*\n)?\s*- +"?\w+"?:\s[^\n]*\n +"?\w+"?:(?:\s|$)/,
    'is YAML',
    'Convert it to JSON: yq -o json list.yaml > list.json',
  ],
  [/^\s*"\s*[[{]\s*(?:\{\s*)?\\"/, 'is JSON within a text', 'Convert it: jq fromjson list.json > people.json'],
  // In CSV, a cell that begins with {" is in quotes, and doubles its own. SharePoint writes a schema above the header.
  [
    /^\s*(?!ListSchema=)(?:[a-z]+[ .])?[\w$]+ *= *[[{]|^(?!\s*[[{])[\s\S]*?\n[ \t]{0,20}\[?\s{0,20}\{\s{0,20}"(?!")[^\t\n]*(?:\n|$)/i,
    'has other text in front of its JSON',
    'Remove what comes before the first bracket, such as a comment or the output of a program.',
  ],
];

/** Markup that begins as a document or a table, or whose first element has an end. */
const MARKUP = /^\s*<(?:[!?]|(?:html|head|body|svg|meta|style|table|div)[\s>]|[a-z][\s\S]*<\/[a-z])/i;
const MARKUP_KINDS: typeof KINDS = [
  [
    /<(?:ss:)?workbook[\s>]|urn:schemas-microsoft-com:office:spreadsheet/i,
    'is an XML spreadsheet, as Excel 2003 wrote it',
    SAVE_TABLE,
  ],
  [
    /^(?![\s\S]*type=["']?password)[\s\S]*<table[\s>]/i,
    'is a web page with a table (HTML), not a workbook',
    SAVE_TABLE,
  ],
  [
    /^/,
    'is an HTML or XML file, not a list',
    'The download may have been a login page. Export the list as CSV, JSON, or an Excel workbook, and open the file to check it.',
  ],
];

/**
 * Rejects a document, an archive, and markup, such as the login page that a download ended at.
 *
 * @param head the beginning of the file, as Latin-1
 * @throws UsageError that says what it is, and how to get a list
 */
export function rejectOtherFile(head: string): void {
  const unmarked = head.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)+/, '');
  // Without the zeros of UTF-16.
  const text = unmarked.replaceAll('\0', '');
  const found = MARKUP.test(text)
    ? MARKUP_KINDS.find(([pattern]) => pattern.test(text))
    : KINDS.find(([pattern]) => pattern.test(unmarked));
  if (found !== undefined) throw new UsageError(`the list ${found[1]}`, found[2], 'bad-list');
}
