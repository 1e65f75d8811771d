import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';

/** A document that docs/json.md describes. */
interface Section {
  name: string;
  /** The first column of its tables, with the fields around them: `rows[].state`, `rows[]`, `rows`. */
  fields: ReadonlySet<string>;
}

const SECTIONS: Section[] = readFileSync('docs/json.md', 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    name: section.slice(0, section.indexOf('\n')),
    fields: new Set([...section.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, path = '']) => withParents(path))),
  }));

/** `rows[].line` has the parents `rows[]` and `rows`. */
function withParents(path: string): string[] {
  const parents = [...path.matchAll(/\.|\[\]/g)].map(({ index }) => path.slice(0, index));
  return [path, ...parents].filter((parent) => parent !== '');
}

/** Returns the paths of all fields of a document, in order. Objects whose fields the page does not list are not opened. */
function pathsIn(document: unknown, fields: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  const isOpened = (path: string) => [...fields].some((field) => field.startsWith(path) && field !== path);
  const visit = (value: unknown, path: string): void => {
    if (path !== '') found.add(path);
    if (value === null || typeof value !== 'object' || !isOpened(path)) return;
    if (Array.isArray(value)) for (const element of value) visit(element, `${path}[]`);
    else for (const [key, inner] of Object.entries(value)) visit(inner, path === '' ? key : `${path}.${key}`);
  };
  visit(document, '');
  return [...found].toSorted();
}

const cli = createCommandRunner();

/** Command lines that together print every field of a document. */
const LINES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'role update': [
    ['role', 'update', 'rol_custom_1', '--name', 'QA', '--permission', 'risk=read', '--obligation', 'compliance=true'],
    ['role', 'update', 'rol_1', '--name', 'QA', '--permission', 'a=b', '--obligation', 'c=true', '--dry-run'],
  ],
  'people bulk-add': [
    ['people', 'bulk-add', 'examples/members.csv', '--dry-run'],
    ['people', 'bulk-add', 'examples/members.csv', '--limit', '6', '--all-rows'],
    [
      ...['people', 'bulk-add', 'examples/okta-people.csv', '--map', 'userId=Login', '--default', 'role=employee'],
      ...['--lookup', 'examples/directory.csv:email=id', '--active', 'Status=ACTIVE', '--ignore-extra-columns'],
      ...['--map-value', 'department:Engineering=it'],
    ],
  ],
  'runs list': [
    ['people', 'bulk-add', 'examples/members.csv'],
    ['runs', 'list'],
  ],
  'domain status': [['domain', 'status', 'pending.example.com', 'none.example.com']],
  'findings list': [['findings', 'list', '--all']],
  error: [['role', 'update', 'rol_none', '--name', 'QA', '--debug']],
};

/** Fields that take a name server or a mapping file, which have tests of their own. */
const ELSEWHERE = /^\[\]\.dns|^mapping\.inactive$/;

/** Returns the documents that the command lines of a section print. */
async function documentsOf(name: string): Promise<unknown[]> {
  const documents: unknown[] = [];
  for (const line of LINES[name] ?? []) {
    const { stdout, stderr } = await cli.sandbox([...line, '--json']);
    documents.push(JSON.parse(stdout || stderr.trimEnd().split('\n').at(-1) || ''));
  }
  if (name === 'runs list') return documents.slice(-1);
  if (name === 'people bulk-add') documents.push(await documentOfOddResponse());
  if (name === 'role update') documents.push(await documentOfOtherRole());
  return documents;
}

/** A report of one person with two memberships, another with another role, and an inactive one who was a member before. */
async function documentOfOddResponse(): Promise<unknown> {
  writeFileSync(
    cli.file('list.csv'),
    'userId,role,isActive\nusr_1,member,true\nusr_2,member,true\nusr_3,member,false\n',
  );
  const member = (id: string, userId: string, role: string) => ({ id, userId, role, department: null, isActive: true });
  const created = [
    member('mem_1', 'usr_1', 'member'),
    member('mem_2', 'usr_1', 'member'),
    member('mem_3', 'usr_2', 'admin'),
  ];
  const errors = [{ index: 2, userId: 'usr_3', error: 'User usr_3 is already a member' }];
  const { run } = await cli.scripted([{ status: 201, body: { created, errors } }]);
  return (await run(['people', 'bulk-add', cli.file('list.csv'), '--json'])).json();
}

/** A role that the service stores with another name. */
async function documentOfOtherRole(): Promise<unknown> {
  const { run } = await cli.scripted([{ body: { id: 'rol_1', name: 'Other', permissions: {}, obligations: {} } }]);
  return (await run(['role', 'update', 'rol_1', '--name', 'QA', '--json'])).json();
}

describe('the tables of docs/json.md', () => {
  it.each(SECTIONS)('have the fields that orgadm prints, and no others: $name', async ({ name, fields }) => {
    const documents = await documentsOf(name);
    const printed = new Set(documents.flatMap((document) => pathsIn(document, fields)));
    expect([...printed].toSorted()).toEqual([...fields].filter((field) => !ELSEWHERE.test(field)).toSorted());
  });
});
