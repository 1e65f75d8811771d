import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { drawnText, MemoryTerminal } from '../../helpers/run-cli.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const [DOWN, ENTER, SPACE, ESCAPE, CTRL_C, CLEAR] = ['\x1b[B', '\r', ' ', '\x1b', '\x03', '\x15'];

/** Forty people of an identity provider, with addresses, departments of its own, and a status that is the opposite of active. */
function writeExport(): string {
  const people = Array.from({ length: 40 }, (_, at) => {
    const department = at % 2 === 0 ? 'Platform' : 'HR';
    return `Person ${at},person${at}@corp.example,Title ${at},${department},${at < 3 ? 'Yes' : 'No'}`;
  });
  const list = cli.file('hr.csv');
  writeFileSync(list, `Name,Email,Title,Department,Block sign in\n${people.join('\n')}\n`);
  const ids = Array.from({ length: 40 }, (_, at) => `usr_${at},Person ${at},Person${at}@corp.example,2024-01-01`);
  writeFileSync(cli.file('directory.csv'), `id,name,email,joined\n${ids.join('\n')}\n`);
  return list;
}

/** By question, what is typed. `DOWN` first means the second choice. */
const ANSWERS = () => [
  ...['Email', ENTER],
  ...[ENTER],
  ...[CLEAR, cli.file('directory.csv'), ENTER],
  ...[ENTER],
  ...['employee', ENTER],
  ...[DOWN, ENTER],
  ...[SPACE, ENTER],
  ...['it', ENTER],
  ...[DOWN, SPACE, ENTER],
  ...[SPACE, ENTER],
];
const YES = ['\x1b[A', ENTER];
const [CHANGE, SAVE] = [
  [DOWN, ENTER],
  [DOWN, DOWN, ENTER],
];

interface Sent {
  userId: string;
  role: string;
  department?: string;
  isActive?: boolean;
}

async function answer(list: string, typed: readonly string[], options: readonly string[] = [], columns = 80) {
  const { service, run } = await cli.scripted(addsMembers());
  const terminal = new MemoryTerminal(typed);
  const result = await run(['people', 'bulk-add', list, ...options], { terminal, columns, env: { NO_COLOR: '1' } });
  const bodies = service.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
  const sent: Sent[] = bodies.flatMap(({ members }) => members);
  const questions = result.stderr.match(/◇ /g)?.length ?? 0;
  return { ...result, shown: drawnText(result.stderr), sent, questions };
}

const MAPPING = {
  columns: { userId: 'Email', department: 'Department' },
  active: { 'Block sign in': ['No'] },
  inactive: { 'Block sign in': ['Yes'] },
  values: { department: { Platform: 'it' } },
  default: { role: 'employee' },
  lookup: { file: 'directory.csv', from: 'email', to: 'id' },
  ignored: ['Name', 'Title'],
};

describe('people bulk-add of a list with other columns, on a terminal', () => {
  it.each([80, 44])('imports 40 people with addresses after their questions, at %i columns', async (columns) => {
    const { code, sent, shown } = await answer(writeExport(), [...ANSWERS(), ...YES, 'y'], [], columns);
    expect(code, shown).toBe(0);
    expect(sent.slice(2, 4)).toEqual([
      { userId: 'usr_2', role: 'employee', department: 'it', isActive: false },
      { userId: 'usr_3', role: 'employee', department: 'HR', isActive: true },
    ]);
    expect(sent.filter(({ isActive }) => isActive)).toHaveLength(37);
    expect(shown).toContain('40 of 40 found');
    expect(JSON.parse(readFileSync(cli.file('hr.mapping.json'), 'utf8'))).toEqual(MAPPING);
  });

  it('takes a path from the current directory', async () => {
    const [, person = ''] = readFileSync('examples/directory.csv', 'utf8').split('\n');
    const list = cli.file('people.csv');
    writeFileSync(list, `Email,role\n${person.split(',').find((cell) => cell.includes('@'))},member\n`);
    const { shown } = await answer(list, [ENTER, ENTER, 'examples/directory.csv', ENTER, CTRL_C]);
    expect(shown).toContain('1 of 1 found');
  });

  it('reads who is active from two columns', async () => {
    const list = cli.file('google.csv');
    writeFileSync(list, 'userId,role,Status,Archived\nu1,member,Active,no\nu2,member,Active,yes\nu3,member,Gone,no\n');
    const typed = [ENTER, ENTER, DOWN, SPACE, DOWN, SPACE, ENTER, SPACE, ENTER, SPACE, ENTER, ...YES, 'n'];
    const { code, sent, shown } = await answer(list, typed);
    expect(code, shown).toBe(0);
    expect(sent.map(({ userId, isActive }) => [userId, isActive])).toEqual([
      ['u1', true],
      ['u2', false],
      ['u3', false],
    ]);
  });

  it('asks of a column with many values only whether it is blank', async () => {
    const list = cli.file('hr.csv');
    const people = Array.from({ length: 120 }, (_, at) => `u${at},member,${at < 3 ? '' : `Day ${at}`}\n`);
    writeFileSync(list, `userId,role,End\n${people.join('')}`);
    const { code, sent, shown } = await answer(list, [ENTER, ENTER, DOWN, SPACE, ENTER, ENTER, ...YES, 'n']);
    expect(code, shown).toBe(0);
    expect(sent.filter(({ isActive }) => isActive).map(({ userId }) => userId)).toEqual(['u0', 'u1', 'u2']);
  });

  it('asks a changed answer only', async () => {
    const everyone = [DOWN, DOWN, DOWN, ENTER, SPACE, ENTER];
    const { code, sent, shown } = await answer(writeExport(), [...ANSWERS(), ...CHANGE, ...everyone, ...YES, 'n']);
    expect(code, shown).toBe(0);
    expect(sent.filter(({ isActive }) => isActive)).toHaveLength(40);
    expect(sent[0]).toMatchObject({ userId: 'usr_0', department: 'it' });
  });

  it('does not offer a column that is another field already', async () => {
    const list = cli.file('hr.csv');
    writeFileSync(list, 'Login,Job,Team\nu1,clerk,it\nu2,boss,hr\n');
    // Each answer about a field is the first column that its question offers.
    const fields = [DOWN, ENTER, ENTER, DOWN, ENTER, ENTER];
    const { code, sent, shown } = await answer(list, [ENTER, ...fields, SPACE, ENTER, ...YES, 'n']);
    expect(code, shown).toBe(0);
    expect(sent[0]).toEqual({ userId: 'u1', role: 'clerk', department: 'it', isActive: true });
  });

  it('saves answers that reject a new status of a later list without a question, even if everyone is active now', async () => {
    const list = cli.file('hr.csv');
    writeFileSync(list, 'userId,role,Status\nu1,clerk,Employed\n');
    const { code, shown } = await answer(list, [ENTER, ENTER, DOWN, SPACE, ENTER, SPACE, ENTER, ...SAVE]);
    expect(code, shown).toBe(0);
    writeFileSync(list, 'userId,role,Status\nu1,clerk,Employed\nu2,clerk,Left\n');
    const next = await answer(list, [], ['--mapping', cli.file('hr.mapping.json')]);
    expect({ code: next.code, sent: next.sent, questions: next.questions }, next.shown).toEqual({
      ...{ code: 2, sent: [], questions: 0 },
    });
    expect(next.stderr).toContain('"Status": "Left" (1)');
  });

  it('saves the answers and stops, and a script sends with them what the questions would have sent', async () => {
    const list = writeExport();
    const asked = await answer(list, [...ANSWERS(), ...YES, 'n']);
    const stopped = await answer(list, [...ANSWERS(), ...SAVE]);
    expect({ code: stopped.code, sent: stopped.sent }, stopped.shown).toEqual({ code: 0, sent: [] });
    const { code, sent } = await answer(list, [], ['--mapping', cli.file('hr.mapping.json'), '--yes']);
    expect({ code, people: sent.length, sent }).toEqual({ code: 0, people: 40, sent: asked.sent });
  });

  it('replaces the answers about an earlier list only after a yes', async () => {
    const list = writeExport();
    const file = cli.file('hr.mapping.json');
    writeFileSync(file, '{}');
    const declined = await answer(list, [...ANSWERS(), ...SAVE, 'n', ENTER]);
    expect({ code: declined.code, saved: readFileSync(file, 'utf8') }, declined.shown).toEqual({
      code: 2,
      saved: '{}',
    });
    const replaced = await answer(list, [...ANSWERS(), ...SAVE, 'y']);
    expect({ code: replaced.code, saved: JSON.parse(readFileSync(file, 'utf8')) }).toEqual({ code: 0, saved: MAPPING });
    expect(replaced.shown).toContain(`--mapping ${file}`);
  });

  it('asks again who is active after a column and everyone', async () => {
    const list = cli.file('hr.csv');
    writeFileSync(list, 'userId,role,Status\nu1,clerk,Employed\n');
    const both = [SPACE, DOWN, SPACE, ENTER];
    const { code, sent, shown } = await answer(list, [ENTER, ENTER, ...both, SPACE, ENTER, ...YES, 'n']);
    expect({ code, sent }, shown).toEqual({ code: 0, sent: [{ userId: 'u1', role: 'clerk', isActive: true }] });
    expect(shown).toContain('either columns or');
  });

  it('asks nothing about a list without columns to choose from', async () => {
    const list = cli.file('hr.csv');
    writeFileSync(list, 'sep=;\nLogin;Role;Team\nu1;clerk;it\n');
    const { code, sent, questions, shown } = await answer(list, [ENTER]);
    expect({ code, sent, questions }, shown).toEqual({ code: 2, sent: [], questions: 0 });
  });

  it('says that rows are invalid with the answers, and shows them', async () => {
    const list = writeExport();
    writeFileSync(cli.file('directory.csv'), 'id,email\nusr_0,person0@corp.example\n');
    const { code, sent, stdout, shown } = await answer(list, [...ANSWERS(), ENTER]);
    expect({ code, sent }, shown).toEqual({ code: 2, sent: [] });
    expect(stdout).toContain('person1@corp.example');
  });

  it('sends and saves nothing after the last question without a yes', async () => {
    const { code, sent, stdout, shown } = await answer(writeExport(), [...ANSWERS(), ENTER]);
    expect({ code, sent, stdout, saved: existsSync(cli.file('hr.mapping.json')) }, shown).toEqual({
      ...{ code: 2, sent: [], stdout: '', saved: false },
    });
  });

  it.each([
    ['Escape', ESCAPE],
    ['Ctrl-C', CTRL_C],
  ])('sends and saves nothing after %s at any question', async (_, key) => {
    const list = writeExport();
    const typed = ANSWERS();
    const ends = typed.flatMap((piece, at) => (piece === ENTER ? [at + 1] : []));
    for (const end of [0, ...ends]) {
      const { code, sent, shown } = await answer(list, [...typed.slice(0, end), key]);
      expect({ code, sent, saved: existsSync(cli.file('hr.mapping.json')) }, shown).toEqual({
        ...{ code: 130, sent: [], saved: false },
      });
    }
  });

  it.each([['--yes'], ['--no-input']])('prints the options instead with %s', async (option) => {
    const { code, stderr, questions } = await answer(writeExport(), [], [option]);
    expect({ code, questions }).toEqual({ code: 2, questions: 0 });
    expect(stderr).toMatch(/hint: .*--map userId=.*--active /);
  });
});
